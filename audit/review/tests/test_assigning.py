"""A run of the queue is one person's at a time: locked for 20 minutes when opened there, or given until reviewed."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from audit.conftest import House, MakeRun
from audit.models import Assignment, AuditEvent
from audit.review.assigning import CannotAssign, assign, give_back, hold_open, holders, people_for
from audit.review.queue import find_position, first_in_queue
from audit.review.reviewing import Opinion, review
from retrieval.models import RetrievalRun

SignedIn = Callable[[User], Client]


@pytest.fixture
def runs(make_run: MakeRun) -> list[RetrievalRun]:
    """Three runs of the queue, in its order."""
    start = timezone.now()
    return [make_run("primary", status="failed", created_at=start - timedelta(minutes=n)) for n in range(3)]


def holder_of(run: RetrievalRun) -> str:
    found = holders([run]).get(run.pk)
    return str(found.to.name) if found else ""


def test_opening_from_the_queue_locks_a_run_for_twenty_minutes(
    house: House, runs: list[RetrievalRun], signed_in: SignedIn
) -> None:
    client = signed_in(house.auditor)
    client.get(f"/audit/runs/{runs[0].pk}/")
    assert holder_of(runs[0]) == "", "opened from elsewhere it is nobody's"
    client.get(f"/audit/runs/{runs[0].pk}/?queue=failed")
    assert holder_of(runs[0]) == "Auditor"
    row = Assignment.objects.get()
    assert row.until is not None and timedelta(minutes=19) < row.until - timezone.now() <= timedelta(minutes=20)
    page = signed_in(house.owner).get(f"/audit/runs/{runs[0].pk}/?queue=failed").content.decode()
    assert "Somebody else has this question" in page and holder_of(runs[0]) == "Auditor"
    Assignment.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert holder_of(runs[0]) == ""
    signed_in(house.owner).get(f"/audit/runs/{runs[0].pk}/?queue=risk")
    assert holder_of(runs[0]) == "Owner" and Assignment.objects.count() == 1


def test_it_is_inserted_or_refused(house: House, runs: list[RetrievalRun]) -> None:
    assert hold_open(runs[0], house.auditor) and hold_open(runs[0], house.auditor)
    assert not hold_open(runs[0], house.owner)
    with pytest.raises(CannotAssign):
        assign(runs[0], house.owner, house.owner)
    assert holder_of(runs[0]) == "Auditor"


def test_the_next_in_the_queue_skips_what_others_have(house: House, runs: list[RetrievalRun]) -> None:
    hold_open(runs[1], house.owner)
    for name in ("failed", "risk"):
        seen, own = find_position(runs[0], name, house.auditor), find_position(runs[0], name, house.owner)
        assert seen and own and (seen.following, own.following) == (runs[2].pk, runs[1].pk)
        back = find_position(runs[2], name, house.auditor)
        assert back and back.previous == runs[0].pk


def test_a_run_is_given_and_is_mine_until_it_is_reviewed(
    house: House, runs: list[RetrievalRun], signed_in: SignedIn
) -> None:
    address = f"/audit/runs/{runs[0].pk}/assign/"
    sent = {"to": house.auditor.pk, "queue": "failed"}
    assert signed_in(house.owner).post(address, sent)["Location"] == f"/audit/runs/{runs[0].pk}/?queue=failed"
    page = signed_in(house.owner).get(f"/audit/runs/{runs[0].pk}/?queue=failed").content.decode()
    assert "Auditor has this question now." in page and "Somebody else has this question:" in page
    assert AuditEvent.objects.get(action="assign").detail == {"to": str(house.auditor)}
    client = signed_in(house.auditor)
    for query, count in (("", 3), ("?mine=1", 1), ("?risk=failed&mine=1", 1), ("?risk=degraded&mine=1", 0)):
        assert len(client.get(f"/audit/queue/{query}").context["rows"]) == count
    client.get(f"/audit/runs/{runs[0].pk}/?queue=failed")
    assert Assignment.objects.get().until is None, "opening it makes no lock of what was given"
    assert "given by Owner" in client.get("/audit/queue/").content.decode()
    client.post(f"/audit/runs/{runs[0].pk}/reviews/", {"candidate": "", "outcome": "agree", "queue": "failed"})
    assert not Assignment.objects.exists()


def test_only_those_who_may_review_it_give_it_and_get_it(
    house: House, runs: list[RetrievalRun], signed_in: SignedIn, make_run: MakeRun
) -> None:
    address = f"/audit/runs/{runs[0].pk}/assign/"
    assert [person.name for person in people_for(runs[0])] == ["Auditor", "Owner"]
    for person in (house.viewer, house.asker, house.stranger):
        assert signed_in(person).post(address, {"to": house.auditor.pk}).status_code == 404
    for to in (house.viewer.pk, house.asker.pk, house.stranger.pk, 0, "x", "9" * 40):
        assert signed_in(house.owner).post(address, {"to": to}).status_code == 400
    own = make_run("primary", asked_by=house.auditor)
    assert [person.name for person in people_for(own)] == ["Owner"]
    assert signed_in(house.auditor).post(f"/audit/runs/{own.pk}/assign/", {"to": house.owner.pk}).status_code == 404
    assert not Assignment.objects.exists()


def test_what_one_gave_can_be_taken_back(house: House, runs: list[RetrievalRun], signed_in: Any) -> None:
    assign(runs[0], house.auditor, house.owner)
    assign(runs[0], house.owner, house.owner)
    assign(runs[0], house.auditor, house.owner)
    give_back(runs[0], house.stranger)
    assert holder_of(runs[0]) == "Auditor"
    sent = {"to": "", "queue": "failed", "blind": "on"}
    back = signed_in(house.owner).post(f"/audit/runs/{runs[0].pk}/assign/", sent)
    assert back["Location"] == f"/audit/runs/{runs[0].pk}/?blind=1", "others' opinions stay hidden"
    signed_in(house.owner).get(back["Location"])
    assert holder_of(runs[0]) == "", "looking at it does not lock it again"


def test_a_question_without_a_sign_is_given_from_its_trail_and_is_mine(
    house: House, make_run: MakeRun, signed_in: SignedIn
) -> None:
    plain, reviewed, _nobodys = (make_run("") for _number in range(3))
    review(reviewed, None, house.owner, Opinion("agree"))
    assert first_in_queue(house.auditor) == []
    for run in (plain, reviewed):
        assert 'id="assign-to"' in signed_in(house.owner).get(f"/audit/runs/{run.pk}/").content.decode()
        signed_in(house.owner).post(f"/audit/runs/{run.pk}/assign/", {"to": house.auditor.pk})
    client = signed_in(house.auditor)
    mine = client.get("/audit/queue/?mine=1").context["rows"]
    assert {row[0].run.pk for row in mine} == {plain.pk, reviewed.pk}
    assert client.get("/audit/queue/").context["rows"] == []
    assert 'id="assign-to"' not in signed_in(house.asker).get(f"/audit/runs/{plain.pk}/").content.decode()
