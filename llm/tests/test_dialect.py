"""Both dialects as values: what each server is sent, what its refusals mean, and that no reply breaks a reader."""

import copy
import json
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import httpx2
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.dialect import (
    CAPABILITIES,
    CHAT,
    CUT_PROMPT_MIN,
    OPTIONAL_PARAMETERS,
    PATHS,
    RESPONSES,
    Ask,
    Lacks,
    Reply,
    StreamReader,
    api_of,
    format_of,
    is_filtered,
    is_too_long,
    missing_capability,
    read_reply,
    value_at,
    was_prompt_cut,
    write_request,
)

SCHEMA = {"type": "object", "properties": {"größe": {"type": "integer"}}, "required": ["größe"]}
JUDGE = Ask("m-1", "Judge.", "Is it <b>so</b>?", SCHEMA)
WRITE = Ask("m-1", "Write.", "What is the rent?")

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["output", "content", "type", "text", "usage", "choices", "message", "status", "error", "id", "delta"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def all_lacks() -> Iterator[Lacks]:
    for count in range(len(CAPABILITIES) + 1):
        yield from map(frozenset, combinations(CAPABILITIES, count))


def refused(status: int, error: dict[str, Any] | str | None = None) -> openai.APIStatusError:
    """The error the SDK makes of a server's refusal."""
    body = {"error": error} if isinstance(error, dict) else error
    raw = json.dumps(body) if isinstance(body, dict) else str(body or "")
    response = httpx2.Response(status, text=raw, request=httpx2.Request("POST", "http://server/v1"))
    client = openai.OpenAI(api_key="k", base_url="http://server/v1")
    return client._make_status_error_from_response(response)


# ---- writing


@pytest.mark.parametrize(
    ("lacks", "api", "form"),
    [
        ((), RESPONSES, "json_schema"),
        (("temperature", "store"), RESPONSES, "json_schema"),
        (("json_schema", "json_object"), RESPONSES, "json_schema"),
        ((RESPONSES,), CHAT, "json_schema"),
        ((RESPONSES, "json_object"), CHAT, "json_schema"),
        ((RESPONSES, "json_schema"), CHAT, "json_object"),
        ((RESPONSES, "json_schema", "json_object"), CHAT, "text"),
    ],
)
def test_the_strictest_form_that_is_left_is_asked_for(lacks: tuple[str, ...], api: str, form: str) -> None:
    assert (api_of(frozenset(lacks)), format_of(JUDGE, frozenset(lacks))) == (api, form)
    assert format_of(WRITE, frozenset(lacks)) == "text" and PATHS[api].startswith("/")


@pytest.mark.parametrize("ask", [JUDGE, WRITE], ids=["judge", "write"])
def test_whatever_a_server_lacks_it_gets_the_whole_question_and_nothing_it_lacks(ask: Ask) -> None:
    for lacks in all_lacks():
        body = write_request(ask, lacks)
        told = json.dumps(body, ensure_ascii=False)
        assert not set(body) & lacks & set(OPTIONAL_PARAMETERS)
        assert body["model"] == "m-1" and json.dumps(ask.prompt)[1:-1] in told and ask.instructions in told
        assert ("größe" in told) is (ask is JUDGE), "the schema goes along in one form or the other"
        assert body.get("stream", False) is (ask is WRITE)
        is_chat = api_of(lacks) == CHAT
        assert ("messages" in body, "input" in body) == (is_chat, not is_chat)


def test_each_form_of_the_reply_is_written_as_its_api_wants_it() -> None:
    whole = write_request(JUDGE, frozenset())
    assert whole["text"] == {
        "format": {"type": "json_schema", "name": "reply", "strict": True, "schema": SCHEMA},
    }
    assert whole["store"] is False and whole["temperature"] == 0 and whole["instructions"] == "Judge."
    chat = write_request(JUDGE, frozenset({RESPONSES}))
    assert chat["response_format"]["json_schema"] == {"name": "reply", "strict": True, "schema": SCHEMA}
    assert [message["role"] for message in chat["messages"]] == ["system", "user"] and "store" not in chat
    mode = write_request(JUDGE, frozenset({RESPONSES, "json_schema"}))
    assert mode["response_format"] == {"type": "json_object"}
    plain = write_request(JUDGE, frozenset({RESPONSES, "json_schema", "json_object"}))
    assert "response_format" not in plain
    for body in (mode, plain):
        system = body["messages"][0]["content"]
        assert system.startswith("Judge.\n\n") and json.loads(system.split("schema:\n")[1]) == SCHEMA


def test_a_stream_of_completions_asks_for_its_figures() -> None:
    assert write_request(WRITE, frozenset({RESPONSES}))["stream_options"] == {"include_usage": True}
    assert "stream_options" not in write_request(WRITE, frozenset())


def test_writing_leaves_the_question_as_it_was() -> None:
    before = copy.deepcopy(JUDGE)
    for lacks in all_lacks():
        write_request(JUDGE, lacks)["model"] = "changed"
    assert before == JUDGE


# ---- what a refusal says


@pytest.mark.parametrize(
    ("status", "error", "lacks", "missing"),
    [
        (404, None, (), RESPONSES),
        (405, "Method Not Allowed", (), RESPONSES),
        (501, None, (), RESPONSES),
        (404, None, (RESPONSES,), None),
        (404, {"message": "No such model", "code": "model_not_found"}, (), None),
        (400, {"message": "Unsupported parameter: 'temperature'", "param": "temperature"}, (), "temperature"),
        (422, {"message": "extra fields not permitted: store"}, (), "store"),
        (400, {"message": "stream_options is not known"}, (RESPONSES,), None),  # it was not sent
        (400, {"message": "the temperatures in the text"}, (), None),
        (400, {"message": "Unknown field 'input'"}, (), RESPONSES),
        (400, {"message": "text.format of type json_schema"}, (), RESPONSES),
        (400, {"message": "response_format not supported"}, (RESPONSES,), "json_schema"),
        (400, {"message": "bad grammar"}, (RESPONSES,), "json_schema"),
        (400, {"message": "unrecognised response_format"}, (RESPONSES, "json_schema"), "json_object"),
        (400, {"message": "schema"}, (RESPONSES, "json_schema", "json_object"), None),
        (400, {"message": "This is not to our liking."}, (), None),
        (400, {"message": "schema: the maximum context length is 4096"}, (), None),
        (400, {"message": "unsupported", "code": "content_filter"}, (), None),
        (401, {"message": "Unsupported key"}, (), None),
        (429, {"message": "Unsupported rate"}, (), None),
        (500, {"message": "Unknown temperature"}, (), None),
        (400, None, (), None),
    ],
)
def test_a_refusal_names_at_most_one_thing_a_server_lacks(
    status: int, error: Any, lacks: tuple[str, ...], missing: str | None
) -> None:
    known = frozenset(lacks)
    request = write_request(JUDGE, known)
    assert missing_capability(refused(status, error), request, JUDGE, known) == missing


def test_a_refusing_server_is_asked_a_limited_number_of_times() -> None:
    """Each thing it lacks is found out once, whatever it says; then its refusal stands."""
    told = " ".join((*OPTIONAL_PARAMETERS, "response_format unsupported"))
    for ask in (JUDGE, WRITE):
        lacks: Lacks = frozenset()
        for _ in range(len(CAPABILITIES) + 1):
            found = missing_capability(refused(400, {"message": told}), write_request(ask, lacks), ask, lacks)
            if found is None:
                break
            assert found not in lacks
            lacks |= {found}
        else:
            pytest.fail("it would ask for ever")


@pytest.mark.parametrize(
    ("error", "is_long"),
    [
        ({"message": "x", "code": "context_length_exceeded"}, True),
        ({"message": "This model's maximum context length is 8192 tokens."}, True),
        ({"message": "the request exceeds the available context size"}, True),
        ({"message": "Prompt is too long: 9 > 8"}, True),
        ({"message": "too many tokens"}, True),
        ({"message": "In this context nobody would ever ask for a window"}, False),
        ({"message": "too many requests"}, False),
    ],
)
def test_a_prompt_that_does_not_fit_is_told_from_other_errors(error: dict[str, Any], is_long: bool) -> None:
    assert is_too_long(refused(400, error)) is is_long


@pytest.mark.parametrize(
    ("status", "error", "expected"),
    [
        (400, {"message": "x", "code": "content_filter"}, True),
        (400, {"message": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}, True),
        (400, {"message": "x", "innererror": ["ResponsibleAIPolicyViolation"]}, False),
        (403, {"message": "x", "code": "content_filter"}, False),
        (400, "content_filter", False),
    ],
)
def test_a_content_filter_is_recognised_by_its_code(status: int, error: Any, expected: bool) -> None:
    assert is_filtered(refused(status, error)) is expected


@pytest.mark.parametrize(
    ("characters", "tokens", "is_cut"),
    [
        (CUT_PROMPT_MIN, 1, False),
        (CUT_PROMPT_MIN + 1, 1, True),
        (CUT_PROMPT_MIN + 1, 0, True),
        (CUT_PROMPT_MIN + 1, None, False),
        (16_000, 2_000, False),
        (16_001, 2_000, True),
        (100, 0, False),
    ],
)
def test_a_prompt_was_cut_when_far_too_few_tokens_were_counted(
    characters: int, tokens: int | None, is_cut: bool
) -> None:
    ask = Ask("m", "i" * (characters // 2), "p" * (characters - characters // 2))
    assert was_prompt_cut(ask, Reply(tokens_in=tokens)) is is_cut


# ---- reading


@pytest.mark.parametrize(
    ("value", "path", "found"),
    [
        ({"a": [{"b": 1}]}, ("a", 0, "b"), 1),
        ({"a": [1, 2]}, ("a", -1), 2),
        ({"a": [1, 2]}, ("a", -3), None),
        ({"a": [1, 2]}, ("a", 2), None),
        ({"0": 1}, (0,), None),
        (["a"], ("0",), None),
        ("text", (0,), None),
        (None, ("a",), None),
        ({"a": None}, ("a", "b"), None),
        (7, (), 7),
    ],
)
def test_a_path_leads_to_its_value_or_to_nothing(value: Any, path: tuple[Any, ...], found: Any) -> None:
    assert value_at(value, *path) == found


def message(*contents: Any) -> dict[str, Any]:
    return {"type": "message", "content": list(contents)}


def text(said: Any) -> dict[str, Any]:
    return {"type": "output_text", "text": said}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"status": "completed", "output": [message(text("a"), text("b")), message(text("c"))]}, {"text": "abc"}),
        ({"output": [{"type": "reasoning", "content": [text("hidden")]}, message(text("seen"))]}, {"text": "seen"}),
        ({"output": [message({"type": "refusal", "refusal": "No."})]}, {"refusal": "No.", "is_refused": True}),
        ({"output": [message(text(7), text(None), text("\x00a\ud800"))]}, {"text": "a?"}),
        ({"output": [message("bare", None, 3)]}, {"text": ""}),
        ({"status": "incomplete", "output": []}, {"finish_reason": "incomplete", "is_cut": True}),
        (
            {"status": "incomplete", "output": [], "incomplete_details": {"reason": "content_filter"}},
            {"finish_reason": "content_filter", "is_refused": True, "is_cut": False},
        ),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            {"finish_reason": "max_output_tokens", "is_cut": True},
        ),
        ({"status": "failed", "error": {"message": "It broke"}}, {"server_error": "It broke"}),
        ({"status": "failed", "error": None}, {"server_error": "failed"}),
        ({"status": "completed", "error": {"message": "left over"}}, {"server_error": ""}),
        ({"status": "completed", "usage": {"input_tokens": 7, "output_tokens": 0}}, {"tokens_in": 7, "tokens_out": 0}),
        ({"status": "completed", "usage": {"input_tokens": -1}}, {"tokens_in": None}),
        ({"status": "completed", "usage": {"input_tokens": True}}, {"tokens_in": None}),
        ({"status": "completed", "usage": {"input_tokens": 2**31}}, {"tokens_in": None}),
        ({"status": "completed", "usage": {"input_tokens": "7"}}, {"tokens_in": None}),
        ({"status": "completed", "usage": {"input_tokens_details": {"cached_tokens": 5}}}, {"tokens_cached": 5}),
        ({"status": "completed", "model": "m" * 999, "id": ["no"]}, {"model": "m" * 200, "response_id": ""}),
        # A hostile or broken server: the right names with values of another kind.
        ({"status": "completed", "output": 5}, {"text": ""}),
        ({"status": "completed", "output": {"type": "message"}}, {"text": ""}),
        ({"output": [{"type": "message", "content": 5}]}, {"text": ""}),
        ({"output": [{"type": "message", "content": True}]}, {"text": ""}),
        ({"status": ["completed"]}, {"finish_reason": ""}),
    ],
)
def test_a_response_is_read_as_far_as_it_can_be(body: Any, expected: dict[str, Any]) -> None:
    reply = read_reply(RESPONSES, body)
    assert reply is not None
    assert {name: getattr(reply, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}, {"text": "a", "is_cut": False}),
        ({"choices": [{"message": {"content": None, "refusal": "No."}}]}, {"text": "", "is_refused": True}),
        ({"choices": [{"message": {"content": [{"text": "a"}]}}]}, {"text": ""}),
        ({"choices": [{"finish_reason": "length"}]}, {"is_cut": True}),
        ({"choices": [{"finish_reason": "content_filter"}]}, {"is_refused": True}),
        ({"choices": ["what"]}, {"text": "", "finish_reason": ""}),
        ({"choices": [{}], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}, {"tokens_in": 3, "tokens_out": 4}),
        ({"choices": [{}], "usage": [1]}, {"tokens_in": None}),
    ],
)
def test_a_completion_is_read_as_far_as_it_can_be(body: Any, expected: dict[str, Any]) -> None:
    reply = read_reply(CHAT, body)
    assert reply is not None
    assert {name: getattr(reply, name) for name in expected} == expected


