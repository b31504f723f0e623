"""Legal holds: what a hold names may be neither erased nor purged until it is released. Both are recorded events."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from ledger.events import record
from ledger.models import Event

PLACED, RELEASED = "hold_placed", "hold_released"
REASON_MIN = 10  # characters that are not spaces: "ok" is no reason (AT9)


class HoldRefused(Exception):
    """A hold cannot be placed or released like this; the message is for people."""


class Held(Exception):
    """A legal hold forbids it; the message is for people."""

    def __init__(self, hold: "Hold") -> None:
        words = _("This is under a legal hold since %(day)s, placed by %(actor)s: %(reason)s")
        super().__init__(words % {"day": hold.since.date().isoformat(), "actor": hold.by, "reason": hold.reason})
        self.hold = hold


@dataclass(frozen=True)
class Hold:
    """A hold that stands. `subject` is "base:<id>", "document:<id>", "user:<id>" or, of a person in one base,
    "base:<id>:user:<id>"."""

    subject: str
    reason: str
    by: str
    since: datetime


def place(subject: str, actor: str, reason: str) -> Event:
    """Put a subject under hold. Raises HoldRefused without a reason, or when it is held already."""
    if holds_on([subject]):
        raise HoldRefused(_("This is under a legal hold already."))
    return record(PLACED, actor, subject, {"reason": check_reason(reason)})


def release(subject: str, actor: str, reason: str) -> Event:
    """End a hold. Raises HoldRefused without a reason, or when there is none."""
    if not holds_on([subject]):
        raise HoldRefused(_("There is no legal hold on this."))
    return record(RELEASED, actor, subject, {"reason": check_reason(reason)})


def check_reason(reason: str) -> str:
    if len("".join(reason.split())) < REASON_MIN:
        raise HoldRefused(_("Give a reason of at least %(count)s characters.") % {"count": REASON_MIN})
    return reason.strip()


def standing() -> "QuerySet[Event]":
    """Of every subject that ever was held the latest word, a release among them."""
    words = Event.objects.filter(kind__in=[PLACED, RELEASED])
    return words.order_by("subject", "-created_at", "-id").distinct("subject")


def holds_on(subjects: Iterable[str]) -> list[Hold]:
    """The holds that stand on any of these subjects, by subject."""
    latest = standing().filter(subject__in=list(subjects))
    return [
        Hold(event.subject, event.details.get("reason", ""), event.actor, event.created_at)
        for event in latest
        if event.kind == PLACED
    ]


def refuse_when_held(*subjects: str) -> None:
    """Raise Held when a hold stands on one of them."""
    found = holds_on(subjects)
    if found:
        raise Held(found[0])
