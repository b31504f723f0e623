"""A model server on this machine is noticed for administrators, and never used unasked."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.test import Client

from accounts.models import User
from chat.model_page import nearby
from chat.model_page.nearby import find_nearby, models_listed
from documents.models import KnowledgeBase
from tests.scripted_llm import ScriptedLLM


@contextmanager
def answering(body: bytes, status: int = 200, wait_for: threading.Event | None = None) -> Iterator[int]:
    """A server on this machine that answers everything so, if need be late; its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if wait_for:
                wait_for.wait(120)
            self.send_response(status)
            self.send_header("Location", "/elsewhere")
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):  # nobody reads so much, or waits so long
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def listed(*names: object) -> bytes:
    return json.dumps({"object": "list", "data": [{"id": name} for name in names]}).encode()


def test_administrators_are_told_which_settings_to_make_and_nothing_is_asked(
    base: KnowledgeBase, tenant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client()
    client.force_login(tenant)
    with ScriptedLLM("good") as server:
        monkeypatch.setattr(nearby, "USUAL_PORTS", {int(server.base_url.split(":")[2].split("/")[0]): "Ollama"})
        assert "On this machine" not in client.get(f"/bases/{base.pk}/model/").content.decode()
        assert server.lists == 0, "only administrators have it looked for"
        User.objects.filter(pk=tenant.pk).update(is_superuser=True)
        shown = client.get(f"/bases/{base.pk}/model/").content.decode()
        assert f"OPENAI_BASE_URL={server.base_url}\nDOCINTEL_MODEL=good</pre>" in shown
        assert "usual port of Ollama" in shown and "No model is set up" in shown and "Test the model" not in shown
        assert server.lists == 1 and server.requests == []


def test_it_asks_this_machine_only_whatever_proxies_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(listed("ours")) as port, answering(listed("theirs")) as proxy:
        monkeypatch.setattr(nearby, "USUAL_PORTS", {port: "vLLM"})
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy}")
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        assert [server.models for server in find_nearby()] == [("ours",)]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"<html>another program</html>", 200),
        (listed("moved"), 302),
        (listed("absent"), 404),
        (b"[" * 50_000, 200),
        (b'{"data": "none"}', 200),
        (b'{"data": [1, {"id": 5}, {"id": ""}]}', 200),
        (listed("x" * 200_000), 200),
        (b"\xff\xfe\x00", 200),
    ],
)
def test_what_is_no_model_server_is_not_noticed(body: bytes, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(body, status) as port:
        monkeypatch.setattr(nearby, "USUAL_PORTS", {port: "Ollama"})
        assert find_nearby() == ()


def test_a_silent_port_costs_no_more_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    with answering(listed("late"), wait_for=over) as port, answering(listed("there")) as other:
        monkeypatch.setattr(nearby, "USUAL_PORTS", {port: "Ollama", other: "vLLM"})
        for ask_s in (1.0, 60.0):  # within the first a machine that stands still may hear nobody
            monkeypatch.setattr(nearby, "ASK_S", ask_s)
            if found := find_nearby():
                break
        over.set()
    assert [server.program for server in found] == ["vLLM"]


def test_names_are_few_and_short() -> None:
    assert models_listed({"data": [{"id": f"{number}" * 300} for number in range(9)]}) == tuple(
        f"{number}" * 100 for number in range(5)
    )
