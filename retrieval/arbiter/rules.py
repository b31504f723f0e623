"""The arbiter without a model: fixed conflict rules (R48, R49, R52). Each verdict names its rule and reason."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from documents.storage.content import DocumentContent
from reading.matching import match_form
from retrieval.arbiter.evidence import Evidence, value_unquoted, what_is_missing
from retrieval.arbiter.numbers_told import number_untold
from retrieval.arbiter.order import (
    EXACT_TITLE,
    MEANING_ONLY,
    NO_SIGNAL,
    NONE_RULED,
    ONE_WORD,
    PINNED,
    REFERRED,
    STATEMENT,
    TOGETHER,
    WHOLE_LIST,
    Rule,
    is_able,
    order_by_rules,
    rule_of,
)
from retrieval.arbiter.reads import LINE_HYPHEN
from retrieval.question.values import PROSE_TYPES, has_form, has_value
from retrieval.told.clauses import recorded_facts
from retrieval.told.reasons import give_clause, give_passage_reason
from retrieval.types import IN_QUESTION, KEPT_ROLES, ROLE_ORDER, Candidate, Keyword, Question, Ranking, Role, Verdict
from retrieval.words.tokens import as_typed, normalise_words, split_words

PRIMARY_MAX = 3
PRIMARY_SHARE = 0.8  # a second primary must cover nearly as much as the first
SUPPORTING_SHARE = 0.6
SUPPORTING_MAX = 5
THOROUGH_SUPPORTING_MAX = 9  # with the primary ones the 12 citations of thorough mode (R98)
DISCARDED_SHARE = 0.25  # of the best: a stray word
SUFFICIENT = (PINNED, STATEMENT, EXACT_TITLE, REFERRED, WHOLE_LIST)  # reasons to keep a candidate whatever its strength
ASKED = ("direct", "identifier")  # sources of a keyword that the question has itself


class Yardstick(NamedTuple):
    """What candidates are compared with: the greatest strength, the first of each part, what an answer still lacks."""

    best: float
    first_of_part: frozenset[str]
    missing: str
    supporting_max: int


def judge_by_rules(
    question: Question,
    candidates: Sequence[Candidate],
    evidence: Evidence | None = None,
    mode: str = "balanced",
    contents: Sequence[DocumentContent] = (),
) -> Ranking:
    """Order by rule, then by strength, then as the document runs; the roles follow from that order.

    Doubtful evidence answers nothing, nor do quotes without what was asked for; `contents` are those of the evidence.
    """
    supporting_max = THOROUGH_SUPPORTING_MAX if mode == "thorough" else SUPPORTING_MAX
    others = evidence.others if evidence else {}
    of_asked = [each for each in candidates if each.candidate_id not in others] or candidates
    ordered = order_by_rules(of_asked, evidence.ruled if evidence else NONE_RULED, question)
    missing = (evidence.lacking or evidence.doubt) if evidence else what_is_missing(question, candidates)
    answered = evidence.answered_parts if evidence else None
    served = parts_first(ordered, answered)
    roles = roles_of(ordered, served, supporting_max)
    quoted = [(each, each.own_text) for each, role in zip(ordered, roles, strict=True) if role in KEPT_ROLES]
    unquoted = ""
    if evidence and not missing:
        unquoted = value_unquoted(question, quoted) or number_untold(question, quoted, contents)
    missing = missing or unquoted
    if missing:
        roles = ["tangential" if role in KEPT_ROLES else role for role in roles]
    reads = evidence.reads if evidence else None  # of the first
    yardstick = Yardstick(max(candidate.strength for candidate in ordered), served, missing, supporting_max)
    verdicts = [
        give_verdict(each, role, yardstick, question, reads if each is ordered[0] else None)
        for each, role in zip(ordered, roles, strict=True)
    ]
    for each in candidates:
        if each not in ordered:
            of_another = yardstick._replace(missing=others[each.candidate_id])
            verdicts.append(give_verdict(each, "tangential", of_another, question, None))
    answerable = any(role == "primary" for role in roles)
    reason = "" if answerable else missing or (evidence.lacks if evidence else give_clause("too little"))
    return Ranking(
        "rules",
        "ran",
        tuple(sorted(verdicts, key=lambda verdict: ROLE_ORDER[verdict.role])),
        answerable=answerable,
        answerable_reason=reason,
        probability=(evidence.if_doubted if unquoted else evidence.probability) if evidence else None,
        answered_parts=answered,
        is_doubtful=bool(unquoted or (evidence and evidence.doubt)),
    )


def roles_of(ordered: Sequence[Candidate], served: Collection[str], supporting_max: int) -> list[Role]:
    """The roles in this order: the best is primary if it covers enough, and so are its equals and the `served`."""
    best = max(candidate.strength for candidate in ordered)
    leader = ordered[0]
    level = max(each.strength for each in ordered if rule_of(each).order == rule_of(leader).order)
    roles: list[Role] = []
    for candidate in ordered:
        role = role_of(candidate, leader, best, level)
        if candidate.candidate_id in served and role != "primary" and is_able(candidate):
            role = "primary"
        if role == "primary" and not candidate.fetched and roles.count("primary") >= PRIMARY_MAX + len(served):
            role = "supporting"
        if role == "supporting" and not candidate.referred and roles.count("supporting") >= supporting_max:
            role = "tangential"
        roles.append(role)
    return roles


def role_of(candidate: Candidate, leader: Candidate, best: float, level: float) -> Role:
    """`best` is the greatest strength, `level` that of the leader's class: a rule on what is asked may have less."""
    rule = rule_of(candidate)
    if rule in (PINNED, STATEMENT, WHOLE_LIST):
        return "primary"
    if rule is REFERRED:
        return "primary" if candidate.is_left_value else "supporting"
    if rule is NO_SIGNAL:
        return "discarded"
    if rule is MEANING_ONLY or candidate.strength < DISCARDED_SHARE * best:
        return "discarded" if candidate.strength < SUPPORTING_SHARE * best else "tangential"
    is_equal = rule.order <= rule_of(leader).order and candidate.strength >= PRIMARY_SHARE * level
    if is_able(candidate) and (candidate is leader or is_equal):
        return "primary"
    return "supporting" if is_able(candidate) and candidate.strength >= SUPPORTING_SHARE * best else "tangential"


