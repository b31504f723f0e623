"""Store a result as insert-only rows, which the ledger vouches for, and copy them for a repeat (R105)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

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
from retrieval.told.columns import StoredHit, StoredPart
from retrieval.types import Hit, PartFinding, RetrievalResult, ScopeDocument, Settled, ShortlistRank
from retrieval.version import program_version

BESIDE = {  # the field and key with its id
    "reading": ("parsed", "reading_call"),
    "look": ("plan", "look_call"),
    "shared": ("plan", "shared_call"),
}
CALLS = "calls"  # of the plan of a run that ended without a result: the ids of all exchanges made for it
ANSWER_UNSTORED = "answer_unstored"  # an event that has them where a run was stored and its answer was not
FAILURE_MAX = 4000
# Columns that a repeat of a run does not have as they are.
OF_THE_ASKING = ("id", "base_id", "llm_call_id", "question", "parsed", "plan", "settings", "timings_ms")
SAME_COLUMNS = (  # of a candidate and its row
    *("candidate_id", "document_id", "parse_id", "toc_index", "section_title", "breadcrumb", "exact_title"),
    *("co_occurrence", "type_match", "line_score", "rrf_rank", "anchor_text", "snippet"),
)
DOCUMENTS_A_BATCH = 1_000


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
        reading = LLMCall.objects.record(result.reading) if result.reading else None
        fields = with_typed(with_role(result_fields(result), base, user), typed)
        if field:
            fields["plan"] |= {"field": dict(field)}
        for kind, beside in (("reading", reading), ("look", look), ("shared", shared)):
            fields = with_call(fields, kind, beside)
        run = RetrievalRun.objects.create(
            **asked_fields(base, user, mode),
            **fields,
            llm_call=call,
            question=result.question.original,
        )
        RunCandidate.objects.bulk_create(
            RunCandidate(run=run, position=position, **candidate_fields(candidate))
            for position, candidate in enumerate(result.candidates, 1)
        )
        RunDocument.objects.bulk_create(
            (
                RunDocument(run=run, position=position, **document_fields(document))
                for position, document in enumerate(result.documents, 1)
            ),
            batch_size=DOCUMENTS_A_BATCH,
        )
        record_parses(document.parse_id for document in result.documents if document.parse_id)
        RUN.vouch(run.pk)
        if reading:
            READING.vouch(reading.pk)
        if look:
            LOOK.vouch(look.pk)
    note_ids(run=run.pk)
    return run


def record_shared(exchange: Exchange) -> LLMCall:
    """Store an exchange for several fields once, with its ledger entry, in the caller's transaction."""
    call = LLMCall.objects.record(exchange)
    SHARED.vouch(call.pk)
    return call


def with_role(fields: dict[str, Any], base: KnowledgeBase, user: Viewer) -> dict[str, Any]:
    """The run's fields, with the asker's role for these documents added to the settings."""
    return fields | {"settings": fields["settings"] | {"asked_as": role_in(user, base)}}


def with_typed(fields: dict[str, Any], typed: str) -> dict[str, Any]:
    """The run's fields, with the typed text added to the parsed question if it differs."""
    if not typed or " ".join(typed.split()) == fields["parsed"]["original"]:
        return fields
    return fields | {"parsed": fields["parsed"] | {"typed": typed}}


