"""The two HTTP dialects of OpenAI-compatible servers: how each writes requests and replies.

What a server lacks is a set of words from CAPABILITIES; requests use the rest. The resulting order is: Responses
with a strict schema, chat completions with a JSON schema, JSON mode, plain text (R109).
"""

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from llm.exchange import clean_text

if TYPE_CHECKING:
    import openai

Body = dict[str, Any]
Lacks = frozenset[str]

RESPONSES, CHAT = "responses", "chat_completions"
PATHS = {RESPONSES: "/responses", CHAT: "/chat/completions"}

# Sent by default, omitted where a server says it does not support them.
OPTIONAL_PARAMETERS = ("temperature", "store", "stream_options")
CAPABILITIES = (RESPONSES, "json_schema", "json_object", *OPTIONAL_PARAMETERS)

CHARACTERS_PER_TOKEN_MAX = 8  # no tokenizer packs prose or tables more densely
CUT_PROMPT_MIN = 8_000  # characters; shorter prompts fit every window

_NO_SUCH_FORM = re.compile(
    r"response_format|text\.format|json_schema|json_object|schema|grammar|structured", re.IGNORECASE
)
_UNKNOWN = re.compile(
    r"unsupported|not support(?:ed)?|unknown|unrecogni[sz]ed|not implemented|not permitted|unexpected", re.IGNORECASE
)
_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|maximum context|too many tokens|prompt is too long", re.IGNORECASE
)


@dataclass(frozen=True)
class Ask:
    """A question before any dialect; without a schema the reply is free text, streamed."""

    model: str
    instructions: str
    prompt: str
    schema: Body | None = None


@dataclass(frozen=True)
class Reply:
    """The content of a server's answer, as far as it can be read."""

    text: str = ""
    refusal: str = ""
    finish_reason: str = ""
    model: str = ""
    response_id: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    server_error: str = ""

    @property
    def is_refused(self) -> bool:
        """Whether the model declined, or a content filter stopped it."""
        return bool(self.refusal) or self.finish_reason == "content_filter"

    @property
    def is_cut(self) -> bool:
        """Whether the reply reached a length limit."""
        return self.finish_reason in ("length", "max_output_tokens", "max_tokens", "incomplete")


# ---- writing


def api_of(lacks: Lacks) -> str:
    return CHAT if RESPONSES in lacks else RESPONSES


def format_of(ask: Ask, lacks: Lacks) -> str:
    """The strictest reply format such a server supports: json_schema, json_object or text."""
    if ask.schema is None:
        return "text"
    if api_of(lacks) == RESPONSES:
        return "json_schema"
    return next((form for form in ("json_schema", "json_object") if form not in lacks), "text")


def form_in(request: Body) -> str:
    """The reply format that a request asks for: json_schema, json_object or text."""
    told = value_at(request, "text", "format", "type") or value_at(request, "response_format", "type")
    return told if told in ("json_schema", "json_object") else "text"


def write_request(ask: Ask, lacks: Lacks) -> Body:
    """The request body; fixed instructions come first, to use a provider's prefix cache (R110)."""
    form = format_of(ask, lacks)
    instructions = ask.instructions
    if ask.schema is not None and form != "json_schema":
        schema = json.dumps(ask.schema, ensure_ascii=False)
        instructions += f"\n\nReply with one JSON object and nothing else. It must follow this JSON schema:\n{schema}"
    body = _chat(ask, form, instructions) if api_of(lacks) == CHAT else _responses(ask, instructions)
    return {key: value for key, value in body.items() if key not in lacks}


def _responses(ask: Ask, instructions: str) -> Body:
    # store=false: otherwise the provider keeps the documents' text for weeks.
    body: Body = {
        "model": ask.model,
        "instructions": instructions,
        "input": ask.prompt,
        "temperature": 0,
        "store": False,
    }
    if ask.schema is None:
        return body | {"stream": True}
    return body | {"text": {"format": {"type": "json_schema", "name": "reply", "strict": True, "schema": ask.schema}}}


def _chat(ask: Ask, form: str, instructions: str) -> Body:
    messages = [{"role": "system", "content": instructions}, {"role": "user", "content": ask.prompt}]
    body: Body = {"model": ask.model, "messages": messages, "temperature": 0}
    if ask.schema is None:
        return body | {"stream": True, "stream_options": {"include_usage": True}}
    if form == "json_schema":
        schema = {"name": "reply", "strict": True, "schema": ask.schema}
        return body | {"response_format": {"type": "json_schema", "json_schema": schema}}
    return body | ({"response_format": {"type": "json_object"}} if form == "json_object" else {})


# ---- learning from refusals


def missing_capability(error: "openai.APIStatusError", request: Body, ask: Ask, lacks: Lacks) -> str | None:
    """What the server lacks, judging by its error; None if the error has another cause."""
    if error.status_code in (404, 405, 501):
        return RESPONSES if api_of(lacks) == RESPONSES and error.code != "model_not_found" else None
    if error.status_code not in (400, 422) or is_too_long(error) or is_filtered(error):
        return None
    told = f"{error.param or ''} {error.message}"
    for parameter in OPTIONAL_PARAMETERS:
        if parameter in request and re.search(rf"\b{parameter}\b", told):
            return parameter
    if api_of(lacks) == RESPONSES:
        return RESPONSES if _NO_SUCH_FORM.search(told) or _UNKNOWN.search(told) else None
    form = format_of(ask, lacks)
    return form if form != "text" and (_NO_SUCH_FORM.search(told) or _UNKNOWN.search(told)) else None


