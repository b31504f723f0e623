"""Store a result as insert-only rows, which the ledger vouches for, and copy them for a repeat (R105)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar, cast

from django.db import transaction
from django.utils import timezone

from documents.access import role_in
from documents.models import KnowledgeBase, Viewer
from documents.storage.versions import record_parses
from jobs.ids import note_ids
from ledger.events import record
from ledger.models import Event
from llm.exchange import Exchange, made_exchanges
from llm.models import LLMCall
from retrieval.arbiter.brief import candidate_block
from retrieval.models import RetrievalRun, RunCandidate, RunDocument
from retrieval.record.ledger_forms import EXCHANGE, LOOK, READING, RUN, SHARED
from retrieval.told.clauses import Clause, recorded_facts
from retrieval.told.columns import StoredPart
from retrieval.types import PartFinding, RetrievalResult, ScopeDocument, Settled, ShortlistRank
from retrieval.version import program_version

BESIDE = {  # the field and key with its id
    "reading": ("parsed", "reading_call"),
    "look": ("plan", "look_call"),
    "shared": ("plan", "shared_call"),
}
CALLS = "calls"  # of the plan of a run that ended without a result: the ids of all exchanges made for it
ANSWER_UNSTORED = "answer_unstored"  # an event that has them where a run was stored and its answer was not
FAILURE_MAX = 4000
SAME_COLUMNS = (  # of a candidate and its row
    *("candidate_id", "document_id", "parse_id", "toc_index", "section_title", "breadcrumb", "exact_title"),
    *("co_occurrence", "type_match", "line_score", "rrf_rank", "anchor_text", "snippet"),
)
DOCUMENTS_A_BATCH = 1_000

Copied = TypeVar("Copied", RetrievalRun, RunCandidate, RunDocument)


def store_run(
    result: RetrievalResult,
    *,
    base: KnowledgeBase,
    user: Viewer,
    mode: str,
    typed: str = "",
    field: Mapping[str, Any] | None = None,
    shared: LLMCall | None = None,
) -> RetrievalRun:
    """Store a result with all its candidates, its exchange with the model and its ledger entry: all or nothing.

    `typed` is what the person wrote if the retrieved question is a rewritten follow-up, `field` what the plan keeps of
    a named field, and `shared` the row of an exchange that served several, see `record_shared`.
    """
    with transaction.atomic():
        own = [None if each is result.shared else each for each in (result.ranking.exchange, result.other_look)]
        call, look = (LLMCall.objects.record(each) if each else None for each in own)
        asked = LLMCall.objects.record(result.question_exchange) if result.question_exchange else None
        run = result_row(result)
        run.llm_call = call
        run.settings = run.settings | {"asked_as": role_in(user, base)}
        note_asker(run, base, user, mode)
        keep_typed(run, typed)
        if field:
            run.plan["field"] = dict(field)
        for kind, beside in (("reading", asked), ("look", look), ("shared", shared)):
            if beside:
                column, key = BESIDE[kind]
                getattr(run, column)[key] = str(beside.pk)
        run.save(force_insert=True)
        RunCandidate.objects.bulk_create(candidate_rows(result, run))
        RunDocument.objects.bulk_create(document_rows(result, run), batch_size=DOCUMENTS_A_BATCH)
        record_parses(document.parse_id for document in result.documents if document.parse_id)
        RUN.vouch(run.pk)
        if asked:
            READING.vouch(asked.pk)
        if look:
            LOOK.vouch(look.pk)
    note_ids(run=run.pk)
    return run


def record_shared(exchange: Exchange) -> LLMCall:
    """Store an exchange for several fields once, with its ledger entry, in the caller's transaction."""
    call = LLMCall.objects.record(exchange)
    SHARED.vouch(call.pk)
    return call


def note_asker(run: RetrievalRun, base: KnowledgeBase, user: Viewer, mode: str) -> None:
    """Say in a row that is not stored yet who asks, where, and now."""
    run.base, run.base_name = base, base.name
    run.asked_by_id, run.asked_by_name = user.pk, str(user)[:254] if user.pk else ""
    run.mode, run.code_version, run.created_at = mode, program_version(), timezone.now()


def keep_typed(run: RetrievalRun, typed: str) -> None:
    """Keep the typed text in the parsed question if it differs."""
    if typed and " ".join(typed.split()) != run.parsed["original"]:
        run.parsed = run.parsed | {"typed": typed}


def calls_beside(run: RetrievalRun) -> dict[str, LLMCall]:
    """The exchanges of BESIDE that a run has, by kind; few have any."""
    ids = {kind: getattr(run, field).get(key) for kind, (field, key) in BESIDE.items()}
    calls = LLMCall.objects.select_related("charge").in_bulk([call_id for call_id in ids.values() if call_id])
    by_id = {str(pk): call for pk, call in calls.items()}
    return {kind: by_id[call_id] for kind, call_id in ids.items() if call_id in by_id}


