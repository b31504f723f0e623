"""How likely the best passages answer the question, from signals a reader can check; no model is asked (R54, R63).

The weights of the signals and the risk of each limit are in `evidence.toml`, which `python -m benchmarks confidence`
writes: each half of the question sets is judged with weights fitted on the other.
"""

import re
import tomllib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import exp, log
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.rows import name_in_force
from retrieval.arbiter.named import is_named_only
from retrieval.arbiter.order import NONE_RULED, Ruled, order_by_rules, words_ruled
from retrieval.arbiter.reads import read_for_answer
from retrieval.arbiter.specific import other_version, specific_words, versions_asked, words_around, words_nowhere
from retrieval.question.bands import of_other_quantity
from retrieval.question.called import with_kind
from retrieval.question.kinds import SHIPPED, answer_rules
from retrieval.question.linear import compile_linear
from retrieval.question.parse import owners_named
from retrieval.question.phrasing import deferrals_in, phrasing_rules
from retrieval.question.values import FORMED_TYPES, PROSE_TYPES, has_form, has_value
from retrieval.told.reasons import give_clause
from retrieval.types import Candidate, Hit, Question
from retrieval.words.lexicon import lexicon_of, struck_stems
from retrieval.words.terms import WeighedTerm, said_as, terms_within, weigh_terms
from retrieval.words.tokens import normalise_words, split_words, stem

WEIGHTS = {
    False: Path(__file__).with_name("evidence.toml"),
    True: Path(__file__).with_name("evidence_read.toml"),  # where the first passage was read for an answer
}
HOLDS = re.compile(
    r"\b(?:cover(?:s|ed)?|includ(?:e|es|ed)|insur(?:e|es|ed)|contain(?:s|ed)?|mention(?:s|ed)?|exclud(?:e|es|ed)"
    r"|couvr\w+|couvert\w*|inclu\w*|contien\w*|mentionn\w*)\b",
    re.IGNORECASE,
)
SYNONYM_SHARE = 0.5  # of a word that the dictionary or a model added; half and three quarters judged alike, none worse
ALL_IN_FULL: Mapping[str, float] = MappingProxyType({})
FORMED_SHARE = 0.5  # of the best passage's strength: less of the question beside a value is another value
# What is no value of a type, and no absence of one either: "5 % of the price" of an amount, "promptly" of a length.
STANDS_FOR = {"amount": "percentage", "duration": "haste"}
TOLD_SHARE = 0.8  # of the strongest, a table none of whose rows is told: a place as strong may answer instead

LEAD_OVER = 5  # the nearest passage is compared with the one so many places behind it
WORDS_NAMED = 4  # in a reason


@dataclass(frozen=True)
class Signals:
    """What speaks for an answer, each 0..1 but `reads`. None is unknown: `lead` where nothing was searched by meaning.

    coverage: the share of the question that the best passage carries, its words weighed by their rarity
    lead: by how much the nearest passage is nearer in meaning than those behind it
    formed: 1 unless a value of the kind asked for, or what the question is about, is missing
    specific: the share of names, numbers, codes and years of the question that are on the page or on the cover, and of
        what it is about and no document mentions
    reads: the logarithm of the odds that the first passage answers, by how it reads; None where it was not read
    """

    coverage: float
    lead: float | None
    formed: float
    specific: float
    reads: float | None = None


@dataclass(frozen=True)
class Evidence:
    """The probability that the best passages answer the question, and why they do not, each reason "" if there is none.

    lacking: what an answer would need and no passage has; there is none then
    doubt: what the best passage does not have, where the probability is below the limit
    answered_parts: the numbers of the parts of the question that are answered, each weighed as a question of its own
    if_doubted: the probability where what is quoted gives a reason for doubt: below the limit
    ruled: of a question whether something is allowed, what a rule on it must speak of
    reads: how far the first passage reads as an answer; None where it was not read
    lacks: what the first passage does not have of the question, whatever the probability
    others: by the ids of places of another version or quantity than the one asked for, why they are none
    """

    probability: float
    lacking: str
    doubt: str
    signals: Signals
    answered_parts: tuple[int, ...] = ()
    if_doubted: float = 0.0
    ruled: Ruled = NONE_RULED
    reads: float | None = None
    lacks: str = ""
    others: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Fit:
    """The fitted weights, and what each limit costs: the shares of absent questions answered, of others not.

    The weights are fitted on both halves of the questions, the curve and `absent` on each half with those of the other.

    absent: by limit and kind of document, or of all kinds "together", how many absent questions were answered, and of
        how many
    """

    intercept: float
    weights: Mapping[str, float]  # by signal
    unknown: Mapping[str, float]  # what a signal counts for where it is not known
    curve: tuple[tuple[float, float, float], ...]  # limit, absent answered, answerable not answered
    absent: Mapping[float, Mapping[str, tuple[int, int]]]


