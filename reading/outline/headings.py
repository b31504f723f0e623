"""Find the line of a title: its page and height are hints, the words on the line decide (R7)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from reading.layout.kinds import numbering_of
from reading.layout.lines import PageLine
from reading.matching import NOT_WORD, identifier_form, match_form
from reading.rows import ASIDE_KINDS, TocOrigin

HEADING_LINES = 3  # a heading may run over this many lines
FUZZY_RATIO = 0.86  # minimum similarity of a title and its heading if they are not equal
FUZZY_CHARS = 8  # shorter titles are similar by chance
WORDS_SHARE, WORDS_LONGER = 0.8, 2.5  # the share of a title's words a line must hold, and how much longer it may be
NEAR_PAGES = (0, 1, -1)  # pages to search, in this order: outlines are sometimes off by one

# How certain a start line is, by how it was found.
EXACT, UNNUMBERED, PREFIX, BY_TYPOGRAPHY = 1.0, 0.95, 0.9, 0.8
CONTAINED, FUZZY, MENTIONED, BY_HEIGHT, BY_PAGE = 0.75, 0.7, 0.5, 0.4, 0.3
VERIFIED = FUZZY  # from here on the start line contains the title


class TitleTarget(NamedTuple):
    """A title and its place according to the source; `y` is 0 if only the page is known."""

    level: int
    title: str
    page_number: int
    y: float


@dataclass(slots=True)
class SectionStart:
    """An entry with the line (index into all lines) it was found on."""

    level: int
    number: str
    title: str
    line_index: int
    page_number: int
    origin: TocOrigin
    confidence: float


class TitleForms(NamedTuple):
    """A target in its searched forms: letters and digits with and without its number, and its words."""

    target: TitleTarget
    number: str
    forms: tuple[str, ...]
    words: frozenset[str]


class HeadingSpot(NamedTuple):
    """A line that may contain a title: how well it does, and its total score."""

    merit: float
    place: int
    sureness: float


def starts_of(targets: Sequence[TitleTarget], lines: Sequence[PageLine], origin: TocOrigin) -> list[SectionStart]:
    """Each target with its start line. One that was not found and points backwards is dropped."""
    finder = TitleFinder(lines)
    starts: list[SectionStart] = []
    after = 0
    for target in targets:
        found = finder.find(target, after)
        if found is None:
            continue
        if found.sureness < MENTIONED and found.place < after:
            if target.page_number < lines[after].page_number:
                continue
            found = found._replace(place=after)
        number = numbering_of(target.title)[0] or finder.printed_number(found.place, target.title)
        title = " ".join(target.title.split())
        page_number = lines[found.place].page_number
        starts.append(SectionStart(target.level, number, title, found.place, page_number, origin, found.sureness))
        if found.sureness >= VERIFIED:
            after = found.place
    return starts


def page_ranges(lines: Sequence[PageLine]) -> dict[int, tuple[int, int]]:
    """Page number → its lines as [first, end) indexes."""
    firsts: dict[int, int] = {}
    for index, line in enumerate(lines):
        if line.page_number not in firsts:
            firsts[line.page_number] = index
    ends = [*list(firsts.values())[1:], len(lines)]
    return {number: (first, end) for (number, first), end in zip(firsts.items(), ends, strict=True)}


class TitleFinder:
    """The lines of a document, prepared for searching titles page by page."""

    def __init__(self, lines: Sequence[PageLine]) -> None:
        self.lines = lines
        self.pages = page_ranges(lines)
        self._forms: dict[int, tuple[str, str]] = {}

    def find(self, target: TitleTarget, after: int) -> HeadingSpot | None:
        """The line of a title, on its page or next to it; if the words are not found, the first line at its height."""
        number, title = numbering_of(target.title)
        forms = tuple(dict.fromkeys(form for form in map(identifier_form, (target.title, title)) if form))
        wanted = TitleForms(target, identifier_form(number), forms, frozenset(match_form(title).split()))
        places: list[HeadingSpot] = []
        for sureness_of in (self.sureness, self.resemblance):
            for offset in NEAR_PAGES:
                places += self.places_on(wanted, offset, after, sureness_of)
                best = max(places, default=None)
                if best is not None and best.sureness >= FUZZY:
                    return best
        return max(places, default=None) or self.without_title(target)

    def places_on(self, wanted: TitleForms, offset: int, after: int, sureness_of: "SurenessOf") -> list[HeadingSpot]:
        """The scored lines of one page that contain the title."""
        first, end = self.pages.get(wanted.target.page_number + offset, (0, 0))
        places = []
        for index in range(first, end):
            if self.lines[index].kind == "contents":
                continue
            sureness = sureness_of(wanted, index, end)
            if sureness:
                merit = sureness + self.merit(wanted.target, index, is_after=index >= after, is_near=not offset)
                places.append(HeadingSpot(merit, index, sureness))
        return places

    def merit(self, target: TitleTarget, index: int, *, is_after: bool, is_near: bool) -> float:
        """Better near the given height, on the given page, after the previous entry, bold, and outside furniture."""
        line = self.lines[index]
        merit = 0.3 * is_after + 0.3 * is_near - 0.6 * (line.kind in ASIDE_KINDS) + 0.15 * line.is_bold
        if target.y > 0 and is_near:
            merit -= min(0.5, abs(line.y0 - target.y) / 400)
        return merit

    def sureness(self, wanted: TitleForms, index: int, end: int) -> float:
        """How well the line, alone or with the next ones, contains the title; 0 if not at all."""
        form, bare = self.forms(index)
        if not form or not wanted.forms:  # a title of signs alone is on no line
            return 0.0
        if form == wanted.forms[0]:
            return EXACT
        unnumbered = form.removeprefix(wanted.number)
        best = 0.0
        for title in wanted.forms:
            if title in (form, bare, unnumbered):
                best = max(best, UNNUMBERED if wanted.number and title == form else EXACT)
            for start in {form, bare, unnumbered}:
                if len(title) > 3 and start.startswith(title):
                    best = max(best, PREFIX)
                elif len(start) > 1 and title.startswith(start):
                    best = max(best, self.continued(title, start, index, end))
            if len(title) >= FUZZY_CHARS and title in form:
                best = max(best, CONTAINED if len(form) < 2 * len(title) else MENTIONED)
        return best

    def continued(self, title: str, joined: str, index: int, end: int) -> float:
        """For a heading over several lines: whether the following lines complete the title."""
        for following in range(index + 1, min(end, index + HEADING_LINES)):
            joined += self.forms(following)[0]
            if joined.startswith(title):
                return EXACT if joined == title else PREFIX
            if not title.startswith(joined):
                break
        return 0.0

    def resemblance(self, wanted: TitleForms, index: int, end: int) -> float:
        """How similar title and heading are: misspelt, or with a word more or less."""
        _, bare = self.forms(index)
        title = wanted.forms[-1] if wanted.forms else ""
        if len(title) < FUZZY_CHARS or not bare or len(bare) > WORDS_LONGER * len(title):
            return 0.0
        shared = wanted.words & set(self.lines[index].match.split())
        if len(shared) > 1 and len(shared) >= WORDS_SHARE * len(wanted.words):
            return FUZZY
        is_near = abs(len(title) - len(bare)) <= 0.2 * len(title) and title[0] == bare[0]
        return FUZZY * (is_near and SequenceMatcher(None, title, bare, autojunk=False).ratio() >= FUZZY_RATIO)

    def without_title(self, target: TitleTarget) -> HeadingSpot | None:
        """Without the title only the page and perhaps the height are known: the first line from there on."""
        number = next((page for page in range(target.page_number, target.page_number + 4) if page in self.pages), 0)
        if not number:
            return None
        first, end = self.pages[number]
        candidates = [index for index in range(first, end) if self.lines[index].kind not in ASIDE_KINDS] or [first]
        if number == target.page_number and target.y > 0:
            below = [index for index in candidates if self.lines[index].y1 > target.y]
            if below:
                return HeadingSpot(BY_HEIGHT, below[0], BY_HEIGHT)
        return HeadingSpot(BY_PAGE, candidates[0], BY_PAGE)

    def printed_number(self, index: int, title: str) -> str:
        """The number printed before a title whose source omits it."""
        number, rest = numbering_of(self.lines[index].text)
        return number if identifier_form(rest).startswith(identifier_form(title)[:12]) else ""

    def forms(self, index: int) -> tuple[str, str]:
        """The letters and digits of a line, with and without its leading number; computed on demand."""
        known = self._forms.get(index)
        if known is None:
            line = self.lines[index]
            form = NOT_WORD.sub("", line.match)
            number, rest = numbering_of(line.text)
            known = self._forms[index] = (form, identifier_form(rest) if number and rest else form)
        return known


SurenessOf = Callable[[TitleForms, int, int], float]