def unfinished_calls(run: RetrievalRun) -> list[LLMCall]:
    """The exchanges of a run that ended without a result or an answer, in the order in which they were made."""
    kept = answer_unstored(run)
    ids = [*run.plan.get(CALLS, ()), *(kept.details[CALLS] if kept else ())]
    calls = {str(pk): call for pk, call in LLMCall.objects.select_related("charge").in_bulk(ids).items()}
    return [calls[call_id] for call_id in ids if call_id in calls]


def calls_apart(run: RetrievalRun) -> list[tuple[str, LLMCall]]:
    """The exchanges of a run that have ledger entries of their own, each with the kind of its entry."""
    return [*calls_beside(run).items(), *((EXCHANGE.kind, call) for call in unfinished_calls(run))]


def record_unstored() -> list[LLMCall]:
    """Store the exchanges made for this question that nothing stored, each with its entry, in the caller's transaction.

    What a transaction stored that was rolled back is not there; no two exchanges have both moment and digest.
    """
    made = made_exchanges()
    there = LLMCall.objects.filter(started_at__in=[each.started_at for each in made])
    stored = set(there.values_list("started_at", "request_sha256"))
    missing = [each for each in made if (each.started_at, each.request_sha256) not in stored]
    calls = [LLMCall.objects.record(each) for each in missing]
    for call in calls:
        EXCHANGE.vouch(call.pk)
    return calls


def keep_unstored(run: RetrievalRun) -> None:
    """Store the exchanges for an answer to a stored run that was not stored, and record whose they are.

    The run is a record by then and cannot name them; an event does, so that they are shown, packed and erased with it.
    """
    with transaction.atomic():
        if calls := record_unstored():
            record(ANSWER_UNSTORED, "console", f"run:{run.pk}", {CALLS: [str(call.pk) for call in calls]})


def answer_unstored(run: RetrievalRun) -> Event | None:
    """The event that names the exchanges of an answer to a run that was not stored."""
    return Event.objects.filter(kind=ANSWER_UNSTORED, subject=f"run:{run.pk}").first()


def store_failed_run(
    question_text: str,
    failure: str,
    *,
    base: KnowledgeBase,
    user: Viewer,
    mode: str,
    calls: Sequence[LLMCall] | None = None,
) -> RetrievalRun:
    """Record that a question was asked and retrieval failed, with its ledger entry: no run is missing (AT1).

    Its exchanges with a model are those that nothing stored, or `calls`, which were made for several questions.
    """
    with transaction.atomic():
        made = record_unstored() if calls is None else calls
        run = RetrievalRun(
            **{name: {} for name in ("parsed", "settings", "coverage", "hit_counts", "timings_ms")},
            plan={CALLS: [str(call.pk) for call in made]} if made else {},
            **{name: [] for name in ("gates", "searched", "methods_used", "hits", "contradictions", "violations")},
            question=question_text,
            scope=[],
            arbiter="",
            arbiter_status="not_run",
            status="failed",
            confidence=0.0,
            failure=failure[:FAILURE_MAX],
        )
        note_asker(run, base, user, mode)
        run.save(force_insert=True)
        RUN.vouch(run.pk)
    note_ids(run=run.pk)
    return run


def copy_run(
    first: RetrievalRun,
    *,
    question: str,
    typed: str,
    user: Viewer,
    repeat: dict[str, str],
    timings_ms: dict[str, float],
) -> RetrievalRun:
    """Store a run that repeats `first`, with all its candidates and documents and its own ledger entry.

    `repeat` goes into its plan and says which run it repeats. What is of the first asking only is left out: who asked,
    what was typed before a follow-up was completed, the exchanges with a model, and the times.
    """
    left = {"typed", *(key for _, key in BESIDE.values())}
    run = copy_row(first, llm_call_id=None, question=question, timings_ms=timings_ms)
    run.parsed = {name: value for name, value in first.parsed.items() if name not in left}
    run.plan = {name: value for name, value in first.plan.items() if name not in left} | {"repeat": repeat}
    run.settings = first.settings | {"asked_as": role_in(user, first.base)}
    note_asker(run, first.base, user, first.mode)
    keep_typed(run, typed)
    with transaction.atomic():
        run.save(force_insert=True)
        RunCandidate.objects.bulk_create(copy_row(row, run_id=run.pk) for row in first.candidates.order_by("position"))
        RunDocument.objects.bulk_create(
            (copy_row(row, run_id=run.pk) for row in first.documents.order_by("position")),
            batch_size=DOCUMENTS_A_BATCH,
        )
        RUN.vouch(run.pk)
    note_ids(run=run.pk)
    return run


def copy_row(row: Copied, **changes: Any) -> Copied:
    """A row that is not stored yet with the values of another, but for its key and what is changed."""
    columns = (field for field in row._meta.concrete_fields if not field.primary_key)
    return type(row)(**{field.attname: getattr(row, field.attname) for field in columns} | changes)


# ---- rows that are not stored yet


