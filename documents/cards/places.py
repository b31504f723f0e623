"""Where the typical fields of a card stand (R15): looked up in the current reading, so that no place is stale."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from documents.cards.signs import FieldSign, signs_of
from documents.cards.types import TYPES, Card, NamedValue
from documents.models import Line, Parse
from documents.pages.search import Match, Matches, find
from reading.rows import FRONT_INDEX, LineRow, name_in_force, stored_line

LINES_BEFORE, LINES_AFTER = 4, 2  # what a sign reads beside its value: a label above it, the rest of its sentence
HITS_READ = 20


class FieldPlace(NamedTuple):
    """A typical field: the value of the card, or the title of a section on it, and where that stands."""

    name: str
    value: str
    page: int
    line: int

    @property
    def query(self) -> str:
        """The part of the document's address that opens it here."""
        return urlencode({"page": self.page, "quote": self.value})


def find_places(card: Card, parse: Parse | None) -> list[FieldPlace]:
    """The places of the typical fields, in the order of the type; what stands nowhere in this reading has none."""
    if parse is None:
        return []
    valued = {each.name: place for each in card.fields if (place := place_of_value(each, parse))}
    known = valued.keys() | {each.name for each in card.fields}
    headed = {each.name: each for each in headed_places(card.type, parse) if each.name not in known}
    return [place for name in TYPES[card.type].fields if (place := (valued | headed).get(name))]


def place_of_value(field: NamedValue, parse: Parse) -> FieldPlace | None:
    """Where a value was read: the first of its places at which a sign of the field reads it, else the first."""
    found = find(parse, field.value)
    hits = [hit for hit in found.hits if is_whole_word(hit, found)][:HITS_READ]
    if not hits:
        return None
    signs = [sign for sign in signs_of("value") if sign.name == field.name]
    hit = next((each for each in hits if is_read_there(field.value, each, found, parse, signs)), hits[0])
    return FieldPlace(field.name, field.value, hit.page_number, found.lines[found.places(hit)[0]].number)


def is_whole_word(hit: Match, found: Matches) -> bool:
    """Whether a value begins and ends with a word: "3 May" does not stand in "13 May"."""
    places = found.places(hit)
    first, last = places[0], places[-1]
    before = found.lines[first].match[: max(0, hit.start - found.starts[first])]
    after = found.lines[last].match[hit.end - found.starts[last] :]
    return not before[-1:].isalnum() and not after[:1].isalnum()


def is_read_there(value: str, hit: Match, found: Matches, parse: Parse, signs: Sequence[FieldSign]) -> bool:
    """Whether a sign of a field reads the value from the lines around a place."""
    numbers = [found.lines[place].number for place in found.places(hit)]
    around = parse.lines.filter(number__range=(numbers[0] - LINES_BEFORE, numbers[-1] + LINES_AFTER)) if signs else ()
    texts = [" ".join(line.text_in_force.split()) for line in map(as_row, around)]
    said = (
        match["value"]
        for sign in signs
        for text in ("\n".join(texts), " ".join(texts))
        if (match := sign.pattern.search(text))
    )
    return any(" ".join(each.split()).startswith(value) for each in said)


def as_row(line: Line) -> LineRow:
    return stored_line([getattr(line, name) for name in LineRow._fields])


def headed_places(kind: str, parse: Parse) -> Iterator[FieldPlace]:
    """The first section on each typical field."""
    signs = [sign for sign in signs_of("heading") if sign.name in TYPES[kind].fields]
    entries = parse.toc_entries.exclude(index=FRONT_INDEX).order_by("index") if signs else ()
    told: set[str] = set()
    for entry in entries:
        title = name_in_force(entry.title)
        for sign in signs if title else ():
            if sign.name not in told and sign.pattern.search(title):
                told.add(sign.name)
                yield FieldPlace(sign.name, title, entry.first_page, entry.first_line)
