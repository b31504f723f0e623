"""Who has which run of the queue: a lock of 20 minutes when it is opened there, or given by somebody until reviewed.

A review is refused to nobody for it: two at once are a conflict that both see.
"""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from audit.access_log import record_event
from audit.models import Assignment
from audit.review.own import runs_asked_again
from documents.models import Viewer
from retrieval.models import RetrievalRun, RetrievalRunQuerySet

LOCKED = timedelta(minutes=20)


class CannotAssign(Exception):
    """Somebody else has the run; the message is for people."""


def is_in_force() -> Q:
    return Q(until=None) | Q(until__gt=timezone.now())


def hold_open(run: RetrievalRun, user: User) -> bool:
    """Lock a run for the person who opens it from the queue, or renew that; False if somebody else has it."""
    if Assignment.objects.filter(run=run, to=user, until=None).exists():
        return True  # it was given to them
    return take(run, Q(to=user), {"to": user, "by": user, "until": timezone.now() + LOCKED})


def assign(run: RetrievalRun, to: User, by: User) -> None:
    """Give a run to a person until it is reviewed, on record. Raises CannotAssign while somebody else has it."""
    with transaction.atomic():
        if not take(run, Q(to=by) | Q(by=by), {"to": to, "by": by, "until": None}):
            raise CannotAssign(_("Somebody else has this question now. It stays with them."))
        record_event(by, "assign", run.pk, to=str(to))


def take(run: RetrievalRun, own: Q, values: dict[str, object]) -> bool:
    """Change the row of a run if it is one's own or has ended, else insert it; the database refuses a second row."""
    rows = Assignment.objects.filter(own | ~is_in_force(), run=run)
    if rows.update(**values):
        return True
    try:
        with transaction.atomic():
            Assignment.objects.create(run=run, **values)
            return True
    except IntegrityError:
        return False


def give_back(run: RetrievalRun, user: User) -> None:
    """Leave a run that one has, or gave to somebody, to everybody."""
    Assignment.objects.filter(Q(to=user) | Q(by=user), run=run).delete()


def holders(runs: Sequence[RetrievalRun]) -> dict[UUID, Assignment]:
    """Who has each of these runs now."""
    rows = Assignment.objects.filter(is_in_force(), run__in=[run.pk for run in runs]).select_related("to", "by")
    return {row.run_id: row for row in rows}


def held_by(user: Viewer) -> Q:
    return Q(Exists(Assignment.objects.filter(is_in_force(), run=OuterRef("pk"), to_id=user.pk)))


def leave_to_others(runs: RetrievalRunQuerySet, user: Viewer) -> RetrievalRunQuerySet:
    others = Assignment.objects.filter(is_in_force(), run=OuterRef("pk")).exclude(to_id=user.pk)
    return runs.filter(~Exists(others))


def people_for(run: RetrievalRun) -> list[User]:
    """Who may review a run: the auditors and owners of its base, but for the people who asked it."""
    people = User.objects.filter(
        membership__base=run.base_id, membership__role__in=("auditor", "owner"), is_active=True
    )
    askers = runs_asked_again(run).filter(asked_by__isnull=False).values("asked_by")
    return list(people.exclude(pk__in=askers).order_by("name", "pk"))
