"""The list of runs: filters, pages by key, and the counts each line shows."""

import uuid
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.core.exceptions import BadRequest
from django.db.models import Count, Exists, OuterRef, Q

from audit.disagreement import KEPT_ROLES
from audit.outcomes import Outcome, judge_of, outcome_of
from chat.models import Answer
from ledger.chain import time_text
from retrieval.models import RetrievalRun, RetrievalRunQuerySet, RunCandidate

RUNS_A_PAGE = 25


class Key(NamedTuple):
    """Where a page ends: the last run's moment and id. Unlike an offset it costs the same on every page."""

    created_at: datetime
    run_id: uuid.UUID

    def __str__(self) -> str:
        return f"{time_text(self.created_at)}_{self.run_id}"

    @classmethod
    def read(cls, text: str) -> "Key":
        """The key in an address. Raises BadRequest when it is none."""
        moment, _, run_id = text.partition("_")
        try:
            key = cls(datetime.fromisoformat(moment), uuid.UUID(run_id))
        except ValueError as error:
            raise BadRequest("The page address is not one of ours.") from error
        if key.created_at.tzinfo is None:
            raise BadRequest("The page address is not one of ours.")
        return key


@dataclass(frozen=True)
class Listed:
    """One run in the list, with how many candidates it had and kept."""

    run: RetrievalRun
    outcome: Outcome
    judge: str
    candidates: int
    kept: int


@dataclass(frozen=True)
class RunPage:
    rows: tuple[Listed, ...]
    newer: Key | None
    older: Key | None


def filtered(runs: RetrievalRunQuerySet, wanted: dict[str, Any]) -> RetrievalRunQuerySet:
    """The runs that fit every filter; `text` is looked for in the question and in the reasons of the candidates."""
    if wanted.get("base"):
        runs = runs.filter(base=wanted["base"])
    if wanted.get("status"):
        runs = runs.filter(status=wanted["status"])
    if wanted.get("arbiter"):
        runs = runs.filter(arbiter=wanted["arbiter"])
    if wanted.get("text"):
        reasons = RunCandidate.objects.filter(run=OuterRef("pk"), reason__icontains=wanted["text"])
        runs = runs.filter(Q(question__icontains=wanted["text"]) | Q(Exists(reasons)))
    return runs


def page_of(runs: RetrievalRunQuerySet, *, before: str = "", after: str = "") -> RunPage:
    """The newest runs, or those just before or just after a key. Raises BadRequest for a key that is none."""
    found = runs_before(runs, Key.read(before)) if before else runs.order_by("-created_at", "-id")
    if after:
        found = runs_after(runs, Key.read(after))
    some = list(found.defer(*HEAVY)[: RUNS_A_PAGE + 1])
    has_more = len(some) > RUNS_A_PAGE
    shown = some[:RUNS_A_PAGE][:: -1 if after else 1]
    if not shown:
        return RunPage((), None, None)
    newest, oldest = key_of(shown[0]), key_of(shown[-1])
    is_first, is_last = (not has_more, False) if after else (not before, not has_more)
    return RunPage(tuple(listed(shown)), None if is_first else newest, None if is_last else oldest)


# What a trail needs and a list does not; a run's hits alone may be a megabyte.
HEAVY = ("hits", "toc_shown", "parsed", "plan", "settings", "gates", "searched", "coverage")


def runs_before(runs: RetrievalRunQuerySet, key: Key) -> RetrievalRunQuerySet:
    earlier = Q(created_at__lt=key.created_at) | Q(created_at=key.created_at, id__lt=key.run_id)
    return runs.filter(earlier, created_at__lte=key.created_at).order_by("-created_at", "-id")


def runs_after(runs: RetrievalRunQuerySet, key: Key) -> RetrievalRunQuerySet:
    later = Q(created_at__gt=key.created_at) | Q(created_at=key.created_at, id__gt=key.run_id)
    return runs.filter(later, created_at__gte=key.created_at).order_by("created_at", "id")


def key_of(run: RetrievalRun) -> Key:
    return Key(run.created_at, run.pk)


def listed(runs: Sequence[RetrievalRun]) -> list[Listed]:
    """The runs with what one line shows, in two more queries however many there are."""
    ids = [run.pk for run in runs]
    counts: dict[uuid.UUID, Counter[str]] = defaultdict(Counter)
    roles = RunCandidate.objects.filter(run__in=ids).order_by().values_list("run_id", "role")
    for run_id, role, number in roles.annotate(number=Count("pk")):
        counts[run_id][role] = number
    answered = set(Answer.objects.filter(run__in=ids).values_list("run_id", flat=True))
    return [
        Listed(
            run=run,
            outcome=outcome_of(run, run.pk in answered),
            judge=judge_of(run),
            candidates=counts[run.pk].total(),
            kept=sum(counts[run.pk][role] for role in KEPT_ROLES),
        )
        for run in runs
    ]
