"""A turn and its answer as JSON, the same for a waiting program, a streaming one, and the command line."""

from typing import Any

from chat.models import Answer, Citation, Turn
from chat.objections import find_objections
from chat.turns.choosing import reading_json
from chat.turns.page_notices import notice_json
from chat.turns.repeats import describe_repeat
from retrieval.record.reading_back import parts_of
from retrieval.told.searched import foreign_told

OF_ANSWER = ("kind", "text", "note", "ended", "items", "checks")


def answer_json(answer: Answer) -> dict[str, Any]:
    """The answer with its citations: for each marker the literal quote and its place."""
    citations = [
        citation_json(citation) | {"section": citation.candidate.section_title}
        for citation in answer.citations.select_related("candidate")
    ]
    return {name: getattr(answer, name) for name in OF_ANSWER} | {"citations": citations}


def citation_json(cited: Citation) -> dict[str, object]:
    return {
        "marker": cited.marker,
        "candidate_id": cited.candidate.candidate_id,
        "document_id": str(cited.candidate.document_id),
        "document": cited.candidate.document_title,
        "quote": cited.quote,
        "page": cited.page,
        "page_label": cited.page_label,
        "lines": [cited.first_line, cited.last_line],
        "boxes": cited.boxes,
    }


def turn_json(turn: Turn) -> dict[str, Any]:
    """A question and its outcome; `answer` is null until there is one."""
    answer: Answer | None = getattr(turn, "answer", None)
    run = turn.run
    objection = find_objections([turn.pk], turn.conversation.user).get(turn.pk)
    return {
        "turn_id": str(turn.pk),
        "conversation_id": str(turn.conversation_id),
        "knowledge_base_id": str(turn.conversation.base_id),
        "message": turn.question,
        "mode": turn.mode,
        "every_document": turn.is_full_search,
        "documents_done": turn.documents_done,
        "documents_total": turn.documents_total,
        "state": turn.state,
        "error": turn.error_for_people or None,
        "run_id": str(run.pk) if run else None,
        "status": run.status if run else None,
        "not_found_reason": (run.not_found_reason or None) if run else None,
        "partly_answered": answer is not None and answer.is_partial,
        "missing": (run.missing or None) if run else None,
        "confidence": run.confidence if run else None,
        "language_note": (foreign_told(run) or None) if run else None,
        "parts": parts_of(run) if run else [],
        "answered_before": describe_repeat(turn),
        "objection": objection and objection.to_json(),
        "reading": reading_json(run),
        "badly_read": notice_json(answer),
        "answer": answer_json(answer) if answer else None,
    }


def read_turn(turn_id: Any) -> dict[str, Any]:
    return turn_json(Turn.objects.select_related("conversation", "run", "answer__page_notice").get(pk=turn_id))
