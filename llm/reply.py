"""From a model's text to a validated reply: strip reasoning blocks and code fences, take the first JSON object."""

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import pydantic

from llm.exchange import clean_text

ReplyT = TypeVar("ReplyT", bound=pydantic.BaseModel)

# Validation keywords that strict structured output does not always accept; we validate the reply ourselves.
_NOT_STRICT = {"default", "title", "examples", "minLength", "maxLength", "minItems", "maxItems"}

_REASONING = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
# Some chat templates omit the opening tag.
_REASONING_END = re.compile(r"\A[^{]*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
# An object starts at the first brace or at the left edge of a line: the inner object of a cut reply must not count.
_OBJECT_START = re.compile(r"^\{", re.MULTILINE)
# A comma after the last entry, as weak models write it; what stands in a string stays.
_COMMA_AT_END = re.compile(r'(?P<kept>"(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


class ReplyError(ValueError):
    """The text contains no JSON object of the requested form; the message says why."""


def parse_reply(text: str, reply_schema: type[ReplyT], put_back: Callable[[str], str] | None = None) -> ReplyT:
    """The first JSON object in a model's text, validated, with `put_back` applied to its texts. Raises ReplyError."""
    told = first_object(strip_reasoning(text))
    try:
        return reply_schema.model_validate(change_texts(told, put_back) if put_back else told)
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"]) or "the object"
        raise ReplyError(f"The reply does not follow the schema at {place}: {first['msg']}.") from error


def strip_reasoning(text: str) -> str:
    """The text without the reasoning blocks some models put before their reply."""
    while match := _REASONING.match(text):
        text = text[match.end() :]
    return _REASONING_END.sub("", text)


def first_object(text: str) -> dict[str, object]:
    """The first JSON object in a text, whatever surrounds it (a fence, a sentence, a second object)."""
    if not text.strip():
        raise ReplyError("The reply is empty.")
    first = text.find("{")
    if first < 0:
        raise ReplyError("The reply holds no JSON object.")
    for start in [first, *(match.start() for match in _OBJECT_START.finditer(text, first + 1))]:
        value = decode_at(text, start)
        if isinstance(value, dict):
            return {key: change_texts(part, clean_text) for key, part in value.items()}
    raise ReplyError("The JSON object in the reply is broken or cut off.")


def decode_at(text: str, start: int) -> Any:
    """The JSON value that begins there, read once more without commas before a closing bracket; None without one."""
    for written in (text[start:], _COMMA_AT_END.sub(lambda found: found["kept"] or "", text[start:])):
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(written)
        except (ValueError, RecursionError):
            continue
        return value
    return None


def change_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A value of JSON with each of its texts changed; keys stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [change_texts(part, change) for part in value]
    return {key: change_texts(part, change) for key, part in value.items()} if isinstance(value, dict) else value


@cache  # pydantic models are classes of the program, and writing a schema takes milliseconds
def strict_schema(reply_schema: type[pydantic.BaseModel]) -> dict[str, Any]:
    """The JSON schema of a reply in the strict form: every property required, no other allowed."""
    schema: dict[str, Any] = _strict(reply_schema.model_json_schema())
    return schema


def _strict(value: Any) -> Any:
    if isinstance(value, list):
        return [_strict(part) for part in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return {"$ref": value["$ref"]}  # strict mode allows nothing beside a reference
    result = {key: _strict(part) for key, part in value.items() if key not in _NOT_STRICT}
    for named in ("properties", "$defs"):  # here the keys are names, not keywords
        if named in value:
            result[named] = {name: _strict(part) for name, part in value[named].items()}
    if value.get("type") == "object":
        result |= {"additionalProperties": False, "required": list(value.get("properties", {}))}
    return result


class ReasoningFilter:
    """Holds back a reasoning block at the start of a streamed reply, and passes everything after it."""

    _OPENINGS = ("<think>", "<thinking>", "<reasoning>")

    def __init__(self) -> None:
        self._held: str | None = ""  # None once the actual reply has begun

    def feed(self, piece: str) -> str:
        """The text that may be shown after this piece."""
        if self._held is None:
            return piece
        self._held += piece
        proper = strip_reasoning(self._held).lstrip()
        if any(opening.startswith(proper[: len(opening)].lower()) for opening in self._OPENINGS):
            return ""  # nothing yet, the start of a tag, or an unclosed block
        self._held = None
        return proper

    def rest(self) -> str:
        """The text held back that was no reasoning block after all, once the reply is complete."""
        proper = strip_reasoning(self._held or "").lstrip()
        return "" if proper.lower().startswith(self._OPENINGS) else proper
