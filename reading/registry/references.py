"""What a text points to (R14): "Section 7.2", "Table 3 row (E)", "Appendix A", "Eq. (4)", read from its words."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BARE_REACH = 600  # characters, about a paragraph: rows without a table belong to one named this far before
LABEL = r"[A-Z]?\d{1,5}(?:[.-]\d{1,5}){0,4}[a-z]?|[A-Z]|[IVX]{1,4}"  # 31 characters at most
BRACKETED = r"\d{1,3}(?:\.\d{1,3}){0,4}[a-z]?"
ROWS = r"\(\w{1,3}\)(?:\s*(?:,|and|et|und|y)\s*\(\w{1,3}\))*"


def read_names() -> dict[str, tuple[str, ...]]:
    """Each kind of thing with the names text has for it."""
    stored = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
    return {kind: tuple(names) for kind, names in stored.items()}


def one_of_names(names: tuple[str, ...]) -> str:
    """An expression for one of several names, the longest first."""
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


NAMES = read_names()
ROWS_CALLED = NAMES.pop("row")
ROW_NAMES = one_of_names(ROWS_CALLED)
KIND_OF = {name: kind for kind, names in NAMES.items() for name in names}
CALLED = (*KIND_OF, *ROWS_CALLED)
STEMS = tuple(name for name in CALLED if not any(name != other and name.startswith(other) for other in CALLED))
REFERENCE = re.compile(
    rf"""(?P<kind>(?i:{one_of_names(tuple(KIND_OF))}))\b\.?\s+
        (?:(?P<label>{LABEL})(?!\w)|\((?P<bracketed>{BRACKETED})\))
        (?:\s*,?\s*(?i:{ROW_NAMES})\s*(?P<rows>{ROWS}))?
        | (?i:{ROW_NAMES})\s+(?P<bare>{ROWS})""",
    re.VERBOSE,
)
BEGINNING = re.compile(rf"(?P<kind>{one_of_names(tuple(KIND_OF))})\b\.?\s+(?P<label>{LABEL})(?!\w)", re.IGNORECASE)


@dataclass(frozen=True)
class Reference:
    """A reference in a text: "table", "3", and "(E)" for a row of it. `label` and `row` are in lower case."""

    kind: str
    label: str
    row: str = ""

    def __str__(self) -> str:
        return f"{self.kind.capitalize()} {self.label.upper()}{f' row {self.row.upper()}' if self.row else ''}"


def references_in(text: str) -> Iterator[tuple[Reference, int, int]]:
    """The references of a text with their characters [start, end); rows belong to the table before them."""
    table, table_end, read_to = "", 0, 0
    for start in beginnings(text):
        found = REFERENCE.match(text, start) if start >= read_to else None
        if found is None:
            continue
        read_to = found.end()
        kind = KIND_OF[found["kind"].casefold()] if found["kind"] else "table"
        if found["bracketed"] and kind != "equation":  # "Section (4)" is a list, "Eq. (4)" an equation
            continue
        is_near = found.start() - table_end <= BARE_REACH
        label = (found["label"] or found["bracketed"] or (table if is_near else "")).casefold()
        if kind == "table":
            table, table_end = label, found.end()
        for row in re.findall(r"\(\w{1,3}\)", found["rows"] or found["bare"] or "") or [""]:
            if label:
                yield Reference(kind, label, row.casefold()), found.start(), found.end()


def beginnings(text: str) -> list[int]:
    """Where a word of a text begins with a name, in order: finding them so takes a tenth of one expression's time."""
    lower = text.lower()
    if len(lower) != len(text):  # a letter with two small ones, such as the Turkish İ
        lower = text
    places: list[int] = []
    for stem in STEMS:
        place = lower.find(stem)
        while place >= 0:
            if not place or not lower[place - 1].isalnum():
                places.append(place)
            place = lower.find(stem, place + 1)
    return sorted(places)


def named_at(text: str) -> tuple[str, str, str] | None:
    """Kind, label and rest of a text that begins with a name, such as a caption or a heading; None of any other."""
    found = BEGINNING.match(text)
    if found is None:
        return None
    return KIND_OF[found["kind"].casefold()], found["label"].casefold(), text[found.end() :].strip(" .:–—-|")
