"""An auditor's click stores a job; a worker judges, says how far it is, and leaves the record the page had left."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from audit.conftest import House
from audit.models import AuditEvent, Rejudgement
from audit.review import tasks
from audit.review.rejudging import ask_for_check, ask_for_replay, judge_stored
from audit.review.replay import Judge
from audit.review.reviewing import Opinion, review
from audit.review.tests.test_replay import Ask, ask, lease  # noqa: F401  (fixtures)
from docintel_site.celery import app
from documents.models import Membership
from ledger.models import Event
from llm.conftest import Serve
from llm.models import LLMCall, Spent
from llm.prices import parse_prices
from retrieval.models import RetrievalRun

SignedIn = Callable[[User], Client]


@pytest.fixture
def run(house: House, ask: Ask) -> RetrievalRun:  # noqa: F811
    """A reviewed run that the rules judged."""
    run = ask(arbiter="rules")
    review(run, run.candidates.order_by("position")[0], house.auditor, Opinion("agree"))
    return run


def test_a_click_asks_no_model_and_a_second_one_is_the_same_job(
    run: RetrievalRun,
    house: House,
    signed_in: SignedIn,
    serve: Serve,
) -> None:
    server, client = serve("good"), signed_in(house.auditor)
    chosen = {"arbiter": "model", "repeats": 2}
    first, second = (client.post(f"/audit/runs/{run.pk}/replay/", chosen)["Location"] for _ in range(2))
    for _ in range(2):
        client.post("/audit/golden/check/", {"base": house.base.pk, "arbiter": "model"})
    assert (first, Rejudgement.objects.count(), server.requests) == (second, 2, [])
    page = client.get(first).content.decode()
    assert "Waiting for a worker" in page and 'http-equiv="refresh"' in page and "Judged again" in page
    for job in Rejudgement.objects.order_by("created_at"):
        judge_stored(job.pk)
    assert len(server.requests) == LLMCall.objects.filter(purpose="replay").count() == 3
    assert "Stability over 2 judgements" in client.get(first).content.decode()
    replays = AuditEvent.objects.filter(action="replay").order_by("created_at")
    assert [len(event.detail["calls"]) for event in replays] == [2, 1]
    assert AuditEvent.objects.filter(action="replay_read", run_id=run.pk).count() == 1, "waiting is no reading"
    assert Event.objects.get(kind="golden_check").actor == str(house.auditor)


def test_the_part_that_follows_says_how_far_it_is_and_then_loads_the_page(
    run: RetrievalRun, house: House, signed_in: SignedIn
) -> None:
    client, live = signed_in(house.auditor), {"HX-Request": "true"}
    check = ask_for_check(house.auditor, house.base, Judge("rules"))
    replay = ask_for_replay(house.auditor, run, Judge("rules"), 4)
    Rejudgement.objects.filter(pk=check.pk).update(state="running", done=3, total=25)
    Rejudgement.objects.filter(pk=replay.pk).update(state="running", done=1)
    told = [client.get(f"/audit/rejudgements/{job.pk}/", headers=live).content.decode() for job in (check, replay)]
    assert "3 of 25 questions done" in told[0] and "1 of 4 done" in told[1]
    assert "3 of 25 questions done" in client.get(f"/audit/golden/?base={house.base.pk}").content.decode()
    Rejudgement.objects.update(state="done")
    assert client.get(f"/audit/rejudgements/{check.pk}/", headers=live).headers["HX-Refresh"] == "true"
    led = client.get(f"/audit/rejudgements/{check.pk}/")
    assert led["Location"] == f"/audit/golden/?base={house.base.pk}#checks"


@pytest.fixture
def at_once() -> Iterator[None]:
    """The worker works where it is called."""
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


@pytest.mark.usefixtures("at_once")
def test_a_job_whose_workers_die_is_handed_on_and_ends(
    run: RetrievalRun, house: House, settings: Settings, signed_in: SignedIn
) -> None:
    handed_on = ask_for_check(house.auditor, house.base, Judge("rules"))
    given_up = ask_for_replay(house.auditor, run, Judge("rules"), 1)
    Rejudgement.objects.update(state="running", lease_owner="gone", attempts=1, done=7)
    Rejudgement.objects.filter(pk=given_up.pk).update(attempts=settings.ATTEMPTS_MAX)
    tasks.sweep()
    handed_on.refresh_from_db()
    assert (handed_on.state, handed_on.attempts, handed_on.total) == ("done", 2, 1)
    page = signed_in(house.auditor).get(f"/audit/rejudgements/{given_up.pk}/").content.decode()
    assert "The worker stopped 3 times while it was at it." in page and "http-equiv" not in page
    assert AuditEvent.objects.filter(action="replay", detail__error__startswith="The worker stopped").exists()


def test_it_is_paid_by_who_asked_and_not_done_for_who_may_no_longer(
    run: RetrievalRun,
    house: House,
    serve: Serve,
    settings: Settings,
) -> None:
    serve("good")
    settings.LLM_PRICES = parse_prices('{"scripted-model": {"in": 100, "out": 100}}')
    settings.SPENDING_LIMITS = {"user_day": Decimal(5)}
    jobs = [ask_for_replay(house.auditor, run, Judge("model"), count) for count in (1, 2)]
    judge_stored(jobs[0].pk)
    spent: Any = Spent.objects.get()
    assert spent.payer == f"user:{house.auditor.pk}" and spent.amount == LLMCall.objects.get().charge.amount
    Membership.objects.filter(user=house.auditor).update(role="viewer")
    judge_stored(jobs[1].pk)
    jobs[1].refresh_from_db()
    assert (jobs[1].state, jobs[1].error) == ("failed", "This base is no longer open to you.")
    assert LLMCall.objects.count() == 1
