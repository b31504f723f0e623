"""The page of a base's model says what is in force, and one button has a worker test it, on record and paid for."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from chat.conftest import Serve
from chat.model_page.testing import ask_for_test, carry_out_test
from chat.models import ModelTest
from chat.turns import tasks
from docintel_site.celery import app
from documents.access import create_base, set_role
from documents.models import KnowledgeBase, Membership
from llm.models import LLMCall, Spent
from llm.prices import parse_prices
from retrieval.dictionary.tiers import TierRow, put_tier
from tests.scripted_llm import ScriptedLLM

PRICES = '{"scripted-model": {"in": "0.25", "out": "2.00"}, "better": {"in": 3, "out": 12}}'

Open = Callable[[User], str]


@pytest.fixture
def page(base: KnowledgeBase) -> Open:
    """The words of the page as somebody sees it."""

    def read(user: User) -> str:
        return " ".join(client_of(user).get(f"/bases/{base.pk}/model/").content.decode().split())

    return read


@pytest.fixture
def at_once() -> Iterator[None]:
    """The worker works where it is called."""
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def click(user: User, base: KnowledgeBase) -> int:
    return client_of(user).post(f"/bases/{base.pk}/model/test/").status_code


def try_out(base: KnowledgeBase, by: User) -> ModelTest:
    job = ask_for_test(by, base)
    carry_out_test(job.pk)
    job.refresh_from_db()
    return job


# ---- what is in force


def test_without_a_model_the_page_says_what_happens_and_nothing_can_be_try_out(
    page: Open, base: KnowledgeBase, tenant: User
) -> None:
    shown = page(tenant)
    assert "No model is set up" in shown and "fixed rules judge them" in shown and "Test the model" not in shown
    told = client_of(tenant).post(f"/bases/{base.pk}/model/test/", follow=True).content.decode()
    assert ModelTest.objects.count() == 0 and "Nothing was tested" in told


def test_it_shows_server_window_models_and_prices_and_never_the_key(
    page: Open, tenant: User, viewer: User, base: KnowledgeBase, serve: Serve, settings: Settings
) -> None:
    server = serve("good")
    host = server.base_url.split("/")[2]
    settings.LLM_BASE_URL = server.base_url.replace("://", "://user:hidden-word@")
    settings.LLM_MODEL_HARD, settings.LLM_MODEL_SMALL = "better", "cheap"
    settings.LLM_PRICES, settings.LLM_CONTEXT_TOKENS = parse_prices(PRICES), 12_000
    put_tier(base, TierRow("default", "", "hard"))
    for reader in (tenant, viewer):
        shown = page(reader)
        assert host in shown and "12,000 tokens" in shown and "small: requests are cut to fit" in shown
        assert "0.25 sent, 2.00 received, USD" in shown and "3 sent, 12 received, USD" in shown
        assert "cheap" in shown and "not priced" in shown
        assert shown.index("for hard questions") < shown.index("unless something else is named") < shown.index("better")
        assert "test-key" not in shown and "hidden-word" not in shown
    assert "Test the model" in page(tenant) and "Test the model" not in page(viewer)
    assert {request.path for request in server.requests} <= {"/v1/models"}


def test_it_shows_the_limits_and_what_is_spent_today(
    page: Open, tenant: User, viewer: User, base: KnowledgeBase, serve: Serve, settings: Settings
) -> None:
    serve("good")
    assert "None is set" in page(tenant)
    settings.SPENDING_LIMITS = {"day": Decimal(20), "base_day": Decimal(5), "user_day": Decimal("1.5")}
    today = datetime.now(UTC).date()
    other = create_base(tenant, "Other")
    for payer, amount in (("all", "7.77"), (f"base:{base.pk}", "2.5"), (f"user:{tenant.pk}", "0.0312")):
        Spent.objects.create(day=today, payer=payer, amount=amount)
    Spent.objects.create(day=today - timedelta(days=1), payer=f"user:{viewer.pk}", amount="1.11")
    Spent.objects.create(day=today, payer=f"base:{other.pk}", amount="4.44")
    own, read = page(tenant), page(viewer)
    assert "7.77 USD" in own and "2.50 USD" in own and "0.0312 USD" in own and "1.50 USD" in own
    assert "7.77" not in read and "shown to owners" in read and "2.50 USD" in read and "0.00 USD" in read
    assert not {"0.0312", "1.11", "4.44"} & set(read.split())


def test_the_page_of_tiers_has_a_heading_and_leads_back(tenant: User, base: KnowledgeBase) -> None:
    shown = client_of(tenant).get(f"/bases/{base.pk}/dictionary/models/").content.decode()
    assert '<h2 id="h-tiers">Which model takes which questions</h2>' in shown
    assert f'/bases/{base.pk}/model/" aria-current="page"' in shown


# ---- the test


@pytest.mark.parametrize(
    ("behaviour", "form"),
    [
        ("good", "strict schema"),
        ("no-responses-api", "strict schema"),
        ("chat-json-mode-only", "JSON without a strict schema"),
        ("text-only", "plain text, no schema"),
    ],
)
def test_a_worker_has_three_passages_judged_and_the_page_says_how(
    behaviour: str, form: str, page: Open, tenant: User, base: KnowledgeBase, serve: Serve, settings: Settings
) -> None:
    server = serve(behaviour)
    settings.LLM_PRICES = parse_prices(PRICES)
    assert click(tenant, base) == 302
    assert not [request for request in server.requests if request.path != "/v1/models"], "no web request asks"
    assert "Waiting for a worker" in page(tenant)
    carry_out_test(ModelTest.objects.get().pk)
    job, call = ModelTest.objects.get(), LLMCall.objects.get()
    assert (job.state, job.judged, job.is_right, job.error) == ("done", 3, True, "")
    assert job.call == call and (call.purpose, call.prompt_name, call.outcome) == ("test", "arbiter", "ok")
    cost = call.charge.amount.quantize(Decimal("0.0001")).normalize()
    shown = page(tenant)
    assert f"judged 3 passages in {call.latency_ms / 1000:.1f} s, {form}, {cost} USD" in shown
    assert "It found the passage that answers." in shown and "Waiting" not in shown


def test_it_asks_the_tier_the_base_names_and_is_paid_by_who_asked(
    page: Open, tenant: User, base: KnowledgeBase, serve: Serve, settings: Settings
) -> None:
    serve("good")
    settings.LLM_MODEL_HARD, settings.LLM_PRICES = "better", parse_prices(PRICES)
    settings.SPENDING_LIMITS = {"user_day": Decimal(5), "base_day": Decimal(5)}
    put_tier(base, TierRow("default", "", "hard"))
    assert "1 rule names a tier" in page(tenant)
    try_out(base, tenant)
    call = LLMCall.objects.get()
    assert call.model == "better" and call.parameters["tier"]["name"] == "hard"
    assert "the base names it" in call.parameters["tier"]["why"]
    assert dict(Spent.objects.values_list("payer", "amount")) == dict.fromkeys(
        (f"user:{tenant.pk}", f"base:{base.pk}"), call.charge.amount
    )


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        ("malformed", "The JSON object in the reply is broken or cut off."),
        ("refusing", "The model declined to answer."),
        ("empty-ranking", "The model judged no candidate it was given."),
    ],
)
def test_a_failure_is_told_in_plain_words_and_kept(
    behaviour: str, told: str, page: Open, tenant: User, base: KnowledgeBase, serve: Serve
) -> None:
    serve(behaviour)
    job = try_out(base, tenant)
    assert job.state == "failed" and job.call is not None and job.call.purpose == "test"
    assert told in job.error and told in page(tenant) and "It did not work." in page(tenant)


def test_a_server_that_is_not_there_is_a_failure_with_its_host(
    tenant: User, base: KnowledgeBase, settings: Settings, serve: Serve
) -> None:
    serve("good")
    with ScriptedLLM("good") as gone:
        settings.LLM_BASE_URL = gone.base_url
    job = try_out(base, tenant)
    assert job.state == "failed" and "cannot be reached" in job.error
    assert LLMCall.objects.get().outcome == "unreachable"


def test_a_limit_that_is_used_up_stops_the_test_too(
    page: Open, tenant: User, base: KnowledgeBase, serve: Serve, settings: Settings
) -> None:
    server = serve("good")
    settings.LLM_PRICES, settings.SPENDING_LIMITS = parse_prices(PRICES), {"base_day": Decimal("0.01")}
    Spent.objects.create(day=datetime.now(UTC).date(), payer=f"base:{base.pk}", amount="0.01")
    job = try_out(base, tenant)
    assert "spending limit" in job.error and job.error in page(tenant)
    assert [request.path for request in server.requests if request.path != "/v1/models"] == []


def test_a_model_that_judges_badly_is_said_to(page: Open, tenant: User, base: KnowledgeBase, serve: Serve) -> None:
    serve("good").favours = "keys of the store room"
    job = try_out(base, tenant)
    assert (job.state, job.judged, job.is_right) == ("done", 3, False)
    assert "it may judge badly" in page(tenant)


def test_a_model_that_leaves_passages_out_is_said_to(
    page: Open, tenant: User, base: KnowledgeBase, serve: Serve
) -> None:
    serve("missing-ids")
    job = try_out(base, tenant)
    assert (job.state, job.judged) == ("done", 2)
    assert "judged 2 passages" in page(tenant) and "It left the others out" in page(tenant)


# ---- clicks and workers


def test_a_second_click_is_the_same_test_and_a_later_one_is_not(
    tenant: User, base: KnowledgeBase, serve: Serve
) -> None:
    serve("good")

    def ask(_: int) -> str:
        try:
            return str(ask_for_test(tenant, base).pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        asked = set(pool.map(ask, range(4)))
    assert len(asked) == ModelTest.objects.count() == 1
    assert str(try_out(base, tenant).pk) in asked
    carry_out_test(asked.pop())
    assert LLMCall.objects.count() == 1, "a task that arrives twice"
    ModelTest.objects.update(created_at=timezone.now() + timedelta(minutes=1))  # the machine may stand still here
    assert ask_for_test(tenant, base).state == "done", "within seconds the outcome is shown"
    ModelTest.objects.update(created_at=timezone.now() - timedelta(seconds=11))
    assert ask_for_test(tenant, base).state == "queued"


def test_the_part_that_follows_the_test_loads_the_page_at_its_end(tenant: User, base: KnowledgeBase) -> None:
    client, address, live = client_of(tenant), f"/bases/{base.pk}/model/", {"HX-Request": "true"}
    assert client.get(address, headers=live).headers["HX-Refresh"] == "true", "there was no test"
    job = ModelTest.objects.create(base=base, by=tenant, state="running")
    part = client.get(address, headers=live).content.decode()
    assert "The model is judging three passages" in part and "<html" not in part
    ModelTest.objects.filter(pk=job.pk).update(state="done")
    assert client.get(address, headers=live).headers["HX-Refresh"] == "true"


@pytest.mark.usefixtures("at_once")
def test_a_test_whose_workers_die_is_handed_on_and_ends(
    page: Open, tenant: User, base: KnowledgeBase, serve: Serve, settings: Settings
) -> None:
    serve("good")
    ModelTest.objects.create(base=base, by=tenant, state="running", lease_owner="gone", attempts=1)
    tasks.sweep()
    assert (ModelTest.objects.get().state, ModelTest.objects.get().attempts) == ("done", 2)
    ModelTest.objects.update(state="running", lease_owner="gone", attempts=settings.ATTEMPTS_MAX, heartbeat_at=None)
    tasks.sweep()
    assert ModelTest.objects.get().state == "failed" and "The worker stopped several times" in page(tenant)


def test_it_is_not_done_for_who_owns_the_base_no_longer(tenant: User, base: KnowledgeBase, serve: Serve) -> None:
    server = serve("good")
    job = ask_for_test(tenant, base)
    other = User.objects.create_user("other@example.org", "a long pass phrase")
    set_role(base, other, "owner")
    Membership.objects.filter(user=tenant, base=base).update(role="editor")
    carry_out_test(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", "This base is no longer yours.")
    assert LLMCall.objects.count() == 0 and server.requests == []
