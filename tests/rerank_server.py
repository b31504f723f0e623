"""A reranker of our own behind HTTP, in the common format (docs/reranking.md): a small cross-scorer, not a script.

It reads question and text together: a text gains by the question's words, the rarer among the texts the more, and by
pairs of them that stand near each other. Replies and errors are those that Infinity 0.0.78 gave, byte for byte but for
scores, ids and times: so are its limits, its silence about fields it does not know, and the characters it counts.
"""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from math import log
from typing import Any, Self

NEAR = 4  # words apart
CHARACTERS_MAX, DOCUMENTS_MAX = 122_880, 2_048
UNAUTHORIZED, NOT_FOUND = {"detail": "Unauthorized"}, {"detail": "Not Found"}
BROKEN = b"Internal Server Error"
Answer = tuple[int, dict[str, Any] | bytes]  # status and body; bytes are plain text


def words_of(text: str) -> list[str]:
    return "".join(sign if sign.isalnum() else " " for sign in text.lower()).split()


def cross_scores(query: str, texts: list[str]) -> list[float]:
    """The relevance of each text, read with the question, 0 or more."""
    asked = words_of(query)
    said = [words_of(text) for text in texts]
    known = Counter(word for words in said for word in set(words))
    weight = {word: log(1 + len(texts) / known[word]) if known[word] else 0.0 for word in asked}
    return [score(asked, words, weight) for words in said]


def score(asked: list[str], words: list[str], weight: dict[str, float]) -> float:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word, []).append(place)
    alone = sum(weight[word] for word in set(asked) if word in places)
    near = sum(
        weight[first] + weight[second]
        for first, second in pairwise(asked)
        if any(0 < b - a <= NEAR for a in places.get(first, ()) for b in places.get(second, ()))
    )
    return (alone + near) / (1 + log(1 + len(words)))


class RerankServer:
    """`POST /v1/rerank`; `requests` has the bodies that were accepted, `failures` what is answered first instead.

    A single model answers under any name, as there; of several the request names one.
    """

    def __init__(self, key: str = "", models: tuple[str, ...] = ("own",)) -> None:
        self.key, self.models = key, models
        self.requests: list[dict[str, Any]] = []
        self.failures: list[Answer] = []
        handler = type("RerankHandler", (_Handler,), {"owner": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, authorization: str | None, body: Any) -> Answer:
        if path != "/v1/rerank":
            return 404, NOT_FOUND
        if self.key and authorization != f"Bearer {self.key}":
            return 401, UNAUTHORIZED
        if faults := faults_of(body):
            return 422, {"detail": faults}
        name = self.models[0] if len(self.models) == 1 else body["model"]
        if name not in self.models:
            told = f"Engine for model name `{name}` not found. Available model names are {list(self.models)}"
            return 400, error_body(f"Invalid model: {told}", 400)
        if self.failures:
            return self.failures.pop(0)
        self.requests.append(body)
        return 200, ranking_of(body, name)


def error_body(message: str, code: int) -> dict[str, Any]:
    return {"error": {"message": message, "type": None, "param": None, "code": code}}


def overloaded(model: str = "own") -> Answer:
    return 429, error_body(f"model {model} is currently overloaded", 429)


def faults_of(body: Any) -> list[dict[str, Any]]:
    """What the fields of a request lack; each fault repeats what was sent, as pydantic does."""
    if not isinstance(body, dict):
        return [fault("model_attributes_type", ["body"], "Input should be a valid dictionary", body)]
    faults = [
        fault("missing", ["body", name], "Field required", body) for name in ("query", "documents") if name not in body
    ]
    texts, query, top = body.get("documents", ["-"]), body.get("query", ""), body.get("top_n", 1)
    if len(query) > CHARACTERS_MAX:
        faults.append(
            fault(
                "string_too_long", ["body", "query"], f"String should have at most {CHARACTERS_MAX} characters", query
            )
        )
    if not texts:
        message = "List should have at least 1 item after validation, not 0"
        faults.append(fault("too_short", ["body", "documents"], message, texts))
    if len(texts) > DOCUMENTS_MAX:
        message = f"List should have at most {DOCUMENTS_MAX} items after validation, not {len(texts)}"
        faults.append(fault("too_long", ["body", "documents"], message, texts))
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            faults.append(fault("string_type", ["body", "documents", place], "Input should be a valid string", text))
    if top < 1:
        faults.append(fault("greater_than", ["body", "top_n"], "Input should be greater than 0", top))
    return faults


def fault(kind: str, place: list[str | int], message: str, sent: Any) -> dict[str, Any]:
    return {"type": kind, "loc": place, "msg": message, "input": sent}


def ranking_of(body: dict[str, Any], model: str) -> dict[str, Any]:
    query, texts = body["query"], body["documents"]
    scores = cross_scores(query, texts)
    order = sorted(range(len(texts)), key=lambda index: (-scores[index], index))[: body.get("top_n", len(texts))]
    characters = sum(len(query) + len(text) for text in texts)
    return {
        "object": "rerank",
        "results": [{"relevance_score": scores[index], "index": index, "document": None} for index in order],
        "model": model,
        "usage": {"prompt_tokens": characters, "total_tokens": characters},
        "id": "infinity-95163789-e389-42a4-b544-88813ccfc24b",
        "created": 1795739786,
    }


class _Handler(BaseHTTPRequestHandler):
    owner: RerankServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        status, reply = self.owner.answer(self.path, self.headers.get("authorization"), body)
        is_plain = isinstance(reply, bytes)
        text = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8" if is_plain else "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


@contextmanager
def serving(key: str = "", models: tuple[str, ...] = ("own",)) -> Iterator[RerankServer]:
    with RerankServer(key, models) as server:
        yield server
