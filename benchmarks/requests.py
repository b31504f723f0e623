"""The arbiter's requests as sent, and a model's replies from files, without a network.

A local server replaces the model, so the whole client runs as in production. Requests and replies are files
`<digest>.json`, named by the digest of the request without the model's name.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import perf_counter
from typing import Any, Self

from django.test.utils import override_settings

from benchmarks.library import Library
from benchmarks.metrics import spread
from benchmarks.questions import GoldQuestion
from benchmarks.shown import Shown, shown_of, summarise_shown
from documents.base_settings import BaseSettings
from llm.exchange import request_digest
from retrieval.pipeline import retrieve
from retrieval.types import ConceptTerms

CHARACTERS_PER_TOKEN = 4  # of English prose with current tokenizers; tables have fewer
NO_REPLY = {"error": {"message": "No reply is kept for this request.", "type": "invalid_request_error",
                      "param": None, "code": "model_not_found"}}  # fmt: skip


def digest_of(body: dict[str, Any]) -> str:
    """The digest that names a request and its reply, whichever model answered."""
    return request_digest({key: value for key, value in body.items() if key != "model"})


class ReplyServer:
    """Answers each request with the reply stored for it in `folder`, else 404; records requests."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.bodies: list[dict[str, Any]] = []
        self.missing: list[str] = []
        handler = type("ReplyHandler", (_Handler,), {"owner": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def reply_to(self, body: dict[str, Any]) -> dict[str, Any] | None:
        """The kept reply as an answer of the Responses API, or None."""
        self.bodies.append(body)
        digest = digest_of(body)
        path = self.folder / f"{digest}.json" if self.folder else None
        if path is None or not path.is_file():
            self.missing.append(digest)
            return None
        kept = json.loads(path.read_text(encoding="utf-8"))
        return response_of(str(kept.get("model", "")), str(kept["text"]))

    def tokens_received(self, body: dict[str, Any]) -> float:
        """The size of the kept reply in tokens, estimated; 0 where there is none."""
        path = self.folder / f"{digest_of(body)}.json" if self.folder else None
        if path is None or not path.is_file():
            return 0
        return round(len(str(json.loads(path.read_text(encoding="utf-8"))["text"])) / CHARACTERS_PER_TOKEN)

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    owner: ReplyServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        reply = self.owner.reply_to(body)
        is_streamed = reply is not None and bool(body.get("stream"))
        text = b"".join(events_of(reply)) if reply and is_streamed else json.dumps(reply or NO_REPLY).encode()
        self.send_response(404 if reply is None else 200)
        self.send_header("Content-Type", "text/event-stream" if is_streamed else "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def response_of(model: str, text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"type": "message", "id": "msg_kept", "role": "assistant", "status": "completed", "content": content}
    return {
        "id": "resp_kept",
        "object": "response",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": model,
        "output": [message],
    }


def events_of(response: dict[str, Any]) -> Iterator[bytes]:
    """A response as the events of a stream: its text in one piece, then the whole."""
    place = {"item_id": "msg_kept", "output_index": 0, "content_index": 0}
    delta = response["output"][0]["content"][0]["text"]
    events = (
        {"type": "response.created", "response": response | {"status": "in_progress", "output": []}},
        {"type": "response.output_text.delta", **place, "delta": delta},
        {"type": "response.completed", "response": response},
    )
    for number, event in enumerate(events):
        yield f"event: {event['type']}\ndata: {json.dumps(event | {'sequence_number': number})}\n\n".encode()


@contextmanager
def kept_replies(folder: Path | None) -> Iterator[ReplyServer]:
    """Inside the block, every call to the model goes to a ReplyServer."""
    with (
        ReplyServer(folder) as server,
        override_settings(LLM_BASE_URL=server.base_url, LLM_API_KEY="", LLM_CONFIGURED=True),
    ):
        yield server


def export(
    questions: Sequence[GoldQuestion],
    library: Library,
    out: Path,
    dictionary: Sequence[ConceptTerms] = (),
    replies: Path | None = None,
) -> dict[str, Any]:
    """Write the arbiter's request for each question to `out`; return the totals and what the requests show.

    With the `replies` to earlier requests it writes those not answered yet: the second looks that were asked for.
    """
    out.mkdir(parents=True, exist_ok=True)
    without_request, sizes, overheads = [], [], []
    shown: list[Shown] = []
    with kept_replies(replies) as server:
        for question in questions:
            asked = len(server.bodies)
            started = perf_counter()
            result = retrieve(
                question.question,
                [library.content(question.document)],
                settings=BaseSettings(),
                arbiter="model",
                dictionary=dictionary,
            )
            overheads.append(result.timings_ms.get("arbitrate", 1000 * (perf_counter() - started)))
            request = str(server.bodies[-1]["input"]) if len(server.bodies) > asked else ""
            shown.append(shown_of(question, request, library.content(question.document)))
            if not request:
                without_request.append(question.id)
                continue
            sizes.append(tokens_of(server.bodies[-1]))
            if digest_of(server.bodies[-1]) in server.missing:
                write_request(question, server.bodies[-1], out)
    return {
        "questions": len(questions),
        "requests": len({digest_of(body) for body in server.bodies}),
        "without_reply": len(set(server.missing)),
        "without_request": without_request,
        "tokens_estimated": spread(sizes) | {"max": max(sizes, default=0)},
        "arbiter_ms": spread(overheads),
        "shown": summarise_shown(shown),
    }


def tokens_of(body: dict[str, Any]) -> float:
    """The size of a request in tokens, estimated."""
    return round(len(body.get("instructions", "") + body.get("input", "")) / CHARACTERS_PER_TOKEN)


def write_request(question: GoldQuestion, body: dict[str, Any], out: Path) -> None:
    """One file; questions with the same request share it."""
    digest = digest_of(body)
    path = out / f"{digest}.json"
    ids = json.loads(path.read_text(encoding="utf-8"))["questions"] if path.exists() else []
    kept = {
        "digest": digest,
        "questions": sorted({*ids, question.id}),
        "question": question.question,
        "document": question.document,
        "request": body,
    }
    path.write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")
