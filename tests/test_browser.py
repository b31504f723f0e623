"""The whole way once, as a newcomer goes it: bin/run, its link, a browser, a document, a question, the trail."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "samples"
START_S = 90
READY_MS = 90_000
ANSWER_MS = 60_000
CHROMIUM_FLAGS = [
    "--no-sandbox",  # tests run as root in containers
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
]


def chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for path in map(shutil.which, names) if path), None)


pytestmark = pytest.mark.skipif(chromium() is None, reason="Chromium is not installed: apt-get install chromium")


@pytest.fixture(scope="module")
def welcome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """bin/run on a home of its own, without a model; gives the one-time link it printed."""
    home = tmp_path_factory.mktemp("home")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    foreign = ("DATABASE_URL", "REDIS_URL", "OPENAI_", "DOCINTEL_", "DJANGO_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    log = (home / "run.log").open("w+")
    process = subprocess.Popen(
        [sys.executable, "-m", "launch.start", "--port", str(port)],
        env={**environment, "DOCINTEL_HOME": str(home / "var")},
        cwd=ROOT,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        yield wait_for_link(process, home / "run.log")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        log.close()


def wait_for_link(process: "subprocess.Popen[bytes]", log: Path) -> str:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        if found := re.search(r"http://\S+/welcome/\S+", log.read_text()):
            return found.group()
        time.sleep(0.25)
    pytest.fail(f"bin/run printed no link:\n{log.read_text()}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_FLAGS)


def ask(page: Page, question: str) -> None:
    page.locator("#question").fill(question)
    page.get_by_role("button", name="Ask").click()


def test_the_whole_way(welcome: str, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))

    # The first owner, by the link that works once.
    page.goto(welcome)
    page.get_by_label("Your name").fill("Ada Osei")
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_label("Password").fill("quiet-harbour-91")
    page.get_by_role("button", name="Create the owner").click()
    page.wait_for_url(re.compile(r"/bases/$"))

    # A base, a document, its progress.
    page.locator("#id_name").fill("Contracts")
    page.get_by_role("button", name="Make base").click()
    page.wait_for_url(re.compile(r"/bases/[0-9a-f-]{36}/$"))
    base = page.url
    page.locator("#files").set_input_files([SAMPLES / "outsourcing-agreement.pdf", SAMPLES / "README.md"])
    page.get_by_role("button", name="Upload").click()
    row = page.locator("table.docs tbody tr", has_text="outsourcing-agreement.pdf")
    expect(row.locator(".state", has_text="Ready")).to_be_visible(timeout=READY_MS)
    expect(row.locator(".pgs")).to_have_text("19")

    # A question, its answer, its quote lit on the page.
    page.goto(urljoin(base, "/ask/"))
    ask(page, "What is the deductible of the property insurance?")
    answer = page.locator(".turn .cites").first
    expect(answer).to_be_visible(timeout=ANSWER_MS)
    page.locator(".cites a").first.click()
    anchor = page.locator("#page rect.hl-anchor").first
    expect(anchor).to_be_attached()
    box = anchor.bounding_box()
    assert box is not None and box["width"] > 20 and box["height"] > 5
    quote = page.locator(".cites .doc").first.inner_text()

    # A reload changes nothing.
    page.reload()
    expect(page.locator(".cites .doc").first).to_have_text(quote)

    # The trail: every candidate has a role and a reason, the anchor lies on its page.
    page.get_by_role("link", name="Audit trail").first.click()
    page.wait_for_url(re.compile(r"/audit/runs/"))
    rows = page.locator("table.cands tbody tr")
    assert rows.count() >= 2
    assert all(text.strip() for text in page.locator("table.cands .c-role").all_inner_texts())
    expect(page.locator("#cand rect.hl-anchor").first).to_be_attached()

    # Not found is an answer, with what was searched.
    page.goto(urljoin(base, "/ask/"))
    ask(page, "Does the agreement cover earthquakes on Mars?")
    absent = page.locator(".absent").first
    expect(absent).to_be_visible(timeout=ANSWER_MS)
    expect(absent).to_contain_text("earthquake")

    # A wrong file is refused in words, and nothing else is lost.
    page.goto(base)
    page.locator("#files").set_input_files(
        {"name": "page.pdf", "mimeType": "application/pdf", "buffer": b"<html></html>"}
    )
    page.get_by_role("button", name="Upload").click()
    expect(page.locator("#outcomes")).to_contain_text("page.pdf")
    expect(page.locator("table.docs tbody tr")).to_have_count(2)

    assert errors == []
