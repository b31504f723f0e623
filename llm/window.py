"""The window of the model: how many tokens a request and its reply may have together (R111).

It is what DOCINTEL_CONTEXT_TOKENS says, else what the server prints with its list of models, asked once in a while.
"""

import asyncio
import threading
import time
from typing import Any, NamedTuple

import httpx2
from django.conf import settings

from llm.call import GRACE_S, server_url
from llm.dialect import count_of, value_at
from llm.recordings.recorded import current_recording
from llm.tiers import model_for
from llm.wire import ReplyTooLarge, wire

SMALL_TOKENS = 16_000  # below it the usual requests do not fit
REQUEST_SHARE = 0.7  # of the window, the rest is for the reply
CHARACTERS_PER_TOKEN = 3  # an overestimate of tokens, as in spending
# What servers call it: vLLM, LM Studio, gateways, llama.cpp; the smallest counts where one names several.
NAMES = (
    *("max_model_len", "loaded_context_length", "max_context_length", "context_length", "context_window"),
    *("n_ctx", "n_ctx_train"),
)
ASK_S = 2.0 * settings.PATIENCE
KEPT_S, KEPT_UNKNOWN_S = 600.0, 60.0  # another model may be loaded, or a server be started, meanwhile

_lock = threading.Lock()
_told: dict[tuple[str, str], tuple[float, int | None]] = {}  # by server and model: until when it counts, and the tokens


class Window(NamedTuple):
    """The tokens of a window; None where nobody says."""

    tokens: int | None = None

    @property
    def is_small(self) -> bool:
        return self.tokens is not None and self.tokens < SMALL_TOKENS

    @property
    def request_tokens(self) -> int:
        """What a request may have of the window."""
        return int(REQUEST_SHARE * (self.tokens or SMALL_TOKENS))

    def room_for(self, usual: int, beside: int) -> int:
        """The characters of a request that has `beside` others: at most the usual number, which is what goes where
        nobody says how wide the window is.
        """
        return min(usual, max(self.request_tokens * CHARACTERS_PER_TOKEN - beside, 0)) if self.tokens else usual


def read_window() -> Window:
    """The smallest window of the models that judge and write."""
    if current_recording():
        return Window()
    if settings.LLM_CONTEXT_TOKENS:
        return Window(settings.LLM_CONTEXT_TOKENS)
    if not settings.LLM_CONFIGURED or not settings.LLM_BASE_URL:
        return Window()  # OpenAI's own list does not say, and its models have room
    told = [told_window(model) for model in dict.fromkeys((model_for("normal"), model_for("hard")))]
    return Window(min((tokens for tokens in told if tokens), default=None))


def told_window(model: str) -> int | None:
    """The window of a model as its server tells; None if it does not."""
    key = (server_url(), model)
    with _lock:
        until, tokens = _told.get(key, (0.0, None))
    if time.monotonic() < until:
        return tokens
    import openai

    try:
        tokens = find_window(wire().submit(fetch_models(ASK_S)).result(ASK_S + GRACE_S), model)
    except (openai.OpenAIError, ReplyTooLarge, ValueError, TimeoutError, RecursionError):
        tokens = None
    with _lock:
        _told[key] = (time.monotonic() + (KEPT_S if tokens else KEPT_UNKNOWN_S), tokens)
    return tokens


async def fetch_models(within_s: float) -> Any:
    """The list of models that the configured server has. Raises TimeoutError, and the errors of the client."""
    async with asyncio.timeout(within_s):
        client = wire().client(server_url(), settings.LLM_API_KEY)
        return (await client.get("/models", cast_to=httpx2.Response)).json()


def find_window(listed: Any, model: str) -> int | None:
    """The smallest window printed for a model, or for the only one there is."""
    rows = value_at(listed, "data")
    models = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    of_name = [row for row in models if row.get("id") == model]
    chosen = of_name or (models if len(models) == 1 else [])
    told = (count_of(value_at(row, *place, name)) for row in chosen for name in NAMES for place in ((), ("meta",)))
    return min(filter(None, told), default=None)
