"""Kinds of servers by their documented behaviour: each is recognised in few requests, then remembered."""

import pydantic
import pytest
from pytest_django import Settings

from llm import client, errors
from llm.conftest import Serve
from llm.prompts import Instructions
from llm.tests.test_client import ask, fail
from llm.tests.test_stream import ANSWER
from llm.tests.test_stream import ask as ask_stream


@pytest.mark.parametrize(
    ("behaviour", "paths", "form"),
    [
        ("ollama", ["responses", "chat/completions"], "json_schema"),
        ("vllm", ["responses", "chat/completions", "chat/completions"], "json_object"),
        ("llamacpp", ["responses", "chat/completions"], "json_schema"),
    ],
)
def test_a_server_of_its_kind_answers_and_is_remembered(
    serve: Serve, behaviour: str, paths: list[str], form: str
) -> None:
    server = serve(behaviour)
    exchange = ask().exchange
    assert server.paths == [f"/v1/{path}" for path in paths]
    assert (exchange.outcome, exchange.api, exchange.parameters["format"]) == ("ok", "chat_completions", form)
    assert ask().exchange.attempts == 1
    stream = ask_stream()
    assert "".join(stream) == ANSWER and stream.exchange.attempts == 1


def test_an_azure_address_keeps_its_version_and_sends_the_key_in_its_own_header(
    serve: Serve, settings: Settings
) -> None:
    server = serve("azure")
    settings.LLM_BASE_URL = server.azure_url
    exchange = ask().exchange
    assert (exchange.outcome, exchange.api, exchange.parameters["format"]) == ("ok", "chat_completions", "json_object")
    assert all(request.path.endswith("?api-version=2024-06-01") for request in server.requests)
    headers = server.requests[-1].headers
    assert headers["api-key"] == "sk-secret-key" and "authorization" not in headers
    assert "api-version" not in exchange.host and ask().exchange.attempts == 1
    assert "".join(ask_stream()) == ANSWER


def test_two_servers_are_remembered_apart(serve: Serve, settings: Settings) -> None:
    first = serve("vllm")
    ask()
    second = serve("good")
    assert ask().exchange.api == "responses" and len(second.requests) == 1
    settings.LLM_BASE_URL = first.base_url
    assert ask().exchange.attempts == 1


@pytest.mark.parametrize(
    ("behaviour", "kind", "told"),
    [
        ("llamacpp-too-long", errors.PromptTooLong, "context size"),
        ("vllm-too-long", errors.PromptTooLong, "4096"),
        ("ollama-no-model", errors.Rejected, "try pulling"),
        ("azure-filter", errors.Refused, "content management policy"),
        ("llamacpp-loading", errors.ServerFailed, "Loading model"),
    ],
)
def test_its_failures_are_understood(serve: Serve, behaviour: str, kind: type[errors.LLMError], told: str) -> None:
    serve(behaviour)
    error = fail()
    assert type(error) is kind and told in str(error)


class Nothing(pydantic.BaseModel):
    answerable: bool


def test_a_prompt_the_server_cut_in_silence_is_no_judgement(serve: Serve) -> None:
    """Ollama drops the beginning of a prompt that exceeds its window; only the count of tokens tells."""
    serve("cuts-prompts")
    long = "<candidate id='S1'>L1: revenue</candidate>\n" * 400
    with pytest.raises(errors.PromptTooLong) as caught:
        client.complete(
            instructions=Instructions("arbiter", "7", "Judge."),
            prompt=long,
            reply_schema=Nothing,
            purpose="arbiter",
            deadline_s=120,
        )
    assert "1200 tokens" in str(caught.value) and caught.value.exchange.raw_reply