def is_too_long(error: "openai.APIStatusError") -> bool:
    """Whether the server says that the prompt does not fit the model's context."""
    return error.code == "context_length_exceeded" or bool(_TOO_LONG.search(error.message))


def is_filtered(error: "openai.APIStatusError") -> bool:
    """Whether a provider's content filter refused the request itself, as Azure does."""
    return error.status_code == 400 and (
        error.code == "content_filter" or value_at(error.body, "innererror", "code") == "ResponsibleAIPolicyViolation"
    )


def was_prompt_cut(ask: Ask, reply: Reply) -> bool:
    """Whether the server counted far fewer tokens than the prompt has: Ollama silently cuts the beginning."""
    characters = len(ask.instructions) + len(ask.prompt)
    is_long = characters > CUT_PROMPT_MIN and reply.tokens_in is not None
    return is_long and (reply.tokens_in or 0) * CHARACTERS_PER_TOKEN_MAX < characters


# ---- reading


def value_at(value: object, *path: str | int) -> Any:
    """The value at a path into parsed JSON, None if any step is missing or of another type."""
    for step in path:
        if isinstance(step, str) and isinstance(value, dict):
            value = value.get(step)
        elif isinstance(step, int) and isinstance(value, list) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def read_reply(api: str, body: object) -> Reply | None:
    """The reply in a server's body; None if it is not of that API."""
    if api == RESPONSES:
        return _read_response(body) if isinstance(value_at(body, "output"), list) or value_at(body, "status") else None
    return _read_completion(body) if value_at(body, "choices", 0) is not None else None


def _read_response(body: object) -> Reply:
    contents = [
        content
        for output in _items(value_at(body, "output"))
        if value_at(output, "type") == "message"
        for content in _items(value_at(output, "content"))
    ]
    status = _word_at(body, "status")
    usage = value_at(body, "usage")
    return Reply(
        text="".join(_text_at(content, "text") for content in contents if value_at(content, "type") == "output_text"),
        refusal="".join(_text_at(content, "refusal") for content in contents if value_at(content, "type") == "refusal"),
        finish_reason=_word_at(body, "incomplete_details", "reason") or status,
        model=_word_at(body, "model"),
        response_id=_word_at(body, "id"),
        tokens_in=count_of(value_at(usage, "input_tokens")),
        tokens_out=count_of(value_at(usage, "output_tokens")),
        tokens_cached=count_of(value_at(usage, "input_tokens_details", "cached_tokens")),
        server_error=_text_at(body, "error", "message") or status if status == "failed" else "",
    )


def _read_completion(body: object) -> Reply:
    usage = value_at(body, "usage")
    return Reply(
        text=_text_at(body, "choices", 0, "message", "content"),
        refusal=_text_at(body, "choices", 0, "message", "refusal"),
        finish_reason=_word_at(body, "choices", 0, "finish_reason"),
        model=_word_at(body, "model"),
        response_id=_word_at(body, "id"),
        tokens_in=count_of(value_at(usage, "prompt_tokens")),
        tokens_out=count_of(value_at(usage, "completion_tokens")),
        tokens_cached=count_of(value_at(usage, "prompt_tokens_details", "cached_tokens")),
    )


class StreamReader:
    """Collects the events of a streamed reply; `feed` returns the new text, `reply` everything so far."""

    def __init__(self, api: str) -> None:
        self._feed = self._feed_response if api == RESPONSES else self._feed_completion
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._told: dict[str, Any] = {}
        self.is_complete = False
        self.events = 0

    def feed(self, event: object) -> str:
        """The piece of text in one event, or nothing."""
        self.events += 1
        piece = self._feed(event)
        self._text.append(piece)
        return piece

    @property
    def reply(self) -> Reply:
        return Reply(**(self._told | {"text": "".join(self._text), "refusal": "".join(self._refusal)}))

    def _feed_response(self, event: object) -> str:
        kind = value_at(event, "type")
        if kind == "response.output_text.delta":
            return _text_at(event, "delta")
        if kind == "response.refusal.delta":
            self._refusal.append(_text_at(event, "delta"))
        elif kind == "response.created":  # so that even a stopped stream names its model
            self._remember(replace(_read_response(value_at(event, "response")), finish_reason=""))
        elif kind in ("response.completed", "response.incomplete", "response.failed"):
            self.is_complete = True
            self._remember(_read_response(value_at(event, "response")))
        elif kind == "error":
            self._told["server_error"] = _text_at(event, "message") or "error"
        return ""

    def _feed_completion(self, event: object) -> str:
        self._remember(_read_completion(event))
        self._refusal.append(_text_at(event, "choices", 0, "delta", "refusal"))
        self.is_complete = self.is_complete or bool(self._told.get("finish_reason"))
        return _text_at(event, "choices", 0, "delta", "content")

    def _remember(self, reply: Reply) -> None:
        told = {key: value for key, value in vars(reply).items() if value not in (None, "")}
        self._told |= {key: value for key, value in told.items() if key not in ("text", "refusal")}


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text_at(value: object, *path: str | int) -> str:
    text = value_at(value, *path)
    return clean_text(text) if isinstance(text, str) else ""


def _word_at(value: object, *path: str | int) -> str:
    return _text_at(value, *path)[:200]  # the width of the database columns


def count_of(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None
