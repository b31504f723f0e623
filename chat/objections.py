"""What reviewers hold against an answer, there or where it was given again: asked by chat, written by audit.

Cards, lists, links, exports, the API and the trail ask here, and so does what may be repeated or shown to the writer as
an example.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from chat.models import Citation, Turn
from documents.models import Viewer
from retrieval.models import RetrievalRun

DOUBTS = ("overrule", "wrong", "incomplete", "unsupported", "absent")  # outcomes of a review that do not agree
OVERRULED = "judged_overruled"
SAID: Mapping[str, Promise] = {
    "judged_wrong": _("A reviewer judged this answer wrong. Do not rely on it."),
    "judged_incomplete": _("A reviewer judged this answer incomplete: something is missing from it."),
    "judged_unsupported": _("A reviewer judged that the pages do not support this answer. Do not rely on it."),
    "judged_absent": _("A reviewer judged that what was asked is not in the documents. Do not rely on this answer."),
    OVERRULED: _("A reviewer overruled the passage that decides this answer. Do not rely on it."),
}


class Said(NamedTuple):
    """A review that stands, on a candidate of a run or on its answer."""

    run_id: UUID
    candidate_id: int | None
    corrected: str
    outcome: str
    reason: str
    reviewer_id: int | None
    reviewer: str
    is_blind: bool
    at: datetime


OF_REVIEW = ("candidate", "corrected_role", "outcome", "reason", "reviewer", "reviewer_name", "is_blind", "created_at")


@dataclass(frozen=True)
class Objection:
    """Why an answer does not stand. Reviewer and reason are empty for whoever may not read the reviewed run."""

    code: str  # an outcome, see retrieval.told.outcomes
    at: datetime
    reviewer: str = ""
    reason: str = ""

    @property
    def words(self) -> str:
        return str(SAID[self.code])

    @property
    def line(self) -> str:
        """All of it in one line, for copies and exports."""
        said = ": ".join(filter(None, (self.reviewer, " ".join(self.reason.split()))))
        return f"{self.words} {said}".strip()

    def to_json(self) -> dict[str, str | None]:
        return {
            "verdict": self.code.removeprefix("judged_"),
            "says": self.words,
            "reviewer": self.reviewer or None,
            "reason": self.reason or None,
            "at": self.at.isoformat(),
        }


def find_objections(
    turn_ids: Collection[UUID], reader: Viewer | None, opened: RetrievalRun | None = None
) -> dict[UUID, Objection]:
    """The objection that stands against the answer of each turn; turns without one are left out.

    `opened` is a run that is shown anyway, whoever reads it.
    """
    origin, asked = same_answers(turn_ids)
    reviews = standing_reviews(origin)
    if not reviews:
        return {}
    cited = cited_candidates(reviews)
    of_origin: dict[UUID, list[Objection]] = defaultdict(list)
    readable = readable_runs(reviews, reader) | ({opened.pk} if opened else set())
    for run_id, said in reviews.items():
        found = objection_of(said, cited[run_id], may_read=run_id in readable)
        if found:
            of_origin[origin[run_id]].append(found)
    standing = {first: max(found, key=lambda each: each.at) for first, found in of_origin.items()}
    return {turn_id: standing[origin[run_id]] for turn_id, run_id in asked.items() if origin[run_id] in standing}


def find_objection(run: RetrievalRun) -> Objection | None:
    """The objection against the answer of a run that is shown; without a turn, by its own reviews."""
    turn_id = Turn.objects.filter(run=run).values_list("pk", flat=True).first()
    if turn_id:
        return find_objections([turn_id], None, run).get(turn_id)
    said = standing_reviews([run.pk])
    return objection_of(said[run.pk], cited_candidates(said)[run.pk], may_read=True) if said else None


def same_answers(turn_ids: Collection[UUID]) -> tuple[dict[UUID, UUID], dict[UUID, UUID]]:
    """The run that was asked first, for every run that gave the answer of one of these turns; and the turns' runs."""
    turns = Turn.objects.filter(run__isnull=False)
    asked = turns.filter(pk__in=turn_ids).exclude(asked_key="").values("asked_key")
    copies = Q(asked_key__in=asked, run__plan__has_key="repeat")
    rows = turns.filter(Q(pk__in=turn_ids) | copies).values_list("pk", "run_id", "run__plan__repeat__run")
    runs = {pk: (run_id, UUID(first) if first else run_id) for pk, run_id, first in rows}
    wanted = {first for pk, (_, first) in runs.items() if pk in turn_ids}
    origin = {run_id: first for run_id, first in runs.values() if first in wanted}
    return {first: first for first in wanted} | origin, {pk: runs[pk][0] for pk in turn_ids if pk in runs}


def standing_reviews(run_ids: Iterable[UUID]) -> dict[UUID, list[Said]]:
    """The reviews of each run that nobody has replaced; a blind one is outside the chain, so each reviewer's counts."""
    runs = RetrievalRun.objects.filter(pk__in=run_ids, reviews__isnull=False).order_by("reviews__created_at")
    standing: dict[tuple[Any, ...], Said] = {}
    for row in runs.values_list("pk", *(f"reviews__{column}" for column in OF_REVIEW)):
        said = Said(*row)
        standing[said.run_id, said.candidate_id, said.reviewer_id if said.is_blind else None, said.is_blind] = said
    found: dict[UUID, list[Said]] = defaultdict(list)
    for said in standing.values():
        found[said.run_id].append(said)
    return found


def cited_candidates(run_ids: Iterable[UUID]) -> dict[UUID, dict[int, str]]:
    """The candidates that the answer of each run cites, with the role they were given."""
    cited: dict[UUID, dict[int, str]] = defaultdict(dict)
    rows = Citation.objects.filter(answer__run__in=list(run_ids))
    for run_id, pk, role in rows.values_list("answer__run", "candidate__pk", "candidate__role"):
        cited[run_id][pk] = role
    return cited


def readable_runs(run_ids: Iterable[UUID], reader: Viewer | None) -> set[UUID]:
    if reader is None:
        return set()
    return set(RetrievalRun.objects.visible_to(reader).filter(pk__in=list(run_ids)).values_list("pk", flat=True))


def objection_of(said: Sequence[Said], cited: Mapping[int, str], *, may_read: bool) -> Objection | None:
    """The verdict on the answer if it does not agree, else the overruling that takes from it what it rests on."""
    of_answer = [each for each in said if each.candidate_id is None]
    last = max(of_answer, key=lambda each: (not each.is_blind, each.at), default=None)
    if last and last.outcome in DOUBTS:
        return Objection(f"judged_{last.outcome}", last.at, *((last.reviewer, last.reason) if may_read else ()))
    fall = falls_by(said, cited)
    if fall is None or (last and last.at > fall.at):
        return None
    return Objection(OVERRULED, fall.at, *((fall.reviewer, fall.reason) if may_read else ()))


def falls_by(said: Sequence[Said], cited: Mapping[int, str]) -> Said | None:
    """The last overruling of the cited primary passages, if it leaves none; without any, of one that was refused."""
    overruled = {each.candidate_id: each for each in said if each.outcome == "overrule" and not each.is_blind}
    if not cited:
        found = [each for each in overruled.values() if each.corrected == "primary"]
        return max(found, key=lambda each: each.at, default=None)
    primary = {pk for pk, role in cited.items() if role == "primary"} or set(cited)
    taken = [overruled[pk] for pk in primary if pk in overruled and overruled[pk].corrected != "primary"]
    return max(taken, key=lambda each: each.at) if len(taken) == len(primary) else None
