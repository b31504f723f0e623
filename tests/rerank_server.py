"""A reranker of our own behind HTTP, in the common format (docs/reranking.md): a small cross-scorer, not a script.

It reads question and text together: a text gains by the question's words, the rarer among the texts the more, and by
pairs of them that stand near each other. It is as strict as real servers: a wrong key, a missing field or a text of
another type is refused.
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
KNOWN = {"model", "query", "documents", "top_n", "return_documents", "instruction"}


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
    """`POST /rerank`; `requests` has the bodies that were accepted."""

    def __init__(self, key: str = "") -> None:
        self.key = key
        self.requests: list[dict[str, Any]] = []
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


def answer_to(body: Any) -> tuple[int, dict[str, Any]]:
    """The status and the body of a reply."""
    if not isinstance(body, dict) or not KNOWN >= body.keys() >= {"model", "query", "documents"}:
        return 422, {"error": {"message": "model, query and documents are needed, and nothing unknown"}}
    texts, query = body["documents"], body["query"]
    if not isinstance(query, str) or not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
        return 422, {"error": {"message": "query is a string, documents are strings"}}
    scores = cross_scores(query, texts)
    order = sorted(range(len(texts)), key=lambda index: (-scores[index], index))[: body.get("top_n", len(texts))]
    results = [{"index": index, "relevance_score": scores[index]} for index in order]
    tokens = sum(len(words_of(query)) + len(words_of(text)) for text in texts)
    return 200, {"id": "rr-1", "model": body["model"], "results": results, "usage": {"total_tokens": tokens}}


class _Handler(BaseHTTPRequestHandler):
    owner: RerankServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        status, reply = answer_to(body)
        if self.path != "/v1/rerank":
            status, reply = 404, {"error": {"message": "not found"}}
        elif self.owner.key and self.headers.get("authorization") != f"Bearer {self.owner.key}":
            status, reply = 401, {"error": {"message": "a wrong key"}}
        elif status == 200:
            self.owner.requests.append(body)
        text = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


@contextmanager
def serving(key: str = "") -> Iterator[RerankServer]:
    with RerankServer(key) as server:
        yield server
