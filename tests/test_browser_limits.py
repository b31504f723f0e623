"""Limits in a real browser: an upload beyond them waits and goes on by itself, a refused part of a page says why."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsers import needs_chromium, new_context, sign_in
from tests.running import Running, new_person, shell, web_server

pytestmark = needs_chromium

RATE = 6
NOON, WINDOW_S = 1_800_000_000, 60  # the clock of the limits stands still; it forgets a request after a window
# A base with a document and an answer, for somebody of its own.
ASKING = """
import uuid
from pathlib import Path
from accounts.models import User
from chat.asking import keep_question
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.access import create_base
from documents.ingestion.conductor import ingest_path
sender = User.objects.get(email="sender@example.org")
base = create_base(sender, "Limits")
document = ingest_path(Path("samples/information-security-policy.md"), base, sender)
scope = QuestionScope(base, (document,))
answer_turn(keep_question(sender, scope, "How often are passwords changed?", "fast", form_id=uuid.uuid4()).pk)
"""


@pytest.fixture(scope="module")
def clock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What time it is for the limits, in a file."""
    file = tmp_path_factory.mktemp("clock") / "now"
    file.write_text(str(NOON), encoding="ascii")
    return file


@pytest.fixture(scope="module")
def page(running: Running, browser: Browser, clock: Path) -> Iterator[Page]:
    """Somebody at a web server of the installation with low limits, in a browser whose timers a test can advance."""
    sender = new_person(running, "sender@example.org")
    shell(running, ASKING)
    chosen = running.environment | {"DOCINTEL_API_RATE": str(RATE), "STILL_CLOCK": str(clock)}
    with web_server(chosen, running.home / "limits.txt", "tests.still_clock") as (address, _):
        context = new_context(browser, base_url=address, locale="en-GB")
        page = context.new_page()
        page.clock.install()
        sign_in(page, sender)
        yield page
        context.close()


def test_uploads_beyond_the_limit_wait_and_go_on(page: Page, clock: Path, tmp_path: Path) -> None:
    page.goto("/bases/")
    page.get_by_role("link", name="Limits").first.click()
    files = [tmp_path / f"note-{number}.txt" for number in range(RATE + 2)]
    for number, file in enumerate(files):
        file.write_text(f"Note {number}: the records of supplier {number} are kept for six years.\n")
    page.locator("#files").set_input_files(files)
    outcomes = page.locator("#outcomes")
    expect(
        outcomes.get_by_text(re.compile(r"One person may send 6 requests a minute\. .*Try again in \d+ second"))
    ).to_have_count(2)
    expect(outcomes.locator("[data-stage=taken]")).to_have_count(RATE)
    later = clock.with_name("later")
    later.write_text(str(NOON + WINDOW_S), encoding="ascii")
    later.replace(clock)  # never half written while a request reads it
    page.clock.fast_forward(1000 * WINDOW_S)
    expect(outcomes.locator("[data-stage=taken]")).to_have_count(RATE + 2)


# Sends a form of the page until it is refused.
EXHAUST = """async () => {
  const body = new FormData();
  body.append("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
  while ((await fetch("/language/", { method: "POST", body, redirect: "manual" })).status !== 429);
}"""


def test_a_refused_part_of_a_page_says_why(page: Page) -> None:
    page.goto("/ask/")
    page.locator(".convs a[href^='/ask/']").filter(has_text=re.compile(r"\?")).first.click()
    page.evaluate(EXHAUST)
    page.get_by_role("button", name="Helpful", exact=True).last.click()
    expect(page.get_by_role("alert").filter(has_text="One person may send 6 requests a minute.")).to_be_visible()
    page.get_by_role("button", name="Helpful", exact=True).last.click()
    expect(page.get_by_role("alert").filter(has_text="One person may send 6 requests a minute.")).to_have_count(1)
