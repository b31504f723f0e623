"""A legal hold stands from the moment it is recorded until its release is, and both need a reason."""

import pytest

from ledger.events import record
from ledger.holds import Held, HoldRefused, holds_on, place, refuse_when_held, release
from ledger.models import Entry, Event

pytestmark = pytest.mark.django_db

REASON = "Claim 2026-114 before the court"
BASE = "base:1"


def test_it_stands_until_it_is_released_and_can_be_placed_again() -> None:
    refuse_when_held(BASE)
    for _ in range(2):
        place(BASE, "Olga Owner", REASON)
        with pytest.raises(Held, match="placed by Olga Owner: Claim 2026-114"):
            refuse_when_held("document:7", BASE)
        release(BASE, "Olga Owner", "The claim was settled")
        refuse_when_held("document:7", BASE)
    assert [event.kind for event in Event.objects.order_by("created_at")] == ["hold_placed", "hold_released"] * 2
    assert Entry.objects.filter(kind="event").count() == 4


def test_it_holds_only_what_it_names() -> None:
    place("user:7", "Olga", REASON)
    record("role_changed", "Olga", "user:8", {"reason": REASON})
    assert [hold.subject for hold in holds_on(["user:7", "user:8", BASE])] == ["user:7"]
    assert holds_on([]) == []


@pytest.mark.parametrize("reason", ["", "ok", "  s h o r t  "])
def test_it_needs_a_reason(reason: str) -> None:
    with pytest.raises(HoldRefused, match="at least 10 characters"):
        place(BASE, "Olga", reason)
    place(BASE, "Olga", REASON)
    with pytest.raises(HoldRefused, match="at least 10 characters"):
        release(BASE, "Olga", reason)
    assert len(holds_on([BASE])) == 1


def test_it_is_neither_placed_nor_released_twice() -> None:
    with pytest.raises(HoldRefused, match="no legal hold"):
        release(BASE, "Olga", REASON)
    place(BASE, "Olga", REASON)
    with pytest.raises(HoldRefused, match="already"):
        place(BASE, "Egon", REASON)
