"""Headings by how they are set: the source of entries for a file without any contents, and the parts of a section."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from reading.layout import kinds
from reading.layout.lines import PageLine
from reading.outline.headings import BY_TYPOGRAPHY, SectionStart
from reading.outline.numbering import levels_by_number, without_gaps
from reading.rows import UNSEARCHED_KINDS

TITLE_CHARS = 250
USABLE_ENTRIES = 4  # R10: fewer entries are no help
ENTRIES_MAX = 1_000
LINES_PER_ENTRY = 50  # headings are used until there is one entry per this many lines
TITLE_LINES = 4  # a title of more lines is several headings
TITLE_SIZE = 1.15  # of the text's size: a document's title and its authors are at least this large
SENTENCE_WORDS_MIN = 9
ORDER_WORDS = re.compile(r"\b(?:shall|hereby)\b")
CAPITALS_MIN = 4  # letters: fewer are an abbreviation
UNIT_NOTE = re.compile(
    r"(?<!\s)\s*\([a-z]+(?:,? [\w-]+)+\)$"
)  # "(dollars in millions)" describes what follows, it is no title

Setting = tuple[int, bool, bool, bool]


def starts_by_typography(lines: Sequence[PageLine], style: kinds.BodyStyle) -> list[SectionStart]:
    """Headings by R13's score, with levels by number depth, then by style."""
    found: list[int] = []
    shown: list[int] = []
    previous: PageLine | None = None
    for index, line in enumerate(lines):
        if kinds.is_heading(line):
            shown.append(index)
            if line.heading_chars or kinds.heading_score(line, previous, style) >= kinds.HEADING_SCORE:
                found.append(index)
        if line.kind not in UNSEARCHED_KINDS:
            previous = line
    found, shown = without_title_page(found, lines, style), without_title_page(shown, lines, style)
    if len(found) < max(USABLE_ENTRIES, len(lines) // LINES_PER_ENTRY):
        found = shown  # headings no larger than the text: the best ones are bold lines set apart
    if len(found) > ENTRIES_MAX:
        found = sorted(sorted(found, key=lambda index: -lines[index].size)[:ENTRIES_MAX])
    whole = SectionStart(0, "", "", 0, 1, "headings", BY_TYPOGRAPHY)
    return find_subsections(whole, found, lines, style)


def find_subsections(
    start: SectionStart,
    found: Sequence[int],
    lines: Sequence[PageLine],
    style: kinds.BodyStyle,
    sure: AbstractSet[int] = frozenset(),
) -> list[SectionStart]:
    """The headings inside a section as starts below its level; a heading's second line belongs to the first."""
    first_lines = [
        index
        for index in found
        if not is_heading_continued(index, lines) and not is_sentence(heading_title(index, lines))
    ]
    headings = [lines[index] for index in first_lines]
    numbers = [kinds.numbering_of(line.text)[0] for line in headings]
    settings = [(*setting_of(lines[index], style), index in sure) for index in first_lines]
    levels = without_gaps(levels_by_number(typographic_levels(settings, numbers), numbers))
    return [
        start_at(index, lines, start.level + level, number, BY_TYPOGRAPHY)
        for level, number, index in zip(levels, numbers, first_lines, strict=True)
    ]


def start_at(index: int, lines: Sequence[PageLine], level: int, number: str, confidence: float) -> SectionStart:
    """A section that begins with a heading found on the pages."""
    title = heading_title(index, lines)
    return SectionStart(level, number, title, index, lines[index].page_number, "headings", confidence)


def without_title_page(found: list[int], lines: Sequence[PageLine], style: kinds.BodyStyle) -> list[int]:
    """Leave out the document's title and authors: large lines before all others, set like no later heading."""
    sizes = [round(lines[index].size) for index in found]
    for place, index in enumerate(found):
        is_title = lines[index].page_number == 1 and lines[index].size > TITLE_SIZE * style.size
        if not is_title or kinds.is_heading(lines[index]) and kinds.numbering_of(lines[index].text)[0]:
            return found[place:]
        alike = [other for size, other in zip(sizes, found, strict=True) if size == sizes[place]]
        if alike[-1] - alike[0] > TITLE_LINES:
            return found[place:]
    return found


def is_sentence(title: str) -> bool:
    """Whether a title is text: it ends like a sentence, or is as long as one may be only in a book's title."""
    words = title.split()
    is_long = title[-1:] in ".;," and len(words) > SENTENCE_WORDS_MIN or len(words) > kinds.HEADING_WORDS
    return is_long or ORDER_WORDS.search(title) is not None


def is_heading_continued(index: int, lines: Sequence[PageLine]) -> bool:
    """Whether a heading line continues the one above it."""
    return index > 0 and lines[index - 1].kind == "heading" and kinds.continues(lines[index], lines[index - 1])


def heading_title(index: int, lines: Sequence[PageLine]) -> str:
    if lines[index].heading_chars:
        return " ".join(lines[index].text[: lines[index].heading_chars].split())[:TITLE_CHARS]
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


def setting_of(line: PageLine, style: kinds.BodyStyle) -> Setting:
    """The style of a heading: size, bold, centred, capitals. The greater, the shallower."""
    if line.heading_chars:
        return round(line.size), False, False, False
    letters = [character for character in line.text if character.isalpha()]
    is_code = " " not in line.text and any(map(str.isdigit, line.text))
    is_capitals = line.text.isupper() and len(letters) >= CAPITALS_MIN and not is_code
    return round(line.size), line.is_bold, style.is_centred(line), is_capitals
