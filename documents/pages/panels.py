"""The panel beside a page of a document: the contents, the page strip or the search hits, with their addresses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from django.db.models import CharField
from django.db.models.functions import Cast
from django.urls import reverse

from documents.models import Parse
from documents.pages.address import PageTarget, Step, read_words_parameter, step_of
from documents.pages.search import ShownHit, list_hits
from reading.characters import clean_words

PANELS = ("contents", "pages", "find")
PAGES_A_STRIP = 60  # thumbnails shown at once
VALUE_MAX = 40  # characters of a parameter that is preserved
# What an address names a place by, with the words to find and the quote.
PLACE = ("parse", "page", "line", "hit", "from", "at")


class Around(NamedTuple):
    """The addresses of the sheets before and after a page, alone; "" where there is none."""

    before: str
    after: str


@dataclass(frozen=True)
class Reader:
    """One panel with its links; addresses are parts of a query that begin with "&"."""

    place: PageTarget
    step: Step
    panel: str
    hits: tuple[ShownHit, ...]
    strip: tuple[tuple[int, str], ...]  # (page number, printed label)
    strip_before: int  # the page that leads to the strip before, or 0
    strip_after: int
    has_printed_labels: bool
    is_by_print: bool
    keep: str
    keep_words: str  # without the panel
    keep_reading: str  # without the panel and the words
    parse_number: str
    around: "Around"

    @property
    def find(self) -> str:
        return self.place.finding.words if self.place.finding else ""


def build_reader(parse: Parse, place: PageTarget, query: Mapping[str, str]) -> Reader:
    asked = keep_parameters(query)
    panel = asked["panel"] if asked.get("panel") in PANELS else "find" if place.finding else "contents"
    strip, before, after = strip_of(parse, place.page_number) if panel == "pages" else ((), 0, 0)
    return Reader(
        place=place,
        step=step_of(place),
        panel=panel,
        hits=hits_of(parse, place) if panel == "find" else (),
        strip=strip,
        strip_before=before,
        strip_after=after,
        has_printed_labels=has_printed_labels(parse),
        is_by_print=query.get("by") == "printed",
        keep=query_of(asked),
        keep_words=query_of(drop_parameters(asked, "panel")),
        keep_reading=query_of(drop_parameters(asked, "panel", "find")),
        parse_number=asked.get("parse", ""),
        around=sheets_around(parse, place.page_number, query),
    )


def keep_parameters(query: Mapping[str, str]) -> dict[str, str]:
    """The parameters every address within a document preserves: parse, panel, searched words."""
    values = {name: clean_words(query.get(name, "")[:VALUE_MAX]) for name in ("parse", "panel")}
    values["find"] = read_words_parameter(query, "find")
    return {name: value for name, value in values.items() if value}


def drop_parameters(asked: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in asked.items() if name not in names}


def query_of(asked: Mapping[str, str]) -> str:
    return "&" + urlencode(asked) if asked else ""


def address(query: Mapping[str, str], page_number: int) -> str:
    """The address of another page, with the preserved parameters and how its number was typed."""
    by = {"by": "printed"} if query.get("by") == "printed" else {}
    return "?" + urlencode({"page": page_number, **keep_parameters(query), **by})


def sheets_around(parse: Parse, page_number: int, query: Mapping[str, str]) -> Around:
    """Where the pages follow on while one scrolls: with the place of the address, so that the same words are lit."""
    kept = {name: query.get(name, "")[:VALUE_MAX] for name in PLACE}
    kept |= {name: read_words_parameter(query, name) for name in ("find", "quote")}
    place = urlencode({name: value for name, value in kept.items() if value})

    def address_of(number: int) -> str:
        path = reverse("documents:sheet", args=[parse.document_id, number])
        return f"{path}?{place}" if place else path

    return Around(
        address_of(page_number - 1) if page_number > 1 else "",
        address_of(page_number + 1) if page_number < parse.page_count else "",
    )


def hits_of(parse: Parse, place: PageTarget) -> tuple[ShownHit, ...]:
    """The listed hits: around the current one, or around the first of the page."""
    if place.finding is None or not place.finding.hits:
        return ()
    current = place.hit or place.finding.first_from(place.page_number) or place.finding.hits[-1]
    return tuple(list_hits(parse, place.finding, place.finding.near(current.number)))


def strip_of(parse: Parse, page_number: int) -> tuple[tuple[tuple[int, str], ...], int, int]:
    """The thumbnails around a page, and the pages that lead to the strips before and after."""
    first = (page_number - 1) // PAGES_A_STRIP * PAGES_A_STRIP + 1
    end = first + PAGES_A_STRIP
    pages = parse.pages.filter(number__gte=first, number__lt=end).order_by("number")
    return tuple(pages.values_list("number", "label")), max(first - 1, 0), end if end <= parse.page_count else 0


def has_printed_labels(parse: Parse) -> bool:
    """Whether any page's printed label differs from its number in the file."""
    return parse.pages.exclude(label="").exclude(label=Cast("number", CharField())).exists()
