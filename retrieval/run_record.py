"""Store a result as insert-only rows, with the bytes the ledger vouches for, and convert it to JSON."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from documents.access import role_in
from documents.models import KnowledgeBase, Viewer
from documents.storage.content import DocumentContent
from documents.storage.versions import record_parses
from jobs.ids import note_ids
from ledger.payload import Payload, object_of
from llm.exchange import Exchange
from llm.models import LLMCall
from llm.payload import COLUMNS as CALL_COLUMNS
from llm.payload import call_of
from retrieval.accounting import reason_in_full, summarise
from retrieval.arbiter.brief import candidate_block
from retrieval.models import RetrievalRun, RunCandidate, RunDocument
from retrieval.question.kinds import SHIPPED
from retrieval.told.clauses import Clause, recorded_facts
from retrieval.told.searched import foreign_told, say_other_language
from retrieval.types import (
    ABSENT,
    Hints,
    Hit,
    Keyword,
    Meaning,
    NamedThing,
    PageTaken,
    PartFinding,
    Place,
    Question,
    RetrievalResult,
    ScopeDocument,
    Settled,
    Side,
    VagueWord,
)
from retrieval.version import program_version

RUN_FORMAT = "docintel-run-5"  # with the facts of the reasons of its candidates
FOURTH_FORMAT = "docintel-run-4"  # of runs without any; with what each document says that was searched on its own
THIRD_FORMAT = "docintel-run-3"  # with every document of the scope; its coverage does not say how many were searched so
SECOND_FORMAT = "docintel-run-2"  # of runs that list none: failed ones, and those from before they were listed
FIRST_FORMAT = "docintel-run-1"  # of entries without a salt, made before content could be erased
RUN_COLUMNS = (
    "id",
    "base_id",
    "base_name",
    "asked_by_id",
    "asked_by_name",
    "question",
    "parsed",
    "plan",
    "scope",
    "settings",
    "mode",
    "arbiter",
    "arbiter_status",
    "arbiter_failure",
    "status",
    "not_found_reason",
    "gates",
    "searched",
    "coverage",
    "confidence",
    "methods_used",
    "hits",
    "hit_counts",
    "contradictions",
    "violations",
    "answerable",
    "answerable_reason",
    "toc_shown",
    "timings_ms",
    "failure",
    "llm_call_id",
    "code_version",
    "created_at",
)
CANDIDATE_COLUMNS = (
    "id",
    "run_id",
    "position",
    "candidate_id",
    "document_id",
    "parse_id",
    "document_title",
    "methods",
    "matched_keywords",
    "toc_index",
    "section_title",
    "breadcrumb",
    "exact_title",
    "co_occurrence",
    "type_match",
    "line_score",
    "rrf_rank",
    "role",
    "reason",
    "rule",
    "raw_content_anchor",
    "content_anchor",
    "anchor_repair",
    "anchor_pieces",
    "boxes",
    "context_boxes",
    "anchor_first_line",
    "anchor_last_line",
    "anchor_first_page",
    "anchor_last_page",
    "anchor_page_label",
    "anchor_text",
    "context_first_line",
    "context_last_line",
    "context_first_page",
    "context_last_page",
    "context_text",
    "snippet",
    "brief",
    "page_width",
    "page_height",
)
DOCUMENT_COLUMNS = (
    "id",
    "run_id",
    "position",
    "document_id",
    "parse_id",
    "parse_number",
    "title",
    "sha256",
    "pages",
    "pages_with_text",
    "state",
    "cause",
    "reason",
    "rank",
    "ranked",
    "words_score",
    "meaning_score",
    "name_score",
    "fused_score",
    "words",
    "finding",
)


def candidates_of(columns: Sequence[str]) -> str:
    """SQL for the candidates of a run, in the arbiter's order."""
    return (
        f"(SELECT coalesce(json_agg({object_of('candidate', columns)} ORDER BY candidate.position), '[]') "
        "FROM retrieval_runcandidate candidate WHERE candidate.run_id = row.id)"
    )