@cache
def read_fit(is_read: bool) -> Fit:
    """The fit for passages that were read for an answer, or not: each has limits of its own."""
    stored = tomllib.loads(WEIGHTS[is_read].read_text("utf-8"))
    curve = tuple((row["limit"], row["absent_answered"], row["answerable_lost"]) for row in stored["curve"])
    absent = {row["limit"]: {kind: tuple(counts) for kind, counts in row["absent"].items()} for row in stored["curve"]}
    return Fit(stored["intercept"], stored["weights"], stored["unknown"], curve, absent)


def weigh_evidence(
    question: Question,
    candidates: Sequence[Candidate],
    contents: Sequence[DocumentContent],
    hits: Sequence[Hit],
    risk_max: int,
    *,
    is_read: bool = True,
) -> Evidence:
    """The evidence of a pool that is not empty. `risk_max` is the per cent of absent questions that may be answered,
    `is_read` whether the first passage is read for an answer.

    Each part of a question is weighed as a question of its own, and the most probable one stands for all: a half that
    is answered is not doubtful because the other is not.
    """
    documents = {content.document_id: content for content in contents}
    terms = {key: weigh_terms(question, lexicon_of(content)) for key, content in documents.items()}
    versions = versions_asked(question, contents)
    places = candidates if versions else ()
    told = {each.candidate_id: other_version(each, versions, documents[each.document_id]) for each in places}
    asked_for = ", ".join(sorted(versions))
    others = {key: give_clause("other kind", other=other, asked=asked_for) for key, other in told.items() if other}
    unheld = of_other_quantity((each.own_text for each in candidates), question)
    for each in candidates:
        if quantity := unheld.get(each.own_text):
            others[each.candidate_id] = give_clause("not said", words=[quantity])
    candidates = [each for each in candidates if each.candidate_id not in others] or candidates
    lacking = what_is_missing(question, candidates)
    counted = {key: shares_of_words(question, content) for key, content in documents.items()}
    named = specific_words(question) | unmentioned_owners(question, contents, terms.values())
    ruled = words_ruled(question, [term for of_document in terms.values() for term in of_document])
    first = order_by_rules(candidates, ruled, question)[0]  # which is shown first: what is said to be missing is its
    reads = read_for_answer(question, first, documents[first.document_id].language) if is_read else None
    read = None if reads is None else Read(first, log(reads / (1 - reads)))
    limit = limit_for(risk_max, is_read=read is not None)
    whole = Weighed(terms, counted, named, lead_of(hits), 0.0 if lacking else 1.0, read)
    asked = [weigh_part(number, part, whole, hits) for number, part in enumerate(question.parts, 1)] or [whole]
    weighed = [each.best_of(candidates, documents) for each in asked]
    untold = [rows_untold(candidates, each.worth_of(candidates, is_part=bool(question.parts))) for each in asked]
    probabilities = [
        doubtful_probability(probability_of(signals), limit) if why else probability_of(signals)
        for (_, signals), why in zip(weighed, untold, strict=True)
    ]
    best = probabilities.index(max(probabilities))
    at, signals = weighed[best]
    absent = words_nowhere(question, contents)
    is_enough = bool(lacking) or (probability_of(signals) >= limit and not absent)
    found = set(first.matched_keywords) | words_around(first, documents[first.document_id], whole.named)
    found |= terms_said(first, terms[first.document_id])
    own, every = terms[first.document_id], list(terms.values())
    struck = frozenset[str]().union(*map(struck_stems, contents))
    lacks = name_doubt(question, found, own, every, absent, struck)
    doubt = (untold[best] or others.get(first.candidate_id, "")) if is_enough else lacks
    candidate = candidates[at]
    content, own = documents[candidate.document_id], terms[candidate.document_id]
    if is_enough and not lacking and is_named_only(candidate.anchor, question, own, content):
        probabilities[best] = min(probabilities[best], limit)
        doubt = give_clause("only named")
    answered = tuple(number for number, _ in enumerate(question.parts, 1) if probabilities[number - 1] >= limit)
    sure = probabilities[best] if not doubt else doubtful_probability(probabilities[best], limit)
    if_doubted = doubtful_probability(probabilities[best], limit)
    return Evidence(sure, lacking, doubt, signals, answered, if_doubted, ruled, reads, lacks, others)


