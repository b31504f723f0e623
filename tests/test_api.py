"""The API as a newcomer meets it: a token made in the browser, the page to try it, every example of docs/api.md."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from docintel_site.http import problems
from docintel_site.tests.test_access import API, routes, scope_of
from tests.running import ROOT, Running, fresh_home, started
from tests.test_browser import CHROMIUM_FLAGS, chromium

DOCUMENT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
SAMPLES = ROOT / "samples"
PASSWORD = "quiet-harbour-91"
MAKE_TOKEN = """
from accounts.models import Scope, User
from accounts.tokens import make_token
user = User.objects.create_superuser("ada@example.org", "quiet-harbour-91", name="Ada")
print("secret", make_token(user, "Examples", Scope.values, 1)[1])
"""


def blocks(language: str) -> str:
    """What the document says in one language, as one program."""
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with fresh_home() as home, started(home) as instance:
        yield instance


@pytest.fixture(scope="module")
def token(running: Running) -> str:
    return make_token(running)


def make_token(running: Running) -> str:
    """A token with every right, of a new administrator."""
    command = [sys.executable, "manage.py", "shell", "-c", MAKE_TOKEN]
    done = subprocess.run(command, cwd=ROOT, env=running.environment, capture_output=True, text=True, check=True)
    [secret] = re.findall(r"^secret (\S+)", done.stdout, re.MULTILINE)
    return str(secret)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("outsourcing-agreement.pdf", "information-security-policy.md"):
        shutil.copy(SAMPLES / name, tmp_path)
    return tmp_path


def said(program: list[str], text: str, running: Running, token: str, folder: Path) -> str:
    environment = {**os.environ, "DOCINTEL": f"http://127.0.0.1:{running.port}", "TOKEN": token}
    done = subprocess.run(
        program, input=text, cwd=folder, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_curl_lines_do_what_they_say(running: Running, token: str, folder: Path) -> None:
    output = said(["bash", "-euo", "pipefail"], blocks("sh"), running, token, folder)
    assert '"email":"ada@example.org"' in output
    assert "25,000" in output or "deductible" in output
    assert "event: answer" in output
    assert '"number","number_on_page","page_number"' in output
    assert (folder / "evidence.zip").read_bytes().startswith(b"PK")


def test_the_python_client_does_what_it_says(running: Running, token: str, folder: Path) -> None:
    output = said([sys.executable, "-"], blocks("python"), running, token, folder)
    assert "[1] " in output and "How often are passwords changed?" in output


@pytest.mark.skipif(chromium() is None, reason="Chromium is not installed: apt-get install chromium")
def test_a_token_is_made_and_tried_in_the_browser(running: Running, token: str) -> None:
    address = f"http://127.0.0.1:{running.port}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_FLAGS)
        page = browser.new_page(locale="en-GB")
        errors: list[str] = []
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))

        page.goto(f"{address}/accounts/login/?next=/accounts/tokens/")
        page.locator("input[name=login]").fill("ada@example.org")
        page.locator("input[name=password]").fill(PASSWORD)
        page.locator("main button[type=submit]").first.click()
        page.wait_for_url(f"{address}/accounts/tokens/")
        page.get_by_label("Name", exact=True).fill("Nightly import")
        page.get_by_role("button", name="Make token").click()
        expect(page.locator("#made")).to_contain_text("shown this once")
        secret = page.locator("#secret").input_value()

        # The page to try the API, under the site's own policy: nothing of it is refused by the browser.
        page.get_by_role("link", name="Read and try the API").click()
        operation = page.locator("#operations-me-read_me")
        expect(operation).to_contain_text("The person and token of this request")
        page.get_by_role("button", name="Authorize").click()
        page.locator(".auth-container input[type=text]").first.fill(secret)
        page.locator(".auth-btn-wrapper button[type=submit]").first.click()
        page.locator(".btn-done").first.click()
        operation.locator(".opblock-summary").click()
        operation.get_by_role("button", name="Try it out").click()
        operation.get_by_role("button", name="Execute").click()
        expect(operation.locator(".live-responses-table")).to_contain_text("Nightly import")

        page.goto(f"{address}/accounts/tokens/")
        expect(page.locator("main")).to_contain_text(secret[:10])
        assert secret not in page.content(), "it was shown once"
        page.get_by_role("button", name="Revoke Nightly import").click()
        expect(page.locator("main")).to_contain_text("opens nothing any more")
        reply = page.request.get(f"{address}/api/v1/me", headers={"Authorization": f"Bearer {secret}"})
        assert reply.status == 401
        assert errors == []
        browser.close()


def test_the_document_names_every_address_and_its_scope() -> None:
    views = {route: pattern.callback for route, pattern in routes()}
    told = dict(re.findall(r"^\| `([A-Z]+ /\S+)` \| `(\w+)` \|", DOCUMENT, re.MULTILINE))
    rows = [
        row
        for row in API
        if row.startswith(("GET api/v1/", "POST api/v1/", "PUT api/v1/", "PATCH api/v1/", "DELETE api/v1/"))
    ]
    known = {re.sub(r"<\w+:(\w+)>", r"{\1}", row.replace(" api/v1", " ")): scope_of(views, row) for row in rows}
    assert told == {row: scope for row, scope in known.items() if scope}


def test_the_document_names_every_code_of_an_error() -> None:
    told = set(re.findall(r"`(\w+)`", DOCUMENT.partition("| status | codes |")[2].partition("## ")[0]))
    assert told >= {problem.code for problem in problems.OURS.values()}
