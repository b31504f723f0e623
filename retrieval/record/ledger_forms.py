"""What the ledger vouches for of a run: the canonical bytes of its rows, made by SQL, in the format of its time."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Model

from ledger.payload import Payload, canonical_json, object_of
from llm.payload import call_form, call_of
from retrieval.models import RetrievalRun

RUN_FORMAT = "docintel-run-5"  # with the facts of the reasons of its candidates
FOURTH_FORMAT = "docintel-run-4"  # of runs without any; with what each document says that was searched on its own
THIRD_FORMAT = "docintel-run-3"  # with every document of the scope; its coverage does not say how many were searched so
SECOND_FORMAT = "docintel-run-2"  # of runs that list none: failed ones, and those from before they were listed
FIRST_FORMAT = "docintel-run-1"  # of entries without a salt, made before content could be erased
RUN_COLUMNS = (
    *("id", "base_id", "base_name", "asked_by_id", "asked_by_name", "question", "parsed", "plan", "scope"),
    *("settings", "mode", "arbiter", "arbiter_status", "arbiter_failure", "status", "not_found_reason", "gates"),
    *("searched", "coverage", "confidence", "methods_used", "hits", "hit_counts", "contradictions", "violations"),
    *("answerable", "answerable_reason", "toc_shown", "timings_ms", "failure", "llm_call_id", "code_version"),
    "created_at",
)
CANDIDATE_COLUMNS = (
    *("id", "run_id", "position", "candidate_id", "document_id", "parse_id", "document_title", "methods"),
    *("matched_keywords", "toc_index", "section_title", "breadcrumb", "exact_title", "co_occurrence", "type_match"),
    *("line_score", "rrf_rank", "role", "reason", "rule", "raw_content_anchor", "content_anchor", "anchor_repair"),
    *("anchor_pieces", "boxes", "context_boxes", "anchor_first_line", "anchor_last_line", "anchor_first_page"),
    *("anchor_last_page", "anchor_page_label", "anchor_text", "context_first_line", "context_last_line"),
    *("context_first_page", "context_last_page", "context_text", "snippet", "brief", "page_width", "page_height"),
)
DOCUMENT_COLUMNS = (
    *("id", "run_id", "position", "document_id", "parse_id", "parse_number", "title", "sha256", "pages"),
    *("pages_with_text", "state", "cause", "reason", "rank", "ranked", "words_score", "meaning_score", "name_score"),
    *("fused_score", "words", "finding"),
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
READING = Payload(kind="reading", table="llm_llmcall", text=call_form("row"))
LOOK = Payload(kind="look", table="llm_llmcall", text=call_form("row"))
# Of several fields judged in one request: one row and one entry, named by each of their runs.
SHARED = Payload(kind="shared", table="llm_llmcall", text=call_form("row"))
# Stored beside an answer (a first draft, the checks of what was written, one that was shown examples), or beside a run
# that ended without a result.
EXCHANGE = Payload(kind="exchange", table="llm_llmcall", text=call_form("row"))


def run_payload(run: RetrievalRun) -> bytes:
    """The first format: canonical JSON of a run, its candidates in order, and its exchange."""
    call = run.llm_call
    content = {
        "format": FIRST_FORMAT,
        "run": columns_of_row(run),
        "candidates": [columns_of_row(candidate) for candidate in run.candidates.order_by("position")],
        "llm_call": call and columns_of_row(call),
    }
    return canonical_json(content)


def columns_of_row(row: Model) -> dict[str, Any]:
    """Every column of a row by name, as returned by the database; times in UTC."""
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    for younger in ("reason_facts", "stand_ins", "statement_digest"):  # entries in this form are older than these
        if not values.get(younger):  # what was written into one later is a change
            values.pop(younger, None)
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in values.items()}