class Read(NamedTuple):
    """The passage that was read, and the logarithm of the odds that it answers."""

    candidate: Candidate
    odds: float


class Weighed(NamedTuple):
    """A question or a part of it as it is weighed: its terms in each document, its names, and its other signals."""

    terms: Mapping[str, Sequence[WeighedTerm]]
    counted: Mapping[str, Mapping[str, float]]  # by document, how much of its term each word carries
    named: set[str]
    lead: float | None
    formed: float
    read: Read | None = None

    def worth_of(self, candidates: Sequence[Candidate], *, is_part: bool) -> list[float]:
        """How much each candidate has of what is asked: of a part its words alone tell."""
        if not is_part:
            return [each.strength for each in candidates]
        key = [(self.terms[each.document_id], self.counted[each.document_id]) for each in candidates]
        return [coverage_of_candidate(each, *words) for each, words in zip(candidates, key, strict=True)]

    def best_of(self, candidates: Sequence[Candidate], documents: Mapping[str, DocumentContent]) -> tuple[int, Signals]:
        """The place of the most probable candidate, the first of equals, and its signals."""
        weighed = [self.signals_of(each, documents[each.document_id]) for each in candidates]
        at = max(range(len(weighed)), key=lambda at: probability_of(weighed[at]))
        return at, weighed[at]

    def signals_of(self, candidate: Candidate, content: DocumentContent) -> Signals:
        """Its signals. How one passage reads helps no other, nor where the year or name asked for is not there."""
        key, specific = candidate.document_id, specific_share(self.named, candidate, content)
        reads = self.read.odds if self.read else None
        if self.read and not (candidate is self.read.candidate and specific == 1):
            reads = min(self.read.odds, read_fit(True).unknown["reads"])
        return Signals(
            coverage=coverage_of_candidate(candidate, self.terms[key], self.counted[key]),
            lead=self.lead,
            formed=self.formed,
            specific=specific,
            reads=reads,
        )


def weigh_part(number: int, part: str, whole: Weighed, hits: Sequence[Hit]) -> Weighed:
    """A part of a question as a question of its own: its own words, names and nearest passages."""
    return Weighed(
        terms={key: terms_within(part, terms) for key, terms in whole.terms.items()},
        counted=whole.counted,
        named=whole.named & set(normalise_words(part)),
        lead=lead_of([hit for hit in hits if hit.part == number]),
        formed=1.0,
    )


def probability_of(signals: Signals) -> float:
    """The calibrated probability, 0..1, rounded to three digits."""
    fit, values = read_fit(signals.reads is not None), vars(signals)
    known = {name: fit.unknown[name] if values[name] is None else values[name] for name in fit.weights}
    total = fit.intercept + sum(fit.weights[name] * value for name, value in known.items())
    return round(1 / (1 + exp(-total)), 3)


def limit_for(risk_max: int, *, is_read: bool) -> float:
    """The least probability at which at most so many per cent of the absent questions of the sets were answered."""
    return next((limit for limit, risk, _ in read_fit(is_read).curve if 100 * risk <= risk_max), 1.0)


def doubtful_probability(probability: float, limit: float) -> float:
    """A probability that may not be shown as an answer, whatever the signals say."""
    return round(max(min(probability, limit - 0.001), 0.0), 3)


# ---- the signals


def shares_of_words(question: Question, content: DocumentContent) -> dict[str, float]:
    """For each word searched, how much of its term it carries: all of it, or less where the asker wrote another word.

    "Applicable law" is near "venue" for an expert, and no answer to where one arbitrates. In a document of another
    language the dictionary is the only way across, and counts in full.
    """
    language = question.language
    own = {stem(word, language) for each in question.keywords if each.is_own for word in split_words(each.text)}
    is_foreign = content.language not in (language, "und")
    return {
        each.text: 1.0
        if is_foreign or {stem(word, language) for word in split_words(each.text)} <= own
        else SYNONYM_SHARE
        for each in question.keywords
    }


def coverage_of_candidate(candidate: Candidate, terms: Sequence[WeighedTerm], counted: Mapping[str, float]) -> float:
    """The share of the question's weight on the passage; all of it where the question itself says where to look."""
    if "pinned" in candidate.methods or (candidate.statement and candidate.exact_title):
        return 1.0
    return share_of_weight(set(candidate.matched_keywords), terms, counted)


