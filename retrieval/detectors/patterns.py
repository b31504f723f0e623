"""Values of the expected type near a question word, and identifiers as typed (R20, R30, R31)."""

import re
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from documents.cards.rules import read_parties
from documents.storage.content import DocumentContent
from retrieval.deadline import check_time
from retrieval.question.defined import value_given
from retrieval.question.phrasing import asks_for_parties
from retrieval.question.values import has_form, line_has_value
from retrieval.types import Hit, Question
from retrieval.words.counts import counted_pattern
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import WeighedTerm, presence, terms_on, weigh_terms

HITS_MAX = 100
PREAMBLE_REACH = 3  # "PARTIES" stands above the names, "(each a “Party”)" below
VALUE_REACH = 1  # a value on the next line still belongs to its label (a wrapped row, a definition)


def detect_patterns(question: Question, content: DocumentContent) -> list[Hit]:
    """Lines with a primary word and a value of the expected type, and lines with an identifier; best first."""
    lexicon = lexicon_of(content)
    terms = [term for term in weigh_terms(question, lexicon) if term.points]
    identifiers = {keyword.text for keyword in question.keywords if keyword.source == "identifier"}
    counted = counted_in(question, content, terms)
    is_typed_of = partial(line_has_value, question=question, content=content)
    if counted:
        is_typed_of = partial(has_count, pattern=counted, content=content)
    named = lines_of_answer(question, content)
    is_formed = counted is not None or has_form(question) or bool(named)
    stands = presence(terms, lexicon)
    hits: list[Hit] = []
    for number, share in lines_by_share(terms, stands):
        check_time()
        is_typed = number in named if named else is_formed and is_on_line(number, is_typed_of, content)
        matched = terms_on(terms, stands, np.array([number]))[0] if is_typed or identifiers else []
        if is_typed or any(term.text in identifiers for term in matched):
            texts, points = tuple(term.text for term in matched), float(sum(term.points for term in matched))
            told = {"matched_keywords": texts, "type_match": is_typed, "line_score": points}
            hits.append(Hit.on_line("patterns", number, content, round(share, 6), **told))
        if len(hits) == HITS_MAX:
            break
    return hits


def lines_of_answer(question: Question, content: DocumentContent) -> range:
    """The lines about the one place that answers, where the document tells which: the preamble that names the parties
    ("either party" is no name), the date of an agreement, or the definition of what is asked for.
    """
    if asks_for_parties(question.topic_form):
        numbers = [stretch.number for party in read_parties(content.lines) for stretch in party.name.stretches]
    else:
        given = value_given(question, content)
        numbers = [*given.lines] if given else []
    return range(min(numbers) - PREAMBLE_REACH, max(numbers) + PREAMBLE_REACH + 1) if numbers else range(0)


def counted_in(question: Question, content: DocumentContent, terms: Sequence[WeighedTerm]) -> re.Pattern[str] | None:
    """What a count of what is to be counted looks like, where the document has one: the number right before its name.

    "Some 83,700 full-time employees" tells more than any number beside the word does.
    """
    counted = counted_pattern(question) if question.answer_type == "number" else None
    if counted:
        lines = (line for term in terms if question.listed in term.texts for line in term.lines.tolist())
        if any(counted.search(content.lines[number - 1].match) for number in lines):
            return counted
    return None


def has_count(number: int, pattern: re.Pattern[str], content: DocumentContent) -> bool:
    return pattern.search(content.lines[number - 1].match) is not None


def lines_by_share(terms: Sequence[WeighedTerm], stands: NDArray[np.bool_]) -> list[tuple[int, float]]:
    """The lines with a primary word and the share of the question on each, largest first, then in reading order."""
    if not terms:
        return []
    weights = np.array([term.weight for term in terms])
    shares = weights @ stands / weights.sum()
    lines = np.flatnonzero(stands[[row for row, term in enumerate(terms) if term.is_primary]].any(axis=0))
    order = lines[np.lexsort((lines, -shares[lines]))]
    return list(zip(order.tolist(), shares[order].tolist(), strict=True))


def is_on_line(number: int, has: Callable[[int], bool], content: DocumentContent) -> bool:
    """Whether the line has a value, or the next one does and running text continues there."""
    if has(number):
        return True
    line = content.lines[number - 1]
    following = content.lines_between(number + 1, number + VALUE_REACH) if line.kind == "body" else ()
    near = (other for other in following if other.kind == "body" and other.page_number == line.page_number)
    return any(has(other.number) for other in near)