def documents_of(columns: Sequence[str]) -> str:
    """SQL for the documents of a run's scope, in its order."""
    return (
        f"(SELECT json_agg({object_of('document', columns)} ORDER BY document.position) "
        "FROM retrieval_rundocument document WHERE document.run_id = row.id)"
    )


PARTS = {
    "run": object_of("row", RUN_COLUMNS),
    "candidates": candidates_of(CANDIDATE_COLUMNS),
    "llm_call": call_of("row"),
}
WITH_FACTS = PARTS | {"candidates": candidates_of((*CANDIDATE_COLUMNS, "reason_facts"))}
FIFTH_FORM = object_of("row", (), format=f"'{RUN_FORMAT}'", **WITH_FACTS, documents=documents_of(DOCUMENT_COLUMNS))
FOURTH_FORM = object_of("row", (), format=f"'{FOURTH_FORMAT}'", **PARTS, documents=documents_of(DOCUMENT_COLUMNS))
THIRD_FORM = object_of("row", (), format=f"'{THIRD_FORMAT}'", **PARTS, documents=documents_of(DOCUMENT_COLUMNS[:-1]))
SECOND_FORM = object_of("row", (), format=f"'{SECOND_FORMAT}'", **PARTS)
RUN = Payload(
    kind="run",
    table="retrieval_retrievalrun",
    text=(
        "CASE WHEN EXISTS (SELECT 1 FROM retrieval_runcandidate c WHERE c.run_id = row.id AND c.reason_facts <> '{}') "
        f"THEN {FIFTH_FORM} "
        f"WHEN NOT EXISTS (SELECT 1 FROM retrieval_rundocument d WHERE d.run_id = row.id) THEN {SECOND_FORM} "
        f"WHEN row.coverage ? 'alone' THEN {FOURTH_FORM} ELSE {THIRD_FORM} END"
    ),
)
# Exchanges stored beside the run, whose byte format is fixed: in which a model read the question, and, of two looks of
# the arbiter, the one whose verdicts were not taken.
READING = Payload(kind="reading", table="llm_llmcall", text=object_of("row", CALL_COLUMNS))
LOOK = Payload(kind="look", table="llm_llmcall", text=object_of("row", CALL_COLUMNS))
# Of several fields judged in one request: one row and one entry, named by each of their runs.
SHARED = Payload(kind="shared", table="llm_llmcall", text=object_of("row", CALL_COLUMNS))
BESIDE = {  # the field and key with its id
    "reading": ("parsed", "reading_call"),
    "look": ("plan", "look_call"),
    "shared": ("plan", "shared_call"),
}
FAILURE_MAX = 4000
# Columns that a repeat of a run does not have as they are.
OF_THE_ASKING = ("id", "base_id", "llm_call_id", "question", "parsed", "plan", "settings", "timings_ms")
DOCUMENTS_A_BATCH = 1_000
SCORES = frozenset({"line_score", "rrf_rank"})  # what only ordered places; "scores" of documents did the same


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


def store_failed_run(
    question_text: str,
    failure: str,
    *,
    base: KnowledgeBase,
    user: Viewer,
    mode: str,
    contents: Sequence[DocumentContent] = (),
) -> RetrievalRun:
    """Record that a question was asked and retrieval failed, with its ledger entry: no run is missing (AT1)."""
    with transaction.atomic():
        run = RetrievalRun.objects.create(
            **asked_fields(base, user, mode),
            **{name: {} for name in ("parsed", "plan", "settings", "coverage", "hit_counts", "timings_ms")},
            **{name: [] for name in ("gates", "searched", "methods_used", "hits", "contradictions", "violations")},
            question=question_text,
            scope=[content.snapshot() for content in contents],
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


def run_payload(run: RetrievalRun) -> bytes:
    """The first format: canonical JSON of a run, its candidates in order, and its exchange."""
    call = run.llm_call
    content = {
        "format": FIRST_FORMAT,
        "run": columns_of_row(run),
        "candidates": [columns_of_row(candidate) for candidate in run.candidates.order_by("position")],
        "llm_call": call and columns_of_row(call),
    }
    return json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str).encode()


