"""From a model's text to a checked reply."""

import json
from typing import Literal

import pydantic
import pytest

from llm.reply import ReasoningFilter, ReplyError, parse_reply, strict_schema


class Part(pydantic.BaseModel):
    title: str = "none"
    kind: Literal["a", "b"] = "a"


class Form(pydantic.BaseModel):
    """A reply whose every field has a default: the hardest to tell from a fragment."""

    name: str = ""
    parts: list[Part] = []
    default: Part | None = None


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "x"}',
        '  {"name": "x"}  ',
        '```json\n{"name": "x"}\n```',
        'Sure:\n{"name": "x"}\nBye.',
        'With {braces} before:\n{"name": "x"}',
        '<think>{"name": "y"}</think>{"name": "x"}',
        '<THINK>\nhm\n</THINK>\n<reasoning>more</reasoning>\n{"name": "x"}',
        'swallowed opening tag</think>\n{"name": "x"}',
        '{"name": "x"}\n{"name": "y"}',
        '{"name": "x", "surplus": 1}',
        '{"name": "x",}',
        '```json\n{"parts": [{"title": "a, b", "kind": "b",},\n],\n"name": "x",\n}\n```',
    ],
)
def test_it_finds_the_object(text: str) -> None:
    assert parse_reply(text, Form).name == "x"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("<think>still thinking", "no JSON object"),
        ("No.", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ('{"name": "x', "cut off"),
        ('{"name": "x", "parts": [{"title": "t"}', "cut off"),
        ('{\n  "name": "x",\n  "parts": [\n    {\n      "title": "t"\n    },', "cut off"),
        ('{"parts": [{"kind": "z"}]}', "parts.0.kind"),
        ('{"name": ' + "[" * 50_000, "cut off"),
        ('{"name": ' + "9" * 5_000 + "}", "cut off"),
    ],
)
def test_it_says_what_is_wrong(text: str, told: str) -> None:
    with pytest.raises(ReplyError, match=told):
        parse_reply(text, Form)


def test_a_comma_in_a_string_stays() -> None:
    read = parse_reply('{"name": "x,] and \\",} too", "parts": [{"title": ",}"},],}', Form)
    assert (read.name, read.parts[0].title) == ('x,] and ",} too', ",}")


def test_it_takes_out_what_a_database_refuses() -> None:
    reply = parse_reply(r'{"name": "a\u0000b\ud800", "parts": [{"title": "\u0000"}]}', Form)
    assert (reply.name, reply.parts[0].title) == ("ab?", "")


def test_its_strict_schema_requires_everything_and_allows_nothing_else() -> None:
    schema = strict_schema(Form)
    assert schema["required"] == ["name", "parts", "default"] and schema["additionalProperties"] is False
    assert schema["$defs"]["Part"]["required"] == ["title", "kind"]
    assert list(schema["$defs"]["Part"]["properties"]) == ["title", "kind"]
    assert '"default": "none"' not in json.dumps(schema)


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["Hello ", "world"], "Hello world"),
        (["<th", "ink>secret", "</thi", "nk>\n\n", "Hello"], "Hello"),
        (["<think>a</think>", "<think>b</think>", "Hello"], "Hello"),
        (["<", "b>bold"], "<b>bold"),
        (["\n ", "Hello"], "Hello"),
        (["Hello <think>", "x"], "Hello <think>x"),
        (["<think>never closed"], ""),
        (["<thi"], "<thi"),
        ([], ""),
    ],
)
def test_it_holds_back_reasoning_only(pieces: list[str], shown: str) -> None:
    visible = ReasoningFilter()
    assert "".join([*(visible.feed(piece) for piece in pieces), visible.rest()]) == shown
