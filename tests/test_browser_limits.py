"""Limits in a real browser: an upload beyond them waits and goes on by itself, a refused part of a page says why."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.running import ARRIVED, Running, fresh_home, manage, started
from tests.test_browser import CHROMIUM_FLAGS, chromium

pytestmark = pytest.mark.skipif(chromium() is None, reason="Chromium is not installed: apt-get install chromium")

PASSWORD = "quiet-harbour-91"
RATE = 6
MINUTE_MS = 75_000


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with fresh_home() as home, started(home, DOCINTEL_API_RATE=str(RATE)) as instance:
        assert manage(instance.environment, "load_demo").returncode == 0
        yield instance


@pytest.fixture(scope="module")
def page(running: Running) -> Iterator[Page]:
    """The first owner, signed in."""
    link = re.search(r"http://\S+/welcome/\S+", running.printed)
    assert link is not None, running.printed
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_FLAGS)
        page = browser.new_page(locale="en-GB")
        page.goto(link[0])
        page.get_by_label("Your name").fill("Ada Osei")
        page.get_by_label("E-mail").fill("ada@example.org")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Create the owner").click()
        page.wait_for_url(ARRIVED)
        yield page
        browser.close()


def test_uploads_beyond_the_limit_wait_and_go_on(page: Page, tmp_path: Path) -> None:
    page.goto(urljoin(page.url, "/bases/"))
    page.get_by_role("link", name="Demo").first.click()
    files = [tmp_path / f"note-{number}.txt" for number in range(RATE + 2)]
    for number, file in enumerate(files):
        file.write_text(f"Note {number}: the records of supplier {number} are kept for six years.\n")
    page.locator("#files").set_input_files(files)
    if time.time() % 60 > 40:  # they have to arrive within one minute of the clock
        time.sleep(60 - time.time() % 60)
    page.locator("#drop button[type=submit]").click()
    outcomes = page.locator("#outcomes")
    expect(
        outcomes.get_by_text(re.compile(r"One person may send 6 requests a minute\. .*Try again in \d+ second"))
    ).to_have_count(2, timeout=30_000)
    expect(outcomes.locator("[data-stage=taken]")).to_have_count(RATE)
    expect(outcomes.locator("[data-stage=taken]")).to_have_count(RATE + 2, timeout=MINUTE_MS)


# Sends a form of the page until it is refused for more than a few seconds: another minute may begin in between.
EXHAUST = """async () => {
  const body = new FormData();
  body.append("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
  for (;;) {
    const { status, headers } = await fetch("/language/", { method: "POST", body, redirect: "manual" });
    if (status === 429 && Number(headers.get("Retry-After")) > 10) return;
    if (status === 429) await new Promise(done => setTimeout(done, 1000 * Number(headers.get("Retry-After"))));
  }
}"""


def test_a_refused_part_of_a_page_says_why(page: Page) -> None:
    page.goto(urljoin(page.url, "/ask/"))
    page.locator(".convs a[href^='/ask/']").filter(has_text=re.compile(r"\?")).first.click()
    page.evaluate(EXHAUST)
    page.get_by_role("button", name="Helpful", exact=True).last.click()
    expect(page.get_by_role("alert").filter(has_text="One person may send 6 requests a minute.")).to_be_visible()
    page.get_by_role("button", name="Helpful", exact=True).last.click()
    expect(page.get_by_role("alert").filter(has_text="One person may send 6 requests a minute.")).to_have_count(1)