def columns_of_row(row: RetrievalRun | RunCandidate | RunDocument | LLMCall) -> dict[str, Any]:
    """Every column of a row by name, as returned by the database; times in UTC."""
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    values.pop("reason_facts", None)  # entries in this form are older than it
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in values.items()}


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
        | {"told": reasons_told(result)},
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
    facts: dict[str, Any] = facts_by_name(reasons) | {"gates": facts_by_name(gates)}
    return facts | {"languages": languages_of(result)}


def languages_of(result: RetrievalResult) -> list[str]:
    """The languages of the documents that were read."""
    return sorted({seen["language"] for seen in result.scope if seen.get("language")})


def facts_by_name(reasons: Mapping[str, str]) -> dict[str, Any]:
    """The facts of those reasons that are the program's own."""
    return {name: recorded_facts(reason) for name, reason in reasons.items() if isinstance(reason, Clause)}


def hit_fields(hit: Hit) -> dict[str, Any]:
    return asdict(hit) | {"lines": [hit.lines.first, hit.lines.last]}


def document_fields(document: ScopeDocument) -> dict[str, Any]:
    place = document.place or Place(0)
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
    same = (
        "candidate_id",
        "document_id",
        "parse_id",
        "toc_index",
        "section_title",
        "breadcrumb",
        "exact_title",
        "co_occurrence",
        "type_match",
        "line_score",
        "rrf_rank",
        "anchor_text",
        "snippet",
    )
    return {name: getattr(candidate, name) for name in same} | {
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


# ---- JSON for programs: the names are those of R61-R64, a public interface


def result_json(result: RetrievalResult) -> dict[str, Any]:
    """The result as `ask --json` prints it; candidates primary first, the refused and the unjudged apart."""
    documents = [document_json(document_fields(document)) for document in result.documents]
    return {
        "doc_id": only_id(documents),
        "documents": with_snapshots(documents, result.scope),
        "looked_at": looked_at(asdict(result.coverage)),
        "language_note": language_note(result) or None,
        "question": result.question.original,
        "status": result.status,
        "not_found": result.not_found,
        "not_found_reason": result.not_found_reason or None,
        "clarification": result.question.clarification or None,
        "confidence": result.confidence,
        **by_outcome([candidate_json(candidate) for candidate in result.candidates]),
        "left_out": [asdict(left) for left in result.left_out],
        "parts": [part_json(part) for part in result.parts],
        "methods_used": list(result.methods_used),
        "arbiter": result.ranking.arbiter,
        "arbiter_status": result.ranking.status,
        "arbiter_failure": result.ranking.failure or None,
        "violations": list(result.ranking.violations),
        "partly_answered": result.is_partial,
        "missing": (result.ranking.answerable_reason or None) if result.is_partial else None,
        "contradictions": [
            asdict(each) | {"candidate_ids": list(each.candidate_ids), "values": list(each.values)}
            for each in result.ranking.contradictions
        ],
        "searched": [{"text": word.text, "forms": list(word.forms), "count": word.count} for word in result.searched],
        "gates": [asdict(gate) for gate in result.gates],
        "coverage": asdict(result.coverage)
        | {"unreadable": list(result.coverage.unreadable), "gaps": list(result.coverage.gaps)},
        "plan": [asdict(flag) for flag in result.plan.flags],
        "parsed": asdict(result.question),
        "timings_ms": result.timings_ms,
    }


def part_json(part: PartFinding) -> dict[str, Any]:
    return asdict(part) | {"candidate_ids": list(part.candidate_ids), "missing": list(part.missing)}


def parts_of(run: RetrievalRun) -> list[dict[str, Any]]:
    """What became of each part of a run's question; none of one that asks a single thing, and of runs before 1.5."""
    found: list[dict[str, Any]] = run.plan.get("parts", [])
    return found


def document_json(fields: Mapping[str, Any]) -> dict[str, Any]:
    """One document of the scope, from the columns of its row."""
    same = ("title", "sha256", "parse_number", "pages", "pages_with_text", "state", "rank", "words", "finding")
    scores = {name: fields[f"{name}_score"] for name in ("words", "meaning", "name", "fused")}
    return {name: fields[name] for name in same} | {
        "document_id": str(fields["document_id"]),
        "parse_id": str(fields["parse_id"]) if fields["parse_id"] else None,
        "cause": fields["cause"] or None,
        "reason": reason_in_full(fields["reason"], fields["rank"], fields["ranked"]),
        "ranked": fields["ranked"],
        "scores": scores if fields["ranked"] else None,
    }


def only_id(documents: Sequence[Mapping[str, Any]]) -> str | None:
    return documents[0]["document_id"] if len(documents) == 1 else None


def with_snapshots(documents: Sequence[dict[str, Any]], scope: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The documents of a scope, those that were read with the rest of what the run keeps of them."""
    seen = {snapshot["document_id"]: snapshot for snapshot in scope}
    return [{**seen.get(document["document_id"], {}), **document} for document in documents]


def looked_at(coverage: Mapping[str, Any]) -> str | None:
    """What was done with the documents of a run in one line; None for a run from before that was recorded."""
    names = ("documents", "read", "counted", "unreadable_documents")
    return summarise(*(coverage[name] for name in names)) if "read" in coverage else None


def language_note(result: RetrievalResult) -> str:
    return say_other_language(asdict(result.question), languages_of(result), map(asdict, result.searched))


def by_outcome(candidates: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The candidates of a result apart from those that were refused and those that nobody judged (R64)."""
    apart: dict[str, list[dict[str, Any]]] = {"candidates": [], "discarded": [], "unjudged": []}
    for candidate in candidates:
        apart[candidate["role"] if candidate["role"] in apart else "candidates"].append(candidate)
    return apart


def without_scores(told: dict[str, Any]) -> dict[str, Any]:
    """A result without the figures that only ordered what was found: they are for auditors (L11)."""
    lists = {name: told[name] for name in ("candidates", "discarded", "unjudged", "left_out", "documents")}
    return told | {name: [drop_scores(each) for each in listed] for name, listed in lists.items()}


def drop_scores(told: Mapping[str, Any]) -> dict[str, Any]:
    """A candidate, a place that was left out, or a document, without its scores."""
    kept = {name: value for name, value in told.items() if name not in SCORES}
    return kept | ({"scores": None} if "scores" in kept else {})


def candidate_json(candidate: Settled) -> dict[str, Any]:
    return {
        "candidate_id": candidate.candidate_id,
        "document_id": candidate.document_id,
        "role": candidate.verdict.role,
        "reason": candidate.verdict.reason,
        "rule": candidate.verdict.rule or None,
        "section_title": candidate.section_title,
        "breadcrumb": candidate.breadcrumb,
        "page_number": candidate.anchor_pages[0],
        "page_label": candidate.page_label,
        "anchor": range_json(candidate.anchor, candidate.anchor_pages),
        "context": range_json(candidate.context.lines, candidate.context.pages),
        "snippet": candidate.snippet,
        "text": candidate.context.text,
        "methods": list(candidate.methods),
        "matched_keywords": list(candidate.matched_keywords),
        "exact_title": candidate.exact_title,
        "co_occurrence": candidate.co_occurrence,
        "type_match": candidate.type_match,
        "line_score": candidate.line_score,
        "rrf_rank": candidate.rrf_rank,
        "content_anchor": candidate.quote.text or None,
        "raw_content_anchor": candidate.verdict.raw_content_anchor or None,
        "anchor_repair": asdict(candidate.quote.repair),
        "boxes": [box.as_dict() for box in candidate.boxes],
    }


def range_json(lines: tuple[int, int], pages: tuple[int, int]) -> dict[str, int]:
    return {"first_line": lines[0], "last_line": lines[1], "first_page": pages[0], "last_page": pages[1]}


# ---- the same JSON from stored rows


def stored_result_json(run: RetrievalRun) -> dict[str, Any]:
    """The result of a successful run, as `result_json` wrote it."""
    listed = [document_json(row) for row in run.documents.order_by("position").values()]
    documents = with_snapshots(listed, run.scope) if listed else run.scope
    same = ("status", "confidence", "methods_used", "arbiter", "arbiter_status", "violations", "contradictions")
    parsed = {name: value for name, value in run.parsed.items() if name not in ("typed", "reading_call")}
    return {name: getattr(run, name) for name in (*same, "gates", "coverage", "timings_ms")} | {
        "doc_id": only_id(documents),
        "documents": documents,
        "looked_at": looked_at(run.coverage),
        "language_note": foreign_told(run) or None,
        "question": run.question,
        "not_found": run.status in ABSENT,
        "not_found_reason": run.not_found_reason or None,
        "clarification": parsed.get("clarification") or None,
        **by_outcome([stored_candidate_json(row) for row in run.candidates.order_by("position")]),
        "arbiter_failure": run.arbiter_failure or None,
        "partly_answered": run.is_partial,
        "missing": run.missing or None,
        "searched": [{name: word[name] for name in ("text", "forms", "count")} for word in run.searched],
        "left_out": run.plan.get("left_out", []),  # runs of 1.4 and before did not say
        "parts": parts_of(run),
        "plan": run.plan["flags"],
        "parsed": parsed,
    }


def stored_candidate_json(row: RunCandidate) -> dict[str, Any]:
    """A stored candidate as `candidate_json` wrote it."""
    same = (
        *("candidate_id", "document_id", "role", "reason", "section_title", "breadcrumb", "snippet", "methods"),
        *("matched_keywords", "exact_title", "co_occurrence", "type_match", "line_score", "rrf_rank"),
        *("anchor_repair", "boxes"),
    )
    return {name: getattr(row, name) for name in same} | {
        "rule": row.rule or None,
        "page_number": row.anchor_first_page,
        "page_label": row.anchor_page_label,
        "anchor": range_of(row, "anchor"),
        "context": range_of(row, "context"),
        "text": row.context_text,
        "content_anchor": row.content_anchor or None,
        "raw_content_anchor": row.raw_content_anchor or None,
    }


def range_of(row: RunCandidate, what: str) -> dict[str, int]:
    ends = ("first_line", "last_line", "first_page", "last_page")
    return {end: getattr(row, f"{what}_{end}") for end in ends}


# ---- rows back to values


def question_from(parsed: dict[str, Any]) -> Question:
    """The question as it was read, without what the record stores beside it, such as the text as typed."""
    known = {field.name for field in fields(Question)}
    values = tuples_of({name: value for name, value in parsed.items() if name in known})
    values["hints"] = hints_from(parsed["hints"])
    values["keywords"] = tuple(Keyword(**tuples_of(keyword)) for keyword in parsed["keywords"])
    values["sides"] = tuple(Side(**tuples_of(side)) for side in parsed.get("sides", ()))
    values["vague"] = vague_from(parsed.get("vague", {}))
    if "value_pattern" not in parsed:  # a run from before they were recorded
        values["value_pattern"], values["printed_pattern"] = SHIPPED.patterns_of(parsed["answer_type"])
    return Question(**values)


def hints_from(stored: Mapping[str, Any]) -> Hints:
    """Where a stored question asks to look."""
    hints = Hints(**tuples_of(dict(stored)))
    taken = tuple(PageTaken(*each)._replace(pages=tuple(each[2])) for each in hints.taken)
    return replace(hints, objects=tuple(NamedThing(*each) for each in hints.objects), taken=taken)


def vague_from(stored: Mapping[str, Any]) -> VagueWord:
    """The vague word of a stored question; none of a run from before it was recorded."""
    return VagueWord(**{**stored, "meanings": tuple(Meaning(**each) for each in stored.get("meanings", ()))})


def tuples_of(values: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
