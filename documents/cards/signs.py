"""What the rules know of document cards, read once from data files (R15).

`signs.<language>.toml` has what tells a type, `fields.<language>.toml` where dates and values stand. The languages are
used together: a French invoice may have an English heading.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple

from documents.cards.types import DATES, FIELDS, TYPES
from reading.titles import DATE
from reading.values.months import MONTH
from reading.values.years import YEAR_DIGITS
from reading.wording import WordingError, check_fields, compile_checked, files_of, read_entries

FOLDER = Path(__file__).parent
# Where a sign is looked for: the title; a line near the top; a line of the first pages; the section titles; the running
# text of the first pages; and a question, which asks for documents of that type.
PLACES = ("title", "head", "line", "headings", "text", "asked")
NAMELESS = ("preamble", "opening", "period", "notice")
SECTIONS = ("value", "heading", "date", "party", *NAMELESS)
NAMES: Mapping[str, Mapping[str, Any]] = {"value": FIELDS, "heading": FIELDS, "date": DATES, "party": TYPES}
ANY_DATE = rf"(?:{DATE.pattern}|\b{YEAR_DIGITS}-\d\d-\d\d\b|\b\d{{1,2}}[/.]\d{{1,2}}[/.]{YEAR_DIGITS}\b)"
MONTH_ALONE = re.compile(rf"\b(?!ago\b){MONTH},? {YEAR_DIGITS}\b", re.IGNORECASE)


class TypeSign(NamedTuple):
    """A sign of a type: where it stands, what it weighs, and texts it is in and is not in."""

    type: str
    where: str
    weight: int
    pattern: re.Pattern[str]
    examples: tuple[str, ...]
    counter_examples: tuple[str, ...]


class FieldSign(NamedTuple):
    """Where something stands; `name` is that of a field, date or type, `rank` orders openings."""

    section: str
    name: str
    rank: int
    pattern: re.Pattern[str]
    examples: tuple[str, ...]
    counter_examples: tuple[str, ...]


@lru_cache(maxsize=1)
def card_signs() -> tuple[TypeSign, ...]:
    """Every sign of a type. Raises WordingError if a file is malformed."""
    return tuple(starmap(read_sign, listed_signs("signs")))


@lru_cache(maxsize=1)
def field_signs() -> tuple[FieldSign, ...]:
    """Where dates, fields and openings stand. Raises WordingError if a file is malformed."""
    return tuple(starmap(read_field_sign, listed_signs("fields")))


def listed_signs(name: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for _, path in files_of(FOLDER, name, "toml"):
        yield from ((path.name, section, entry) for section, entry in read_entries(path))


def signs_of(section: str) -> list[FieldSign]:
    return [sign for sign in field_signs() if sign.section == section]


def has_sign(section: str, text: str) -> bool:
    return any(sign.pattern.search(text) for sign in signs_of(section))


def read_sign(file: str, section: str, entry: Mapping[str, Any]) -> TypeSign:
    place = f"{file}, [[{section}]]"
    if section != "sign":
        raise WordingError(f"{file}: there is no section {section!r}")
    fields = {"type": str, "where": str, "weight": int, "pattern": str, "examples": list, "counter_examples": list}
    check_fields(place, entry, fields, ("type", "where", "weight", "pattern", "examples"))
    if entry["type"] not in TYPES or entry["where"] not in PLACES:
        raise WordingError(f"{place}: there is no type {entry['type']!r} or no place {entry['where']!r}")
    pattern = compile_checked(place, entry["pattern"], re.IGNORECASE)
    return TypeSign(entry["type"], entry["where"], entry["weight"], pattern, *examples_in(entry))


def read_field_sign(file: str, section: str, entry: Mapping[str, Any]) -> FieldSign:
    place = f"{file}, [[{section}]]"
    if section not in SECTIONS:
        raise WordingError(f"{file}: there is no section {section!r}")
    fields = {"name": str, "rank": int, "pattern": str, "examples": list, "counter_examples": list}
    own = {"opening": ("rank",)}.get(section, () if section in NAMELESS else ("name",))
    check_fields(place, entry, fields, (*own, "pattern", "examples"))
    if section in NAMES and entry["name"] not in NAMES[section]:
        raise WordingError(f"{place}: there is no {entry['name']!r}")
    pattern = compile_checked(place, entry["pattern"].replace("{date}", ANY_DATE), re.IGNORECASE)
    return FieldSign(section, entry.get("name", ""), entry.get("rank", 0), pattern, *examples_in(entry))


def examples_in(entry: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(entry["examples"]), tuple(entry.get("counter_examples", ()))
