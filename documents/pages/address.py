"""Which place of a document an address means: a page by number or printed label, a line, found words, or a quote."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext

from documents.models import Parse
from documents.pages.search import WORDS_MAX, Match, Matches, find, found_at, searched_lines, words_in_force
from reading.characters import clean_words
from reading.rows import LineRow, stored_line

DIGITS_MAX = 9  # digits of an integer column
AT = re.compile(rf"([0-9]{{1,{DIGITS_MAX}}})-([0-9]{{1,{DIGITS_MAX}}})")


@dataclass(frozen=True)
class PageTarget:
    """A page with its highlights; `fault` says in words for people what could not be found."""

    page_number: int
    line_number: int | None = None
    finding: Matches | None = None
    hit: Match | None = None
    quote: Matches | None = None
    quoted: Match | None = None
    fault: str = ""


@dataclass(frozen=True)
class Step:
    """The hits before and after a place."""

    previous: Match | None
    following: Match | None


def find_page_target(parse: Parse, query: Mapping[str, str]) -> PageTarget:
    """The place named by the parameters `page`, `line`, `find` with `hit`, and `quote` with `at`, the line and the
    character of it that a quote begins with; the first page without any.
    """
    page_number, line_number = number_of(query, "page"), number_of(query, "line")
    if page_number is None and line_number:
        page_number = page_of_line(parse, line_number)
    place = PageTarget(page_number or 1, line_number)
    if words := read_words_parameter(query, "quote"):
        place = at_place(parse, place, words, query) or at_quote(
            parse, place, words, is_page_named=page_number is not None
        )
    if words := read_words_parameter(query, "find"):
        place = at_hit(parse, place, words, query, is_page_named=page_number is not None)
    return place


def at_place(parse: Parse, place: PageTarget, words: str, query: Mapping[str, str]) -> PageTarget | None:
    """The place of a quote that begins exactly where the address says; None if it does not, or that is not said."""
    said = AT.fullmatch(query.get("at", ""))
    line = said and parse.lines.filter(number=int(said[1])).values_list(*LineRow._fields).first()
    if not said or not line:
        return None
    text, quote = stored_line(line).text_in_force, find(parse, words)
    quoted = found_at(searched_lines(parse.pk), words, int(said[1]), int(said[2]), text)
    return replace(place, page_number=quoted.page_number, quote=quote, quoted=quoted) if quoted else None


def at_quote(parse: Parse, place: PageTarget, words: str, *, is_page_named: bool) -> PageTarget:
    """The place of a quote: nearest to the named page, else the first in the document."""
    quote = find(parse, words)
    if not quote.hits:  # of a quote with struck words, as it stands on the page, the rest is looked for
        quote = find(parse, words_in_force(parse, words))
    if not quote.hits:
        return replace(place, fault=gettext("These words do not stand in this reading of the document."))
    nearest = (
        min(quote.hits, key=lambda hit: abs(hit.page_number - place.page_number)) if is_page_named else quote.hits[0]
    )
    fault = ""
    if is_page_named and nearest.page_number != place.page_number:
        fault = gettext("These words stand on page %(page)s.") % {"page": nearest.page_number}
    return replace(place, page_number=nearest.page_number, quote=quote, quoted=nearest, fault=fault)


def at_hit(parse: Parse, place: PageTarget, words: str, query: Mapping[str, str], *, is_page_named: bool) -> PageTarget:
    """The place of a hit: by its number; without a page, the first from the page the search began on."""
    finding = find(parse, words)
    hit = finding.hit(number_of(query, "hit") or 0)
    if hit is None and not is_page_named:
        hit = finding.first_from(number_of(query, "from") or 1) or finding.hit(1)
    page_number = hit.page_number if hit else place.page_number
    return replace(place, page_number=page_number, finding=finding, hit=hit)


def step_of(place: PageTarget) -> Step:
    """The hits before and after a place, wrapping around at both ends."""
    finding = place.finding
    if finding is None or not finding.hits:
        return Step(None, None)
    first, last = finding.hits[0], finding.hits[-1]
    if place.hit:
        number = place.hit.number
        return Step(finding.hit(number - 1) or last, finding.hit(number + 1) or first)
    return Step(finding.last_before(place.page_number) or last, finding.first_from(place.page_number) or first)


def page_named(parse: Parse, typed: str, *, as_printed: bool) -> int | None:
    """The page somebody typed: its number in the file, or its printed label; None if there is no such page."""
    typed = typed.strip()
    if not as_printed and typed.isascii() and typed.isdigit() and len(typed) <= DIGITS_MAX:
        return int(typed) if 1 <= int(typed) <= parse.page_count else None
    printed = parse.pages.filter(label__iexact=typed).order_by("number") if typed and "\x00" not in typed else None
    return printed.values_list("number", flat=True).first() if printed is not None else None


def page_of_line(parse: Parse, line_number: int) -> int | None:
    return parse.lines.filter(number=line_number).values_list("page_number", flat=True).first()


def number_of(query: Mapping[str, str], name: str) -> int | None:
    """A whole number from 1 that fits a column; anything else counts as absent."""
    text = query.get(name, "")
    return int(text) or None if text.isascii() and text.isdigit() and len(text) <= DIGITS_MAX else None


def read_words_parameter(query: Mapping[str, str], name: str) -> str:
    return " ".join(clean_words(query.get(name, "").replace("\x00", " ")).split())[:WORDS_MAX]
