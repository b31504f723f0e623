"""Where the typical fields of a card stand (R15): looked up in the current reading, so that no place is stale."""

from collections.abc import Iterator, Mapping, Sequence
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
    known = {each.name for each in card.fields}
    headed = {each.name: each for each in headed_places(card.type, parse) if each.name not in known}
    return [place for name in TYPES[card.type].fields if (place := (valued | headed).get(name))]


def place_of_value(field: NamedValue, parse: Parse) -> FieldPlace | None:
    """Where a value was read: the first of its places at which a sign of the field reads it, else the first."""
    found = find(parse, field.value)
    hits = [hit for hit in found.hits if is_whole_word(hit, found)][:HITS_READ]
    if not hits:
        return None
    signs = [sign for sign in signs_of("value") if sign.name == field.name]
    around = {hit: numbers_beside(hit, found) for hit in hits if signs}
    wanted = {number for numbers in around.values() for number in numbers}
    texts = {line.number: printed_text(line) for line in parse.lines.filter(number__in=wanted)} if wanted else {}
    read = (hit for hit, numbers in around.items() if is_read_from(numbers, texts, field.value, signs))
    hit = next(read, hits[0])
    return FieldPlace(field.name, field.value, hit.page_number, found.lines[found.places(hit)[0]].number)


def is_whole_word(hit: Match, found: Matches) -> bool:
    """Whether a value begins and ends with a word: "3 May" does not stand in "13 May"."""
    places = found.places(hit)
    first, last = places[0], places[-1]
    before = found.lines[first].match[: max(0, hit.start - found.starts[first])]
    after = found.lines[last].match[hit.end - found.starts[last] :]
    return not before[-1:].isalnum() and not after[:1].isalnum()


def numbers_beside(hit: Match, found: Matches) -> range:
    """The numbers of the lines of a hit, and of those that a sign reads beside it."""
    places = found.places(hit)
    return range(found.lines[places[0]].number - LINES_BEFORE, found.lines[places[-1]].number + LINES_AFTER + 1)


def printed_text(line: Line) -> str:
    row = stored_line([getattr(line, name) for name in LineRow._fields])
    return " ".join(row.text_in_force.split())


def is_read_from(numbers: range, texts: Mapping[int, str], value: str, signs: Sequence[FieldSign]) -> bool:
    """Whether a sign of a field reads the value from these lines."""
    lines = [texts[number] for number in numbers if number in texts]
    read = (sign.pattern.search(text) for sign in signs for text in ("\n".join(lines), " ".join(lines)))
    return any(" ".join(found["value"].split()).startswith(value) for found in read if found)


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
