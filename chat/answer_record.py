"""Store an answer with its citations, insert-only, and the bytes the ledger vouches for of it and its side notes."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from chat.drafts import AnswerDraft, CitedLines, Quoted
from chat.models import Answer, Citation, Feedback, Turn
from ledger.payload import Payload, canonical_json, object_of
from llm.models import LLMCall
from llm.payload import call_of
from retrieval.models import RetrievalRun
from retrieval.record.ledger_forms import EXCHANGE, columns_of_row

CITED = object_of(
    "citation",
    ("marker", "quote", "page", "page_label", "boxes"),
    candidate="citation.candidate_id",
    lines="json_build_array(citation.first_line, citation.last_line)",
)
COLUMNS = ("id", "kind", "text", "ended", "note", "checks", "timings_ms", "created_at")
COPIED = ("kind", "text", "ended", "note", "checks", "items")  # by an answer from its draft, or from an earlier answer
PLACE = ("page", "page_label", "first_line", "last_line", "boxes")
PARTS = {
    "turn": "row.turn_id",
    "run": "row.run_id",
    "llm_call": call_of("row"),
    "citations": (
        f"(SELECT coalesce(json_agg({CITED} ORDER BY citation.marker), '[]') "
        "FROM chat_citation citation WHERE citation.answer_id = row.id)"
    ),
}
SECOND_FORM = object_of("row", COLUMNS, format="'docintel-answer-2'", **PARTS)
THIRD_FORM = object_of("row", (*COLUMNS, "other_calls"), format="'docintel-answer-3'", **PARTS)
FOURTH_FORM = object_of("row", (*COLUMNS, "other_calls", "items"), format="'docintel-answer-4'", **PARTS)
# Of answers whose writer was shown others (R86, struck), words of which may have to be erased from the exchange alone.
FIFTH_FORM = object_of(
    "row",
    (*COLUMNS, "other_calls", "items", "examples"),
    format="'docintel-answer-5'",
    **PARTS | {"llm_call": "row.llm_call_id"},
)
ANSWER = Payload(
    kind="answer",
    table="chat_answer",
    text=(
        f"CASE WHEN row.examples <> '[]' THEN {FIFTH_FORM} WHEN row.items <> '[]' THEN {FOURTH_FORM} "
        f"WHEN row.other_calls = '[]' THEN {SECOND_FORM} ELSE {THIRD_FORM} END"
    ),
)
REWRITING = Payload.of_columns(
    "rewriting",
    "chat_rewriting",
    "id turn_id typed rewritten by outcome note created_at",
    llm_call=call_of("row"),
)
FEEDBACK = Payload.of_columns("feedback", "chat_feedback", "id turn_id by_id by_name kind comment created")
PAGE_NOTICE = Payload.of_columns("page_notice", "chat_pagenotice", "id answer_id why pages created_at")


def store_answer(turn: Turn | None, run: RetrievalRun, draft: AnswerDraft, timings_ms: dict[str, float]) -> Answer:
    """Store an answer, its citations and their ledger entry together, in the caller's transaction.

    One without a turn is of a field that was asked with others.
    """
    with transaction.atomic():
        others = [LLMCall.objects.record(each) for each in draft.others]
        answer = Answer.objects.create(
            turn=turn,
            run=run,
            **take_fields(draft, COPIED),
            llm_call=LLMCall.objects.record(draft.exchange) if draft.exchange else None,
            other_calls=[str(call.pk) for call in others],
            timings_ms=timings_ms,
            created_at=timezone.now(),
        )
        citations = [citation_of(quoted) for quoted in draft.quoted]
        for citation in citations:
            citation.answer = answer
        Citation.objects.bulk_create(citations)
        ANSWER.vouch(answer.pk)
        for call_id in exchanges_apart(answer):
            EXCHANGE.vouch(call_id)
    return answer


def exchanges_apart(answer: Answer) -> list[UUID]:
    """The exchanges of an answer that have ledger entries of their own."""
    with_examples = [answer.llm_call_id] if answer.examples and answer.llm_call_id else []
    return [*with_examples, *map(UUID, answer.other_calls)]


def copy_answer(turn: Turn, run: RetrievalRun, first: Answer, timings_ms: dict[str, float]) -> Answer:
    """Store an earlier answer for a run that repeats its run, citing the same places, without its exchanges."""
    candidates = {candidate.position: candidate for candidate in run.candidates.all()}
    with transaction.atomic():
        answer = Answer.objects.create(
            turn=turn,
            run=run,
            **take_fields(first, COPIED),
            timings_ms=timings_ms,
            created_at=timezone.now(),
        )
        Citation.objects.bulk_create(
            Citation(
                answer=answer,
                candidate=candidates[citation.candidate.position],
                **take_fields(citation, ("marker", "quote", *PLACE)),
            )
            for citation in first.citations.select_related("candidate")
        )
        ANSWER.vouch(answer.pk)
    return answer


def take_fields(made: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(made, name) for name in names}


def other_calls_of(answer: Answer) -> list[LLMCall]:
    """The exchanges beside the one that wrote an answer, in the order in which they were made."""
    calls = LLMCall.objects.select_related("charge").in_bulk(answer.other_calls)
    by_id = {str(pk): call for pk, call in calls.items()}
    return [by_id[call_id] for call_id in answer.other_calls if call_id in by_id]


def citation_of(quoted: Quoted) -> Citation:
    """The citation of a quote, not yet attached to an answer."""
    place = take_fields(quoted.place or place_of_anchor(quoted), PLACE)
    return Citation(marker=quoted.marker, candidate=quoted.candidate, quote=quoted.quote, **place)


def place_of_anchor(quoted: Quoted) -> CitedLines:
    candidate = quoted.candidate
    lines = [piece["line_number"] for piece in candidate.anchor_pieces if quoted.quote == candidate.content_anchor]
    page = candidate.boxes[0]["page"] if candidate.boxes else candidate.anchor_first_page
    return CitedLines(
        first_line=min(lines, default=candidate.anchor_first_line),
        last_line=max(lines, default=candidate.anchor_last_line),
        page=page,
        page_label=candidate.anchor_page_label if page == candidate.anchor_first_page else str(page),
        boxes=candidate.boxes,
    )


def answer_payload(answer: Answer) -> bytes:
    """The first format, for entries without a salt: canonical JSON of an answer, its citations and its exchange."""
    fields = take_fields(answer, ("kind", "text", "ended", "note", "checks", "timings_ms")) | {
        "id": str(answer.pk),
        "turn": str(answer.turn_id),  # this form is older than answers without one
        "run": str(answer.run_id),
        "llm_call": columns_of_row(answer.llm_call) if answer.llm_call else None,
        "created_at": answer.created_at.isoformat(),
        "citations": [citation_record(citation) for citation in answer.citations.order_by("marker")],
    }
    return canonical_json(fields)


def citation_record(citation: Citation) -> dict[str, object]:
    lines = [citation.first_line, citation.last_line]
    told = take_fields(citation, ("marker", "quote", "page", "page_label", "boxes"))
    return told | {"candidate": citation.candidate_id, "lines": lines}


def give_feedback(turn: Turn, user: User, kind: str, comment: str = "") -> Feedback:
    """Store the feedback of `user` on the answer to a turn, with its ledger entry; `kind` is one of Feedback.Kind."""
    with transaction.atomic():
        said = Feedback.objects.create(
            turn=turn,
            by=user,
            by_name=str(user),
            kind=kind,
            comment=comment.strip(),
            created=timezone.now(),
        )
        FEEDBACK.vouch(said.pk)
    return said
