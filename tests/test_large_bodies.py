"""Large bodies at a real web server: a stranger's are refused at once, those of somebody signed in arrive."""

import http.client
import os
import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
import requests
from django.conf import settings
from django.db import connection
from django.test import Client

from accounts.models import Scope, User
from accounts.tokens import make_token
from documents.access import create_base, set_role
from documents.models import Document, KnowledgeBase
from tests.running import PATIENCE_S, web_server
from tests.small_disk import files_on, small_disk

MEGABYTE = 1_000_000
STORED_MAX = 4 * MEGABYTE  # what every form may carry, and one piece more
GROWTH_MAX = 20 * MEGABYTE  # of the server's memory
PIECE = b"x" * 65_536
CHUNK = f"{len(PIECE):x}\r\n".encode() + PIECE + b"\r\n"


@dataclass
class Served:
    """A web server over the database of the tests, with a base and an editor and a reader of this test in it."""

    address: str
    process: psutil.Process
    temporary: Path  # where it keeps what is on its way
    base: KnowledgeBase
    cookies: dict[str, str]
    secret: str
    reader_secret: str

    @property
    def form(self) -> str:
        return f"/bases/{self.base.pk}/upload/"

    @property
    def api(self) -> str:
        return f"/api/v1/bases/{self.base.pk}/documents"


@pytest.fixture(scope="module")
def server(
    django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, psutil.Process, Path]]:
    """Its address, its process and its temporary folder."""
    home = tmp_path_factory.mktemp("home")
    (home / "temporary").mkdir()
    database = urlsplit(settings.DATABASE_URL)._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    places = {"DOCINTEL_HOME": str(home), "TMPDIR": str(home / "temporary"), "DATABASE_URL": database}
    limits = {"DOCINTEL_UPLOAD_MAX_MB": "40", "DOCINTEL_SECRET_KEY": settings.SECRET_KEY}
    with web_server(os.environ | places | limits, home / "web.txt") as (address, process):
        yield address, process, home / "temporary"


@pytest.fixture
def served(transactional_db: None, server: tuple[str, psutil.Process, Path]) -> Served:
    owner, reader = (User.objects.create_user(f"{name}@example.org", "quiet-harbour-91") for name in ("ada", "bo"))
    base = create_base(owner, "Large")
    set_role(base, reader, "viewer")
    client = Client()
    client.force_login(owner, backend="allauth.account.auth_backends.AuthenticationBackend")
    client.get("/accounts/sessions/")
    secrets = [make_token(user, "Client", Scope.values, 1)[1] for user in (owner, reader)]
    cookies = {name: morsel.value for name, morsel in client.cookies.items()}
    requests.get(f"{server[0]}/accounts/login/", timeout=PATIENCE_S)  # what is loaded once is no growth
    return Served(*server, base, cookies, secrets[0], secrets[1])


@dataclass
class Cost:
    """What requests cost a server: bytes it wrote to files (sockets are not counted), and growth of its memory."""

    written: int = 0
    growth: int = 0


@contextmanager
def measured(process: psutil.Process) -> Iterator[Cost]:
    cost = Cost()
    written, resident = process.io_counters().write_chars, process.memory_info().rss
    yield cost
    cost.written = process.io_counters().write_chars - written
    cost.growth = process.memory_info().rss - resident


@dataclass
class Outcome:
    """What a sender was told, and how much it had sent by then; the connection was closed afterwards."""

    status: int
    body: bytes
    sent: int


def push(address: str, path: str, headers: dict[str, str], size: int, *, chunked: bool) -> Outcome:
    """Send a body as fast as it goes, and keep on sending after the answer until the server closes or all is sent."""
    parts = urlsplit(address)
    headers = {"Host": parts.netloc, "Content-Type": "multipart/form-data; boundary=edge"} | headers
    headers |= {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": str(size)}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    sent, sent_by_then, received = 0, 0, b""
    with socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE_S) as line:
        line.sendall(f"POST {path} HTTP/1.1\r\n{head}\r\n".encode())
        with suppress(ConnectionError):
            while True:
                readable, writable, _ = select.select([line], [line] if sent < size else [], [], PATIENCE_S)
                assert readable or writable, "neither an answer nor room to send"
                if readable:
                    piece = line.recv(65_536)
                    if not piece:
                        break
                    sent_by_then = sent_by_then or sent
                    received += piece
                if writable:
                    sent += line.send(CHUNK if chunked else PIECE)
    head_of_answer, _, body = received.partition(b"\r\n\r\n")
    assert head_of_answer, "closed without an answer"
    return Outcome(int(head_of_answer.split()[1]), body, sent_by_then)


