"""What became of each part of a question: found, weak, not found, and which of its words occur nowhere (R22).

Nothing is asked again: the arbiter's verdicts tell, by the words of a part that the kept candidates carry.

What was found stands when one part is, and the answer says on top which is not.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from retrieval.arbiter.evidence import join_words, quote_all, share_of_weight
from retrieval.question.phrasing import name_subject, read_part, split_condition
from retrieval.search import Search
from retrieval.types import Coverage, PartFinding, PartKind, PartOutcome, Question, Settled
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import WeighedTerm, said_as, terms_within, weigh_terms

CARRIED_SHARE = 0.5  # of a part's weight: a passage with less of its words is about something else
# Words of a part that occur nowhere and weigh this much of it are decisive; a lighter one may have another name there.
MISSING_SHARE = 0.3
READ_AROUND = 2  # lines on either side of an anchor that the arbiter is shown with it
CANDIDATES_NAMED = 5  # for each part, the best first


class SoughtPart(NamedTuple):
    """One thing that was asked. `number` is that of a part which was searched by itself, 0 for others."""

    text: str
    kind: PartKind
    number: int


def judge_parts(search: Search) -> tuple[PartFinding, ...]:
    """The outcome of every part; none for a question that asks one thing, or where something is asked back."""
    if search.finding.status == "clarify":
        return ()
    found = {content.document_id: weigh_terms(search.question, lexicon_of(content)) for content in search.contents}
    absent = {word.text for word in search.searched if not word.count}
    judged = tuple(
        judge_part(each, {key: terms_within(each.text, terms) for key, terms in found.items()}, absent, search)
        for each in asked_parts(search.question)
    )
    leans = read_part(search.question.condition, 1).kind == "sequential"  # "What is paid if it is late?" asks one thing
    return () if leans and not judged[-1].missing else judged


def asked_parts(question: Question) -> tuple[SoughtPart, ...]:
    """The parts that were searched by themselves, or the case and what is asked in it; none of a single question."""
    if question.parts:
        unknown: list[PartKind] = ["independent"] * len(question.parts)
        pairs = zip(question.parts, question.part_kinds or unknown, strict=True)
        return tuple(SoughtPart(text, kind, number) for number, (text, kind) in enumerate(pairs, 1))
    if not question.condition:
        return ()
    asked = split_condition(question.topic)[1]
    return (SoughtPart(asked, "independent", 0), SoughtPart(question.condition, "conditional", 0))


def judge_part(
    asked: SoughtPart, terms: Mapping[str, Sequence[WeighedTerm]], absent: set[str], search: Search
) -> PartFinding:
    missing = missing_words(terms, absent)
    shares = {each.candidate_id: share_of_part(each, terms[each.document_id]) for each in search.kept}
    carrying = [name for name, share in shares.items() if share >= CARRIED_SHARE]
    lacks = max((share_of_weight(set(missing), each) for each in terms.values()), default=0.0)
    is_lacking = lacks >= MISSING_SHARE and asked.kind != "sequential"  # which has "it" for some of its words
    outcome = outcome_of(asked, bool(carrying), is_lacking, search)
    missing = tuple(said_as(word, search.question) for word in missing)
    return PartFinding(
        text=asked.text,
        subject=name_subject(asked.text),
        kind=asked.kind,
        outcome=outcome,
        candidate_ids=tuple(carrying[:CANDIDATES_NAMED]) if outcome in ("found", "weak") else (),
        missing=missing,
        reason=explain_part(outcome, missing, search.coverage),
    )


def outcome_of(asked: SoughtPart, is_carried: bool, is_lacking: bool, search: Search) -> PartOutcome:
    """Found where a kept passage carries the part; not found where what it is about occurs nowhere.

    The rules have weighed each part that was searched by itself: what they answered is found or weak. A model may know
    a thing by another name, so that its verdict counts although a word is missing.
    """
    ranking, status = search.ranking, search.finding.status
    is_answered = asked.number in (ranking.answered_parts or ())
    is_trusted = is_answered or ranking.arbiter == "model"
    is_weighed = asked.number > 0 and ranking.answered_parts is not None
    if status == "found" and is_carried and (is_trusted or not (is_lacking or is_weighed)):
        return "found"
    if status in ("found", "weak") and (is_answered or not is_lacking):
        return "weak"
    if status == "not_found":
        return "not_found"
    return "cannot_tell" if search.coverage.gaps or status == "cannot_tell" else "not_found"


def missing_words(terms: Mapping[str, Sequence[WeighedTerm]], absent: set[str]) -> tuple[str, ...]:
    """The words of a part that occur nowhere. Words that only frame a question do not count, nor other names."""
    telling = [term for each in terms.values() for term in each if term.weight and (term.is_primary or not term.points)]
    return tuple(dict.fromkeys(term.text for term in telling if term.text in absent))


def share_of_part(candidate: Settled, terms: Sequence[WeighedTerm]) -> float:
    """How much of a part, by the weight of its words, the lines of a candidate and the title above them carry."""
    first, last = candidate.anchor.first - READ_AROUND, candidate.anchor.last + READ_AROUND
    found = set(candidate.matched_keywords)
    found |= {term.text for term in terms if ((term.lines >= first) & (term.lines <= last)).any()}
    return share_of_weight(found, terms)


def explain_part(outcome: PartOutcome, missing: Sequence[str], coverage: Coverage) -> str:
    """Why a part is not simply found, "" where it is and every word of it occurs."""
    said = f"no page that was read mentions {join_words(quote_all(missing))}" if missing else ""
    if outcome == "weak":
        return "; ".join(filter(None, [said, "no passage clearly answers it"]))
    if outcome == "cannot_tell":
        return "; but ".join(filter(None, [said, *coverage.gaps]))
    return said or ("" if outcome == "found" else "nothing that was read answers it")
