"""The stored exchange: complete, readable back, and not to be changed."""

from dataclasses import fields, replace
from datetime import UTC, datetime

import pytest
from django.db import DatabaseError, connection, transaction

from llm.exchange import Exchange, request_digest
from llm.models import LLMCall

pytestmark = pytest.mark.django_db

REQUEST = {"model": "m", "input": "Größe – 12 €", "temperature": 0, "text": {"format": {"b": 1, "a": 2}}}
EXCHANGE = Exchange(
    purpose="arbiter",
    host="models.example",
    api="responses",
    model="m",
    prompt_name="arbiter",
    prompt_version="1",
    parameters={"temperature": 0},
    request=REQUEST,
    request_sha256=request_digest(REQUEST),
    started_at=datetime(2026, 11, 20, tzinfo=UTC),
    latency_ms=812,
    attempts=1,
    outcome="ok",
    raw_reply='{"verdicts": []}',
    tokens_in=1200,
)


def test_it_stores_every_field_of_an_exchange() -> None:
    call = LLMCall.objects.get(pk=LLMCall.objects.record(EXCHANGE).pk)
    assert Exchange(**{field.name: getattr(call, field.name) for field in fields(Exchange)}) == EXCHANGE


def test_a_stored_request_proves_itself() -> None:
    call = LLMCall.objects.get(pk=LLMCall.objects.record(EXCHANGE).pk)
    assert request_digest(call.request) == call.request_sha256


def test_it_stores_failures_too() -> None:
    call = LLMCall.objects.record(replace(EXCHANGE, outcome="timeout", error="Too late.", raw_reply="", tokens_in=None))
    assert str(call) == "arbiter by m: timeout"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE llm_llmcall SET outcome = 'ok'",
        "DELETE FROM llm_llmcall",
        "TRUNCATE llm_llmcall CASCADE",
    ],
)
def test_the_database_refuses_to_change_it(statement: str) -> None:
    LLMCall.objects.record(EXCHANGE)
    with pytest.raises(DatabaseError, match="Cannot"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert LLMCall.objects.get().outcome == "ok"
