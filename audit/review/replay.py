"""Replay: rebuild the request from the stored rows, read the stored reply again, and judge the same brief anew.

Nothing here changes the run. The rows suffice for the request (AT14): contents as shown, each candidate's brief, the
question as read. The rules also need each candidate's strength and the parts of the question it serves; both are
computed again from the stored hits, as long as the parses exist.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, Literal
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext

from chat.prompts.guidance import find_guidance, guidance_of
from chat.turns.recordings import read_recording
from documents.models import Parse
from documents.storage.content import DocumentContent, load_content
from llm.client import complete
from llm.dialect import CAPABILITIES, CHAT, RESPONSES, Ask, write_request
from llm.errors import LLMError
from llm.exchange import Exchange, clean_text, request_digest
from llm.models import LLMCall
from llm.prompts import Guidance, Instructions, split_version
from llm.pseudonyms.stand_ins import StandIns
from llm.recordings.recorded import playing
from llm.reply import ReplyError, parse_reply, strict_schema
from llm.window import read_window
from retrieval.arbiter.evidence import weigh_evidence
from retrieval.arbiter.model import (
    FIRST_LOOK,
    FORMS,
    PROMPT,
    RULE_THREE,
    SECOND_LOOK,
    ArbiterReply,
    Form,
    asked_block,
    check_meaning_only,
    form_in,
    guide,
    read_reply,
)
from retrieval.arbiter.room import room_in
from retrieval.arbiter.rules import judge_by_rules
from retrieval.candidates.aggregation import aggregate
from retrieval.dispatch import tier_in
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.record.reading_back import question_from
from retrieval.record.storing import SAME_COLUMNS
from retrieval.told.columns import StoredPlan
from retrieval.types import KEPT_ROLES, Candidate, Hit, LineRange, Ranking, Status

OPTIONAL = ("temperature", "store")
# How servers without schema support are given one (llm.dialect).
SCHEMA_TOLD = "\n\nReply with one JSON object and nothing else. It must follow this JSON schema:\n"
REPEATS_ON_PAGE_MAX = 10  # a click may not cost more; the command allows more
POOL_ENOUGH = 10_000  # every place the hits give, so that the stored candidates are among them
# Of what the rules read.
NOT_IN_ROWS = (
    *("strength", "parts", "running", "statement", "rows_share", "referred", "is_faint", "fetched", "is_told"),
    *("is_untold", "sentences"),
)
NO_LIMIT = 100  # per cent: runs from before bases chose a risk answered whatever the evidence was


class CannotReplay(Exception):
    """The run cannot be judged again; the message for people says why."""


@dataclass(frozen=True)
class Rebuilt:
    """A rebuilt request and the digest of the one that was sent; `roles_differ` names candidates whose stored verdict
    differs from the reread reply."""

    run_id: UUID
    sent: str
    rebuilt: str
    roles_differ: tuple[str, ...] = ()
    note: str = ""

    @property
    def ok(self) -> bool:
        return self.sent == self.rebuilt and not self.roles_differ


@dataclass(frozen=True)
class Judge:
    """Who judges a stored brief again: the rules, or a model ("" is the configured one) with one of two prompts.

    `current` is this program's prompt, `stored` the instructions inside the stored request.
    """

    arbiter: Literal["rules", "model"]
    model: str = ""
    prompt: Literal["current", "stored"] = "current"


@dataclass(frozen=True)
class Flip:
    """A candidate whose role changes in another judgement."""

    candidate_id: str
    section_title: str
    before: str
    after: str
    reason: str


@dataclass(frozen=True)
class Rejudged:
    """One or more new judgements of a stored brief. Stability is the mean share of a candidate's most common role."""

    arbiter: str
    model: str
    prompt_version: str
    candidates: int
    flips: tuple[Flip, ...]  # of the last repeat, against the record
    kept_flips: int  # how many of them change what the answer may use
    stability: float
    repeats: int
    exchanges: tuple[Exchange, ...]
    outcome: Status  # of the last repeat: found where it has a primary one


