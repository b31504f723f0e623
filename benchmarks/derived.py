"""Questions with computed answers: does the figure computed by code, without a model, equal the gold answer?"""

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from benchmarks.library import Library
from benchmarks.questions import GoldQuestion
from benchmarks.retrieval import commit
from chat.figures.computing import Computed, compute_all, read_formulas
from chat.figures.statement_rows import statement_rows
from documents.base_settings import BaseSettings
from retrieval.pipeline import retrieve
from retrieval.types import ConceptTerms, LineRange, Settled

NUMBER = re.compile(r"(?:(?<![\w.])(-)\$?)?(\d[\d,]*(?:\.\d+)?)")
FALL = re.compile(r"\b(?:declin|decreas|fell|fall|drop|lower)\w*", re.IGNORECASE)
YEAR = re.compile(r"^(?:19|20)\d\d$")
PRINTED = (
    "computable",
    "equal",
    "equal_and_cited",
    "on_one_statement",
    "on_one_statement_equal",
    "not_equal",
    "not_cited",
)


def run(questions: Sequence[GoldQuestion], library: Library, dictionary: Sequence[ConceptTerms] = ()) -> dict[str, Any]:
    """Every question for a figure whose gold answer contains one; with the rules arbiter and no key."""
    asked = [one for one in questions if read_formulas(one.question) and numbers_of(one.answer)]
    rows = [judge(one, library, dictionary) for one in asked]
    single = [row for row in rows if row["statements"] == 1]
    return {
        "questions": len(questions),
        "computable": len(rows),
        "computed": sum(bool(row["shown"]) for row in rows),
        "equal": sum(row["equal"] for row in rows),
        "equal_and_cited": sum(row["equal"] and row["cited"] for row in rows),
        "on_one_statement": len(single),
        "on_one_statement_equal": sum(row["equal"] for row in single),
        "not_equal": [f"{row['id']}: {row['shown']} for {row['gold'][:60]}" for row in rows if not row["equal"]],
        "not_cited": [row["id"] for row in rows if row["shown"] and not row["cited"]],
        "commit": commit(),
    }


def judge(question: GoldQuestion, library: Library, dictionary: Sequence[ConceptTerms]) -> dict[str, Any]:
    content = library.content(question.document)
    found = compute_all(read_formulas(question.question), statement_rows(content))
    result = retrieve(question.question, [content], settings=BaseSettings(), arbiter="rules", dictionary=dictionary)
    kept = [candidate for candidate in result.candidates if candidate.verdict.role != "discarded"]
    inputs = [each for one in found for each in one.inputs]
    return {
        "id": question.id,
        "gold": question.answer,
        "shown": [one.shown for one in found],
        "statements": len({each.row.statement for each in inputs}),
        "equal": is_answered(found, question.answer),
        "cited": all(is_near(each.row.line.number, each.row.line.page_number, kept) for each in inputs),
    }


def is_answered(found: Sequence[Computed], gold: str) -> bool:
    """Whether the result is the gold answer: the figure, or for a comparison both figures or their change."""
    values = [one for one in found if one.formula.unit != "points"]
    changes = [one for one in found if one.formula.unit == "points"]
    return bool(values) and (all(equals(one, gold) for one in values) or any(equals(one, gold) for one in changes))


def equals(computed: Computed, gold: str) -> bool:
    """Whether one of the gold answer's numbers is the computed value, at the gold's own decimals.

    Trailing zeros do not count as decimals: the file prints two after whole dollars and rounded billions.
    """
    shown = numbers_of(computed.shown)[0]
    numbers = numbers_of(gold)
    numbers += [-number for number in numbers] if FALL.search(gold) else []  # "a decline by 0.8%"
    return any(rounded(shown, number) == number for number in numbers)


def rounded(value: Decimal, like: Decimal) -> Decimal:
    return value.quantize(Decimal(1).scaleb(int(like.normalize().as_tuple().exponent)), ROUND_HALF_UP)


def numbers_of(text: str) -> list[Decimal]:
    """The numbers of a text except years."""
    found = NUMBER.findall(text)
    return [Decimal(f"{sign}{number.replace(',', '')}") for sign, number in found if not YEAR.match(number)]


def is_near(line: int, page: int, candidates: Sequence[Settled]) -> bool:
    """Whether an input can be cited: a kept candidate contains its line, or is on its page."""
    here = LineRange(line, line)
    return any(
        each.context.lines.overlaps(here) or each.anchor_pages[0] <= page <= each.anchor_pages[1] for each in candidates
    )
