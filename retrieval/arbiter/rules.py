"""The arbiter without a model: fixed conflict rules (R48, R49, R52), each verdict says which rule decided and why.

A section named exactly as asked comes first, what is only near in meaning comes last. Between them the strength decides:
how much of the question the place carries, which grows with the words that stand together and with a value of the type.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from reading.matching import match_form
from retrieval.types import KEPT_ROLES, ROLE_ORDER, Candidate, Question, Ranking, Role, Verdict
from retrieval.words.tokens import normalise_words, split_words

PRIMARY_MAX = 3
PRIMARY_SHARE = 0.8  # a second primary carries nearly as much as the first
SUPPORTING_SHARE = 0.6
SUPPORTING_MAX = 5
DISCARDED_SHARE = 0.25  # of the best: a stray word
STRENGTH_MIN = 0.1  # below this even the best candidate carries too little of the question to be an answer
# Types of answer whose form is told apart from everything else: without it beside the words nothing is answered.
# A number may be a word; an amount or a percentage is only missed when the question says that it wants one.
FORMED_TYPES = frozenset(["date", "frequency", "duration", "rate", "email", "phone", "url", "iban"])
AMOUNT_WANTED = re.compile(
    r"\b(?:how much|amounts?|percent(?:age)?|combien|montants?|pourcentage|wie\s?viel|betrag|cuanto|importe)\b",
    re.IGNORECASE,
)
HOLDS = re.compile(
    r"\b(?:cover(?:s|ed)?|includ(?:e|es|ed)|insur(?:e|es|ed)|contain(?:s|ed)?|mention(?:s|ed)?|exclud(?:e|es|ed)"
    r"|couvr\w+|couvert\w*|inclu\w*|contien\w*|mentionn\w*)\b",
    re.IGNORECASE,
)
FORMED_SHARE = 0.5  # of the best passage's strength: less of the question beside a value is another value


AnyCandidate = TypeVar("AnyCandidate", bound=Candidate)


class Rule(NamedTuple):
    """A class of evidence; a lower order wins against any strength of a higher one, equal orders go by strength."""

    order: int
    name: str


PINNED = Rule(0, "page named")
STATEMENT = Rule(1, "statement asked for")
EXACT_TITLE = Rule(1, "exact title")
TOGETHER = Rule(2, "words together")
TYPE_MATCH = Rule(2, "value of the type")
REFERRED = Rule(2, "referred to")
ONE_WORD = Rule(2, "words apart")
MEANING_ONLY = Rule(3, "meaning only")
NO_SIGNAL = Rule(4, "no signal")
SUFFICIENT = (PINNED, STATEMENT, EXACT_TITLE, REFERRED)  # reasons to keep a candidate whatever its strength


class Pool(NamedTuple):
    """What a candidate is weighed against: the greatest strength, the first of each part, what an answer would need."""

    best: float
    first_of_part: frozenset[str]
    missing: str


def judge_by_rules(question: Question, candidates: Sequence[Candidate]) -> Ranking:
    """Order by rule, then by strength, then as the document runs; the roles follow from that order."""
    ordered = order_by_rules(candidates)
    missing = what_is_missing(question, candidates)
    roles = [lower_role(role) for role in roles_of(ordered)] if missing else roles_of(ordered)
    pool = Pool(max(candidate.strength for candidate in ordered), parts_first(ordered), missing)
    verdicts = tuple(give_verdict(candidate, role, pool) for candidate, role in zip(ordered, roles, strict=True))
    verdicts = tuple(sorted(verdicts, key=lambda verdict: ROLE_ORDER[verdict.role]))
    answerable = any(role == "primary" for role in roles)
    reason = "" if answerable else missing or "no passage carries enough of the question"
    return Ranking("rules", "ran", verdicts, answerable=answerable, answerable_reason=reason)


def what_is_missing(question: Question, candidates: Sequence[Candidate]) -> str:
    """What an answer to this question would need and no candidate has, or "": a value's form, or two codes together."""
    if question.parts:
        return ""  # each part asks for something else
    enough = FORMED_SHARE * max(candidate.strength for candidate in candidates)
    is_formed = any((each.type_match and each.strength >= enough) or each.statement for each in candidates)
    if is_formed_type(question) and not is_formed:
        return f"no {question.answer_type} stands beside the words of the question"
    found = {word for candidate in candidates for word in candidate.matched_keywords}
    objects = objects_of(question)
    if objects and not found & set(objects):
        return f"{join_words([f'“{word}”' for word in objects])} occurs nowhere"
    pages = by_page(candidates)
    asked = {keyword.text for keyword in question.keywords if keyword.source == "identifier"}
    codes = asked.intersection(*[set().union(*pages)])
    if len(codes) > 1 and question.intent == "field_extraction" and not any(map(codes.issubset, pages)):
        return f"{join_words([f'“{code}”' for code in sorted(codes)])} stand on no page together"
    return ""