# ---- rebuilding the request


def rebuild(run: RetrievalRun) -> Rebuilt | None:
    """Rebuild the arbiter's request from a run's rows and reread its reply; None without a model or once erased."""
    call = run.llm_call
    if call is None or not call.request:
        return None
    rows = sent_order(run)
    instructions, schema, note = fixed_part(call, run.base_id)
    ask = StandIns(call.stand_ins).hide_ask(Ask(call.model, instructions, prompt_of(run, rows), schema))
    request = write_request(ask, lacks_of(call))
    return Rebuilt(run.pk, call.request_sha256, request_digest(request), differing_roles(run, call, rows), note)


def sent_order(run: RetrievalRun) -> list[RunCandidate]:
    """The candidates in the order of the request: by their fusion rank, which is unique."""
    return list(run.candidates.exclude(rule=FIRST_LOOK).order_by("rrf_rank", "position"))


def prompt_of(run: RetrievalRun, rows: Sequence[RunCandidate]) -> str:
    asked = asked_block(question_from(run.parsed))
    if any("requested" in row.methods for row in rows):
        asked.append(SECOND_LOOK)
    return clean_text("\n\n".join([run.toc_shown, *(row.brief for row in rows), *asked]))


def fixed_part(call: LLMCall, base_id: UUID) -> tuple[str, dict[str, Any], str]:
    """Instructions and schema: this program's with the guidance of the base; as stored if it has the prompt no more."""
    fixed, number, _digest = split_version(call.prompt_version)
    row = find_guidance(base_id, PROMPT.name, call.prompt_version)
    for form in FORMS:
        if form.told[:2] == (call.prompt_name, fixed) and (row is not None or number is None):
            guided = guide(form, Guidance(row.number, row.text) if row else None)
            return clean_text(guided.told.text), strict_schema(form.reply), ""
    note = (
        f"prompt {call.prompt_name} {call.prompt_version} is no longer in this program; taken from the stored request"
    )
    instructions, schema = stored_fixed_part(call)
    return instructions, schema, note


def stored_fixed_part(call: LLMCall) -> tuple[str, dict[str, Any]]:
    request = call.request
    if call.api == RESPONSES:
        return request.get("instructions", ""), request.get("text", {}).get("format", {}).get("schema", {})
    system = request.get("messages", [{}])[0].get("content", "")
    instructions, _, told = system.rpartition(SCHEMA_TOLD) if SCHEMA_TOLD in system else (system, "", "")
    return instructions, json.loads(told) if told else request["response_format"]["json_schema"]["schema"]


def lacks_of(call: LLMCall) -> frozenset[str]:
    """Which features the server lacked when it was asked, from the stored parameters."""
    lacks = {name for name in OPTIONAL if name not in call.parameters}
    if call.api == CHAT:
        form = call.parameters.get("format", "json_schema")
        forms = ("json_schema", "json_object", "text")
        lacks |= {RESPONSES, *forms[: forms.index(form)]}
    return frozenset(lacks & set(CAPABILITIES))


def differing_roles(run: RetrievalRun, call: LLMCall, rows: Sequence[RunCandidate]) -> tuple[str, ...]:
    if run.arbiter_status != "ran" or call.outcome != "ok":
        return ()
    try:
        reply = parse_reply(call.raw_reply, ArbiterReply, StandIns(call.stand_ins).put_back)
    except ReplyError:
        return tuple(row.candidate_id for row in rows)
    found = [found_from(row) for row in rows]
    ranking = read_reply(reply, found, None)
    if any(each.startswith(RULE_THREE) for each in run.violations):  # what runs before that check existed have none of
        ranking = check_meaning_only(ranking, question_from(run.parsed), found)
    now = {verdict.candidate_id: verdict.role for verdict in ranking.verdicts}
    return tuple(row.candidate_id for row in rows if now.get(row.candidate_id) != row.role)


# ---- judging again


