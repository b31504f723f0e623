"""The table of contents: the starts of the first usable source become line-exact sections (R5-R7, R13)."""

import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from reading.layout.kinds import HEADING_SCORE, BodyStyle, continues, heading_score, is_set_apart, numbering_of
from reading.layout.lines import PageLine
from reading.outline.headings import BY_TYPOGRAPHY, UNNUMBERED, VERIFIED, SectionStart
from reading.rows import FRONT_INDEX, UNSEARCHED_KINDS, TocRow

TITLE_CHARS = 250
USABLE_ENTRIES = 4  # R10: fewer entries are no help
ENTRIES_MAX = 1_000
# Lines per entry: many outlines and contents pages stop at a shallow level, which hides where things are.
COARSE_LINES = 100
LONG_SECTION = 90  # lines, about two pages
LINES_PER_ENTRY = 50  # the shallowest headings are used until there is one entry per this many lines
SETTING_PARTS = 8  # this many numbered parts show the style of parts
NUMBER_SKIP = 2  # one heading of a series may have been missed
UNLISTED_LEVEL_MIN = 4  # this many entries show the style of a level
SERIES_MIN = 4  # headings that count up
CAPITALS_MIN = 4  # letters: fewer are an abbreviation
UNIT_NOTE = re.compile(
    r"(?<!\s)\s*\([a-z]+(?:,? [\w-]+)+\)$"
)  # "(dollars in millions)" describes what follows, it is no title
FRONT_TITLE, WHOLE_TITLE = "Front matter", "Whole document"


Setting = tuple[int, bool, bool, bool]


class Family(NamedTuple):
    """Headings of one level inside one section, and the average number of lines under each."""

    siblings: list[SectionStart]
    level: int
    span: float
    is_sure: bool


def starts_by_typography(lines: Sequence[PageLine], style: BodyStyle) -> list[SectionStart]:
    """Headings by R13's score, with levels by number depth, then by style."""
    found: list[int] = []
    shown: list[int] = []
    previous: PageLine | None = None
    for index, line in enumerate(lines):
        if line.kind == "heading":
            shown.append(index)
            if heading_score(line, previous, style) >= HEADING_SCORE:
                found.append(index)
        if line.kind not in UNSEARCHED_KINDS:
            previous = line
    if len(found) < USABLE_ENTRIES:
        found = shown  # headings no larger than the text: the best ones are bold lines set apart
    if len(found) > ENTRIES_MAX:
        found = sorted(sorted(found, key=lambda index: -lines[index].size)[:ENTRIES_MAX])
    whole = SectionStart(0, "", "", 0, 1, "headings", BY_TYPOGRAPHY)
    return find_subsections(whole, found, lines, style)


