"""Refuses a request whose body is too large while it arrives: Django would first write all of it to disk."""

import json

from docintel_site.asgi_types import Application, Message, Receive, Scope, Send

PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Too large · DocIntel</title>'
    "<h1>That is too much at once</h1><p>One request may carry at most {limit_mb} MB, all files together. "
    "Nothing was stored. Go back and upload fewer files at a time.</p></html>"
)

PROBLEM = {
    "type": "urn:docintel:problem:too_large",
    "title": "Request Entity Too Large",
    "status": 413,
    "code": "too_large",
}


class BodyTooLarge(Exception):
    """More has arrived than the limit allows."""


class BodyLimit:
    """An ASGI application that passes requests on as long as their bodies stay below a limit in bytes."""

    def __init__(self, application: Application, limit_bytes: int) -> None:
        self.application = application
        self.limit_bytes = limit_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
        elif announced(scope) > self.limit_bytes:
            await self.refuse(scope, receive, send)
        else:
            try:
                await self.application(scope, self.counted(receive), send)
            except BodyTooLarge:
                await self.refuse(scope, receive, send)

    def counted(self, receive: Receive) -> Receive:
        """The same messages; the announced length may be missing or a lie, so the bytes themselves are counted."""
        received = 0

        async def receive_counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.limit_bytes:
                raise BodyTooLarge
            return message

        return receive_counted

    async def refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A browser shows the answer only when it could send everything; the rest is thrown away.
        while (message := await receive())["type"] == "http.request" and message.get("more_body"):
            pass
        media_type, body = self.refusal(scope["path"])
        headers = [(b"content-type", media_type), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def refusal(self, path: str) -> tuple[bytes, bytes]:
        """Media type and body: a page for people, a problem below /api/ (`problems.py`, which Django has to be up for)."""
        limit_mb = self.limit_bytes // 1_000_000
        if not path.startswith("/api/"):
            return b"text/html; charset=utf-8", PAGE.format(limit_mb=limit_mb).encode()
        problem = PROBLEM | {"detail": f"One request may carry at most {limit_mb} MB; nothing was stored."}
        return b"application/problem+json", json.dumps(problem).encode()


def announced(scope: Scope) -> int:
    """The Content-Length of a request, 0 when there is none."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0