def rejudge(
    run: RetrievalRun, judge: Judge, *, repeats: int = 1, on_judged: Callable[[int], None] | None = None
) -> Rejudged:
    """Judge the stored brief again, as often as asked; `on_judged` is told how often it was. Raises CannotReplay."""
    rows = sent_order(run)
    if not run.question:
        raise CannotReplay(gettext("The words of this question were erased, so there is nothing to judge."))
    if run.parsed.get("form") == "outline":
        raise CannotReplay(gettext("An outline takes the parts of a document as they are: nothing was judged."))
    if not rows:
        raise CannotReplay(gettext("This run proposed no candidate, so there is nothing to judge."))
    rankings: list[Ranking] = []
    for _ in range(repeats):
        is_by_rules = judge.arbiter == "rules"
        rankings.append(judge_by_rules_anew(run, rows) if is_by_rules else judge_by_model_anew(run, rows, judge))
        if on_judged:
            on_judged(len(rankings))
    last = rankings[-1]
    after = {verdict.candidate_id: verdict for verdict in last.verdicts}
    flips = tuple(
        Flip(
            row.candidate_id, row.section_title, row.role, after[row.candidate_id].role, after[row.candidate_id].reason
        )
        for row in sorted(rows, key=lambda row: row.position)
        if after[row.candidate_id].role != row.role
    )
    exchanges = tuple(ranking.exchange for ranking in rankings if ranking.exchange)
    return Rejudged(
        arbiter=judge.arbiter,
        model=exchanges[-1].model_returned or exchanges[-1].model if exchanges else "",
        prompt_version=exchanges[-1].prompt_version if exchanges else "",
        candidates=len(rows),
        flips=flips,
        kept_flips=sum((flip.before in KEPT_ROLES) != (flip.after in KEPT_ROLES) for flip in flips),
        stability=stability_of(rankings),
        repeats=repeats,
        exchanges=exchanges,
        outcome=outcome_of_ranking(last),
    )


def outcome_of_ranking(ranking: Ranking) -> Status:
    """How a run with these verdicts would end, the gates before them and gaps of its coverage left aside."""
    if any(verdict.role == "primary" for verdict in ranking.verdicts):
        return "found"
    return "weak" if ranking.is_doubtful else "not_found"


def stability_of(rankings: Sequence[Ranking]) -> float:
    roles: dict[str, Counter[str]] = {}
    for ranking in rankings:
        for verdict in ranking.verdicts:
            roles.setdefault(verdict.candidate_id, Counter())[verdict.role] += 1
    shares = [counts.most_common(1)[0][1] / counts.total() for counts in roles.values()]
    return sum(shares) / len(shares)


def summary(found: Rejudged) -> dict[str, object]:
    """What is recorded about a replay."""
    same = ("arbiter", "model", "prompt_version", "candidates", "repeats")
    return {name: getattr(found, name) for name in same} | {
        "flipped": len(found.flips),
        "kept_flipped": found.kept_flips,
        "stability": round(found.stability, 4),
    }


def judge_by_model_anew(run: RetrievalRun, rows: Sequence[RunCandidate], judge: Judge) -> Ranking:
    """One call with the stored brief; its verdicts are checked as usual.

    A run with recorded replies is judged by these again where there is no model.
    """
    form = form_for(run, judge)
    kept = run.llm_call is not None and run.llm_call.recorded
    again = playing(read_recording()) if kept and not (judge.model or settings.LLM_CONFIGURED) else nullcontext()
    try:
        with again:
            completion = complete(
                instructions=form.told,
                prompt=prompt_of(run, rows),
                reply_schema=form.reply,
                purpose="replay",
                deadline_s=settings.ARBITER_DEADLINE_S,
                tier=tier_in(run.plan or StoredPlan()).tier,
                why=tier_in(run.plan or StoredPlan()).why,
                model=judge.model,
            )
    except LLMError as error:
        raise CannotReplay(gettext("The model did not judge: %(reason)s") % {"reason": error}) from error
    found = [found_from(row) for row in rows]
    reply = ArbiterReply.model_validate(completion.reply.model_dump())
    ranking = read_reply(reply, found, completion.exchange)
    return check_meaning_only(ranking, question_from(run.parsed), found)