def is_formed_type(question: Question) -> bool:
    if question.answer_type in ("amount", "percentage"):
        return bool(AMOUNT_WANTED.search(question.topic))
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


def lower_role(role: Role) -> Role:
    return "tangential" if role in KEPT_ROLES else role


def order_by_rules(candidates: Sequence[AnyCandidate]) -> list[AnyCandidate]:
    """Also the order shown when a model should have judged and could not (R52)."""
    return sorted(
        candidates,
        key=lambda candidate: (
            rule_of(candidate).order,
            -candidate.rows_share,
            -candidate.strength,
            candidate.rrf_rank,
        ),
    )


def rule_of(candidate: Candidate) -> Rule:
    if "pinned" in candidate.methods:
        return PINNED
    if candidate.statement and candidate.exact_title:
        return STATEMENT
    if candidate.exact_title and candidate.matched_keywords:
        return EXACT_TITLE
    if candidate.co_occurrence:
        return TOGETHER
    if candidate.type_match:
        return TYPE_MATCH
    if candidate.referred:
        return REFERRED
    if set(candidate.methods) - {"vectors", "whole"}:
        return ONE_WORD
    return MEANING_ONLY if "vectors" in candidate.methods else NO_SIGNAL


def roles_of(ordered: Sequence[Candidate]) -> list[Role]:
    """The roles along the order: the best is primary if it carries enough, and its equals with it."""
    best = max(candidate.strength for candidate in ordered)
    leader = ordered[0]
    served = parts_first(ordered)
    roles: list[Role] = []
    for candidate in ordered:
        role = role_of(candidate, leader, best)
        if candidate.candidate_id in served and role != "primary" and is_able(candidate):
            role = "primary"
        if role == "primary" and roles.count("primary") >= PRIMARY_MAX + len(served):
            role = "supporting"
        if role == "supporting" and not candidate.referred and roles.count("supporting") >= SUPPORTING_MAX:
            role = "tangential"
        roles.append(role)
    return roles


def role_of(candidate: Candidate, leader: Candidate, best: float) -> Role:
    rule = rule_of(candidate)
    if rule in (PINNED, STATEMENT):
        return "primary"
    if rule is REFERRED:
        return "supporting"
    if rule is NO_SIGNAL:
        return "discarded"
    if rule is MEANING_ONLY or candidate.strength < DISCARDED_SHARE * best:
        return "discarded" if candidate.strength < SUPPORTING_SHARE * best else "tangential"
    is_equal = rule.order <= rule_of(leader).order and candidate.strength >= PRIMARY_SHARE * leader.strength
    if is_able(candidate) and (candidate is leader or is_equal):
        return "primary"
    return "supporting" if is_able(candidate) and candidate.strength >= SUPPORTING_SHARE * best else "tangential"


def is_able(candidate: Candidate) -> bool:
    return candidate.strength >= STRENGTH_MIN and not candidate.is_faint


