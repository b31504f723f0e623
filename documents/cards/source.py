"""The text a card is made from by a model: the first two pages and the titles of the contents, within a limit (R15)."""

import hashlib
from collections.abc import Sequence

from documents.models import Parse
from reading.rows import UNSEARCHED_KINDS, LineRow, TocRow, name_in_force, stored_line

SOURCE_PAGES, SOURCE_TITLES, SOURCE_CHARS = 2, 40, 6_000  # R15
TITLES_HEADED = "Contents:"


def source_of(lines: Sequence[LineRow], toc: Sequence[TocRow]) -> str:
    """The text of the first pages followed by the titles, at most SOURCE_CHARS long; the titles are kept whole."""
    titles = [name_in_force(entry.title) for entry in toc if entry.origin != "front"][:SOURCE_TITLES]
    contents = "\n".join([TITLES_HEADED, *titles])[: SOURCE_CHARS // 2] if titles else ""
    pages = (line for line in lines if line.page_number <= SOURCE_PAGES and line.kind not in UNSEARCHED_KINDS)
    text = "\n".join(" ".join(line.text_in_force.split()) for line in pages)
    return f"{text[: SOURCE_CHARS - len(contents) - 2]}\n\n{contents}".strip()


def source_of_parse(parse: Parse) -> str:
    """The same of a stored parse."""
    toc = parse.toc_entries.order_by("index").values_list(*TocRow._fields)[: SOURCE_TITLES + 1]
    return source_of(source_lines(parse), [TocRow(*row) for row in toc])


def source_lines(parse: Parse) -> list[LineRow]:
    lines = parse.lines.filter(page_number__lte=SOURCE_PAGES).order_by("number").values_list(*LineRow._fields)
    return [stored_line(row) for row in lines]


def source_digest(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()
