"""Financial statements: which pages they are on, and which of them a question asks for."""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from documents.storage.content import DocumentContent, kept_with_content
from reading.matching import match_form
from reading.wording import WordingError
from retrieval.deadline import check_time
from retrieval.types import LineRange
from retrieval.words.lexicon import lexicon_of

ROWS_MIN = 8  # a page with fewer rows only mentions a statement
NOUN_MIN = 3  # letters
NAME_CHARS_MAX = 110  # a longer line is a sentence that mentions a statement

PACK = Path(__file__).parent.parent / "dictionary" / "packs" / "finance.csv"
KINDS = ("balance sheet", "income statement", "cash flow statement")
JOINING_WORDS = frozenset(["of", "and", "or", "de", "des", "du", "la", "und"])
# What may surround a statement's name in its heading: the company, how it was prepared, "continued".
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
    """A page with a statement or part of one: its kind, and its lines from the first row to the last."""

    kind: str
    page_number: int
    lines: LineRange


@cache
def statement_terms() -> dict[str, tuple[str, ...]]:
    """By kind, the names of a statement in match form, taken from the finance pack, their only source.

    Raises WordingError if the pack lacks a kind.
    """
    with PACK.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    terms = {kind: [match_form(row["term"]) for row in rows if row["concept"] == kind] for kind in KINDS}
    if missing := [kind for kind, names in terms.items() if not names]:
        raise WordingError(f"{PACK.name}: there is no concept {missing[0]!r}")
    return {kind: tuple(dict.fromkeys(names)) for kind, names in terms.items()}


@cache
def statement_patterns() -> dict[str, re.Pattern[str]]:
    """By kind, an expression for its names in match form: singular or plural, consolidated or not."""
    patterns = {}
    for kind, names in statement_terms().items():
        expressions = dict.fromkeys(map(name_expression, sorted(names, key=len, reverse=True)))
        patterns[kind] = re.compile(rf"\b(?:{'|'.join(expressions)})(?!\w)")
    return patterns


def name_expression(name: str) -> str:
    """An expression for a name with each noun in singular or plural: "p&l", "cashflow-rechnung", "income statement"."""
    expression = ""
    for word in re.findall(r"\w+|&", name):
        if expression:
            expression += " ?" if "&" in (word, expression[-1]) else "[- ]{1,2}"
        is_noun = len(word) >= NOUN_MIN and word not in JOINING_WORDS
        expression += f"{word if word.endswith('ss') else word.removesuffix('s')}[sx]?" if is_noun else word
    return expression.replace("of[- ]{1,2}", "of[- ]{1,2}(?:consolidated )?")


def statement_names(text: str) -> tuple[str, ...]:
    """The statements a text names, once each, in the order of `KINDS`."""
    form = match_form(text)
    return tuple(kind for kind, pattern in statement_patterns().items() if pattern.search(form))


def names_in(text: str) -> list[str]:
    """The statement names in a text as written there, in match form, in order of appearance."""
    asked = match_form(text)
    found = [name for pattern in statement_patterns().values() for name in pattern.finditer(asked)]
    return [name.group() for name in sorted(found, key=re.Match.start)]


@kept_with_content
def statement_pages(content: DocumentContent) -> tuple[StatementPage, ...]:
    """The pages headed with one statement's name that contain a table."""
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
    """The one statement the lines at the top of a page are headings of; "" if none or several."""
    kinds = {kind for heading in headings if (kind := kind_of_heading(heading))}
    return kinds.pop() if len(kinds) == 1 else ""


def kind_of_heading(heading: str) -> str:
    """The statement a line is the heading of, allowing only a company and how it was prepared around it."""
    if len(heading) > NAME_CHARS_MAX:
        return ""
    check_time()
    for kind, pattern in statement_patterns().items():
        found = pattern.search(heading)
        if found and not APART.search(heading[: found.start()]) and AFTER.match(heading[found.end() :]):
            return kind
    return ""
