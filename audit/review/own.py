"""Whose question a run answers: a repeat is a copy, and a verdict on one counts for all, so it is theirs as well."""

from uuid import UUID

from django.db.models import Q, UUIDField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from documents.models import Viewer
from retrieval.models import RetrievalRun, RetrievalRunQuerySet

FIRST = Cast(KT("plan__repeat__run"), UUIDField())  # the run that a repeat is of


def people_who_asked(run: RetrievalRun) -> frozenset[int]:
    """Who asked this run, the run it repeats, or another repeat of that; looked up once for each run in hand."""
    if "askers" not in run.__dict__:
        first = UUID(run.repeat["run"]) if run.repeat else run.pk
        same = Q(pk__in=[run.pk, first]) | Q(plan__repeat__run=str(first))
        rows = RetrievalRun.objects.filter(same).exclude(asked_by=None).order_by()
        run.__dict__["askers"] = frozenset(rows.values_list("asked_by_id", flat=True).distinct())
    askers: frozenset[int] = run.__dict__["askers"]
    return askers


def without_own(runs: RetrievalRunQuerySet, user: Viewer) -> RetrievalRunQuerySet:
    """The runs whose answer a person never asked for, neither first nor as a repeat."""
    mine = RetrievalRun.objects.filter(asked_by_id=user.pk).order_by()
    repeated = mine.filter(plan__has_key="repeat").values(first=FIRST)
    others = runs.exclude(asked_by_id=user.pk).exclude(pk__in=repeated)
    is_mine = Q(repeat_of__in=mine.values("pk")) | Q(repeat_of__in=repeated)
    return others.alias(repeat_of=FIRST).filter(Q(repeat_of=None) | ~is_mine)