def with_call(fields: dict[str, Any], kind: str, call: LLMCall | None) -> dict[str, Any]:
    """The run's fields, with the id of an exchange that is stored beside it."""
    field, key = BESIDE[kind]
    return fields | {field: fields[field] | {key: str(call.pk)}} if call else fields


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
        run = RetrievalRun.objects.create(
            **asked_fields(base, user, mode),
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
    kept = {name: value for name, value in values_of(first).items() if name not in OF_THE_ASKING}
    beside = {name: getattr(first, name) for name in ("parsed", "plan")}
    for field, key in BESIDE.values():
        beside[field] = {name: value for name, value in beside[field].items() if name not in (key, "typed")}
    asked = asked_fields(first.base, user, first.mode)
    fields = kept | asked | {"parsed": beside["parsed"], "plan": beside["plan"] | {"repeat": repeat}}
    with transaction.atomic():
        run = RetrievalRun.objects.create(
            **with_typed(fields, typed),
            settings=first.settings | {"asked_as": role_in(user, first.base)},
            question=question,
            timings_ms=timings_ms,
        )
        RunCandidate.objects.bulk_create(
            RunCandidate(**values_of(row) | {"id": None, "run_id": run.pk})
            for row in first.candidates.order_by("position")
        )
        RunDocument.objects.bulk_create(
            (
                RunDocument(**values_of(row) | {"id": None, "run_id": run.pk})
                for row in first.documents.order_by("position")
            ),
            batch_size=DOCUMENTS_A_BATCH,
        )
        RUN.vouch(run.pk)
    note_ids(run=run.pk)
    return run


def values_of(row: RetrievalRun | RunCandidate | RunDocument) -> dict[str, Any]:
    """The values of a row by column, as its model takes them."""
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


# ---- fields


def asked_fields(base: KnowledgeBase, user: Viewer, mode: str) -> dict[str, Any]:
    return {
        "base": base,
        "base_name": base.name,
        "asked_by_id": user.pk,
        "asked_by_name": str(user)[:254] if user.pk else "",
        "mode": mode,
        "code_version": program_version(),
        "created_at": timezone.now(),
    }


def result_fields(result: RetrievalResult) -> dict[str, Any]:
    ranking = result.ranking
    return {
        "parsed": asdict(result.question),
        "plan": asdict(result.plan)
        | {"left_out": [asdict(left) for left in result.left_out], "parts": [part_json(part) for part in result.parts]}
        | {"told": reasons_told(result), "headlines": [each._asdict() for each in result.headlines]},
        "scope": list(result.scope),
        "settings": result.settings,
        "arbiter": ranking.arbiter,
        "arbiter_status": ranking.status,
        "arbiter_failure": ranking.failure,
        "status": result.status,
        "not_found_reason": result.not_found_reason,
        "gates": [asdict(gate) for gate in result.gates],
        "searched": [asdict(word) for word in result.searched],
        "coverage": asdict(result.coverage),
        "confidence": result.confidence,
        "methods_used": list(result.methods_used),
        "hits": [hit_fields(hit) for hit in result.hits],
        "hit_counts": dict(Counter(hit.method for hit in result.hits)),
        "contradictions": [asdict(contradiction) for contradiction in ranking.contradictions],
        "violations": list(ranking.violations),
        "answerable": ranking.answerable,
        "answerable_reason": ranking.answerable_reason,
        "toc_shown": result.toc_shown,
        "timings_ms": result.timings_ms,
    }


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


def hit_fields(hit: Hit) -> StoredHit:
    return cast("StoredHit", asdict(hit) | {"lines": [hit.lines.first, hit.lines.last]})


def document_fields(document: ScopeDocument) -> dict[str, Any]:
    place = document.place or ShortlistRank(0)
    same = ("document_id", "parse_number", "title", "sha256", "pages", "pages_with_text", "state", "cause", "reason")
    return {name: getattr(document, name) for name in same} | {
        "parse_id": document.parse_id or None,
        "rank": place.rank,
        "ranked": place.of or None,
        "words_score": place.words,
        "meaning_score": place.meaning,
        "name_score": place.name,
        "fused_score": place.fused,
        "words": list(document.words),
        "finding": asdict(document.finding) if document.finding else None,
    }


def candidate_fields(candidate: Settled) -> dict[str, Any]:
    verdict, quote, context = candidate.verdict, candidate.quote, candidate.context
    width, height = candidate.page_size
    return {name: getattr(candidate, name) for name in SAME_COLUMNS} | {
        "document_title": candidate.brief.document_title,
        "methods": list(candidate.methods),
        "matched_keywords": list(candidate.matched_keywords),
        "role": verdict.role,
        "reason": verdict.reason,
        "reason_facts": recorded_facts(verdict.reason) if isinstance(verdict.reason, Clause) else {},
        "rule": verdict.rule,
        "raw_content_anchor": verdict.raw_content_anchor,
        "content_anchor": quote.text,
        "anchor_repair": asdict(quote.repair),
        "anchor_pieces": [asdict(piece) for piece in quote.pieces],
        "boxes": [box.as_dict() for box in candidate.boxes],
        "context_boxes": [box.as_dict() for box in context.boxes],
        "anchor_first_line": candidate.anchor.first,
        "anchor_last_line": candidate.anchor.last,
        "anchor_first_page": candidate.anchor_pages[0],
        "anchor_last_page": candidate.anchor_pages[1],
        "anchor_page_label": candidate.page_label,
        "context_first_line": context.lines.first,
        "context_last_line": context.lines.last,
        "context_first_page": context.pages[0],
        "context_last_page": context.pages[1],
        "context_text": context.text,
        "brief": candidate_block(candidate.brief),
        "page_width": width,
        "page_height": height,
    }


def part_json(part: PartFinding) -> StoredPart:
    lists = {"candidate_ids": list(part.candidate_ids), "missing": list(part.missing)}
    return cast("StoredPart", asdict(part) | lists)