@pytest.mark.parametrize("body", [None, [], "text", 7, {}, {"output": "text"}, {"choices": []}, {"choices": {"0": 1}}])
@pytest.mark.parametrize("api", [RESPONSES, CHAT])
def test_what_is_no_reply_of_the_api_is_none(api: str, body: Any) -> None:
    assert read_reply(api, body) is None


def test_a_reply_of_the_other_api_is_none() -> None:
    assert read_reply(CHAT, {"status": "completed", "output": [message(text("a"))]}) is None
    assert read_reply(RESPONSES, {"choices": [{"message": {"content": "a"}}]}) is None


@pytest.mark.parametrize("api", [RESPONSES, CHAT])
@given(body=ANY_JSON)
def test_no_json_breaks_the_reader(api: str, body: Any) -> None:
    reply = read_reply(api, body)
    assert reply is None or isinstance(reply.text, str)


@pytest.mark.parametrize("api", [RESPONSES, CHAT])
@given(events=st.lists(ANY_JSON, max_size=5))
def test_no_event_breaks_a_stream(api: str, events: list[Any]) -> None:
    reader = StreamReader(api)
    pieces = [reader.feed(event) for event in events]
    assert reader.reply.text == "".join(pieces) and reader.events == len(events)


def test_a_stream_of_responses_remembers_the_model_before_it_ends() -> None:
    reader = StreamReader(RESPONSES)
    reader.feed({"type": "response.created", "response": {"model": "m-2", "id": "r-1", "status": "in_progress"}})
    assert (reader.reply.model, reader.reply.finish_reason, reader.is_complete) == ("m-2", "", False)
    assert reader.feed({"type": "response.output_text.delta", "delta": "The "}) == "The "
    assert reader.feed({"type": "response.reasoning.delta", "delta": "Hm."}) == ""
    assert reader.feed({"type": "response.output_text.delta", "delta": "rent."}) == "rent."
    ended = {"status": "completed", "output": [message(text("The rent."))], "usage": {"input_tokens": 9}}
    assert reader.feed({"type": "response.completed", "response": ended}) == "", "the text is not repeated"
    reply = reader.reply
    assert (reply.text, reply.model, reply.response_id, reply.tokens_in) == ("The rent.", "m-2", "r-1", 9)
    assert reader.is_complete and reply.finish_reason == "completed"


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"type": "response.refusal.delta", "delta": "No."}, {"refusal": "No.", "is_refused": True}),
        ({"type": "error", "message": "It broke"}, {"server_error": "It broke"}),
        ({"type": "error"}, {"server_error": "error"}),
        ({"type": "response.failed", "response": {"status": "failed"}}, {"server_error": "failed"}),
        ({"type": "response.completed", "response": {"output": 5, "status": "completed"}}, {"text": ""}),
        ({"type": "response.incomplete", "response": {"status": "incomplete"}}, {"is_cut": True}),
    ],
)
def test_an_event_of_a_response_is_noted(event: dict[str, Any], expected: dict[str, Any]) -> None:
    reader = StreamReader(RESPONSES)
    assert reader.feed(event) == ""
    assert {name: getattr(reader.reply, name) for name in expected} == expected


def test_figures_that_come_after_the_end_of_a_completion_are_kept_with_it() -> None:
    reader = StreamReader(CHAT)
    reader.feed({"model": "m-2", "choices": [{"delta": {"content": "Yes"}}]})
    states = [reader.is_complete]
    reader.feed({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    reader.feed({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}})
    reply = reader.reply
    assert [*states, reader.is_complete] == [False, True]
    assert (reply.text, reply.finish_reason, reply.tokens_in) == ("Yes", "stop", 5)
