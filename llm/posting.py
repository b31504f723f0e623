"""Requests to endpoints other than chat (embeddings, reranking), with deadline, retries and a record of every call."""

import hashlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import httpx2

from llm.call import SOMEBODY_WAITS, UNREADABLE_MAX, Call, LLMServer, Persistence
from llm.dialect import Ask, Body, Reply, count_of, value_at
from llm.exchange import Exchange
from llm.pseudonyms.stand_ins import hide_body
from llm.wire import wire

if TYPE_CHECKING:
    import openai

Result = TypeVar("Result")


class Posting(Call, Generic[Result]):
    """One JSON request, whose result is `read` of the JSON reply. Its record has digests instead of the texts.

    `version` is that of the fixed text in the body, if it has any.
    """

    def __init__(
        self,
        server: LLMServer,
        path: str,
        body: Body,
        read: Callable[[Any], Result],
        *,
        purpose: str,
        deadline_s: float,
        version: str = "1",
        persistence: Persistence = SOMEBODY_WAITS,
    ) -> None:
        self._path, self._body, self._read = path, body, read
        self.result: Any = None
        texts = "".join(text for value in body.values() if isinstance(value, list) for text in value)
        super().__init__(
            Ask(body["model"], "", texts), purpose, purpose, version, deadline_s, server, persistence=persistence
        )

    def send(self) -> tuple[Result, Exchange]:
        """The result and the exchange. Raises LLMError, also for a ValueError of `read`."""
        self.book()
        try:
            self.wait(wire().submit(self.run(self.receive)))
        finally:
            self.settle()
        return self.result, self.exchange("ok")

    async def receive(self, request: Body) -> None:
        response = await self._client().post(
            self._path, body=self._body, cast_to=httpx2.Response, options={"timeout": self._timeout()}
        )
        self._unreadable = response.text[:UNREADABLE_MAX]
        told = response.json()
        self.result = self._read(told)
        self._unreadable = ""
        tokens = value_at(told, "usage", "total_tokens") or value_at(told, "usage", "prompt_tokens")
        counted = count_of(tokens)
        model = value_at(told, "model")
        self._reply = Reply(
            model=model[:200] if isinstance(model, str) else self._ask.model,
            tokens_in=counted,
            tokens_out=None if counted is None else 0,
        )

    def _hide(self, ask: Ask) -> Ask:
        self._body, self.stand_ins, counts = hide_body(self._body)
        self._hidden = dict(counts)
        return ask  # of which only the length counts: the body is sent

    @property
    def _api(self) -> str:
        return self._path.strip("/")[:20]

    def _write(self) -> Body:
        return {key: digest_of(value) if isinstance(value, list) else value for key, value in self._body.items()}

    def _parameters(self) -> dict[str, object]:
        return {}

    def _missing(self, error: "openai.APIStatusError") -> str | None:
        return None


def digest_of(texts: list[str]) -> dict[str, int | str]:
    """What the record stores of texts that are stored elsewhere."""
    digest = hashlib.sha256(json.dumps(texts, ensure_ascii=False).encode()).hexdigest()
    return {"texts": len(texts), "characters": sum(map(len, texts)), "sha256": digest}
