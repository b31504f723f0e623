"""Financial statements: a page of amounts under a statement's title is a section of that name."""

import re
from collections.abc import Sequence

from reading.layout.kinds import is_heading
from reading.layout.lines import PageLine
from reading.matching import match_form
from reading.outline.headings import BY_TYPOGRAPHY, SectionStart, page_ranges
from reading.outline.typography import heading_title
from reading.rows import UNSEARCHED_KINDS
from reading.values.runs import split_runs

HEAD_LINES = 8  # a statement's title is among the first lines of its page
AMOUNT_ROWS_MIN = 12  # rows with two amounts or more
TITLE_WORDS_MAX = 14
STATEMENT = re.compile(
    r"\b(?:statements? of (?:\w+ ){0,3}(?:operations|income|earnings|loss|cash flows?|financial (?:position|condition)"
    r"|(?:\w+ )?equity|stockholders|shareholders|shareowners|deficit)"
    r"|balance sheets?|(?:income|cash flows?) statements?"
    r"|bilans?|comptes? de resultats?|(?:tableaux? des )?flux de tresorerie"
    r"|(?:konzern)?(?:bilanz|gewinn- und verlustrechnung|kapitalflussrechnung))\b"
)
NO_TITLE = re.compile(r"\b(?:see|notes? to|index|data|selected|accompanying|related|location|report of)\b|\.\s*\Z")
NOTES = re.compile(r"\bnotes? to (?:\w+ ){0,4}(?:financial )?statements?\b|\bnotes? annexes\b|\bkonzernanhang\b")
CONTINUED = re.compile(r"\b(?:continued|cont|concluded|suite|fortsetzung)\b\W*$")
SIGNS = " ()-–—,.:"
AMOUNT = re.compile(r"(?<!\d)(?:\d{1,3}(?:,\d{3})+|\d+\.\d+|\b\d{1,3}\b)")


def with_statements(starts: Sequence[SectionStart], lines: Sequence[PageLine]) -> list[SectionStart]:
    """The starts with the financial statements that no entry names, and the notes that follow them.

    They are siblings, one level below the deepest entry around them that is not itself found on the pages.
    """
    if not starts:
        return []
    taken = {start.line_index for start in starts}
    known = {start.page_number for start in starts if is_statement_title(lines[start.line_index])}
    found: list[int] = []
    for number, (first, end) in page_ranges(lines).items():
        shown = [index for index in range(first, end) if lines[index].kind not in UNSEARCHED_KINDS]
        title = next((index for index in shown[:HEAD_LINES] if is_statement_title(lines[index])), None)
        if title is not None and title not in taken and number not in known and is_full_of_amounts(lines, shown):
            found.append(title)
        elif found and title is None:
            found += [index for index in shown[:HEAD_LINES] if is_notes_title(lines[index]) and index not in taken][:1]
    added = [start_of(index, starts, lines) for index in found]
    return sorted([*starts, *without_repeats(added)], key=lambda start: start.line_index)


def is_statement_title(line: PageLine) -> bool:
    words = line.text.split()
    is_short = 0 < len(words) <= TITLE_WORDS_MAX and line.kind != "table_row" and not line.text[:1].islower()
    return is_short and STATEMENT.search(line.match) is not None and not NO_TITLE.search(line.match)


def is_notes_title(line: PageLine) -> bool:
    return is_heading(line) and NOTES.search(line.match) is not None and len(line.text.split()) <= TITLE_WORDS_MAX


def is_full_of_amounts(lines: Sequence[PageLine], shown: Sequence[int]) -> bool:
    return sum(len(AMOUNT.findall(lines[index].text)) > 1 for index in shown) >= AMOUNT_ROWS_MIN


def start_of(index: int, starts: Sequence[SectionStart], lines: Sequence[PageLine]) -> SectionStart:
    """A statement's start: below what contains it, beside a heading found on the pages as it is."""
    before = [start for start in starts if start.line_index < index]
    level = 1
    if before:
        last = before[-1]
        level = last.level + (last.origin != "headings")
    title = heading_title(index, lines) if lines[index].kind == "heading" else " ".join(lines[index].text.split())
    return SectionStart(level, "", title, index, lines[index].page_number, "headings", BY_TYPOGRAPHY)


def without_repeats(added: Sequence[SectionStart]) -> list[SectionStart]:
    """A statement's second page has the title of the first again: it goes on there."""
    return [run[0] for run in split_runs(added, lambda run, start: is_continued(run[0], start))]


def is_continued(start: SectionStart, following: SectionStart) -> bool:
    """Whether a title is that of the page before again, perhaps with "(continued)"."""
    first, second = (CONTINUED.sub("", match_form(each.title)).strip(SIGNS) for each in (start, following))
    is_next_page = following.page_number - start.page_number <= 1
    return is_next_page and (first.startswith(second) or second.startswith(first))