def share_of_weight(words: set[str], terms: Sequence[WeighedTerm], counted: Mapping[str, float] = ALL_IN_FULL) -> float:
    """The share of the question's weight that these words carry; 0 for a question without a word."""
    total = sum(term.weight for term in terms)
    carried = sum(
        term.weight * max((counted.get(text, 1.0) for text in term.texts if text in words), default=0) for term in terms
    )
    return carried / total if total else 0.0


def lead_of(hits: Sequence[Hit]) -> float | None:
    """The cosine of the nearest passage over that of the one LEAD_OVER places behind, or the last."""
    cosines = sorted((hit.score for hit in hits if hit.method == "vectors" and hit.detail == "passage"), reverse=True)
    return cosines[0] - cosines[min(LEAD_OVER, len(cosines) - 1)] if len(cosines) > 1 else None


def specific_share(named: set[str], candidate: Candidate, content: DocumentContent) -> float:
    """The share of the names, codes and years asked for that are on the candidate's page or the cover; 1 of none."""
    return len(words_around(candidate, content, named)) / len(named) if named else 1.0


def unmentioned_owners(
    question: Question, contents: Sequence[DocumentContent], terms: Iterable[Sequence[WeighedTerm]]
) -> set[str]:
    """What the thing asked for belongs to ("the penalty for late delivery of helicopters") and no document mentions.

    Nothing for a question in another language, nor of one in parts, where others may be answered, nor for yes or no,
    where what is asked about is told by its verb.
    """
    is_read = any(content.language in (question.language, "und") for content in contents)
    if question.parts or question.answer_type == "boolean" or not is_read:
        return set()
    known = {keyword.text for keyword in question.keywords}
    mentioned = {text for of_document in terms for term in of_document if len(term.lines) for text in term.texts}
    words: set[str] = set()
    for phrase in owners_named(question.topic, question.language):
        if known.issuperset(phrase) and mentioned.isdisjoint(phrase):
            words.update(phrase)
    return words


# ---- what an answer would need


def name_doubt(
    question: Question,
    found: set[str],
    terms: Sequence[WeighedTerm],
    of_documents: Sequence[Sequence[WeighedTerm]],
    absent: Sequence[str] = (),
    struck: Container[str] = (),
) -> str:
    """Why the first passage is no answer: the words that no page has, then those that only the passage lacks.

    `found` are the words it has, `terms` those of its document, `of_documents` those of every document that was read,
    `absent` the names and years that none of them says, `struck` the stems of what is struck through. Words that only
    frame a question are not named, what somebody does and idioms only where there is no other; each as it was asked.
    """
    doing = normalise_words(" ".join(phrasing_rules().in_language("doing", question.language).findall(question.topic)))
    lacking = sorted(
        (
            term
            for term in terms
            if term.weight and (term.is_primary or not term.points) and found.isdisjoint(term.texts)
        ),
        key=lambda term: -term.weight,
    )
    others = [term for term in lacking if set(doing).isdisjoint(term.texts)]
    lacking = others if others or absent else lacking
    somewhere = {term.text for each in of_documents for term in each if len(term.lines)}
    unsaid = [*absent, *(term.text for term in lacking if term.text not in somewhere)]
    nowhere = list({match_form(word): word for word in unsaid}.values())  # a code is searched as it is written
    elsewhere = [term.text for term in lacking if term.text in somewhere and not absent]  # which tells enough
    elsewhere = [word for word in elsewhere if not any(word in other for other in nowhere)]  # a part of it, or a form
    crossed = [word for word in nowhere if stem(word, question.language) in struck]
    nowhere = [word for word in nowhere if word not in crossed]
    nowhere, elsewhere, crossed = (
        [said_as(word, question) for word in words] for words in (nowhere, elsewhere, crossed)
    )
    if not (crossed or nowhere or elsewhere):
        return give_clause("too little")
    shown = {"nowhere": nowhere[:WORDS_NAMED], "elsewhere": elsewhere[:WORDS_NAMED]}
    if crossed:
        shown["struck"] = crossed[:WORDS_NAMED]
    return give_clause("doubt", **shown)