def result_row(result: RetrievalResult) -> RetrievalRun:
    """A result without who asked."""
    ranking = result.ranking
    return RetrievalRun(
        question=result.question.original,
        parsed=asdict(result.question),
        plan=asdict(result.plan)
        | {"left_out": [asdict(left) for left in result.left_out], "parts": [part_json(part) for part in result.parts]}
        | {"told": reasons_told(result), "headlines": [each._asdict() for each in result.headlines]},
        scope=list(result.scope),
        settings=result.settings,
        arbiter=ranking.arbiter,
        arbiter_status=ranking.status,
        arbiter_failure=ranking.failure,
        status=result.status,
        not_found_reason=result.not_found_reason,
        gates=[asdict(gate) for gate in result.gates],
        searched=[asdict(word) for word in result.searched],
        coverage=asdict(result.coverage),
        confidence=result.confidence,
        methods_used=list(result.methods_used),
        hits=[asdict(hit) | {"lines": [*hit.lines]} for hit in result.hits],
        hit_counts=dict(Counter(hit.method for hit in result.hits)),
        contradictions=[asdict(contradiction) for contradiction in ranking.contradictions],
        violations=list(ranking.violations),
        answerable=ranking.answerable,
        answerable_reason=ranking.answerable_reason,
        toc_shown=result.toc_shown,
        timings_ms=result.timings_ms,
    )


def reasons_told(result: RetrievalResult) -> dict[str, Any]:
    """The facts of the reasons of a result, from which pages say them in their reader's language."""
    reasons = {"reason": result.not_found_reason, "answerable": result.ranking.answerable_reason}
    gates = {gate.code: gate.evidence for gate in result.gates}
    planned = {flag.name: flag.reason for flag in result.plan.flags}
    left_out = {left.reason: left.reason for left in result.left_out}
    languages = sorted({seen["language"] for seen in result.scope if seen.get("language")})
    apart = {"gates": gates, "plan": planned, "left_out": left_out}
    return {
        **facts_by_name(reasons),
        **{name: facts_by_name(each) for name, each in apart.items()},
        "languages": languages,
    }


def facts_by_name(reasons: Mapping[str, str]) -> dict[str, Any]:
    """The facts of those reasons that are the program's own."""
    return {name: recorded_facts(reason) for name, reason in reasons.items() if isinstance(reason, Clause)}


def document_rows(result: RetrievalResult, run: RetrievalRun) -> list[RunDocument]:
    return [document_row(each, run, position) for position, each in enumerate(result.documents, 1)]


def document_row(document: ScopeDocument, run: RetrievalRun, position: int) -> RunDocument:
    place = document.place or ShortlistRank(0)
    same = ("document_id", "parse_number", "title", "sha256", "pages", "pages_with_text", "state", "cause", "reason")
    return RunDocument(
        run=run,
        position=position,
        **{name: getattr(document, name) for name in same},
        parse_id=document.parse_id or None,
        rank=place.rank,
        ranked=place.of or None,
        words_score=place.words,
        meaning_score=place.meaning,
        name_score=place.name,
        fused_score=place.fused,
        words=list(document.words),
        finding=asdict(document.finding) if document.finding else None,
    )


def candidate_rows(result: RetrievalResult, run: RetrievalRun) -> list[RunCandidate]:
    return [candidate_row(each, run, position) for position, each in enumerate(result.candidates, 1)]


def candidate_row(candidate: Settled, run: RetrievalRun, position: int) -> RunCandidate:
    verdict, quote, context = candidate.verdict, candidate.quote, candidate.context
    width, height = candidate.page_size
    return RunCandidate(
        run=run,
        position=position,
        **{name: getattr(candidate, name) for name in SAME_COLUMNS},
        document_title=candidate.brief.document_title,
        methods=list(candidate.methods),
        matched_keywords=list(candidate.matched_keywords),
        role=verdict.role,
        reason=verdict.reason,
        reason_facts=recorded_facts(verdict.reason) if isinstance(verdict.reason, Clause) else {},
        rule=verdict.rule,
        raw_content_anchor=verdict.raw_content_anchor,
        content_anchor=quote.text,
        anchor_repair=asdict(quote.repair),
        anchor_pieces=[asdict(piece) for piece in quote.pieces],
        boxes=[box.as_dict() for box in candidate.boxes],
        context_boxes=[box.as_dict() for box in context.boxes],
        anchor_first_line=candidate.anchor.first,
        anchor_last_line=candidate.anchor.last,
        anchor_first_page=candidate.anchor_pages[0],
        anchor_last_page=candidate.anchor_pages[1],
        anchor_page_label=candidate.page_label,
        context_first_line=context.lines.first,
        context_last_line=context.lines.last,
        context_first_page=context.pages[0],
        context_last_page=context.pages[1],
        context_text=context.text,
        brief=candidate_block(candidate.brief),
        page_width=width,
        page_height=height,
    )


def part_json(part: PartFinding) -> StoredPart:
    lists = {"candidate_ids": list(part.candidate_ids), "missing": list(part.missing)}
    return cast("StoredPart", asdict(part) | lists)
