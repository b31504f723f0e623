"""Reviews: who may, with what reason, what two at once do, and that the original is never hidden."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client

from accounts.models import User
from audit.conftest import House, MakeRun, Tamper, run_fields
from audit.models import AuditEvent, Review
from audit.proof.verification import verify
from audit.review.assigning import people_for
from audit.review.queue import open_runs
from audit.review.reviewing import Opinion, ReviewConflict, ReviewRefused, review, reviews_of, why_not
from chat.models import Conversation, Turn
from retrieval.models import RetrievalRun

SignIn = Callable[[User], Client]
WHY = "The sentence is about something else."


def post(client: Client, run: RetrievalRun, **fields: Any) -> Any:
    first = run.candidates.order_by("position")[0].candidate_id
    return client.post(f"/audit/runs/{run.pk}/reviews/", {"candidate": first, **fields})


def test_it_overrules_and_shows_both_roles(house: House, make_run: MakeRun, signed_in: SignIn) -> None:
    """AT9."""
    run, client = make_run(), signed_in(house.auditor)
    response = post(client, run, outcome="overrule", corrected_role="tangential", reason=WHY)
    assert response.status_code == 302
    assert "candidate=p1-l2-3" in response["Location"]
    page = client.get(f"/audit/runs/{run.pk}/").content.decode()
    row = page[page.index('data-candidate="p1-l1-2"') :]
    row = row[: row.index("</tr>")]
    assert "Primary" in row and "Tangential" in row
    assert WHY in page
    assert run.candidates.get(candidate_id="p1-l1-2").role == "primary"
    assert verify().ok


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"outcome": "overrule", "corrected_role": "tangential", "reason": "no no no  n "}, "at least 10 characters"),
        ({"outcome": "overrule", "reason": WHY}, "which role"),
        ({"outcome": "overrule", "corrected_role": "primary", "reason": WHY}, "not one of the available"),
        ({"outcome": "wrong", "reason": WHY}, "not one of the available"),
        ({"outcome": "", "reason": WHY}, "required"),
        ({"outcome": "wrong", "candidate": "", "reason": ""}, "at least 10 characters"),
        ({"outcome": "agree", "previous": "no id"}, "valid UUID"),
    ],
)
def test_it_refuses_a_review_that_says_too_little(
    house: House, make_run: MakeRun, signed_in: SignIn, fields: dict[str, str], told: str
) -> None:
    """AT9."""
    response = post(signed_in(house.auditor), make_run(), **fields)
    assert response.status_code == 400
    assert told in response.content.decode()
    assert not Review.objects.exists()


@pytest.mark.parametrize(("who", "is_led"), [("owner", True), ("auditor", False)])
def test_who_may_not_review_their_own_question_is_led_to_those_who_can(
    house: House, make_run: MakeRun, signed_in: SignIn, who: str, is_led: bool
) -> None:
    run = make_run(asked_by=getattr(house, who))
    page = signed_in(getattr(house, who)).get(f"/audit/runs/{run.pk}/").content.decode()
    assert "somebody else has to review it" in page
    assert (f'href="/bases/{house.base.pk}/members/">Members of the base</a>' in page) == is_led


@pytest.mark.parametrize(("who", "status"), [("asker", 403), ("viewer", 404), ("stranger", 404), ("owner", 302)])
def test_it_lets_auditors_and_owners_only(
    house: House, make_run: MakeRun, signed_in: SignIn, who: str, status: int
) -> None:
    assert post(signed_in(getattr(house, who)), make_run(), outcome="agree").status_code == status


def test_it_refuses_and_records_a_review_of_ones_own_question(
    house: House, make_run: MakeRun, signed_in: SignIn
) -> None:
    """AT8, AT10."""
    run = make_run(asked_by=house.auditor)
    response = post(signed_in(house.auditor), run, outcome="agree")
    assert response.status_code == 403
    assert "somebody else has to review it" in response.content.decode()
    assert not Review.objects.exists()
    event = AuditEvent.objects.get(action="review_refused")
    assert (event.person_id, event.run_id, event.detail["outcome"]) == (house.auditor.pk, run.pk, "agree")
    assert verify().ok


def test_it_tells_a_conflict_and_keeps_both_texts(house: House, make_run: MakeRun, signed_in: SignIn) -> None:
    """AT9."""
    run = make_run()
    fields = {"outcome": "overrule", "corrected_role": "discarded"}
    assert post(signed_in(house.owner), run, **fields, reason="What the owner wrote").status_code == 302
    response = post(signed_in(house.auditor), run, **fields, reason="What the auditor wrote")
    page = response.content.decode()
    assert response.status_code == 409
    assert "What the owner wrote" in page and "What the auditor wrote" in page
    standing = Review.objects.get()
    assert f'name="previous" value="{standing.pk}"' in page
    again = post(signed_in(house.auditor), run, **fields, reason="What the auditor wrote", previous=standing.pk)
    assert again.status_code == 302
    assert [row.previous_id for row in Review.objects.order_by("created_at")] == [None, standing.pk]


@pytest.mark.django_db(transaction=True)
def test_it_lets_one_of_two_at_once_through_and_tells_the_other(house: House, make_run: MakeRun) -> None:
    runs = [make_run() for _ in range(20)]

    def give(run: RetrievalRun, user: User) -> str:
        try:
            review(run, run.candidates.order_by("position")[0], user, Opinion("overrule", "discarded", WHY))
            return "kept"
        except ReviewConflict as conflict:
            assert conflict.standing is not None
            return "conflict"
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        for run in runs:
            ends = list(threads.map(give, [run, run], [house.auditor, house.owner]))
            assert sorted(ends) == ["conflict", "kept"]
    assert Review.objects.count() == 20
    assert verify().ok


@pytest.mark.django_db(transaction=True)
def test_of_two_blind_reviews_at_once_the_refused_one_is_recorded(house: House, make_run: MakeRun) -> None:
    runs = [make_run() for _ in range(10)]

    def give(run: RetrievalRun, outcome: str) -> str:
        try:
            return review(run, None, house.auditor, Opinion(outcome, reason=WHY, is_blind=True)).outcome
        except ReviewRefused:
            return "refused"
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        for run in runs:
            assert [*threads.map(give, [run, run], ["wrong", "absent"])].count("refused") == 1
            assert {*threads.map(give, [run, run], [run.reviews.get().outcome] * 2)} == {run.reviews.get().outcome}
    assert AuditEvent.objects.filter(action="review_refused").count() == len(runs) == Review.objects.count()


def test_it_hides_what_others_said_from_a_blind_reviewer(house: House, make_run: MakeRun, signed_in: SignIn) -> None:
    run = make_run()
    post(signed_in(house.owner), run, outcome="overrule", corrected_role="discarded", reason="What the owner wrote")
    client = signed_in(house.auditor)
    assert "What the owner wrote" not in client.get(f"/audit/runs/{run.pk}/?blind=1").content.decode()
    assert post(client, run, outcome="agree", blind="on").status_code == 302
    assert post(client, run, outcome="agree", blind="on").status_code == 302, "a second press on Save"
    assert not AuditEvent.objects.filter(action="review_refused").exists()
    again = post(client, run, outcome="overrule", corrected_role="discarded", reason="<i>Typed</i> anew", blind="on")
    page = again.content.decode()
    assert again.status_code == 403 and "You have reviewed this blind already." in page
    assert "Not saved: &lt;i&gt;Typed&lt;/i&gt; anew" in page and AuditEvent.objects.filter(action="review_refused")
    candidate = run.candidates.order_by("position")[0].candidate_id
    for shown in (page, client.get(f"/audit/runs/{run.pk}/?candidate={candidate}&blind=1").content.decode()):
        assert f'name="candidate" value="{candidate}"' not in shown and "Your blind review of this passage" in shown
        assert 'name="candidate" value=""' in shown, "the answer waits for a verdict"
    post(client, run, candidate="", outcome="agree", blind="on")
    page = client.get(f"/audit/runs/{run.pk}/?candidate={candidate}&blind=1").content.decode()
    assert '<input type="hidden" name="candidate"' not in page and page.count('id="verdict"') == 1
    reviews = reviews_of(run).of(run.candidates.order_by("position")[0].pk)
    assert [row.outcome for row in reviews.chain] == ["overrule"]
    assert [(row.outcome, row.reviewer_id) for row in reviews.blind] == [("agree", house.auditor.pk)]


def test_the_database_refuses_to_change_a_review_and_the_ledger_finds_it(
    house: House, make_run: MakeRun, tamper: Tamper
) -> None:
    run = make_run()
    row = review(run, None, house.auditor, Opinion("wrong", reason=WHY))
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        Review.objects.update(outcome="agree")
    tamper("UPDATE audit_review SET reason = 'other words entirely'")
    report = verify()
    assert not report.ok
    assert str(row.pk) in report.sentence


@pytest.mark.parametrize("asked", ["first", "as a repeat", "as another repeat"])
def test_who_was_given_an_answer_reviews_no_other_asking_of_it(house: House, make_run: MakeRun, asked: str) -> None:
    """Verdicts count for all askings of an answer, so a person's own is any of them."""
    other = house.asker
    first = make_run(asked_by=house.auditor if asked == "first" else other)
    told = run_fields(house)["plan"] | {"repeat": {"run": str(first.pk), "answer": "", "on": "2026-01-01"}}
    again = make_run(asked_by=house.auditor if asked == "as a repeat" else other, plan=told)
    third = make_run(asked_by=house.auditor if asked == "as another repeat" else other, plan=told)
    unlike = make_run(asked_by=other)
    anew = make_run(asked_by=other)
    family = (first, again, third)
    conversation = Conversation.objects.create(base=house.base, user=other, title="Asked often")
    for number, run in enumerate((*family, anew), 1):
        Turn.objects.create(
            conversation=conversation, number=number, question=run.question, scope_name="all", run=run, asked_key="same"
        )
    for run in family:
        with pytest.raises(ReviewRefused):
            review(run, None, house.auditor, Opinion("agree"))
        assert house.auditor not in people_for(run) and house.owner in people_for(run)
    assert {*open_runs(house.auditor)} == {anew, unlike} and house.auditor in people_for(unlike)
    assert {*open_runs(house.owner)} == {*family, anew, unlike} and not why_not(house.owner, again)
