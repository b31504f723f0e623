"""The API as a newcomer meets it: a token made in the browser, the page to try it, every example of docs/api.md."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from docintel_site.http import problems
from docintel_site.tests.test_access import API, routes, scope_of
from tests.browsers import needs_chromium, new_context
from tests.running import ROOT, Person, Running, new_person

DOCUMENT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
SAMPLES = ROOT / "samples"


def blocks(language: str) -> str:
    """What the document says in one language, as one program."""
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def client(running: Running) -> Person:
    return new_person(running, "client@example.org")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("outsourcing-agreement.pdf", "information-security-policy.md"):
        shutil.copy(SAMPLES / name, tmp_path)
    return tmp_path


def said(program: list[str], text: str, running: Running, token: str, folder: Path) -> str:
    environment = {**os.environ, "DOCINTEL": running.address, "TOKEN": token}
    done = subprocess.run(program, input=text, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_curl_lines_do_what_they_say(running: Running, client: Person, folder: Path) -> None:
    output = said(["bash", "-euo", "pipefail"], blocks("sh"), running, client.token, folder)
    assert f'"email":"{client.email}"' in output
    assert "25,000" in output or "deductible" in output
    assert "event: answer" in output
    assert '"number","number_on_page","page_number"' in output
    assert (folder / "evidence.zip").read_bytes().startswith(b"PK")


def test_the_python_client_does_what_it_says(running: Running, client: Person, folder: Path) -> None:
    output = said([sys.executable, "-"], blocks("python"), running, client.token, folder)
    assert "[1] " in output and "How often are passwords changed?" in output


@needs_chromium
def test_a_token_is_made_and_tried_in_the_browser(running: Running, browser: Browser, client: Person) -> None:
    address = running.address
    page = new_context(browser, locale="en-GB").new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))

    page.goto(f"{address}/accounts/login/?next=/accounts/tokens/")
    page.locator("input[name=login]").fill(client.email)
    page.locator("input[name=password]").fill(client.password)
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
    page.context.close()


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
