"""Whose question a run answers: a repeat is a copy, and a verdict on one counts for all, so it is theirs as well."""

from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet, UUIDField
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, Coalesce

from chat.models import Turn
from documents.models import Viewer
from retrieval.models import RetrievalRun, RetrievalRunQuerySet


def askings() -> QuerySet[Any]:
    """The turns that were answered, each with the run that was asked `first`: its own, or the one it repeats.

    Equal ones have their key in common, which is indexed; what a run repeats is in its plan, which is not.
    """
    repeated = Cast(KeyTextTransform("run", KeyTransform("repeat", "run__plan")), UUIDField())
    return Turn.objects.filter(run__isnull=False).annotate(first=Coalesce(repeated, F("run_id")))


def runs_asked_again(run: RetrievalRun) -> RetrievalRunQuerySet:
    """A run, the run it repeats, and the other repeats of that."""
    first = UUID(run.repeat["run"]) if run.repeat else run.pk
    keys = Turn.objects.filter(run=run).exclude(asked_key="").values("asked_key")
    again = askings().filter(asked_key__in=keys, first=first)
    return RetrievalRun.objects.filter(Q(pk__in=[run.pk, first]) | Q(pk__in=again.values("run"))).order_by()


def without_own(runs: RetrievalRunQuerySet, user: Viewer) -> RetrievalRunQuerySet:
    """The runs whose answer a person never asked for, neither first nor as a repeat."""
    mine = askings().filter(run__asked_by=user.pk).exclude(asked_key="")
    again = askings().filter(asked_key__in=mine.values("asked_key"), first__in=mine.values("first"))
    return runs.exclude(asked_by=user.pk).exclude(pk__in=again.values("run"))
