"""The scripted server speaks the protocol that the SDK's own typed interface understands."""

from collections.abc import Iterator

import pytest
from openai import OpenAI

from tests.scripted_llm import BEHAVIOURS, ScriptedLLM

ANSWER = "The document says: Revenue was 12 million. [1]."
PROMPT = '<excerpt number="1">Revenue was 12 million.</excerpt><question>What revenue?</question>'
MESSAGES = [{"role": "user", "content": PROMPT}]


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        yield server


@pytest.fixture
def sdk(server: ScriptedLLM) -> Iterator[OpenAI]:
    with OpenAI(base_url=server.base_url, api_key="k", max_retries=0) as sdk:
        yield sdk


def test_it_answers_as_the_responses_api(sdk: OpenAI) -> None:
    response = sdk.responses.create(model="m", input=PROMPT)
    assert response.output_text == ANSWER and response.status == "completed"
    assert response.usage and response.usage.input_tokens_details.cached_tokens == 1024


def test_it_streams_as_the_responses_api(sdk: OpenAI) -> None:
    events = list(sdk.responses.create(model="m", input=PROMPT, stream=True))
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == ANSWER
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert events[-1].type == "response.completed" and events[-1].response.output_text == ANSWER


def test_it_answers_as_chat_completions(sdk: OpenAI) -> None:
    completion = sdk.chat.completions.create(model="m", messages=MESSAGES)  # type: ignore[arg-type]
    assert completion.choices[0].message.content == ANSWER and completion.choices[0].finish_reason == "stop"


def test_it_streams_as_chat_completions(sdk: OpenAI) -> None:
    options = {"include_usage": True}
    chunks = list(sdk.chat.completions.create(model="m", messages=MESSAGES, stream=True, stream_options=options))  # type: ignore[call-overload]
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == ANSWER
    assert chunks[-1].usage.prompt_tokens == 1200


def test_it_lists_its_models(sdk: OpenAI) -> None:
    assert [model.id for model in sdk.models.list()] == ["good"]


def test_it_behaves_by_the_name_of_the_model_and_records_requests(sdk: OpenAI, server: ScriptedLLM) -> None:
    assert sdk.responses.create(model="prose", input=PROMPT).output_text.endswith("weather.")
    assert server.requests[0].behaviour == "prose" and server.requests[0].body["input"] == PROMPT


def test_it_refuses_a_behaviour_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="there are: good"):
        ScriptedLLM("well-behaved")
    assert len(BEHAVIOURS) > 40
