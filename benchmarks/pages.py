"""Weight and time of pages in a browser: a real web server, a signed-in person, every style and script counted."""

import gzip
import http.client
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from benchmarks.metrics import percentile

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
TIMES = 60
COLD_PAGES = 40
CACHED_TIMES = 100
START_S = 60
GZIP = b"\x1f\x8b"
STOP_S = 20
ASSETS = re.compile(r'(?:<script[^>]* src|<link[^>]* rel="(?:stylesheet|icon)"[^>]* href)="([^"]+)"')
LIMITS = {"weight_kb": 300, "p95_ms": 300, "image_cold_ms": 500, "image_cached_ms": 30}


def run(documents: list[Path]) -> dict[str, Any]:
    """Kilobytes as sent, with styles and scripts, and milliseconds, beside their limits."""
    from benchmarks.retrieval import commit

    addresses, cookie, longest = lay(documents)
    with serving() as (port, server):
        browser = Browser(port, cookie)
        pages = {name: measured(browser, address, server) for name, address in addresses.items()}
        images = image_times(browser, *longest)
    load = round(os.getloadavg()[0], 1)
    return {"commit": commit(), "load": load, "limits": LIMITS, "pages": pages, "images": images}


def lay(documents: list[Path]) -> tuple[dict[str, str], str, tuple[str, int]]:
    """Set up a demonstration with one question; return the addresses, a session, and the longest document's pages."""
    from django.core.management import call_command
    from django.test import Client

    from accounts.models import User
    from chat.turns.demo import load
    from documents.models import Document

    owner = User.objects.create_superuser("owner@example.org", None, name="Owner")
    turn = load(owner)
    base = turn.conversation.base
    if documents:
        with open(os.devnull, "w") as nowhere:
            call_command("ingest", *map(str, documents), base=base.name, stdout=nowhere)
    counted = Document.objects.exclude(current_parse=None).values_list("pk", "current_parse__page_count")
    longest, page_count = max(counted, key=lambda row: row[1])
    client = Client()
    client.force_login(owner, backend="allauth.account.auth_backends.AuthenticationBackend")
    addresses = {
        "chat, a new question": "/ask/",
        "chat, an answer beside its page": f"/ask/{turn.conversation_id}/",
        "document": f"/documents/{longest}/?page=2",
        "document, its pages": f"/documents/{longest}/?page=2&panel=pages",
        "document, words found": f"/documents/{longest}/?find=agreement",
        "base": f"/bases/{base.pk}/",
        "base, words found": f"/bases/{base.pk}/search/?q=agreement",
        "base, its fields": f"/bases/{base.pk}/fields/",
        "base, its model": f"/bases/{base.pk}/model/",
        "base, its settings": f"/bases/{base.pk}/settings/",
        "dictionary": f"/bases/{base.pk}/dictionary/",
        "audit list": "/audit/",
        "review queue": "/audit/queue/",
        "trail": f"/audit/runs/{turn.run_id}/",
        "coverage": f"/audit/coverage/{longest}/",
        "quality of a base": f"/audit/quality/{base.pk}/",
        "alerts": f"/audit/alerts/{base.pk}/",
        "record": "/audit/verify/",
        "golden questions": "/audit/golden/",
        "figures": "/audit/figures/",
        "status": "/status/",
    }
    return addresses, client.cookies["sessionid"].value, (str(longest), page_count)


class Browser:
    """One signed-in person on one kept connection."""

    def __init__(self, port: int, cookie: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Cookie": f"sessionid={cookie}", "Accept-Encoding": "gzip"}

    def get(self, address: str) -> tuple[bytes, float]:
        """The body of a page as sent and the milliseconds it took. Raises AssertionError for anything but a page."""
        started = time.perf_counter()
        self.connection.request("GET", address, headers=self.headers)
        response = self.connection.getresponse()
        body = response.read()
        spent = 1000 * (time.perf_counter() - started)
        assert response.status == 200, (address, response.status)
        return body, spent


@contextmanager
def serving() -> Iterator[tuple[int, psutil.Process]]:
    """The web server of bin/run on a free port, over the database of this process; the port and the server."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "uvicorn", "docintel_site.asgi:application", "--port", str(port)]
    server = subprocess.Popen(
        [*command, "--lifespan", "off", "--log-level", "warning"], cwd=SAMPLES.parent, env={**os.environ}
    )
    try:
        until = time.monotonic() + START_S
        while time.monotonic() < until and server.poll() is None:
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port, psutil.Process(server.pid)
    finally:
        end(server)


def end(process: subprocess.Popen[bytes]) -> None:
    """Terminate a process, by force if necessary."""
    process.terminate()
    try:
        process.wait(timeout=STOP_S)
    except subprocess.TimeoutExpired:  # a stream is still open because nobody read it to its end
        process.kill()
        process.wait()


def measured(browser: Browser, address: str, server: psutil.Process) -> dict[str, float | None]:
    """A page with its styles and scripts, without page images; the first call, which loads templates, is left out.

    `processor_ms` is the web server's CPU time for one call: on a busy machine wall-clock time includes others' work.
    """
    body, _ = browser.get(address)
    text = gzip.decompress(body).decode() if body.startswith(GZIP) else body.decode()
    assets = sorted(set(ASSETS.findall(text)))
    weight = len(body) + sum(len(browser.get(asset)[0]) for asset in assets)
    before = server.cpu_times()
    spent = [browser.get(address)[1] for _ in range(TIMES)]
    after = server.cpu_times()
    worked_ms = 1000 * (after.user + after.system - before.user - before.system) / TIMES
    return {
        "html_kb": round(len(text.encode()) / 1000, 1),
        "sent_kb": round(len(body) / 1000, 1),
        "weight_kb": round(weight / 1000, 1),
        "p50_ms": percentile(spent, 50),
        "p95_ms": percentile(spent, 95),
        "processor_ms": round(worked_ms, 1),
    }


def image_times(browser: Browser, document: str, page_count: int) -> dict[str, float | None]:
    """Pictures of pages drawn for the first time, and the same again."""
    numbers = range(1, min(page_count, COLD_PAGES) + 1)
    addresses = [f"/documents/{document}/pages/{number}/image/" for number in numbers]
    cold = [browser.get(address) for address in addresses]
    cached = [browser.get(addresses[turn % len(addresses)])[1] for turn in range(CACHED_TIMES)]
    times = [spent for _, spent in cold]
    return {
        "pages": len(addresses),
        "mean_kb": round(sum(len(body) for body, _ in cold) / len(cold) / 1000, 1),
        "cold_p50_ms": percentile(times, 50),
        "cold_p95_ms": percentile(times, 95),
        "cold_max_ms": round(max(times), 2),
        "cached_p50_ms": percentile(cached, 50),
        "cached_p95_ms": percentile(cached, 95),
    }
