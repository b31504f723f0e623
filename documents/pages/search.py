"""Find words in one parse of a document: every occurrence, also across line ends and hyphens."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple
from uuid import UUID

from documents.models import Line, Parse
from reading.matching import LINE_HYPHENS, LinePiece, match_form, match_map
from reading.rows import ASIDE_KINDS, LineSpan, without_struck

WORDS_MAX = 1_000  # characters to search for: a long quote
HITS_MAX = 5_000  # nobody steps through more, and a search for "e" should end
CONTEXT = 60  # characters before and after a hit in the list
LEADERS = re.compile(r"(?:[ .·_]){5,}")  # leader dots before page numbers, which would fill the list
PARSES_KEPT = 4  # in the memory of a process; 20,000 lines take 6 MB
LISTED = 100  # listed hits around the current one


class FoundLine(NamedTuple):
    """A line in the form it is searched in."""

    number: int
    page_number: int
    match: str


class Match(NamedTuple):
    """One occurrence: its position among all (1-based), its page, and [start, end) in the joined match forms."""

    number: int
    page_number: int
    start: int
    end: int


class ShownHit(NamedTuple):
    """A hit in the list: its literal words with a little context."""

    hit: Match
    before: str
    words: str
    after: str


@dataclass(frozen=True)
class Matches:
    """All occurrences of some words in a parse. Running heads are skipped, since they are on every page."""

    words: str
    hits: tuple[Match, ...]
    lines: tuple[FoundLine, ...]
    starts: tuple[int, ...]  # where each line begins in the joined match forms

    @property
    def is_cut(self) -> bool:
        return len(self.hits) == HITS_MAX

    @property
    def page_count(self) -> int:
        return len({hit.page_number for hit in self.hits})

    def hit(self, number: int) -> Match | None:
        return self.hits[number - 1] if 1 <= number <= len(self.hits) else None

    def first_from(self, page_number: int) -> Match | None:
        """The first hit on a page or after it."""
        return next((hit for hit in self.hits if hit.page_number >= page_number), None)

    def last_before(self, page_number: int) -> Match | None:
        return next((hit for hit in reversed(self.hits) if hit.page_number < page_number), None)

    def near(self, number: int) -> tuple[Match, ...]:
        """The listed hits around one of them."""
        first = max(0, min(number - 1 - LISTED // 2, len(self.hits) - LISTED))
        return self.hits[first : first + LISTED]

    def pieces(self, hit: Match, texts: Mapping[int, str]) -> list[LinePiece]:
        """A hit's place in the lines' own texts, one (line number, start, end) per line.

        `texts` are the lines' texts in force by their numbers, which have a blank for each character that is struck.
        """
        pieces = []
        for place in self.places(hit):
            line, text = self.lines[place], texts.get(self.lines[place].number)
            if text is None:
                continue
            first, last = max(hit.start - self.starts[place], 0), min(hit.end - self.starts[place], len(line.match))
            _, offsets = match_map(text)
            if first < last <= len(offsets):
                pieces.append((line.number, offsets[first], offsets[last - 1] + 1))
        return pieces

    def places(self, hit: Match) -> range:
        """The indexes of the lines a hit runs over."""
        return range(bisect_right(self.starts, hit.start) - 1, bisect_right(self.starts, hit.end - 1))

    def line_numbers(self, hits: Iterable[Match]) -> set[int]:
        return {self.lines[place].number for hit in hits for place in self.places(hit)}


def find(parse: Parse, words: str) -> Matches:
    """Every occurrence of `words` in a parse, ignoring case, accents, quotation marks, line ends and hyphens."""
    return find_in(searched_lines(parse.pk), words[:WORDS_MAX])


def found_at(searched: "SearchText", words: str, line_number: int, start: int, text: str) -> Match | None:
    """The occurrence of words that begins with the character `start` of a line with this text in force, if any."""
    place = bisect_left(searched.lines, line_number, key=lambda line: line.number)
    pattern = pattern_of(words)
    if not pattern or place == len(searched.lines) or searched.lines[place].number != line_number:
        return None
    _, offsets = match_map(text)
    hit = pattern.match(searched.joined, searched.starts[place] + bisect_left(offsets, start))
    return Match(0, searched.lines[place].page_number, hit.start(), hit.end()) if hit else None


def words_in_force(parse: Parse, words: str) -> str:
    """Words as they stand in a parse without those of them that are struck through; "" where none are."""
    stored = parse.lines.exclude(kind__in=ASIDE_KINDS).order_by("number")
    texts, in_force, lines = {}, {}, []
    for number, page_number, text, spans in stored.values_list("number", "page_number", "text", "spans"):
        texts[number], in_force[number] = text, without_struck(text, [LineSpan(*span) for span in spans])
        lines.append(FoundLine(number, page_number, match_form(text)))
    finding = find_in(laid_out(tuple(lines)), words) if texts != in_force else None
    if finding is None or not finding.hits:
        return ""
    return " ".join(in_force[number][start:end] for number, start, end in finding.pieces(finding.hits[0], texts))


class SearchText(NamedTuple):
    """Searchable lines: their match forms joined in one text, and the offset of each line."""

    lines: tuple[FoundLine, ...]
    starts: tuple[int, ...]
    joined: str


@lru_cache(maxsize=PARSES_KEPT)
def searched_lines(parse_pk: UUID) -> SearchText:
    """The lines of a parse to search, cached: a parse never changes, and stepping through hits repeats the search."""
    searched = Line.objects.filter(parse=parse_pk).exclude(kind__in=ASIDE_KINDS).order_by("number")
    return laid_out(tuple(FoundLine(*row) for row in searched.values_list("number", "page_number", "match")))


def laid_out(lines: tuple[FoundLine, ...]) -> SearchText:
    starts = tuple(accumulate((len(line.match) + 1 for line in lines), initial=0))[:-1]
    return SearchText(lines, starts, "\n".join(line.match for line in lines))


def find_in(searched: SearchText, words: str) -> Matches:
    pattern = pattern_of(words)
    hits: list[Match] = []
    for found in pattern.finditer(searched.joined) if pattern else ():
        place = bisect_right(searched.starts, found.start()) - 1
        hits.append(Match(len(hits) + 1, searched.lines[place].page_number, found.start(), found.end()))
        if len(hits) == HITS_MAX:
            break
    return Matches(words, tuple(hits), searched.lines, searched.starts)


def pattern_of(words: str) -> re.Pattern[str] | None:
    """A pattern for words in joined match forms: a space may be a line end, and words may be hyphenated there."""
    folded = match_form(words)
    if not folded:
        return None
    parts = []
    for sign, following in zip(folded, [*folded[1:], ""], strict=True):
        is_space = sign == " "
        parts.append(r"[ \n]+" if is_space else re.escape(sign))
        if following and not is_space and following != " ":
            # A line may end after a word's own hyphen; within a word, at an added hyphen.
            parts.append(r"\n?" if sign in LINE_HYPHENS else r"(?:-\n)?")
    return re.compile("".join(parts))


def list_hits(parse: Parse, finding: Matches, hits: Sequence[Match]) -> list[ShownHit]:
    """Hits with their literal words and the text before and after."""
    if not hits:
        return []
    first, last = finding.places(hits[0])[0], finding.places(hits[-1])[-1]
    around = [line.number for line in finding.lines[max(first - 1, 0) : last + 2]]
    wanted = finding.line_numbers(hits) if len(around) > LISTED * 10 else set(around)
    rows = list(parse.lines.filter(number__in=wanted).values_list("number", "text", "spans"))
    in_force = {number: without_struck(text, [LineSpan(*span) for span in spans]) for number, text, spans in rows}
    texts = {number: text for number, text, _ in rows}
    return [show_hit(finding, hit, texts, in_force) for hit in hits]


def show_hit(finding: Matches, hit: Match, texts: Mapping[int, str], in_force: Mapping[int, str]) -> ShownHit:
    pieces = finding.pieces(hit, in_force)
    if not pieces:
        return ShownHit(hit, "", finding.words, "")
    places = finding.places(hit)
    before = texts[pieces[0][0]][: pieces[0][1]]
    after = texts[pieces[-1][0]][pieces[-1][2] :]
    if len(before) < CONTEXT and places[0]:
        before = f"{texts.get(finding.lines[places[0] - 1].number, '')} {before}"
    if len(after) < CONTEXT and places[-1] + 1 < len(finding.lines):
        after = f"{after} {texts.get(finding.lines[places[-1] + 1].number, '')}"
    words = " ".join(texts[number][start:end] for number, start, end in pieces)
    return ShownHit(hit, tail(LEADERS.sub(" … ", before)), words, head(LEADERS.sub(" … ", after)))


def tail(text: str) -> str:
    """The end of a text, from the start of a word."""
    cut = text[-CONTEXT:]
    return f"…{cut.partition(' ')[2] or cut}" if len(text) > CONTEXT else cut.lstrip()


def head(text: str) -> str:
    cut = text[:CONTEXT]
    return f"{cut.rpartition(' ')[0] or cut}…" if len(text) > CONTEXT else cut.rstrip()
