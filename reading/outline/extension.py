"""A table of contents made as deep as the pages: numbered parts, headings it omits, and those of long sections."""

from collections.abc import Sequence
from typing import NamedTuple

from reading.layout.kinds import SMALLER, BodyStyle, is_heading, is_set_apart, numbering_of
from reading.layout.lines import PageLine
from reading.outline.headings import BY_TYPOGRAPHY, UNNUMBERED, VERIFIED, SectionStart
from reading.outline.numbering import is_next, number_key, series_of
from reading.outline.typography import find_subsections, is_heading_continued, setting_of, start_at

# Lines per entry: many outlines and contents pages stop at a shallow level, which hides where things are.
COARSE_LINES = 100
LONG_SECTION = 90  # lines, about two pages
LINES_PER_ENTRY = 50  # the shallowest headings are used until there is one entry per this many lines
SETTING_PARTS = 8  # this many numbered parts show the style of parts
UNLISTED_LEVEL_MIN = 4  # this many entries show the style of a level


class Family(NamedTuple):
    """Headings of one level inside one section, and the average number of lines under each."""

    siblings: list[SectionStart]
    level: int
    span: float
    is_sure: bool


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
        found = [index for index in inside if begins_part(lines[index], style) and index not in taken]
        families += families_of(start, end, find_subsections(start, found, lines, style, sure), sure)
    room = max(0, len(lines) // LINES_PER_ENTRY - len(ordered))
    added: list[SectionStart] = []
    for family in sorted(families, key=lambda family: (not family.is_sure, family.level, -family.span)):
        if family.is_sure or len(added) + len(family.siblings) <= room:
            added += family.siblings
    return sorted([*ordered, *added], key=lambda start: start.line_index)


def begins_part(line: PageLine, style: BodyStyle) -> bool:
    """Whether a heading is one of a section: smaller ones are those of tables and notes."""
    return is_heading(line) and line.size >= SMALLER * style.size


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
                start_at(index, lines, level, numbering_of(lines[index].text)[0], BY_TYPOGRAPHY) for index in unlisted
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
        if not is_heading(line):
            continue
        number = numbering_of(line.text)[0]
        key = number_key(number)
        if key[: len(own)] == own and len(key) > len(own) and is_next(key, last):
            level = start.level + len(key) - len(own)
            parts.append(start_at(index, lines, level, number, UNNUMBERED))
            last = key
    return parts