def form_for(run: RetrievalRun, judge: Judge) -> Form:
    """How the model is asked: as it would be now, or with the instructions that were sent."""
    if judge.prompt == "current":
        return form_in(room_in(read_window()), guidance_of(run.base).get(PROMPT.name))
    if run.llm_call is None:
        raise CannotReplay(gettext("No model was asked in this run, so there is no stored prompt to ask with."))
    call = run.llm_call
    told = Instructions(call.prompt_name, call.prompt_version, stored_fixed_part(call)[0])
    return Form(told, ArbiterReply)


def judge_by_rules_anew(run: RetrievalRun, rows: Sequence[RunCandidate]) -> Ranking:
    """Apply the rules to the stored candidates; what the rows lack is computed again from the stored hits."""
    if run.parsed.get("form") == "compare":
        raise CannotReplay(gettext("The rules judge each side of a comparison by itself: ask the question again."))
    question, contents, hits = question_from(run.parsed), contents_of(run), hits_from(run)
    found = aggregate(hits, question, contents, pool_max=POOL_ENOUGH).candidates
    again = {each.candidate_id: each for each in found}
    unknown = [row.candidate_id for row in rows if row.candidate_id not in again]
    if unknown:
        words = gettext(
            "This program merges the stored hits in another way than %(version)s did: it does not find %(names)s any "
            "more, so the strength the rules need is not known."
        )
        raise CannotReplay(words % {"version": run.code_version, "names": ", ".join(unknown[:3])})
    candidates = [
        replace(found_from(row), **{name: getattr(again[row.candidate_id], name) for name in NOT_IN_ROWS})
        for row in rows
    ]
    risk_max = run.settings.get("risk_max", NO_LIMIT)
    # What rules judged says itself whether it was read; what a model judged, whether the base would have it read.
    is_read = any("reads" in row.reason_facts for row in rows)
    if run.arbiter != "rules":
        is_read = run.settings.get("cross_encoder") == "on"
    evidence = weigh_evidence(question, candidates, contents, hits, risk_max, is_read=is_read)
    return judge_by_rules(question, candidates, evidence, run.mode, contents)


def contents_of(run: RetrievalRun) -> list[DocumentContent]:
    """The parses the run saw; they never change."""
    seen_parses = Parse.objects.select_related("document").filter(pk__in=[seen["parse_id"] for seen in run.scope])
    parses = {str(parse.pk): parse for parse in seen_parses}
    gone = [seen["title"] for seen in run.scope if seen["parse_id"] not in parses]
    if gone:
        words = gettext(
            "The rules need the strength of each candidate, which the record does not hold, and “%(title)s”, from "
            "which it could be computed again, is gone. A model can still judge: its whole brief is in the record."
        )
        raise CannotReplay(words % {"title": gone[0]})
    return [load_content(parses[seen["parse_id"]]) for seen in run.scope]


# ---- rows back to values


def hits_from(run: RetrievalRun) -> list[Hit]:
    words = ("matched_keywords", "wanted_words")
    return [
        Hit(**hit | {"lines": LineRange(*hit["lines"])} | {name: tuple(hit.get(name, ())) for name in words})
        for hit in run.hits
    ]


def found_from(row: RunCandidate) -> Candidate:
    """The candidate as the arbiter saw it, without its brief; the row lacks NOT_IN_ROWS."""
    ids = {"document_id": str(row.document_id), "parse_id": str(row.parse_id)}
    return Candidate(
        **{name: getattr(row, name) for name in SAME_COLUMNS} | ids,
        methods=tuple(row.methods),
        matched_keywords=tuple(row.matched_keywords),
        anchor=LineRange(row.anchor_first_line, row.anchor_last_line),
        anchor_pages=(row.anchor_first_page, row.anchor_last_page),
    )
