"""The list of runs by what stands on the run, beside it, and on one of its candidates; common words and rare ones."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from audit.conftest import House, MakeRun
from audit.review.reviewing import Opinion, review
from audit.runs import listing
from audit.runs.listing import RunsWanted, filter_runs, read_run_page
from chat.models import Conversation, Feedback, Turn
from retrieval.models import RetrievalRun

WHY = "The sentence is about something else."


def complain(run: RetrievalRun, house: House, kind: str = "wrong_answer", comment: str = "") -> Feedback:
    turn = Turn.objects.filter(run=run).first()
    if turn is None:
        conversation = Conversation.objects.create(base=house.base, user=house.asker, title="x")
        turn = Turn.objects.create(
            conversation=conversation, number=1, question=run.question, scope_name="all", run=run
        )
    return Feedback.objects.create(
        turn=turn, by=house.asker, by_name="Asker", kind=kind, comment=comment, created=timezone.now()
    )


@pytest.fixture
def three(house: House, make_run: MakeRun, make_call: Any) -> None:
    """Three runs, newest last; each differs in what a filter asks for."""
    now = timezone.now()
    make_run("primary discarded", question="termination notice", created_at=now - timedelta(days=2))
    second = make_run(
        "tangential",
        question="early exit",
        asked_by=house.owner,
        arbiter="model",
        llm_call=make_call(),
        created_at=now - timedelta(days=1),
    )
    candidate = second.candidates.get()
    review(second, candidate, house.auditor, Opinion("overrule", "primary", WHY))
    third = make_run("discarded", question="liability cap", scope=[], created_at=now)
    complain(third, house)


@pytest.mark.parametrize("windows", [listing.WINDOWS, (1,), ()])
@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, "liability cap, early exit, termination notice"),
        ({"text": "Reason 1"}, "liability cap, early exit, termination notice"),
        ({"text": "reas 2"}, "termination notice"),
        ({"text": "termin"}, "termination notice"),
        ({"text": "mination"}, ""),
        ({"text": "it's & | ! ( :*"}, ""),
        ({"text": "reason", "role": "discarded"}, "liability cap, termination notice"),
        ({"text": "termination", "role": "discarded"}, ""),
        ({"role": "primary"}, "termination notice"),
        ({"role": "primary", "method": "vectors"}, ""),
        ({"role": "discarded", "method": "vectors"}, "termination notice"),
        ({"repair": "rejected"}, ""),
        ({"repair": "truncated", "page": 1}, "liability cap, early exit, termination notice"),
        ({"page": 14}, ""),
    ],
)
def test_it_searches_alike_by_looking_through_and_by_index(
    three: None, monkeypatch: pytest.MonkeyPatch, wanted: RunsWanted, found: str, windows: tuple[int, ...]
) -> None:
    monkeypatch.setattr(listing, "WINDOWS", windows)
    page = read_run_page(RetrievalRun.objects.all(), wanted=wanted)
    assert ", ".join(row.run.question for row in page.rows) == found
    assert {run.question for run in filter_runs(RetrievalRun.objects.all(), wanted)} == {
        row.run.question for row in page.rows
    }


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("asked_by=OWNER", ["early exit"]),
        ("asked_by=owner@example.org", ["early exit"]),
        ("model=MODEL-large", ["early exit"]),
        ("model=other", []),
        ("document=Attention", ["early exit", "termination notice"]),
        ("document=06639720-ae5b-44e9-a6d2-1bab5d2a54ed", []),
        ("review=none", ["liability cap", "termination notice"]),
        ("review=any", ["early exit"]),
        ("review=overruled", ["early exit"]),
        ("review=objected", ["early exit"]),
        ("review=wrong", []),
        ("review=complaint", ["liability cap"]),
        ("since=2026-01-01&until=2026-01-02", []),
        ("role=discarded&page=1&repair=truncated&method=titles", ["liability cap"]),
    ],
)
def test_it_filters_by_everything_in_the_address(
    house: House, three: None, browse: Any, query: str, found: list[str]
) -> None:
    response = browse(house.auditor, f"/audit/?{query}")
    assert [row.run.question for row in response.context["page"].rows] == found
    assert ("<details open>" in response.content.decode()) is not query.startswith("review=")  # in the first row


def test_the_verdict_that_stands_is_what_an_answer_is_found_by(house: House, three: None, browse: Any) -> None:
    early, cap = (RetrievalRun.objects.get(question=question) for question in ("early exit", "liability cap"))
    review(early, None, house.auditor, Opinion("wrong", reason=WHY))
    before = review(cap, None, house.auditor, Opinion("wrong", reason=WHY))
    review(cap, None, house.auditor, Opinion("agree", previous_id=before.pk))
    page = browse(house.auditor, "/audit/?review=wrong")
    assert [row.run.question for row in page.context["page"].rows] == ["early exit"]
    assert "Clear" in page.content.decode()
    review(early, None, house.auditor, Opinion("absent", reason=WHY, previous_id=early.reviews.get(outcome="wrong").pk))
    page = browse(house.auditor, "/audit/?review=wrong")
    assert [row.run.question for row in page.context["page"].rows] == ["early exit"]
    assert ">answer wrong, or should be not found<" in page.content.decode()


def test_it_finds_by_day(house: House, three: None, browse: Any) -> None:
    day = f"{timezone.now() - timedelta(days=1):%Y-%m-%d}"
    response = browse(house.auditor, f"/audit/?since={day}&until={day}")
    assert [row.run.question for row in response.context["page"].rows] == ["early exit"]


@pytest.mark.parametrize("query", ["role=boss", "page=0", "page=x", "since=yesterday", "review=all", "method=%00"])
def test_it_refuses_what_cannot_be_asked(house: House, browse: Any, query: str) -> None:
    assert browse(house.auditor, f"/audit/?{query}").status_code == 400
