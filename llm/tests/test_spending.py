"""Spending limits: money is booked before a call and corrected after it; at the limit the call is not made."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from decimal import Decimal

import pytest
from django.db import connection
from pytest_django import Settings

from llm import errors
from llm.conftest import Serve
from llm.models import Spent
from llm.prices import parse_prices
from llm.spending import paid_by
from llm.tests.test_client import ask
from llm.tests.test_stream import ask as ask_stream

pytestmark = pytest.mark.django_db(transaction=True)
PRICES = '{"scripted-model": {"in": 100, "out": 100}}'


@pytest.fixture
def limited(settings: Settings) -> Callable[..., None]:
    def limit(**limits: str) -> None:
        settings.LLM_PRICES = parse_prices(PRICES)
        settings.SPENDING_LIMITS = {name: Decimal(amount) for name, amount in limits.items()}

    return limit


def counted() -> dict[str, Decimal]:
    return dict(Spent.objects.values_list("payer", "amount"))


def test_it_counts_what_a_call_cost_for_all_who_pay(serve: Serve, limited: Callable[..., None]) -> None:
    serve()
    limited(day="5", base_day="5", user_day="5")
    with paid_by(7, "b-1"):
        exchange = ask().exchange
    cost = parse_prices(PRICES)["scripted-model"].cost(
        exchange.tokens_in or 0, exchange.tokens_out or 0, exchange.tokens_cached or 0
    )
    assert cost > 0 and counted() == {"all": cost, "base:b-1": cost, "user:7": cost}


@pytest.mark.parametrize(
    ("limits", "whose"),
    [({"day": "0.1"}, "everybody"), ({"base_day": "0.1"}, "this base"), ({"user_day": "0.1"}, "one person")],
)
def test_at_the_limit_no_call_is_made_and_it_says_why(
    serve: Serve, limited: Callable[..., None], limits: dict[str, str], whose: str
) -> None:
    server = serve()
    limited(**limits)
    with paid_by(7, "b-1"):
        ask()
        before = counted()
        with pytest.raises(errors.LimitReached) as caught:
            ask()
    assert len(server.requests) == 1 and counted() == before
    assert whose in str(caught.value) and "0.1 USD" in str(caught.value) and "midnight" in str(caught.value)
    assert caught.value.exchange.outcome == "limit_reached" and caught.value.exchange.attempts == 0
    with paid_by(8, "b-2"):
        if "day" not in limits:
            assert ask().exchange.outcome == "ok"  # the limit of another


def test_a_stream_is_booked_and_settled_too(serve: Serve, limited: Callable[..., None]) -> None:
    serve()
    limited(user_day="0.1")
    with paid_by(7, ""):
        assert "".join(ask_stream())
        with pytest.raises(errors.LimitReached):
            list(ask_stream())
    assert Decimal("0.1") < counted()["user:7"] < Decimal("0.2")


def test_a_call_that_brought_nothing_costs_nothing(serve: Serve, limited: Callable[..., None]) -> None:
    serve("unauthorized")
    limited(day="1")
    with pytest.raises(errors.Rejected):
        ask()
    assert counted() == {"all": 0}


def test_fifty_calls_at_once_pass_the_limit_by_one_call_at_most(serve: Serve, limited: Callable[..., None]) -> None:
    """L9: the limit holds under a race."""
    server = serve()
    limited(day="1")

    def one(_: int) -> str:
        try:
            return ask().exchange.outcome
        except errors.LimitReached:
            return "limit_reached"
        finally:
            connection.close()

    with ThreadPoolExecutor(16) as pool:
        outcomes = list(pool.map(one, range(50)))
    cost_of_one = counted()["all"] / outcomes.count("ok")
    assert len(server.requests) == outcomes.count("ok") < 50
    assert counted()["all"] <= 1 + cost_of_one


def test_without_a_price_a_limit_cannot_be_kept_and_nothing_is_asked(
    serve: Serve, limited: Callable[..., None], settings: Settings
) -> None:
    server = serve()
    limited(day="1")
    settings.LLM_PRICES = {}
    with pytest.raises(errors.LimitReached, match="no price"):
        ask()
    assert server.requests == []


def test_without_limits_nothing_is_counted(serve: Serve) -> None:
    serve()
    copy_context().run(ask)
    assert counted() == {}
