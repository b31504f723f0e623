"""The statements of a financial report: which pages they are, and which of them a question asks to look at."""

import re
import weakref
from collections.abc import Iterable
from dataclasses import dataclass

from documents.storage.content import DocumentContent
from reading.matching import match_form
from retrieval.deadline import check_time
from retrieval.types import LineRange
from retrieval.words.lexicon import lexicon_of

ROWS_MIN = 8  # a page with fewer rows only mentions a statement
NAME_CHARS_MAX = 110  # a longer line is a sentence that mentions a statement

NAMES = {
    "balance sheet": r"""balance\ sheets?|statements?\ of\ (?:consolidated\ )?financial\ (?:position|condition)
        |bilans?|etats?\ de\ (?:la\ )?situation\ financiere""",
    "income statement": r"""income\ statements?|statements?\ of\ (?:consolidated\ )?(?:income|operations|earnings|loss)
        |statements?\ of\ profit\ (?:and|or)\ loss|profit\ and\ loss(?:\ (?:statements?|accounts?))?|p\s?&\s?l\b
        |comptes?\ de\ resultat|etats?\ du\ resultat\ net""",
    "cash flow statement": r"""cash\ flows?\ statements?|statements?\ of\ (?:consolidated\ )?cash\ flows?
        |(?:tableaux?|etats?)\ (?:de|des)\ flux\ de\ tresorerie""",
}
STATEMENTS = {kind: re.compile(rf"\b(?:{names})(?!\w)", re.VERBOSE) for kind, names in NAMES.items()}
# Around a statement's name in its own heading: the company, how it was drawn up, that it goes on.
APART = re.compile(
    r"""\b(?:analysis|certain|comprehensive|components?|data|effects?|group|information|items?|notes?|off|other|parent
        |position|related|relating|schedules?|selected|supplemental|supplementary|tables?|with|to)\b""",
    re.VERBOSE,
)
AFTER = re.compile(
    r"""^\W*+(?:(?:and\ (?:statements?\ of\ )?(?:other\ )?comprehensive\ (?:income|loss|earnings)|loss
        |consolides?|unaudited|audited|continued|concluded|suite|details?)\W*+)*+$""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class StatementPage:
    """A page that is a statement, or a part of one: its kind, and its lines from the first row to the last."""

    kind: str
    page_number: int
    lines: LineRange


def statement_names(text: str) -> tuple[str, ...]:
    """The statements a text names, each once, in the order of `NAMES`."""
    return tuple(kind for kind, pattern in STATEMENTS.items() if pattern.search(match_form(text)))


_pages: dict[int, tuple[StatementPage, ...]] = {}


def statement_pages(content: DocumentContent) -> tuple[StatementPage, ...]:
    """The pages headed with the name of one statement that hold a table; found once a content."""
    key = id(content)
    if key not in _pages:
        _pages[key] = find_pages(content)
        weakref.finalize(content, _pages.pop, key, None)
    return _pages[key]


def find_pages(content: DocumentContent) -> tuple[StatementPage, ...]:
    named = {
        page: kind
        for page, numbers in lexicon_of(content).page_headings.items()
        if (kind := kind_headed(content.lines[number - 1].match for number in numbers))
    }
    rows: dict[int, list[int]] = {}
    for line in content.searched_lines:
        if line.page_number in named and line.kind == "table_row":
            rows.setdefault(line.page_number, []).append(line.number)
    return tuple(
        StatementPage(named[page], page, LineRange(numbers[0], numbers[-1]))
        for page, numbers in rows.items()
        if len(numbers) >= ROWS_MIN
    )


def kind_headed(headings: Iterable[str]) -> str:
    """The one statement the lines at the top of a page are the heading of, "" when none or several."""
    kinds = {kind for heading in headings if (kind := kind_of_heading(heading))}
    return kinds.pop() if len(kinds) == 1 else ""


def kind_of_heading(heading: str) -> str:
    """The statement a line is the name of, with no more around it than a company and how it was drawn up."""
    if len(heading) > NAME_CHARS_MAX:
        return ""
    check_time()
    for kind, pattern in STATEMENTS.items():
        found = pattern.search(heading)
        if found and not APART.search(heading[: found.start()]) and AFTER.match(heading[found.end() :]):
            return kind
    return ""