def parts_first(ordered: Sequence[Candidate], answered: Collection[int] | None = None) -> frozenset[str]:
    """The first candidate of each part of a compound question that is answered, so that none is dropped (R22).

    Where nobody weighed the parts (None) every one counts as answered.
    """
    first: dict[int, str] = {}
    for candidate in ordered:
        for part in candidate.parts:
            if answered is None or part in answered:
                first.setdefault(part, candidate.candidate_id)
    return frozenset(first.values())


def give_verdict(
    candidate: Candidate, role: Role, yardstick: Yardstick, question: Question, reads: float | None
) -> Verdict:
    rule = rule_of(candidate)
    quote = candidate.own_text if role in KEPT_ROLES else ""
    weight = explain_weight(candidate, rule, role, yardstick)
    facts = facts_for(candidate, rule, question) | ({"weight": weight} if weight else {})
    facts |= {} if reads is None else {"reads": reads}
    return Verdict(candidate.candidate_id, role, give_passage_reason(rule.name, **facts), quote, rule.name)


def facts_for(candidate: Candidate, rule: Rule, question: Question) -> dict[str, object]:
    """What the evidence is made of, from which it is said; of words and values what stands in the text shown."""
    facts = words_shown(candidate, question.keywords)
    for word, group in facts.get("asked", {}).items():
        facts["asked"][word] = as_typed(group, question.original)
    if rule in (TOGETHER, ONE_WORD) and len(facts["words"]) > 1:
        facts["stand"] = how_they_stand(candidate.own_text, [facts.get("form", {}).get(w, w) for w in facts["words"]])
    if rule in (STATEMENT, WHOLE_LIST):
        facts["words"] = [*candidate.matched_keywords]
    if rule is STATEMENT:
        facts["statement"] = candidate.statement
    if rule is EXACT_TITLE:
        facts["section"] = candidate.section_title
    if rule is REFERRED:
        facts |= {"what": candidate.referred, "in_question": IN_QUESTION in candidate.referred}
    text, asks_value = candidate.own_text, has_form(question) and question.answer_type not in PROSE_TYPES
    is_valued = asks_value and candidate.type_match and has_value(question, match_form(text), text)
    signs = {"value": is_valued, "unvalued": asks_value and not is_valued, "running": candidate.running}
    signs["one_printed"] = len(facts["words"]) == 1 < len(candidate.matched_keywords)
    return facts | {name: sign for name, sign in signs.items() if sign}


