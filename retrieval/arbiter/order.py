"""The order of candidates by the rules: a class of evidence, then strength, then as the document runs (R48, R49).

A section named exactly as asked comes first; places found only by meaning come last. In between, strength decides:
how much of the question the place covers, higher if the words occur together and with a value of the asked type.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from reading.rows import name_in_force
from retrieval.headlines.polarity import denial_asked, denial_unsaid
from retrieval.question.kinds import ADDRESSES
from retrieval.question.phrasing import phrasing_rules
from retrieval.types import Candidate, Question
from retrieval.words.terms import WeighedTerm
from retrieval.words.tokens import normalise_words

RULING_SHARE = 0.4  # of the best: a rule with less of the question is about something else
STRENGTH_MIN = 0.1  # below this even the best candidate carries too little of the question to be an answer

AnyCandidate = TypeVar("AnyCandidate", bound=Candidate)


class Rule(NamedTuple):
    """A class of evidence. A lower order beats a higher one whatever the strength; equal orders compare by strength."""

    order: int
    name: str


PINNED = Rule(0, "page named")
STATEMENT = Rule(1, "statement asked for")
EXACT_TITLE = Rule(1, "exact title")
TOGETHER = Rule(2, "words together")
TYPE_MATCH = Rule(2, "value of the type")
REFERRED = Rule(2, "referred to")
WHOLE_LIST = Rule(2, "whole list")
ONE_WORD = Rule(2, "words apart")
MEANING_ONLY = Rule(3, "meaning only")
NO_SIGNAL = Rule(4, "no signal")


class Ruled(NamedTuple):
    """The words for a thing that may be allowed, and of each thing said of it (whose, done how) all words for that."""

    thing: frozenset[str] = frozenset()
    said: tuple[frozenset[str], ...] = ()


NONE_RULED = Ruled()


def order_by_rules(
    candidates: Sequence[AnyCandidate], ruled: Ruled = NONE_RULED, question: Question | None = None
) -> list[AnyCandidate]:
    """Order by rule. Also the order shown if a model should have judged and could not (R52).

    Where it is asked whether `ruled` is allowed, what allows or forbids it comes before what shares more words, and
    first what has most of what is said of it. Where the question asks what is not so, what denies something does, and
    where it asks for an address, what has one.
    """
    enough = RULING_SHARE * max((each.strength for each in candidates), default=0.0)
    return sorted(
        candidates,
        key=lambda candidate: (
            rule_of(candidate).order,
            -candidate.rows_share,
            -ruling_share(candidate, ruled) if is_able(candidate) and candidate.strength >= enough else 0,
            not (is_able(candidate) and candidate.strength >= enough and gives_kind(candidate, question)),
            -candidate.strength,
            candidate.rrf_rank,
        ),
    )


def ruling_share(candidate: Candidate, ruled: Ruled) -> int:
    """How much of what is said of a thing a passage has that allows or forbids something of it; 0 if it does not."""
    words = set(candidate.matched_keywords)
    if words.isdisjoint(ruled.thing) or not phrasing_rules()["ruling"].search(candidate.own_text):
        return 0
    return sum(not words.isdisjoint(texts) for texts in ruled.said)


def gives_kind(candidate: Candidate, question: Question | None) -> bool:
    """Whether a passage denies something, where the question asks what is not so, or has an address asked for."""
    if question is None or not denial_asked(question):
        return question is not None and question.answer_type in ADDRESSES and candidate.type_match
    return not denial_unsaid(f"{name_in_force(candidate.breadcrumb)} {candidate.own_text}", question)


def rule_of(candidate: Candidate) -> Rule:
    if "pinned" in candidate.methods:
        return PINNED
    if candidate.statement and candidate.exact_title:
        return STATEMENT
    if candidate.exact_title and candidate.matched_keywords:
        return EXACT_TITLE
    if candidate.fetched:
        return WHOLE_LIST
    if candidate.is_left_value:
        return REFERRED
    if candidate.co_occurrence:
        return TOGETHER
    if candidate.type_match:
        return TYPE_MATCH
    if candidate.referred:
        return REFERRED
    if set(candidate.methods) - {"vectors", "whole"}:
        return ONE_WORD
    return MEANING_ONLY if "vectors" in candidate.methods else NO_SIGNAL


def is_able(candidate: Candidate) -> bool:
    return candidate.strength >= STRENGTH_MIN and not candidate.is_faint


def words_ruled(question: Question, terms: Sequence[WeighedTerm]) -> Ruled:
    """The words for what is to be allowed, the last ones before or between where, with what, when and how, and for what
    is done with it. None of any other question.
    """
    permission, circumstance = (
        phrasing_rules().in_language(name, question.language) for name in ("permission", "circumstance")
    )
    if question.answer_type != "boolean" or not permission.match(question.topic):
        return NONE_RULED
    for part in circumstance.split(question.topic):
        said = normalise_words(part)
        placed = [
            (max(said.index(text) for text in term.texts if text in said), term)
            for term in terms
            if term.is_primary and not set(said).isdisjoint(term.texts)
        ]
        if placed:
            last = max(at for at, _ in placed)
            return Ruled(
                frozenset(text for at, term in placed if at == last for text in term.texts),
                tuple(frozenset(term.texts) for _, term in placed),
            )
    return NONE_RULED
