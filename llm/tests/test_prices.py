"""Prices are read strictly, costs are exact, and every recorded call is charged by the list of its day."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from llm.models import Charge, LLMCall
from llm.prices import parse_prices
from llm.tests.test_models import EXCHANGE

LISTED = '{"m": {"in": "0.25", "cached": "0.025", "out": 2}}'


@pytest.mark.parametrize(
    ("tokens", "cost"),
    [((1_000_000, 0, 0), "0.25"), ((1200, 300, 200), "0.000855"), ((10, 0, 50), "0.00000025"), ((0, 1, 0), "0.000002")],
)
def test_it_counts_sent_cached_and_received_tokens(tokens: tuple[int, int, int], cost: str) -> None:
    sent, received, cached = tokens
    assert parse_prices(LISTED)["m"].cost(sent, received, cached) == Decimal(cost)


def test_cached_tokens_cost_as_much_as_others_where_no_price_says_less() -> None:
    assert parse_prices('{"m": {"in": 1, "out": 1}}')["m"].cost(1_000_000, 0, 500_000) == 1


@pytest.mark.parametrize(
    "text",
    ["[]", "{", '{"m": 3}', '{"m": {"in": 1}}', '{"m": {"in": -1, "out": 1}}', '{"m": {"in": "NaN", "out": 1}}']
    + ['{"m": {"in": "much", "out": 1}}', '{"m": {"in": 1, "out": 1, "per": 2}}'],
)
def test_it_refuses_a_list_it_does_not_understand(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_prices(text)


@pytest.mark.django_db
def test_a_call_is_charged_by_the_list_of_its_day(settings: Any) -> None:
    settings.LLM_PRICES = parse_prices(LISTED)
    call = LLMCall.objects.record(replace(EXCHANGE, tokens_in=1200, tokens_out=300, tokens_cached=200))
    settings.LLM_PRICES = parse_prices('{"m": {"in": 100, "out": 100}}')
    assert str(Charge.objects.get(call=call)) == "0.000855 USD"
    assert LLMCall.objects.cost() == (Decimal("0.000855"), 0)


@pytest.mark.django_db
@pytest.mark.parametrize("change", [{"model": "other"}, {"tokens_out": None}])
def test_what_has_no_price_is_not_priced(settings: Any, change: dict[str, Any]) -> None:
    settings.LLM_PRICES = parse_prices(LISTED)
    LLMCall.objects.record(replace(EXCHANGE, **({"tokens_out": 3} | change)))
    assert LLMCall.objects.cost() == (None, 1)


@pytest.mark.django_db
def test_the_database_refuses_to_change_a_charge(settings: Any) -> None:
    settings.LLM_PRICES = parse_prices(LISTED)
    LLMCall.objects.record(replace(EXCHANGE, tokens_out=3))
    with pytest.raises(DatabaseError, match="Cannot"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE llm_charge SET amount = 0")
