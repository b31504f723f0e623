"""Sections that no source names: they count on from a section around them, are set like it or are greater."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from reading.layout.kinds import (
    NUMBERING,
    RUN_IN_WORDS,
    BodyStyle,
    is_heading,
    is_set_apart,
    is_title_case,
    numbering_of,
    run_in_chars,
)
from reading.layout.lines import PageLine
from reading.outline.extension import begins_part
from reading.outline.headings import UNNUMBERED, SectionStart
from reading.outline.numbering import NUMBER_SKIP, ROMAN_DIGITS, roman_value
from reading.outline.typography import (
    ENTRIES_MAX,
    Setting,
    heading_title,
    is_heading_continued,
    is_sentence,
    setting_of,
)
from reading.rows import UNSEARCHED_KINDS
from reading.values.sentences import LINE_ENDS_BEFORE_CLAUSE

LISTS_MAX = 6  # lists inside each other
LARGER = 1.1  # of the size of a heading: one as large is above it
PAGE_SHARE = 0.8  # of the height of a page: where its text ends above, the next page begins something else
NAME_CHARS = 6
FIRST_SIGNS = frozenset({"1", "01", "a", "A", "i", "I"})


class ClauseNumber(NamedTuple):
    """A number at the beginning of a line, what stands behind it, and how far the line is indented."""

    number: str
    end: str
    indent: float


class EnclosingSection(NamedTuple):
    """A section that a line may be in, with the number printed on its first line, and that line."""

    start: SectionStart
    mark: ClauseNumber | None
    line: PageLine


def with_siblings(starts: Sequence[SectionStart], lines: Sequence[PageLine], style: BodyStyle) -> list[SectionStart]:
    """Add the clauses and notes whose numbers count on from a section around them ("C." → "D.", "Note 15" → "Note 16"),
    and headings without a number that are set like one around them, or greater.

    Without them their lines would be filed under the section before, which has ended. One without a title is called
    by its number. Numbers that count on from an item of a list are items.
    """
    at_line: dict[int, list[SectionStart]] = defaultdict(list)
    for start in starts:
        at_line[start.line_index].append(start)
    around: list[EnclosingSection] = []
    lists: list[ClauseNumber] = []
    added: list[SectionStart] = []
    above: PageLine | None = None
    bottom = max((line.y1 for line in lines if line.kind not in UNSEARCHED_KINDS), default=0.0)
    for index, line in enumerate(lines):
        if line.kind in UNSEARCHED_KINDS:
            continue
        begun, mark = at_line.get(index, []), mark_of(line, style)
        if not begun and around and len(starts) + len(added) < ENTRIES_MAX:
            before = None
            if mark is None and is_unlisted(index, lines, style):
                is_apart = above is not None and above.page_number < line.page_number and above.y1 < PAGE_SHARE * bottom
                before = section_ended(line, around, style, is_apart=is_apart)
            elif mark and line.kind != "table_row" and may_begin(line, above, style.size):
                before = section_before(mark, line, around, lists, style.size)
                lists = lists if before else with_item(mark, lists, style.size)
            if before is not None:
                number, title = mark.number if mark else "", title_of(index, lines)
                begun = [SectionStart(before.level, number, title, index, line.page_number, "headings", UNNUMBERED)]
                added += begun
        for start in begun:
            around = [
                *(outer for outer in around if outer.start.level < start.level),
                EnclosingSection(start, mark, line),
            ]
            lists = []
        above = line
    return sorted([*starts, *added], key=lambda start: start.line_index)


def is_unlisted(index: int, lines: Sequence[PageLine], style: BodyStyle) -> bool:
    """Whether a line is a heading of a section, larger or bolder than the text, and not the second line of one.

    A short word alone is the name of a party or column, what is in brackets a remark, and on the first page a title.
    """
    line = lines[index]
    is_apart = line.kind == "heading" and is_set_apart(line, style) and begins_part(line, style)
    if (
        not is_apart
        or line.page_number == lines[0].page_number
        or is_heading_continued(index, lines)
        or line.text[:1] in "(["
        or len(line.text) < NAME_CHARS
    ):
        return False
    return not is_sentence(heading_title(index, lines))


def section_ended(
    line: PageLine, around: Sequence[EnclosingSection], style: BodyStyle, *, is_apart: bool
) -> SectionStart | None:
    """The innermost section without a number whose heading is set like a line; else the outermost with a lesser one.

    Only size shows what is lesser inside a text, and sections that a source names are what it says they are.
    """
    setting = setting_of(line, style)
    for outer in reversed(around):
        is_alike = setting_of(outer.line, style) == setting and is_set_apart(outer.line, style)
        if outer.start.origin == "headings" and outer.mark is None and is_alike:
            return outer.start
    ended = None
    for outer in reversed(around):
        is_lesser = is_apart and is_greater(setting, setting_of(outer.line, style))
        if outer.start.origin != "headings" or not is_lesser and line.size <= LARGER * outer.line.size:
            break
        ended = outer.start
    return ended


def is_greater(setting: Setting, other: Setting) -> bool:
    """Whether a heading is larger, bold or in capitals where another is not, and nothing less."""
    (size, is_bold, _, is_capitals), (size_2, is_bold_2, _, is_capitals_2) = setting, other
    is_less = size < size_2 or is_bold < is_bold_2 or is_capitals < is_capitals_2
    return not is_less and (size, is_bold, is_capitals) != (size_2, is_bold_2, is_capitals_2)


def mark_of(line: PageLine, style: BodyStyle) -> ClauseNumber | None:
    number, rest = numbering_of(line.text)
    if not number and (alone := NUMBERING.fullmatch(line.text)) and alone["word"]:  # "PART II"
        number, rest = line.text, ""
    if not number:
        return None
    end = line.text[: len(line.text) - len(rest)].rstrip()[-1:]
    return ClauseNumber(number, "" if end.isalnum() else end, line.x0 - style.edges_of(line)[0])


def may_begin(line: PageLine, above: PageLine | None, size: float) -> bool:
    """Whether a line is no part of the sentence above it: "in accordance with Section / 4. The …"."""
    if above is None or is_heading(line) or is_heading(above) or abs(line.x0 - above.x0) > size:
        return True
    return LINE_ENDS_BEFORE_CLAUSE.search(above.text) is not None or follows_number(
        numbering_of(above.text)[0], numbering_of(line.text)[0]
    )


def section_before(
    mark: ClauseNumber, line: PageLine, around: Sequence[EnclosingSection], lists: Sequence[ClauseNumber], size: float
) -> SectionStart | None:
    """The innermost section from which a number counts on; None if it is an item of a list, or stands elsewhere."""
    if any(is_indented_as(mark, item, size) and follows_number(item.number, mark.number) for item in lists):
        return None
    for start, own, _ in reversed(around):
        if own is None or not follows_number(own.number, mark.number):
            continue
        if is_heading(line) or is_indented_as(mark, own, size) and mark.end == own.end != "":
            return start
    return None


def with_item(mark: ClauseNumber, lists: Sequence[ClauseNumber], size: float) -> list[ClauseNumber]:
    """The open lists with an item more: it goes on with one of them or begins one."""
    for place in reversed(range(len(lists))):
        if follows_number(lists[place].number, mark.number) and is_indented_as(mark, lists[place], size):
            return [*lists[:place], mark]
    kept = [item for item in lists if not is_indented_as(mark, item, size)]
    return [*kept, mark][-LISTS_MAX:] if mark.number.split()[-1].rpartition(".")[2] in FIRST_SIGNS else list(lists)


def is_indented_as(mark: ClauseNumber, other: ClauseNumber, size: float) -> bool:
    return abs(mark.indent - other.indent) < size


def follows_number(before: str, after: str) -> bool:
    """Whether a printed number is the next of another, or the one after that, as one may have been missed."""
    if not before:
        return False
    first, second = (re.split(r"(?<=[ .])(?=[^ .]*$)", number, maxsplit=1) for number in (before, after))
    if len(first) != len(second) or first[:-1] != second[:-1] and first[0].lower() != second[0].lower():
        return False
    return any(0 < step <= NUMBER_SKIP for step in steps_between(first[-1], second[-1]))


def steps_between(before: str, after: str) -> list[int]:
    """How far one sign is from another, for each way to read both: as numbers, letters or Roman numerals."""
    steps = [int(after) - int(before)] if before.isdigit() and after.isdigit() else []
    if before.islower() != after.islower() or not (before + after).isalpha():
        return steps
    if len(before) == len(after) == 1:
        steps.append(ord(after) - ord(before))
    if set((before + after).lower()) <= set(ROMAN_DIGITS):
        steps.append(roman_value(after.lower()) - roman_value(before.lower()))
    return steps


def title_of(index: int, lines: Sequence[PageLine]) -> str:
    """The title of a clause, of one without a title its number; marks what of the line is heading."""
    line = lines[index]
    if is_heading(line):
        return heading_title(index, lines)
    rest = numbering_of(line.text)[1]
    begin = len(line.text.rstrip()) - len(rest)
    words = rest.rstrip(".:").split()
    if 0 < len(words) <= RUN_IN_WORDS and is_title_case(words) and rest[-1:] != ",":
        line.heading_chars = len(line.text)
    else:
        line.heading_chars = begin + max(0, run_in_chars(f"1. {rest}") - len("1. "))
    return " ".join(line.text[: line.heading_chars].split())
