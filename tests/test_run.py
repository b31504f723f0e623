"""bin/run, whole: it starts, a newcomer finds his way, what is killed comes back, and nothing is left behind."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import psutil
import psycopg
import pytest
from playwright.sync_api import Browser, Page, expect

from embedded import postgres
from tests.browsers import LIT, MISSED, PHONE, needs_chromium, new_context, picture, tab_to
from tests.running import (
    ADA,
    ARRIVED,
    PATIENCE_S,
    ROOT,
    Running,
    environment,
    free_port,
    fresh_home,
    manage,
    started,
)


def left_behind(home: Path) -> list[str]:
    """Processes that still work for this home."""
    found = []
    for process in psutil.process_iter(["environ", "cmdline"]):
        words = f"{process.info['environ']} {process.info['cmdline']}"
        if str(home) in words and process.pid != os.getpid():
            found.append(" ".join(process.info["cmdline"] or []))
    return found


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with fresh_home() as directory:
        yield directory


@pytest.fixture(scope="module")
def running(home: Path) -> Iterator[Running]:
    with started(home) as instance:
        yield instance


def test_it_prints_an_address_and_a_link_that_work(running: Running) -> None:
    address = f"http://127.0.0.1:{running.port}/"
    assert "Open this link; it works once" in running.printed
    assert running.welcome.startswith(f"{address}welcome/")
    with urllib.request.urlopen(running.welcome, timeout=PATIENCE_S) as page:
        assert page.status == 200
        assert b"csrfmiddlewaretoken" in page.read()


def ask(page: Page, question: str) -> None:
    page.locator("#question").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()


@needs_chromium
def test_the_whole_way(running: Running, browser: Browser) -> None:
    """As a newcomer goes it: its link, a browser, a document, a question, the trail."""
    phone = new_context(browser, viewport=PHONE, has_touch=True, is_mobile=True)
    on_phone = phone.new_page()
    on_phone.goto(running.welcome)
    assert on_phone.evaluate(MISSED) == []
    phone.close()
    page = new_context(browser).new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))

    # The first owner, by the link that works once and the keyboard alone.
    page.goto(running.welcome)
    for field, said in (("name", ADA.name), ("email", ADA.email), ("password", ADA.password)):
        tab_to(page, f"#id_{field}")
        page.keyboard.type(said)
    picture(page, "first-owner")
    page.keyboard.press("Enter")
    page.wait_for_url(ARRIVED)

    # A base, a document, its progress.
    page.locator("#id_name").fill("Contracts")
    page.get_by_role("button", name="Make base").click()
    page.wait_for_url(re.compile(r"/bases/[0-9a-f-]{36}/$"))
    base = page.url
    page.locator("#files").set_input_files(
        [ROOT / "samples" / "outsourcing-agreement.pdf", ROOT / "samples" / "README.md"]
    )
    row = page.locator("table.docs tbody tr", has_text="outsourcing-agreement.pdf")
    expect(row.locator(".state", has_text="Ready")).to_be_visible()
    expect(row.locator(".pgs")).to_have_text("19")

    # A question, its answer, its quote lit on the page.
    page.goto(urljoin(base, "/ask/"))
    ask(page, "What is the deductible of the property insurance?")
    answer = page.locator(".turn .cites").first
    expect(answer).to_be_visible()
    page.locator(".cites a").first.click()
    page.wait_for_function(LIT)
    quote = page.locator(".cites .doc").first.inner_text()

    # A reload changes nothing.
    page.reload()
    expect(page.locator(".cites .doc").first).to_have_text(quote)

    # The trail: every candidate has a role and a reason, the anchor lies on its page.
    page.get_by_role("link", name="Audit trail").first.click()
    page.wait_for_url(re.compile(r"/audit/runs/"))
    rows = page.locator("table.cands tbody tr[data-candidate]")
    assert rows.count() >= 8
    eighth = rows.nth(7).bounding_box()
    assert eighth is not None and eighth["y"] + eighth["height"] <= 900, "eight are seen at a glance"
    assert all(text.strip() for text in page.locator("table.cands .c-role").all_inner_texts())
    expect(page.locator("#cand rect.hl-anchor").first).to_be_attached()

    # On a phone the roles are folded but for the first.
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    groups = page.locator("table.cands tbody[data-role]")
    expect(groups.first).to_be_visible()
    expect(groups.last).to_be_hidden()
    page.locator("[data-fold]").last.click()
    expect(groups.last).to_be_visible()
    page.set_viewport_size({"width": 1440, "height": 900})

    # Not found is an answer, with what was searched.
    page.goto(urljoin(base, "/ask/"))
    ask(page, "Is there anything about earthquakes?")
    absent = page.locator(".absent").first
    expect(absent).to_be_visible()
    expect(absent).to_contain_text("earthquake")

    # A wrong file is refused in words, and nothing else is lost.
    page.goto(base)
    page.locator("#files").set_input_files(
        {"name": "page.pdf", "mimeType": "application/pdf", "buffer": b"<html></html>"}
    )
    expect(page.locator("#outcomes")).to_contain_text("page.pdf")
    expect(page.locator("table.docs tbody tr")).to_have_count(2)

    # The browser names the refused upload itself; nothing else may be said.
    assert [error for error in errors if "400 (Bad Request)" not in error] == []
    page.context.close()


def test_every_part_works_once_it_is_up(running: Running) -> None:
    def is_at_work() -> bool:
        parts = running.status()
        return parts.get("Workers") == "ok" and "fail" not in parts.values()

    running.wait_for(is_at_work, pause_s=1)


def test_a_second_one_is_refused_in_one_sentence(running: Running) -> None:
    command = [sys.executable, "-m", "launch.start", "--port", str(free_port())]
    done = subprocess.run(command, cwd=ROOT, env=running.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        f"DocIntel already runs on {running.home} (process {running.process.pid}); stop it with bin/run down.\n"
    )
    assert running.process.poll() is None


def test_a_killed_worker_is_started_again(running: Running) -> None:
    worker = running.child("ingest,sweep")
    pool = worker.children()
    worker.kill()
    running.wait_for(lambda: "ingest ended (killed by SIGKILL), starting again" in running.printed)
    running.wait_until_ok("Workers")
    assert running.child("ingest,sweep").pid != worker.pid
    assert psutil.wait_procs(pool, timeout=PATIENCE_S)[1] == []


def test_killed_servers_are_started_again(running: Running) -> None:
    for word in ("valkey-server", "postgres"):
        for process in psutil.process_iter(["cmdline"]):
            command = process.info["cmdline"] or [""]
            if word in command[0] and str(running.home) in " ".join(command):
                process.kill()
    running.wait_for(lambda: "Redis does not answer, starting it again" in running.printed)
    running.wait_for(lambda: "PostgreSQL does not answer, starting it again" in running.printed)
    running.wait_until_ok("Workers", "Database")


def test_servers_that_hang_are_ended_and_started_again(running: Running) -> None:
    def hangs(name: str, server: str) -> bool:
        """Stop it and look. Anew, since who lets a frozen machine go on lets this go on too."""
        if f"{name} hangs, ending it" in running.printed:
            return True
        for process in psutil.process_iter(["cmdline"]):
            command = process.info["cmdline"] or [""]
            if server in command[0] and str(running.home) in " ".join(command):
                with suppress(psutil.NoSuchProcess):
                    process.suspend()
        return False

    running.wait_for(lambda: all([hangs("Redis", "valkey-server"), hangs("PostgreSQL", "postgres")]))
    running.wait_until_ok("Workers", "Database")


def test_ctrl_c_stops_everything_and_the_next_start_keeps_the_rows(running: Running) -> None:
    with psycopg.connect(postgres.url(running.home)) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
    running.end(signal.SIGINT)
    assert "DocIntel is stopped." in running.printed
    assert left_behind(running.home) == []

    again = Running(running.home)
    try:
        with psycopg.connect(postgres.url(running.home)) as connection:
            assert connection.execute("SELECT number FROM kept").fetchone() == (7,)
    finally:
        done = subprocess.run(
            [sys.executable, "-m", "launch.start", "down"], cwd=ROOT, env=again.environment, check=False
        )
    assert done.returncode == 0
    assert again.process.wait(timeout=PATIENCE_S) == 0
    assert left_behind(running.home) == []


def test_with_servers_of_your_own_nothing_embedded_starts(tmp_path: Path) -> None:
    given = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL")}
    done = manage(environment(tmp_path) | given, "showmigrations", "--plan")
    assert done.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret_key"]


def told(tmp_path: Path, database_url: str, *command: str) -> str:
    given = {"DATABASE_URL": database_url, "REDIS_URL": os.environ["REDIS_URL"]}
    done = manage(environment(tmp_path) | given, *command)
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


@pytest.mark.parametrize("command", [("ask", "Why?", "--base", "Demo"), ("ingest", "samples", "--base", "Demo")])
def test_a_command_before_the_tables_says_what_to_do(tmp_path: Path, command: tuple[str, ...]) -> None:
    empty = urlsplit(os.environ["DATABASE_URL"])._replace(path="/postgres").geturl()
    said = told(tmp_path, empty, *command)
    assert said.startswith("The tables are missing") and "manage.py migrate" in said and said.count("\n") == 1


def test_a_database_that_does_not_answer_is_told_in_a_sentence(tmp_path: Path) -> None:
    said = told(tmp_path, "postgresql://app@127.0.0.1:9/docintel", "ask", "Why?", "--base", "Demo")
    assert said.startswith("The database does not answer: ") and "DATABASE_URL" in said and said.count("\n") == 1