def extend_starts(starts: Sequence[SectionStart], lines: Sequence[PageLine], style: BodyStyle) -> list[SectionStart]:
    """In a coarse table of contents, split long sections without parts at their headings.

    Siblings are added all or none, since the lines of one would be filed under another; numbered series always.
    """
    if len(lines) <= COARSE_LINES * len(starts) or not starts:
        return list(starts)
    ordered = sorted(starts, key=lambda start: start.line_index)
    taken = {start.line_index for start in ordered}
    bounds = [*(start.line_index for start in ordered[1:]), len(lines)]
    sure = series_of(lines)
    families: list[Family] = []
    for start, end in zip(ordered, bounds, strict=True):
        inside = range(start.line_index + 1, end)
        found = [index for index in inside if lines[index].kind == "heading" and index not in taken]
        families += families_of(start, end, find_subsections(start, found, lines, style, sure), sure)
    room = max(0, len(lines) // LINES_PER_ENTRY - len(ordered))
    added: list[SectionStart] = []
    for family in sorted(families, key=lambda family: (not family.is_sure, family.level, -family.span)):
        if family.is_sure or len(added) + len(family.siblings) <= room:
            added += family.siblings
    return sorted([*ordered, *added], key=lambda start: start.line_index)


def families_of(start: SectionStart, end: int, parts: list[SectionStart], sure: set[int]) -> list[Family]:
    """The headings inside a section as families of siblings, without those of sections too short to split."""
    level = min((part.level for part in parts), default=0)
    siblings = [part for part in parts if part.level == level]
    if not siblings:
        return []
    families: list[Family] = []
    if end - start.line_index > LONG_SECTION or siblings[0].line_index in sure:
        span = (end - siblings[0].line_index) / len(siblings)
        families.append(Family(siblings, level, span, siblings[0].line_index in sure))
    bounds = [*(sibling.line_index for sibling in siblings[1:]), end]
    for sibling, bound in zip([start, *siblings], [siblings[0].line_index, *bounds], strict=True):
        below = [part for part in parts if part.level > level and sibling.line_index < part.line_index < bound]
        families += families_of(sibling, bound, below, sure)
    return families


def series_of(lines: Sequence[PageLine]) -> set[int]:
    """Headings that count up one by one with the same word before the number ("Note 1", "Note 2", …)."""
    runs: dict[str, list[int]] = {}
    last: dict[str, int] = {}
    series: set[int] = set()
    for index, line in enumerate(lines):
        if line.kind != "heading":
            continue
        word, _, number = numbering_of(line.text)[0].lower().rpartition(" ")
        if not number.isdigit():
            continue
        step = int(number) - last.get(word, 0)
        if step == 1 and word in runs or 1 < step <= NUMBER_SKIP and len(runs.get(word, ())) > 1:
            runs[word].append(index)
        elif number == "1":
            runs[word] = [index]
        else:
            continue
        last[word] = int(number)
        if len(runs[word]) >= SERIES_MIN:
            series.update(runs[word])
    return series


def with_unlisted(starts: Sequence[SectionStart], lines: Sequence[PageLine], style: BodyStyle) -> list[SectionStart]:
    """Add the headings an outline omits although they are set like its own: "References", "Appendix".

    Without them their lines would be filed under the entry before. A level accepts them if all its entries are set
    alike, differently from the text, and outnumber the added ones.
    """
    added: list[SectionStart] = []
    taken = {start.line_index for start in starts}
    sure = [start for start in starts if start.confidence >= VERIFIED]
    set_as = [(start.level, setting_of(lines[start.line_index], style)) for start in sure]
    for level, setting in set(set_as):
        own = [start for start in sure if start.level == level]
        is_told_apart = sum(level in pair or setting in pair for pair in set(set_as)) == 1
        if len(own) < UNLISTED_LEVEL_MIN or not is_told_apart or not is_set_apart(lines[own[0].line_index], style):
            continue
        unlisted = [
            index
            for index, line in enumerate(lines)
            if line.kind == "heading"
            and index not in taken
            and index > own[0].line_index
            and not is_heading_continued(index, lines)
            and setting_of(line, style) == setting
        ]
        if len(unlisted) < len(own):
            added += [
                SectionStart(
                    level,
                    numbering_of(lines[index].text)[0],
                    heading_title(index, lines),
                    index,
                    lines[index].page_number,
                    "headings",
                    BY_TYPOGRAPHY,
                )
                for index in unlisted
            ]
    return sorted([*starts, *added], key=lambda start: start.line_index)


def with_numbered_parts(
    starts: Sequence[SectionStart], lines: Sequence[PageLine], style: BodyStyle
) -> list[SectionStart]:
    """Add headings whose numbers continue a section's own ("3" → "3.1", "Annex A" → "A.1") as its parts.

    Consecutive numbers are the surest sign there is, so they need no other. If they show how parts are set, unnumbered
    headings in that style become parts too, of sections without numbered ones.
    """
    if not starts:
        return []
    ordered = sorted(starts, key=lambda start: start.line_index)
    taken = {start.line_index for start in ordered}
    bounds = [*(start.line_index for start in ordered[1:]), len(lines)]
    added: list[SectionStart] = []
    without: list[tuple[SectionStart, int]] = []
    for start, end in zip(ordered, bounds, strict=True):
        parts = numbered_parts(start, end, lines)
        added += parts
        if not parts:
            without.append((start, end))
    settings = {setting_of(lines[part.line_index], style) for part in added if part.line_index not in taken}
    if len(added) >= SETTING_PARTS and len(settings) == 1 and is_set_apart(lines[added[0].line_index], style):
        for start, end in without:
            alike = [
                index
                for index in range(start.line_index + 1, end)
                if lines[index].kind == "heading" and setting_of(lines[index], style) in settings
            ]
            added += find_subsections(start, alike, lines, style)
    return sorted([*ordered, *added], key=lambda start: start.line_index)


def numbered_parts(start: SectionStart, end: int, lines: Sequence[PageLine]) -> list[SectionStart]:
    """The headings of a section whose numbers begin with its own and increase."""
    own = number_key(start.number)
    if not own:
        return []
    parts: list[SectionStart] = []
    last = own
    for index in range(start.line_index + 1, end):
        line = lines[index]
        if line.kind != "heading":
            continue
        number = numbering_of(line.text)[0]
        key = number_key(number)
        if key[: len(own)] == own and len(key) > len(own) and is_next(key, last):
            level = start.level + len(key) - len(own)
            title = heading_title(index, lines)
            parts.append(SectionStart(level, number, title, index, line.page_number, "headings", UNNUMBERED))
            last = key
    return parts


def number_key(number: str) -> tuple[str, ...]:
    """The parts of a printed number without the word before it; () if there is none."""
    words = number.lower().split()
    return tuple(part for part in words[-1].split(".") if part) if words else ()


def is_next(key: tuple[str, ...], last: tuple[str, ...]) -> bool:
    """Whether a number may follow another: deeper with a first part, or the next one (or one further) of a level."""
    steps = [int(part) if part.isdigit() else -1 for part in key]
    before = [int(part) if part.isdigit() else -1 for part in last]
    for depth, (step, was) in enumerate(zip(steps, before, strict=False)):
        if step != was:
            return depth > 0 and 0 < step - was <= NUMBER_SKIP and len(steps) == depth + 1
    return len(steps) == len(before) + 1 and steps[-1] in (0, 1)


def find_subsections(
    start: SectionStart,
    found: Sequence[int],
    lines: Sequence[PageLine],
    style: BodyStyle,
    sure: AbstractSet[int] = frozenset(),
) -> list[SectionStart]:
    """The headings inside a section as starts below its level; a heading's second line belongs to the first."""
    first_lines = [index for index in found if not is_heading_continued(index, lines)]
    headings = [lines[index] for index in first_lines]
    numbers = [numbering_of(line.text)[0] for line in headings]
    settings = [(*setting_of(lines[index], style), index in sure) for index in first_lines]
    levels = typographic_levels(settings, numbers)
    return [
        SectionStart(
            start.level + level,
            number,
            heading_title(index, lines),
            index,
            lines[index].page_number,
            "headings",
            BY_TYPOGRAPHY,
        )
        for level, number, index in zip(levels, numbers, first_lines, strict=True)
    ]


def is_heading_continued(index: int, lines: Sequence[PageLine]) -> bool:
    """Whether a heading line continues the one above it."""
    return lines[index - 1].kind == "heading" and continues(lines[index], lines[index - 1])


def heading_title(index: int, lines: Sequence[PageLine]) -> str:
    """A heading's text over all its lines."""
    texts = [lines[index].text]
    while index + 1 < len(lines) and lines[index + 1].kind == "heading" and is_heading_continued(index + 1, lines):
        index += 1
        texts.append(lines[index].text)
    title = " ".join(" ".join(texts).split())
    return (UNIT_NOTE.sub("", title) or title)[:TITLE_CHARS]


def typographic_levels(settings: Sequence[tuple[int, ...]], numbers: Sequence[str]) -> list[int]:
    """One level per style, most prominent first; within a style, by the depth of the numbering."""
    depths = [number.count(".") if number[:1].isdigit() else 0 for number in numbers]
    least: dict[tuple[int, ...], int] = {}
    for setting, depth in zip(settings, depths, strict=True):
        least[setting] = min(depth, least.get(setting, depth))
    rank = {setting: min(level, 5) for level, setting in enumerate(sorted(least, reverse=True), start=1)}
    return [rank[setting] + depth - least[setting] for setting, depth in zip(settings, depths, strict=True)]


def setting_of(line: PageLine, style: BodyStyle) -> Setting:
    """The style of a heading: size, bold, centred, capitals. The greater, the shallower."""
    letters = [character for character in line.text if character.isalpha()]
    is_code = " " not in line.text and any(map(str.isdigit, line.text))
    is_capitals = line.text.isupper() and len(letters) >= CAPITALS_MIN and not is_code
    return round(line.size), line.is_bold, style.is_centred(line), is_capitals


# ---- rows


def rows_of_starts(
    starts: Sequence[SectionStart], lines: Sequence[PageLine], document_title: str
) -> tuple[TocRow, ...]:
    """Entries with inclusive line and page ranges, front matter first; sets `toc_index` of every line."""
    ordered = sorted(starts, key=lambda start: start.line_index)
    last_line = len(lines)
    if not ordered:
        return (whole_document(lines, document_title),) if lines else ()
    rows: list[TocRow] = []
    if ordered[0].line_index > 0:
        rows.append(build_front_row(lines, ordered[0].line_index))
    ancestors: list[TocRow] = []
    ends = section_ends(ordered, last_line)
    for index, (start, end) in enumerate(zip(ordered, ends, strict=True), start=1):
        ancestors = [row for row in ancestors if row.level < start.level]
        row = TocRow(
            index,
            start.level,
            ancestors[-1].index if ancestors else None,
            start.number,
            start.title,
            " > ".join([*(ancestor.title for ancestor in ancestors), start.title]),
            start.line_index + 1,
            end,
            start.page_number,
            lines[end - 1].page_number,
            start.origin,
            start.confidence,
        )
        rows.append(row)
        ancestors.append(row)
    attach(lines, ordered)
    return tuple(rows)


def section_ends(ordered: Sequence[SectionStart], last_line: int) -> list[int]:
    """R6: a section ends before the next entry of the same or a shallower level, never before its start."""
    ends = [last_line] * len(ordered)
    open_entries: list[int] = []
    for index, start in enumerate(ordered):
        while open_entries and ordered[open_entries[-1]].level >= start.level:
            before = open_entries.pop()
            ends[before] = max(start.line_index, ordered[before].line_index + 1)
        open_entries.append(index)
    return ends


def attach(lines: Sequence[PageLine], ordered: Sequence[SectionStart]) -> None:
    """R7: every line belongs to the entry begun last, which is the deepest one containing it."""
    bounds = [start.line_index for start in ordered[1:]] + [len(lines)]
    for line in lines[: ordered[0].line_index]:
        line.toc_index = FRONT_INDEX
    for index, (start, end) in enumerate(zip(ordered, bounds, strict=True), start=1):
        for line in lines[start.line_index : end]:
            line.toc_index = index


def build_front_row(lines: Sequence[PageLine], end: int) -> TocRow:
    page = lines[end - 1].page_number
    return TocRow(FRONT_INDEX, 1, None, "", FRONT_TITLE, FRONT_TITLE, 1, end, lines[0].page_number, page, "front", 1.0)


def whole_document(lines: Sequence[PageLine], title: str) -> TocRow:
    title = title or WHOLE_TITLE
    pages = (lines[0].page_number, lines[-1].page_number)
    return TocRow(FRONT_INDEX, 1, None, "", title, title, 1, len(lines), *pages, "front", 1.0)


def strength_of(starts: Sequence[SectionStart], page_count: int) -> tuple[str, float]:
    """How reliable a table of contents is, and the share of titles found on their start line."""
    if not starts:
        return "none", 0.0
    verified = sum(start.confidence >= VERIFIED for start in starts) / len(starts)
    if len(starts) < USABLE_ENTRIES or verified < 0.5:
        return "weak", verified
    is_fine = len(starts) >= page_count / 10
    is_given = starts[0].origin in ("outline", "linked_contents", "markdown")
    return ("strong" if verified >= 0.9 and is_given and is_fine else "medium"), verified


Source = Callable[[], list[SectionStart]]


def first_usable(sources: Sequence[Source]) -> list[SectionStart]:
    """The starts of the first source with enough entries and most titles found, else the best there is."""
    tried: list[list[SectionStart]] = []
    for source in sources:
        starts = source()
        verified = sum(start.confidence >= VERIFIED for start in starts)
        if len(starts) >= USABLE_ENTRIES and verified * 2 >= len(starts):
            return starts
        tried.append(starts)
    return max(tried, key=lambda starts: sum(start.confidence for start in starts), default=[])
