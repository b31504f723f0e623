"""What kind of document it is (R10), from its first reading: cheap facts that decide what is done with it next.

What the pages hold counts; what the file declares is kept beside it, and where the two disagree that is said.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby, islice
from pathlib import Path
from typing import Any, TypedDict

from reading.outline.typography import USABLE_ENTRIES
from reading.rows import FRONT_INDEX, LineRow, PageRow, Reading
from reading.tables import read_tables

TABLE_PAGES = 5  # R10: tables among the first pages show a document full of them
SCAN_LINES = 2  # of the file's own text per page on average: fewer are stamps and page numbers on pictures
SCANNED_SHARE = 0.5  # of the pages


class DocumentProfile(TypedDict):
    """What a reading says of the document as a whole; stored with the parse."""

    pages: int
    kinds: dict[str, int]  # how many pages there are of each
    contents_entries: int
    has_usable_contents: bool
    contents_sources: list[list[Any]]  # name and number of entries
    is_scanned: bool
    tables_at_front: int
    is_table_heavy: bool
    program: str  # that the file says it was made with
    program_class: str  # "" where it is not known
    declared: dict[str, str]  # what the file says of itself
    is_scan_undeclared: bool
    is_text_of_scanner: bool


def profile_of(reading: Reading) -> DocumentProfile:
    kinds: Counter[str] = Counter(page.kind for page in reading.pages if page.kind)
    entries = sum(entry.index != FRONT_INDEX for entry in reading.toc)
    declared = dict(reading.report.get("declared", {}))
    tables = tables_at_front(reading.lines)
    program_class = class_of_program(declared)
    is_scanned = is_scan(reading.pages, reading.lines)
    return {
        "pages": len(reading.pages),
        "kinds": dict(kinds),
        "contents_entries": entries,
        "has_usable_contents": entries >= USABLE_ENTRIES,
        "contents_sources": list(reading.report.get("contents_sources", [])),
        "is_scanned": is_scanned,
        "tables_at_front": tables,
        "is_table_heavy": tables > 0,
        "program": declared.get("creator") or declared.get("producer", ""),
        "program_class": program_class,
        "declared": declared,
        "is_scan_undeclared": is_scanned and program_class not in ("scanner", ""),
        "is_text_of_scanner": not is_scanned and program_class == "scanner",
    }


def is_scan(pages: Sequence[PageRow], lines: Sequence[LineRow]) -> bool:
    """Whether most pages are pictures of pages, or hold almost no text of the file's own.

    A first page with little text is no sign: covers of reports have none either.
    """
    pictured = sum(page.kind == "scan" or page.text_layer == "ocr" for page in pages)
    written = {page.number for page in pages if page.text_layer == "text"}
    own = sum(line.page_number in written for line in lines)
    return bool(pages) and (pictured > SCANNED_SHARE * len(pages) or own < SCAN_LINES * len(pages))


def tables_at_front(lines: Sequence[LineRow]) -> int:
    """How many tables the first pages with text hold."""
    pages = groupby(lines, key=lambda line: line.page_number)
    return sum(len(read_tables(list(page))) for _, page in islice(pages, TABLE_PAGES))


def class_of_program(declared: Mapping[str, str]) -> str:
    """The class of the program: of what the document was written in, else of what made the file; "" if unknown."""
    for name in ("creator", "producer"):
        said = declared.get(name, "")
        for kind, pattern in classes():
            if pattern.search(said):
                return kind
    return ""


@cache
def classes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Each class with an expression for its words, in the order in which they count."""
    stored = tomllib.loads(Path(__file__).with_name("programs.toml").read_text(encoding="utf-8"))
    return tuple(
        (kind, re.compile("|".join(rf"(?<![^\W\d_]){re.escape(word)}" for word in words), re.IGNORECASE))
        for kind, words in stored.items()
    )
