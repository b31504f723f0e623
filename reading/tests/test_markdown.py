"""Markdown and plain text become the same rows as a PDF."""

from itertools import pairwise

import pytest

from reading.limits import Limits
from reading.markdown import WRAP_CHARS, goes_on_in_row
from reading.plain_text import read_markdown, read_plain_text
from reading.reasons import ReadingError
from reading.rows import Reading, name_in_force
from reading.tables import read_tables

SOURCE = (
    """---
title: "The policy"
---

# Policy

Some text before.

### 1.1 Skipped *level*

- first item
- second item

```
# not a heading
```

Setext heading
--------------

| Name | Place |
|------|-------|
| Acme | Paris |

"""
    + "word " * 60
)


@pytest.fixture(scope="module")
def reading() -> Reading:
    return read_markdown(SOURCE)


def kinds_of(reading: Reading) -> dict[str, str]:
    return {line.text: line.kind for line in reading.lines}


def test_it_makes_the_heading_path_the_toc(reading: Reading) -> None:
    paths = [entry.breadcrumb for entry in reading.toc if entry.origin == "markdown"]
    assert paths == ["Policy", "Policy > 1.1 Skipped level", "Policy > Setext heading"]
    assert [entry.level for entry in reading.toc if entry.origin == "markdown"] == [1, 2, 2]
    assert reading.title == "The policy"


def test_it_keeps_the_kinds_of_blocks(reading: Reading) -> None:
    kinds = kinds_of(reading)
    assert kinds["- first item"] == "list_item"
    assert kinds["| Acme | Paris |"] == "table_row"
    assert kinds["# not a heading"] == "body"
    assert kinds["1.1 Skipped *level*"] == "heading"
    assert kinds['title: "The policy"'] == kinds["|------|-------|"] == kinds["```"] == "furniture"


def test_it_wraps_long_lines_on_pages(reading: Reading) -> None:
    """R3."""
    assert max(len(line.text) for line in reading.lines) <= WRAP_CHARS
    assert all(54 <= line.x0 < line.x1 <= 612 and 54 <= line.y0 < line.y1 <= 792 for line in reading.lines)
    assert [line.number for line in reading.lines] == list(range(1, len(reading.lines) + 1))


def test_it_begins_new_pages() -> None:
    reading = read_markdown("\n\n".join(f"Paragraph number {number} of the text." for number in range(100)))
    assert len(reading.pages) == 5
    assert reading.lines[-1].page_number == 5 and reading.lines[-1].number_on_page > 1


def test_it_keeps_the_words_of_the_source_in_order(reading: Reading) -> None:
    said = " ".join(line.text for line in reading.lines).replace("#", "").split()
    written = SOURCE.replace("#", "").split()
    assert said == written


def test_it_reads_plain_text_without_a_toc() -> None:
    reading = read_plain_text("# a comment, no heading\n\nThe text.\x00\r\nLast line")
    assert [line.text for line in reading.lines] == ["# a comment, no heading", "The text.", "Last line"]
    assert [entry.origin for entry in reading.toc] == ["front"]
    assert reading.warnings == ("characters_removed(1)",)


@pytest.mark.parametrize(("text", "code"), [("", "empty_file"), (" \n\n", "empty_file"), ("x" * 50, "text_too_large")])
def test_it_refuses_empty_and_endless_text(text: str, code: str) -> None:
    with pytest.raises(ReadingError) as caught:
        read_markdown(text, Limits(document_chars=40))
    assert caught.value.code == code


@pytest.mark.parametrize("text", ["[" * 50_000, "> " * 5_000 + "x", "*" * 50_000, "a" * 100_000, "- " * 3_000])
def test_it_survives_what_slows_other_readers_down(text: str) -> None:
    assert read_markdown(text).lines


STRUCK = """# Policy

## ~~3. Pets~~

The fee is ~~20 EUR~~ 30 EUR a month, and ~~it may be
raised at any time~~ it is fixed.

- ~~Cats~~ are allowed.
- Dogs cost 5~~6 and ~~more

Write `~~this~~` or \\~~that\\~~ to strike it.

```
a ~~b~~ c
```

| Item | 2024 | 2025 |
|------|------|------|
| Fee | ~~10~~ | 20 |
| Rent | 30 | 40 |
"""


