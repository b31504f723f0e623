"""Where what a card says was read (R15): kept by whoever read it, and shown where the words still stand there.

No place is looked for by a value: the same date stands at many places, and only its reader knows which one it read.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple
from urllib.parse import urlencode

from documents.cards.types import Card
from documents.models import Document, DocumentCard, Parse
from documents.pages.search import FoundLine, found_at, laid_out
from reading.layout.traced import TracedValue, trace
from reading.matching import match_form
from reading.rows import ASIDE_KINDS, UNSEARCHED_KINDS, LineRow, stored_line

Part = Literal["party", "date", "period", "value"]
Key = tuple[Part, str]


class CardPlace(NamedTuple):
    """Where a part of a card was read: the words as they stand there, from the character `start` of the first line.

    `name` is that of the date or value, of a party its own.
    """

    part: Part
    name: str
    page: int
    first_line: int
    last_line: int
    start: int
    words: str

    @property
    def key(self) -> Key:
        return self.part, self.name

    @property
    def query(self) -> str:
        """The part of the document's address that opens it here with the words lit."""
        return urlencode({"page": self.page, "quote": self.words, "at": f"{self.first_line}-{self.start}"})


class ReadCard(NamedTuple):
    card: Card
    places: tuple[CardPlace, ...] = ()


def with_places(read: ReadCard) -> dict[str, object]:
    """The stored form of a card with its places."""
    places = [place._asdict() for place in read.places]
    return read.card.to_json() | ({"places": places} if places else {})


def place_of_value(part: Part, name: str, read: TracedValue) -> CardPlace | None:
    """The place of what was read from lines; None if it was not, or has no letter or digit."""
    words = " ".join(" ".join(stretch.text.split()) for stretch in read.stretches)
    if not any(character.isalnum() for character in match_form(words)):
        return None
    first, last = read.stretches[0], read.stretches[-1]
    return CardPlace(part, name, first.page_number, first.number, last.number, first.start, words)


def places_of_quotes(card: Card, source: str, lines: Iterable[LineRow]) -> tuple[CardPlace, ...]:
    """The places of what a model took from a source, whose lines these are: only of what stands literally once."""
    seen = " ".join(source.split())
    text = trace(line for line in lines if line.kind not in UNSEARCHED_KINDS)
    places = []
    for (part, name), value in placed_values(card).items():
        start = text.text.find(value)
        is_sole = start >= 0 and seen.count(value) == 1 and text.text.find(value, start + 1) < 0
        if is_sole and is_bounded(text.text, start, start + len(value)):
            places.append(place_of_value(part, name, text.printed(start, start + len(value))))
    return tuple(place for place in places if place)


def is_bounded(text: str, start: int, end: int) -> bool:
    """Whether [start, end) cuts no word or number: "3 May" is not what "13 May" says."""
    cuts_before = text[start - 1 : start].isalnum() and text[start].isalnum()
    return not cuts_before and not (text[end : end + 1].isalnum() and text[end - 1].isalnum())


def placed_values(card: Card) -> dict[Key, str]:
    """What of a card may have a place."""
    values: dict[Key, str] = {("party", name): name for name in card.parties}
    values |= {("date", each.name): each.value for each in card.dates}
    values |= {("value", each.name): each.value for each in card.fields}
    return values | ({("period", ""): card.period} if card.period else {})


def places_now(document: Document, versions: Sequence[DocumentCard]) -> dict[Key, CardPlace]:
    """Where what the card that holds says was read, by part and name, as far as it stands there in this reading.

    `versions` are those nobody edited, the better first: what a person says otherwise has no place.
    """
    parse = document.current_parse
    if document.card is None or parse is None:
        return {}
    said = placed_values(Card.from_json(document.card.content))
    places: dict[Key, CardPlace] = {}
    for version in versions:
        read = placed_values(Card.from_json(version.content))
        for place in (CardPlace(**each) for each in version.content.get("places", ())):  # none of an older one
            if said.get(place.key, "") == read.get(place.key):
                places.setdefault(place.key, place)
    standing = set(still_standing(places.values(), parse))
    return {key: place for key, place in places.items() if place in standing}


def still_standing(places: Iterable[CardPlace], parse: Parse) -> list[CardPlace]:
    """The places at which a reading has their words, in one query."""
    wanted = list(places)
    numbers = {number for place in wanted for number in range(place.first_line, place.last_line + 1)}
    rows = parse.lines.filter(number__in=numbers).exclude(kind__in=ASIDE_KINDS).order_by("number")
    lines = [stored_line(row) for row in rows.values_list(*LineRow._fields)]
    return [place for place in wanted if is_still_there(place, lines)]


def is_still_there(place: CardPlace, lines: Iterable[LineRow]) -> bool:
    own = [line for line in lines if place.first_line <= line.number <= place.last_line]
    if not own or own[0].number != place.first_line or own[0].page_number != place.page:
        return False
    searched = laid_out(tuple(FoundLine(line.number, line.page_number, line.match) for line in own))
    return found_at(searched, place.words, place.first_line, place.start, own[0].text_in_force) is not None
