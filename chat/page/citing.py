"""Which answers cite a document, or a line of it."""

from collections.abc import Collection, Iterable
from typing import NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Max, Min
from django.urls import reverse

from chat.models import Citation, Turn
from documents.ingestion.trash import citing_answers
from documents.models import Viewer
from retrieval.models import RetrievalRun

ANSWERS_MAX = 10  # the latest of those that cite a line
LINES_MAX = 2**31 - 1  # what a column of numbers holds


class CitingAnswer(NamedTuple):
    """An answer that cites a line: its question and where it is read."""

    question: str
    url: str
    run_id: UUID
    asked_by_id: int | None


class Citing(NamedTuple):
    answers: list[CitingAnswer]
    has_more: bool


def answers_citing(user: Viewer, parse_id: UUID, line: int) -> Citing:
    """The latest answers that cite a line of a reading, of the runs a person may see.

    One's own lead to the conversation, where that is not deleted; others, which an auditor sees, to the trail.
    """
    if line > LINES_MAX:
        return Citing([], has_more=False)
    cited = Citation.objects.filter(
        candidate__parse_id=parse_id,
        first_line__lte=line,
        last_line__gte=line,
        answer__run__in=RetrievalRun.objects.visible_to(user),
    ).exclude(answer__run__question="")  # erased
    rows = (
        cited.values("answer__run_id", "answer__run__asked_by_id", "answer__run__question", "answer__turn_id")
        .annotate(marker=Min("marker"), asked_at=Max("answer__run__created_at"))
        .order_by("-asked_at")[: ANSWERS_MAX + 1]
    )
    found = list(rows)
    turns = Turn.objects.visible_to(user).in_bulk([row["answer__turn_id"] for row in found if row["answer__turn_id"]])
    answers = [
        CitingAnswer(
            row["answer__run__question"],
            address_of(row["answer__run_id"], turns.get(row["answer__turn_id"]), row["marker"]),
            row["answer__run_id"],
            row["answer__run__asked_by_id"],
        )
        for row in found[:ANSWERS_MAX]
    ]
    return Citing(answers, has_more=len(found) > ANSWERS_MAX)


def find_citing_answers(document_ids: Collection[UUID]) -> Iterable[tuple[UUID, UUID]]:
    """Each of the documents with every answer that cites it, whoever asked."""
    cited = Citation.objects.filter(candidate__document_id__in=document_ids).order_by()
    return cited.values_list("candidate__document_id", "answer_id").distinct()


citing_answers.append(find_citing_answers)


def address_of(run_id: UUID, turn: Turn | None, marker: int) -> str:
    if turn is None:
        return reverse("audit:trail", args=[run_id])
    query = urlencode({"turn": turn.pk, "cite": marker})
    return f"{reverse('chat:conversation', args=[turn.conversation_id])}?{query}#turn-{turn.pk}"