def test_a_stranger_can_store_nothing_large(served: Served) -> None:
    """It is refused while it arrives (U4)."""
    wrong = {"Cookie": "sessionid=abcdefghijklmnopqrstuvwxyz012345", "Authorization": "Bearer dit_wrong"}
    ways = [(path, headers) for path in ("/bases/", served.form, served.api) for headers in ({}, wrong)]
    with measured(served.process) as cost:
        for path, headers in ways:
            told = push(served.address, path, headers, 150 * MEGABYTE, chunked=True)
            assert told.status == 413, path
            assert told.sent < 150 * MEGABYTE
            assert b"3 MB" in told.body
    assert 0 < cost.written < len(ways) * STORED_MAX
    assert cost.growth < GROWTH_MAX


def test_a_body_announced_too_large_is_refused_before_a_byte_of_it_is_sent(served: Served) -> None:
    for path in ("/bases/", served.form, served.api):
        told = announce(served, path, 1_000 * MEGABYTE)
        assert told.status == 413
    sending = push(served.address, "/bases/", {}, 1_000 * MEGABYTE, chunked=False)
    assert sending.status == 413 and sending.sent < 1_000 * MEGABYTE


def announce(served: Served, path: str, size: int, **headers: str) -> Outcome:
    """Announce a body and wait, as curl does before it sends a large one."""
    parts = urlsplit(served.address)
    line = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE_S)
    line.putrequest("POST", path)
    for name, value in ({"Content-Length": str(size), "Expect": "100-continue"} | headers).items():
        line.putheader(name, value)
    line.endheaders()
    answer = line.getresponse()
    body = answer.read()
    assert line.sock is None or line.sock.recv(1) == b""
    return Outcome(answer.status, body, 0)


def large_file(size: int) -> bytes:
    return b"The records of a supplier are kept for six years.\n" * (size // 50)


def test_somebody_signed_in_uploads_as_before(served: Served) -> None:
    session = requests.Session()
    session.cookies.update(served.cookies)
    values = {"csrfmiddlewaretoken": served.cookies["csrftoken"]}
    file = {"files": ("form.txt", large_file(30 * MEGABYTE))}
    by_form = session.post(
        served.address + served.form, data=values, files=file, allow_redirects=False, timeout=PATIENCE_S
    )
    assert (by_form.status_code, by_form.headers["Location"]) == (302, f"/bases/{served.base.pk}/")
    bearer = {"Authorization": f"Bearer {served.secret}"}
    file = {"files": ("token.txt", b"A" + large_file(30 * MEGABYTE))}
    by_token = requests.post(served.address + served.api, files=file, headers=bearer, timeout=PATIENCE_S)
    assert by_token.status_code == 201, by_token.text
    file = {"files": ("session.txt", b"B" + large_file(30 * MEGABYTE))}
    csrf = {"X-CSRFToken": served.cookies["csrftoken"]}
    by_session = session.post(served.address + served.api, files=file, headers=csrf, timeout=PATIENCE_S)
    assert by_session.status_code == 201, by_session.text
    assert {document.size_bytes // MEGABYTE for document in Document.objects.all()} == {30}
    assert Document.objects.count() == 3


def test_a_disk_that_fills_while_a_body_arrives_is_told_with_507(served: Served) -> None:
    """On the disk where bodies are kept until they are whole; afterwards the same server takes them again."""
    session = requests.Session()
    session.cookies.update(served.cookies)
    values = {"csrfmiddlewaretoken": served.cookies["csrftoken"]}
    bearer = {"Authorization": f"Bearer {served.secret}"}
    content = large_file(6 * MEGABYTE)

    def send(path: str, **options: Any) -> requests.Response:
        files = {"files": ("large.txt", content)}
        return session.post(served.address + path, files=files, allow_redirects=False, timeout=PATIENCE_S, **options)

    with small_disk(served.temporary) as disk:
        page, problem = send(served.form, data=values), send(served.api, headers=bearer)
        assert files_on(disk) == []
    for told in (page, problem):
        assert (told.status_code, told.headers["Retry-After"]) == (507, "60"), told.text
    assert "disk is full" in page.text and page.headers["X-Request-ID"] in page.text
    assert problem.json()["code"] == "storage_full"
    assert not Document.objects.exists()
    assert send(served.api, headers=bearer).status_code == 201


def test_what_somebody_signed_in_may_not_do_the_view_says(served: Served) -> None:
    bearer = {"Authorization": f"Bearer {served.reader_secret}"}
    file = {"files": ("x.txt", large_file(5 * MEGABYTE))}
    assert requests.post(served.address + served.api, files=file, headers=bearer, timeout=PATIENCE_S).status_code == 404
    too_large = announce(served, served.api, 401 * MEGABYTE, Authorization=f"Bearer {served.secret}")
    assert too_large.status == 413 and b"at most 400 MB" in too_large.body
