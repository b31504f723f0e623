"""Legal holds: their subject may not be erased or purged until released. Placing and releasing are recorded."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from ledger.events import record
from ledger.models import Event

PLACED, RELEASED = "hold_placed", "hold_released"
REASON_MIN = 10  # without spaces: "ok" is no reason (AT9)


class HoldRefused(Exception):
    """A hold cannot be placed or released this way; the message is for people."""


class Held(Exception):
    """A legal hold forbids it; the message is for people."""

    def __init__(self, hold: "Hold") -> None:
        words = _("This is under a legal hold since %(day)s, placed by %(actor)s: %(reason)s")
        super().__init__(words % {"day": hold.since.date().isoformat(), "actor": hold.by, "reason": hold.reason})
        self.hold = hold


@dataclass(frozen=True)
class Hold:
    """A current hold. `subject` is "base:<id>", "document:<id>", "user:<id>" or, for a person in one base,
    "base:<id>:user:<id>"."""

    subject: str
    reason: str
    by: str
    since: datetime


def place(subject: str, actor: str, reason: str, **details: str) -> Event:
    """Put a subject under hold. Raises HoldRefused without a reason, or if it is already held.

    `details` are recorded with it, such as the base of a document, whose auditors then see it.
    """
    if holds_on([subject]):
        raise HoldRefused(_("This is under a legal hold already."))
    return record(PLACED, actor, subject, details | {"reason": check_reason(reason)})


def release(subject: str, actor: str, reason: str, **details: str) -> Event:
    """Release a hold. Raises HoldRefused without a reason, or if there is none."""
    if not holds_on([subject]):
        raise HoldRefused(_("There is no legal hold on this."))
    return record(RELEASED, actor, subject, details | {"reason": check_reason(reason)})


def check_reason(reason: str) -> str:
    if len("".join(reason.split())) < REASON_MIN:
        raise HoldRefused(_("Give a reason of at least %(count)s characters.") % {"count": REASON_MIN})
    return reason.strip()


def standing() -> "QuerySet[Event]":
    """The latest event of every subject ever held, including releases."""
    words = Event.objects.filter(kind__in=[PLACED, RELEASED])
    return words.order_by("subject", "-created_at", "-id").distinct("subject")


def holds_on(subjects: Iterable[str]) -> list[Hold]:
    """The current holds on any of these subjects, by subject."""
    latest = standing().filter(subject__in=list(subjects))
    return [
        Hold(event.subject, event.details.get("reason", ""), event.actor, event.created_at)
        for event in latest
        if event.kind == PLACED
    ]


def held_within(subject: str) -> list[str]:
    """Whatever was ever held within it, as what a person asked in a base."""
    return list(standing().filter(subject__startswith=f"{subject}:").values_list("subject", flat=True))


def refuse_when_held(*subjects: str) -> None:
    """Raise Held if one of them is under hold."""
    found = holds_on(subjects)
    if found:
        raise Held(found[0])
