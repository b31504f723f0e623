"""A result as JSON for programs: the names are those of R61-R64, a public interface."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from retrieval.accounting import reason_in_full, summarise
from retrieval.models import RetrievalRun, RunCandidate, RunDocument
from retrieval.record.reading_back import parts_of
from retrieval.record.storing import candidate_rows, document_rows, result_row
from retrieval.told.columns import StoredCoverage
from retrieval.told.searched import foreign_told
from retrieval.types import ABSENT, RetrievalResult

SCORES = frozenset({"line_score", "rrf_rank"})  # what only ordered places; "scores" of documents did the same
SCORED = frozenset({"candidates", "discarded", "unjudged", "left_out", "documents"})  # the lists of what has them
OF_RUN = (  # as it is stored
    *("question", "status", "confidence", "methods_used", "arbiter", "arbiter_status", "violations"),
    *("contradictions", "gates", "coverage", "timings_ms"),
)
OF_CANDIDATE = (  # the same
    *("candidate_id", "document_id", "role", "reason", "section_title", "breadcrumb", "snippet", "methods"),
    *("matched_keywords", "exact_title", "co_occurrence", "type_match", "line_score", "rrf_rank", "anchor_repair"),
    "boxes",
)
RERANKED = "relevance"  # the rule of what a reranker placed, followed by its score


def result_json(result: RetrievalResult) -> dict[str, Any]:
    """The result as `ask --json` prints it; candidates primary first, the refused and the unjudged apart."""
    run = result_row(result)
    return run_json(run, candidate_rows(result, run), document_rows(result, run))


def stored_result_json(run: RetrievalRun) -> dict[str, Any]:
    """The same of a successful run that is stored."""
    return run_json(run, run.candidates.order_by("position"), run.documents.order_by("position"))


def run_json(run: RetrievalRun, candidates: Iterable[RunCandidate], documents: Iterable[RunDocument]) -> dict[str, Any]:
    """The result that these rows hold; there are no `documents` in runs from before they were kept."""
    listed = [document_json(row) for row in documents]
    shown = with_snapshots(listed, run.scope) if listed else run.scope
    parsed = {name: value for name, value in run.parsed.items() if name not in ("typed", "reading_call")}
    return {name: getattr(run, name) for name in OF_RUN} | {
        "doc_id": shown[0]["document_id"] if len(shown) == 1 else None,
        "documents": shown,
        "looked_at": looked_at(run.coverage),
        "language_note": foreign_told(run) or None,
        "not_found": run.status in ABSENT,
        "not_found_reason": run.not_found_reason or None,
        "clarification": parsed.get("clarification") or None,
        **by_outcome(candidates),
        "left_out": run.plan.get("left_out", []),  # runs of 1.4 and before did not say
        "parts": parts_of(run),
        "arbiter_failure": run.arbiter_failure or None,
        "partly_answered": run.is_partial,
        "missing": run.missing or None,
        "searched": [{name: word[name] for name in ("text", "forms", "count")} for word in run.searched],
        "plan": run.plan["flags"],
        "parsed": parsed,
    }


def document_json(row: RunDocument) -> dict[str, object]:
    same = ("title", "sha256", "parse_number", "pages", "pages_with_text", "state", "rank", "words", "finding")
    scores = {name: getattr(row, f"{name}_score") for name in ("words", "meaning", "name", "fused")}
    return {name: getattr(row, name) for name in same} | {
        "document_id": str(row.document_id),
        "parse_id": str(row.parse_id) if row.parse_id else None,
        "cause": row.cause or None,
        "reason": reason_in_full(row.reason, row.rank, row.ranked),
        "ranked": row.ranked,
        "scores": scores if row.ranked else None,
    }


def with_snapshots(
    documents: Sequence[dict[str, object]], scope: Iterable[Mapping[str, object]]
) -> list[dict[str, object]]:
    """The documents of a scope, those that were read with the rest of what the run keeps of them."""
    seen = {snapshot["document_id"]: snapshot for snapshot in scope}
    return [{**seen.get(document["document_id"], {}), **document} for document in documents]


def looked_at(coverage: StoredCoverage) -> str | None:
    """What was done with the documents of a run in one line; None for a run from before that was recorded."""
    if "read" not in coverage:
        return None
    return summarise(coverage["documents"], coverage["read"], coverage["counted"], coverage["unreadable_documents"])


def by_outcome(candidates: Iterable[RunCandidate]) -> dict[str, list[dict[str, object]]]:
    """The candidates of a result apart from those that were refused and those that nobody judged (R64)."""
    apart: dict[str, list[dict[str, object]]] = {"candidates": [], "discarded": [], "unjudged": []}
    for row in candidates:
        apart[row.role if row.role in apart else "candidates"].append(candidate_json(row))
    return apart


def without_scores(told: Mapping[str, object]) -> dict[str, object]:
    """A result without the figures that only ordered what was found: they are for auditors (L11)."""
    return {
        name: [drop_scores(each) for each in value] if name in SCORED and isinstance(value, list) else value
        for name, value in told.items()
    }


def drop_scores(told: Mapping[str, object]) -> dict[str, object]:
    """A candidate, a place that was left out, or a document, without its scores."""
    kept = {name: value for name, value in told.items() if name not in SCORES}
    if str(kept.get("rule") or "").startswith(f"{RERANKED} "):
        kept["rule"] = RERANKED
    return kept | ({"scores": None} if "scores" in kept else {})


def candidate_json(row: RunCandidate) -> dict[str, object]:
    return {name: getattr(row, name) for name in OF_CANDIDATE} | {
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