def test_words_between_double_tildes_are_struck() -> None:
    """As in PDFs: kept and shown, not searched, told with the page; in code, escaped or alone the signs are signs."""
    reading = read_markdown(STRUCK)
    assert [line.struck for line in reading.lines if line.struck] == [
        *("~~3. Pets~~", "~~20 EUR~~ ~~it may be", "raised at any time~~", "~~Cats~~", "~~10~~")
    ]
    (fee,) = (line for line in reading.lines if line.text.startswith("The fee"))
    assert fee.text == "The fee is ~~20 EUR~~ 30 EUR a month, and ~~it may be" and "20" not in fee.match
    assert [*map(round, (fee.spans[0].x0, fee.spans[-1].x1))] == [*map(round, (fee.x0, fee.x1))]
    assert fee.marked(11) == "~~20 EUR~~ 30 EUR a month, and ~~it may be~~"
    assert [name_in_force(entry.title) for entry in reading.toc if entry.level == 2] == [""]
    (table,) = read_tables(reading.lines)
    assert [[cell and cell.text for cell in row.cells] for row in table.rows] == [[None, "20"], ["30", "40"]]
    assert reading.warnings == ("struck_text(1)",) and reading.pages[0].flags == ("struck",)


FENCED = [
    "- ```\n  a ~~b~~ c\n  ```\n\nThe fee is ~~20 EUR~~ 30 EUR.",
    "<!--\n```\n-->\n\nThe fee is ~~20 EUR~~ 30 EUR.",
    "- Say\n\n  ```\n  a ~~b~~ c\n\nThe fee is ~~20 EUR~~ 30 EUR.",
    "Say\n\n    a ~~b~~ c\n\nThe fee is ~~20 EUR~~ 30 EUR.",
    "> ~~~\n> a ~~b~~ c\n\nThe fee is ~~20 EUR~~ 30 EUR.",
]


@pytest.mark.parametrize("text", FENCED)
def test_after_code_words_are_struck_again(text: str) -> None:
    """Code in an item, a comment or a quotation, indented, or with nothing to end it but the item."""
    assert [line.struck for line in read_markdown(text).lines if line.struck] == ["~~20 EUR~~"]


def test_plain_text_has_no_words_between_tildes_struck() -> None:
    reading = read_plain_text("The fee is ~~20~~ 30 EUR.")
    assert reading.warnings == () and not any(line.struck for line in reading.lines)


LINKS = """# [1.2.0] of [the *API*][api] \\& more

See [Python versions][] and [the guide][api].[^1]

- An item
- [in a list]: https://example.org/list
  "with a title"

[1.2.0]: https://example.org/1.2.0
[Python versions]: https://devguide.python.org/versions/
[api]: <docs/an api.md>
  'What it does'
[//]: # (A comment)

[^1]: Older-versions/work.

[Deposit]: 500
[Rent]: 500/month
[Closing date]: 31/12/2026
[Contact]: info@example.com
"""


def test_where_links_lead_is_no_text_and_their_titles_are() -> None:
    reading = read_markdown(LINKS)
    aside = {line.text for line in reading.lines if line.kind == "furniture"}
    text = {line.text for line in reading.lines if line.kind != "furniture"}
    assert len(aside) == 7 and not any("Python" in each and "https" in each for each in text)
    assert {"- An item", "[^1]: Older-versions/work.", "[Deposit]: 500", "[Rent]: 500/month"} < text
    assert {"[Closing date]: 31/12/2026", "[Contact]: info@example.com"} < text
    assert [entry.title for entry in reading.toc] == ["1.2.0 of the API & more"] == [reading.title]


def test_what_is_wrapped_of_a_row_belongs_to_it() -> None:
    """Also behind a bar, and where the row does not end with one, as Markdown allows."""
    cells = " | ".join(f"cell{number:02}" for number in range(30))
    text = (
        f"| Name | Place |\n|---|---|\n| Acme | {cells} |\n| Rest | {'word ' * 30}\n| Short | row |\n| Next | row |\n"
    )
    rows = [line for line in read_markdown(text).lines if line.kind == "table_row"]
    begun = [line.text.split()[1] for above, line in pairwise([rows[0], *rows]) if not goes_on_in_row(above, line)]
    assert begun == ["Name", "Acme", "Rest", "Short", "Next"]
    assert rows[1].text.endswith("|") and not rows[2].text.startswith("|")