def terms_said(candidate: Candidate, terms: Sequence[WeighedTerm]) -> set[str]:
    """The words of the question that stand in a passage or its section's title, in any form, whatever found it."""
    quoted = candidate.sentences.text if candidate.sentences else ""
    said = normalise_words(f"{name_in_force(candidate.breadcrumb)} {candidate.anchor_text} {quoted}")
    return {text for term in terms if term.is_in(said) for text in term.texts}


def quote_all(words: Sequence[str]) -> list[str]:
    return [f"“{word}”" for word in words[:WORDS_NAMED]]


def what_is_missing(question: Question, candidates: Sequence[Candidate]) -> str:
    """What an answer to this question would need and no candidate has, or "": a value's form, or two codes together."""
    if question.parts:
        return ""  # each part asks for something else
    enough = FORMED_SHARE * max(candidate.strength for candidate in candidates)
    is_formed = any(
        (each.strength >= enough and (each.type_match or has_value(question, match_form(each.own_text), each.own_text)))
        or each.statement
        or each.is_told
        or each.is_left_value
        for each in candidates
    )
    other = SHIPPED.patterns_of(STANDS_FOR.get(question.answer_type, ""))[0]
    told = [match_form(each.anchor_text) for each in candidates if each.strength >= enough]
    is_told_otherwise = other and any(map(compile_linear(other).search, told))
    if is_formed_type(question) and not is_formed and not is_told_otherwise:
        return give_clause("no value", type=question.answer_type)
    found = {word for candidate in candidates for word in candidate.matched_keywords}
    objects = objects_of(question)
    if objects and not found & set(objects):
        return give_clause("nowhere", words=[said_as(word, question) for word in objects])
    pages = by_page(candidates)
    asked = {keyword.text for keyword in question.keywords if keyword.source == "identifier"}
    codes = asked.intersection(*[set().union(*pages)])
    if len(codes) > 1 and question.intent == "field_extraction" and not any(map(codes.issubset, pages)):
        return give_clause("not together", words=sorted(codes))
    return ""


def rows_untold(candidates: Sequence[Candidate], worth: Sequence[float]) -> str:
    """That the best found is a table and not which of its rows is asked for, or ""; `worth` says which are the best."""
    enough = TOLD_SHARE * max(worth)
    if any(own >= enough and not each.is_untold for each, own in zip(candidates, worth, strict=True)):
        return ""
    return give_clause("no row")


def value_unquoted(question: Question, quoted: Sequence[tuple[Candidate, str]]) -> str:
    """Why the quotes of the kept candidates are no clear answer: none has a value of the kind asked for; else ""."""
    is_deferred = bool(quoted) and question.answer_type not in PROSE_TYPES and any(deferrals_in(quoted[0][1]))
    question = with_kind(question) if is_deferred else question
    if question.parts or not quoted or not has_form(question) or not (is_formed_type(question) or is_deferred):
        return ""
    is_sure = quoted[0][0].is_headed or any(each.statement or each.fetched for each, _ in quoted)
    if is_sure or any(has_value(question, match_form(text), text) for _, text in quoted):
        return ""
    return give_clause("no value", type=question.answer_type)


def is_formed_type(question: Question) -> bool:
    """Whether the question wants a value whose form is told apart; "by how much" may be answered by "not at all"."""
    if answer_rules().in_language("change", question.language).search(question.topic):
        return False
    if kind := {"amount": "wanted", "percentage": "wanted", "number": "measured"}.get(question.answer_type):
        return bool(answer_rules().in_language(kind, question.language).search(question.topic))
    return question.answer_type in FORMED_TYPES


def objects_of(question: Question) -> list[str]:
    """What a question whether something is covered, included or mentioned asks about; nothing for other questions.

    It is what follows the verb ("does it cover earthquake"), or what stands before it ("is earthquake covered").
    """
    verb = HOLDS.search(question.topic) if question.answer_type == "boolean" else None
    if verb is None:
        return []
    direct = [each for each in question.keywords if each.priority == "primary" and each.source == "direct"]
    for part in (question.topic[verb.end() :], question.topic[: verb.start()]):
        said = set(normalise_words(part))
        if objects := [keyword.text for keyword in direct if said & set(keyword.forms)]:
            return objects
    return []


def by_page(candidates: Sequence[Candidate]) -> list[set[str]]:
    """The words of the question found on each page, by the candidates there."""
    pages: dict[tuple[str, int], set[str]] = {}
    for candidate in candidates:
        pages.setdefault((candidate.document_id, candidate.anchor_pages[0]), set()).update(candidate.matched_keywords)
    return list(pages.values())


def join_words(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1] if words else "")))