def parts_first(ordered: Sequence[Candidate]) -> frozenset[str]:
    """For each part of a compound question, its first candidate: no half is dropped in silence (R22)."""
    first: dict[int, str] = {}
    for candidate in ordered:
        for part in candidate.parts:
            first.setdefault(part, candidate.candidate_id)
    return frozenset(first.values())


def give_verdict(candidate: Candidate, role: Role, pool: Pool) -> Verdict:
    rule = rule_of(candidate)
    quote = quote_of(candidate) if role in KEPT_ROLES else ""
    evidence = what_stands(candidate, rule)
    if candidate.running:
        evidence += f" A running head: it stands {candidate.running}."
    reason = f"{evidence} {explain_weight(candidate, rule, role, pool)}".strip()
    return Verdict(candidate.candidate_id, role, reason, quote, rule.name)


def what_stands(candidate: Candidate, rule: Rule) -> str:
    """The evidence, without the verdict."""
    words = join_words([f"“{text}”" for text in candidate.matched_keywords])
    is_several = len(candidate.matched_keywords) > 1
    valued = ", with a value of the expected type" if candidate.type_match else ""
    return {
        PINNED: f"The question names this page{f'; it holds {words}' if words else ''}.",
        STATEMENT: f"The {candidate.statement}, where the question has its figures: {words}.",
        EXACT_TITLE: f"Exact title: the section is named “{candidate.section_title}”{valued}.",
        TOGETHER: f"{words} {'stand together here' if is_several else 'stands here beside other words of the question'}.",
        TYPE_MATCH: f"{words} beside a value of the expected type.",
        REFERRED: f"Another passage points here: {candidate.referred}.",
        ONE_WORD: said_of_words(candidate, words),
        NO_SIGNAL: "Looked at because the document is short: no word searched stands here, and it is not near in meaning.",
        MEANING_ONLY: "Only near in meaning: no word searched stands here. That alone is no evidence.",
    }[rule]


def explain_weight(candidate: Candidate, rule: Rule, role: Role, pool: Pool) -> str:
    """Why that evidence makes this role: how much of the question it carries, against the best and the limits."""
    if role == "primary" and candidate.strength == pool.best:
        return "None is stronger."
    if rule in (MEANING_ONLY, NO_SIGNAL) or (role in KEPT_ROLES and rule in SUFFICIENT):
        return ""
    if pool.missing and role == "tangential":
        return f"An answer needs more: {pool.missing}."
    if role == "tangential" and not is_able(candidate):
        return "Too little of the question for an answer."
    percent = int(round(100 * candidate.strength / (pool.best or 1.0), 6))  # 59.99999999999999 is 60
    share = f"Strength {percent}% of the strongest"
    if role == "primary":
        is_first = candidate.candidate_id in pool.first_of_part
        return "It comes first for its part of the question." if is_first else f"{share}."
    if role == "supporting":
        return f"{share}; {round(100 * SUPPORTING_SHARE)}% is enough to support."
    if role == "tangential" and candidate.strength >= SUPPORTING_SHARE * pool.best:
        return f"{SUPPORTING_MAX} better ones support the answer already."
    if role == "tangential":
        return f"{share}; {round(100 * SUPPORTING_SHARE)}% is needed."
    return f"{share}; below {round(100 * DISCARDED_SHARE)}% is discarded."


def said_of_words(candidate: Candidate, words: str) -> str:
    if not words:
        return "Only the section's title speaks for it."
    if len(candidate.matched_keywords) == 1:
        return f"It has {words}, a word searched or a form of one."
    return f"{words} stand here, apart."


def quote_of(candidate: Candidate) -> str:
    """The candidate's own lines; the end of an earlier sentence is left out when no question word is lost with it."""
    text = candidate.anchor_text
    lost, separator, rest = text.partition(". ")
    if not separator or not rest or not lost[:1].islower() or "\n" in lost:
        return text
    kept = set(normalise_words(rest))
    is_kept = all(set(split_words(word)) <= kept for word in candidate.matched_keywords if word in match_form(lost))
    return rest if is_kept else text


def join_words(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1] if words else "")))
