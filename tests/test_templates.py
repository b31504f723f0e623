"""Templates can be read and compared: no line is wide, and each block of a page begins a line of its own.

djade formats what is Django's in them (launch/check.py runs it) and leaves the HTML alone, since white space between
inline elements is seen on the page.
"""

import re
from pathlib import Path

import pytest

from docintel_site.settings import BASE_DIR

TEMPLATES = BASE_DIR / "templates"
PATHS = sorted(TEMPLATES.rglob("*.html"))
WIDTH = 120
BLOCKS = (
    "article|aside|blockquote|dd|details|dialog|div|dl|dt|fieldset|footer|form|h[1-6]|header|legend|li|main|nav|ol|p"
    "|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
BEGINS_BLOCK = re.compile(rf"<(?:{BLOCKS})\b")


def faults(template: str) -> list[str]:
    """The lines of a template that are too wide or begin a second block."""
    lines = enumerate(template.splitlines(), start=1)
    return [
        f"{number}: {line.strip()}"
        for number, line in lines
        if len(line) > WIDTH or len(BEGINS_BLOCK.findall(line)) > 1
    ]


def test_it_sees_a_wide_line_and_a_second_block() -> None:
    assert faults("<ul>\n  <li><a>one</a></li>\n</ul>\n") == []
    assert faults("<ul><li>one</li></ul>") == ["1: <ul><li>one</li></ul>"]
    assert len(faults(f"<p>{'w' * WIDTH}</p>")) == 1


@pytest.mark.parametrize("path", PATHS, ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_each_block_of_a_template_is_on_a_line_of_its_own(path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8")) == []