def explain_weight(candidate: Candidate, rule: Rule, role: Role, yardstick: Yardstick) -> dict[str, object]:
    """Why the evidence earns this role: the share of the question it covers, against the best and the limits."""
    if role == "primary" and candidate.strength == yardstick.best:
        return {"code": "best"}
    if rule in (MEANING_ONLY, NO_SIGNAL) or (role in KEPT_ROLES and rule in SUFFICIENT):
        return {}
    if yardstick.missing and role == "tangential":
        return {"code": "missing", "missing": recorded_facts(yardstick.missing)}
    if role == "tangential" and not is_able(candidate):
        return {"code": "little"}
    percent = int(round(100 * candidate.strength / (yardstick.best or 1.0), 6))  # 59.99999999999999 is 60
    if role == "primary":
        is_first = candidate.candidate_id in yardstick.first_of_part
        return {"code": "first of part"} if is_first else {"code": "equal", "percent": percent}
    enough, least = round(100 * SUPPORTING_SHARE), round(100 * DISCARDED_SHARE)
    if role == "supporting":
        return {"code": "supports", "percent": percent, "limit": enough}
    if role == "tangential" and candidate.strength >= SUPPORTING_SHARE * yardstick.best:
        return {"code": "others", "count": yardstick.supporting_max}
    if role == "tangential":
        return {"code": "less", "percent": percent, "limit": enough}
    return {"code": "far less", "percent": percent, "limit": least}


# ---- which form of a word stands in a place, and what a word nobody asked for stands for


def words_shown(candidate: Candidate, keywords: Sequence[Keyword]) -> dict[str, Any]:
    """The keywords of a candidate that stand in its text, of those printed as one word the first, each with the form
    that stands there and what it was searched for where these are other words.
    """
    text = words_in_a_row(candidate.own_text)
    by_text = {keyword.text: keyword for keyword in reversed(keywords)}  # what was asked stands first
    printed, forms, asked = dict[str, str](), dict[str, str](), dict[str, str]()
    for word in candidate.matched_keywords:
        keyword = by_text.get(word, Keyword(word, (word,)))
        same = (form for each in keywords if each.group and each.group == keyword.group for form in each.forms)
        form = first_in(text, (word, *keyword.forms, *same))  # a hit of a dictionary's word may have its concept's name
        if form and printed.setdefault(form, word) == word:
            forms |= {word: form} if form != word else {}
            asked |= {word: keyword.group} if keyword.source not in ASKED and keyword.group not in ("", word) else {}
    return {"words": [*printed.values()]} | {name: told for name, told in (("form", forms), ("asked", asked)) if told}


def how_they_stand(text: str, forms: Sequence[str]) -> str:
    """Whether each of several words stands on a line with another of them or on the next ("together"), or none does."""
    lines = text.splitlines()
    windows = [words_in_a_row("\n".join(lines[at : at + 2])) for at in range(max(len(lines) - 1, 1))]
    held = [{form for form in forms if first_in(window, [form])} for window in windows]
    near = set[str]().union(*(each for each in held if len(each) > 1))
    return "together" if near.issuperset(forms) else "in part" if near else "apart"


def words_in_a_row(text: str) -> str:
    return f" {' '.join(normalise_words(LINE_HYPHEN.sub('', text)))} "


def first_in(text: str, forms: Iterable[str]) -> str:
    """The first form whose words stand in a row in the text, or ""."""
    return next((form for form in forms if f" {as_words(form)} " in text), "")


def as_words(form: str) -> str:
    return form if form.isascii() and form.isalnum() else " ".join(split_words(form))
