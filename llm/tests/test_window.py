"""The window of the model, from the setting or from what servers print with their list of models."""

from typing import Any

import pytest
from pytest_django import Settings

from llm.conftest import Serve
from llm.window import Window, find_window, read_window

ROWS: dict[str, tuple[dict[str, Any], int | None]] = {
    "vllm": ({"max_model_len": 8192}, 8192),
    "lm studio": ({"max_context_length": 131_072, "loaded_context_length": 4096}, 4096),
    "gateway": ({"context_length": 32_768}, 32_768),
    "groq": ({"context_window": 131_072}, 131_072),
    "llama.cpp": ({"meta": {"n_vocab": 32_000, "n_ctx_train": 8192}}, 8192),
    "llama.cpp, newer": ({"meta": {"n_ctx": 8192, "n_ctx_train": 131_072}}, 8192),
    "says nothing": ({}, None),
    "nonsense": ({"max_model_len": "many", "context_length": True, "context_window": -1, "meta": []}, None),
}


@pytest.mark.parametrize(("told", "tokens"), ROWS.values(), ids=ROWS)
def test_it_is_read_from_what_servers_print(told: dict[str, Any], tokens: int | None) -> None:
    listed = {"data": [{"id": "other", "context_length": 99}, {"id": "mine", **told}]}
    assert find_window(listed, "mine") == tokens


def test_the_only_model_counts_under_any_name_and_one_of_several_does_not() -> None:
    rows = [{"id": "a", "context_length": 5000}, {"id": "b", "context_length": 6000}]
    assert find_window({"data": rows[:1]}, "mine") == 5000 and find_window({"data": rows}, "mine") is None


@pytest.mark.parametrize("listed", [None, [], {}, {"data": None}, {"data": "x"}, {"data": [1, None]}, 7])
def test_what_is_no_list_says_nothing(listed: Any) -> None:
    assert find_window(listed, "mine") is None


def test_the_server_is_asked_once_and_the_setting_wins(serve: Serve, settings: Settings) -> None:
    server = serve()
    server.told = {"max_model_len": 8192}
    assert read_window() == read_window() == Window(8192) and server.lists == 1
    settings.LLM_CONTEXT_TOKENS = 32_000
    assert read_window() == Window(32_000) and server.lists == 1


def test_the_smallest_of_the_models_counts(serve: Serve, settings: Settings) -> None:
    server = serve()
    server.told = {"id": "scripted-model", "context_length": 8192}
    settings.LLM_MODEL_HARD = "hard-model"
    assert read_window() == Window(8192)


@pytest.mark.parametrize("status", [404, 500])
def test_a_server_without_a_list_has_a_window_nobody_knows(serve: Serve, status: int) -> None:
    serve().models_status = status
    assert read_window() == Window() and not Window().is_small


def test_nobody_is_asked_without_a_server_of_ones_own(serve: Serve, settings: Settings) -> None:
    server = serve()
    settings.LLM_BASE_URL = ""
    assert read_window() == Window() and server.lists == 0


@pytest.mark.parametrize(("tokens", "request_tokens"), [(8000, 5600), (8192, 5734), (4096, 2867)])
def test_a_request_leaves_room_for_the_reply(tokens: int, request_tokens: int) -> None:
    assert Window(tokens).is_small and Window(tokens).request_tokens == request_tokens
    assert not Window(16_000).is_small


@pytest.mark.parametrize(
    ("tokens", "usual", "beside", "room"),
    [
        (None, 56_000, 9_000, 56_000),
        (128_000, 56_000, 9_000, 56_000),
        (20_000, 56_000, 9_000, 33_000),
        (16_000, 200_000, 6_000, 27_600),
        (1_000, 56_000, 9_000, 0),
    ],
)
def test_a_request_has_at_most_seventy_per_cent_of_the_window(
    tokens: int | None, usual: int, beside: int, room: int
) -> None:
    """Whatever the usual size of a request is (R111)."""
    assert Window(tokens).room_for(usual, beside) == room
