"""Uploads, a document's page and chat in a real browser, with a scripted model that can pause mid-answer."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, FilePayload, Page, Route, expect

from tests.browsers import LIT, needs_chromium, new_context, sign_in
from tests.conftest import PATIENCE
from tests.running import ADA, ROOT, environment, manage, processes
from tests.scripted_llm import VERDICTS, Json, ScriptedLLM

pytestmark = needs_chromium

SAMPLES = ROOT / "samples"
QUESTION = "What is the deductible of the cyber policy?"
RUNNING = "article.turn[aria-busy]"
MAKE_OWNER = f"""
from django.core.management import call_command
from accounts.models import User
call_command("build_encoder")
User.objects.create_superuser("{ADA.email}", "{ADA.password}", name="{ADA.name}")
"""


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedLLM]:
    with ScriptedLLM("good") as server:
        yield server


@pytest.fixture(scope="module")
def context(servers: Path, model: ScriptedLLM, browser: Browser) -> Iterator[BrowserContext]:
    """A signed-in owner of a site that has the scripted model."""
    chosen = {"OPENAI_API_KEY": "sk-scripted", "OPENAI_BASE_URL": model.base_url, "DOCINTEL_PATIENCE": PATIENCE}
    variables = environment(servers) | chosen
    made = manage(variables, "shell", "-c", MAKE_OWNER)
    assert made.returncode == 0, made.stderr
    with processes(variables, servers) as address:
        context = new_context(browser, base_url=address)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        sign_in(page, ADA)
        page.close()
        yield context
        context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page whose scripts must not fail."""
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    page.close()
    assert faults == []


def new_base(page: Page, name: str) -> None:
    page.goto("/bases/")
    page.locator("#id_name").fill(name)
    page.get_by_role("button", name="Make base").click()
    page.wait_for_url(re.compile(r"/bases/[0-9a-f-]{36}/$"))


def note(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "text/markdown", "buffer": text.encode()}


def upload(page: Page, *names: str) -> None:
    page.locator("#files").set_input_files([SAMPLES / name for name in names])


@pytest.fixture(scope="module")
def agreement(context: BrowserContext) -> str:
    """The path of a document that was uploaded and read."""
    page = context.new_page()
    new_base(page, "Contracts")
    upload(page, "outsourcing-agreement.pdf")
    row = page.locator("table.docs tbody tr")
    expect(row.locator(".state", has_text="Ready")).to_be_visible()
    path = row.locator(".title a").first.get_attribute("href")
    page.close()
    assert path is not None
    return path


def ask(page: Page, document: str, question: str) -> None:
    page.goto(f"/ask/?document={document.split('/')[2]}")
    page.locator("#question").fill(question)
    page.locator(".ask button[type=submit]").click()
    page.wait_for_url(re.compile(r"/ask/[0-9a-f-]{36}/"))


def test_each_upload_has_its_own_progress_cancel_and_second_try(page: Page) -> None:
    new_base(page, "Uploads")
    entry = {name: page.locator("#outcomes li", has_text=name) for name in ("annual-report.pdf", "README.md")}
    page.route("**/upload/", lambda route: route.abort())
    upload(page, "annual-report.pdf", "README.md")
    for item in entry.values():
        expect(item).to_have_attribute("data-stage", "failed")
    expect(page.locator("#upload-summary")).to_have_text("2 of 2 files, 0 taken")

    # The second try goes through; the other file is held on its way and cancelled.
    page.unroute("**/upload/")
    entry["annual-report.pdf"].get_by_role("button", name="Try again").click()
    expect(entry["annual-report.pdf"]).to_have_attribute("data-stage", "taken")
    held: list[Route] = []
    page.route("**/upload/", lambda route: held.append(route))
    entry["README.md"].get_by_role("button", name="Try again").click()
    expect(entry["README.md"]).to_have_attribute("data-stage", re.compile("sending|checking"))
    entry["README.md"].get_by_role("button", name="Cancel").click()
    expect(entry["README.md"]).to_have_attribute("data-stage", re.compile("cancelled|checking"))
    if entry["README.md"].get_attribute("data-stage") == "checking":
        held[0].continue_()  # all bytes had left: the server decides, and what it takes is taken back
    expect(entry["README.md"]).to_have_attribute("data-stage", "cancelled")
    page.reload()
    expect(page.locator("table.docs tbody tr")).to_have_count(1)


def test_files_that_were_not_sent_when_the_page_was_left_are_named_when_it_is_opened_again(page: Page) -> None:
    new_base(page, "Left too soon")
    expect(page.locator("#drop [type=submit]")).to_be_hidden()  # choosing files sends them
    page.route("**/upload/", lambda _route: None)
    upload(page, "annual-report.pdf", "README.md")
    expect(page.locator("#outcomes li")).to_have_count(2)
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.once("dialog", leave)
    page.locator("h1").click()  # a browser asks only where somebody did something
    page.goto("/bases/")
    assert asked == ["beforeunload"]
    page.unroute("**/upload/")
    page.go_back()
    expect(page.locator("#unsent li")).to_have_text(["annual-report.pdf", "README.md"])
    page.reload()
    expect(page.locator("#unsent")).to_be_hidden()
    # As the first page of an owner leaves it, which is not opened again once one file has come.
    page.evaluate("sessionStorage.setItem('unsent /first-files/', '[\"terms.md\"]')")
    page.reload()
    expect(page.locator("#unsent li")).to_have_text(["terms.md"])


def test_what_is_ready_can_be_asked_without_a_reload(page: Page) -> None:
    new_base(page, "Asked at once")
    expect(page.get_by_role("link", name="Ask this base")).to_have_count(0)
    upload(page, "outsourcing-agreement.pdf")
    row = page.locator("table.docs tbody tr")
    expect(row.locator(".state", has_text="Ready")).to_be_visible()
    expect(row.locator(".suggested a")).to_have_count(3)
    drawn = "node => [getComputedStyle(node).position, getComputedStyle(node).borderTopColor]"
    edge = row.locator(".to-ask").evaluate("node => getComputedStyle(node).borderBottomColor")
    assert row.locator(".to-ask").evaluate(drawn) == ["static", edge], "a button, not the bar of the chat"
    expect(row.get_by_role("link", name="Ask this document")).to_be_visible()
    expect(page.get_by_role("link", name="Ask this base")).to_be_visible()
    outcome = page.locator("#outcomes li")
    expect(outcome.locator(".state")).to_have_text("Ready")
    expect(outcome).not_to_contain_text("being read")
    outcome.get_by_role("link", name="Ask this document").click()
    page.wait_for_url(re.compile(r"/ask/\?document="))
    page.go_back()
    page.locator("tbody .menu summary").first.click()
    page.get_by_role("button", name="Move to trash").last.click()
    message = page.locator(".messages")
    expect(message).to_contain_text("is in the trash")
    message.get_by_role("button", name="Put back").click()
    expect(row).to_have_count(1)


def test_marked_documents_are_tagged(page: Page, agreement: str) -> None:
    page.goto(agreement)
    page.locator(".crumbs a").first.click()
    bar = page.locator("#bulk")
    expect(bar).to_be_hidden()
    page.locator("td.pick input").first.check()
    expect(bar).to_be_visible()
    bar.locator("summary").click()
    page.locator("#bulk-tags").fill("contract")
    bar.get_by_role("button", name="Put on").click()
    expect(page.locator("table.docs a.tag")).to_have_text("contract")


def test_a_title_is_edited_where_it_stands(page: Page, agreement: str) -> None:
    page.goto(agreement)
    heading = page.locator(".dochead h1")
    title = heading.inner_text()

    page.locator(".dochead .rename summary").press("Enter")
    field = page.locator(".dochead .rename [name=title]")
    expect(field).to_be_focused()
    expect(heading).to_be_hidden()
    field.fill("Never kept")
    field.press("Escape")
    expect(heading).to_have_text(title)
    expect(page.locator(".dochead .rename summary")).to_be_focused()
    expect(field).to_have_value(title)
    page.locator(".dochead .rename summary").click()
    field.fill("Lease of the boathouse")
    field.press("Enter")
    expect(page.locator(".dochead h1")).to_have_text("Lease of the boathouse")

    page.locator(".crumbs a").first.click()
    row = page.locator("table.docs tbody tr", has_text="Lease of the boathouse")
    row.locator(".rename summary").click()
    row.get_by_role("link", name="Cancel").click()
    expect(row.locator(".rename summary")).to_be_focused()
    row.locator(".rename summary").click()
    row.locator(".rename [name=title]").fill("  ")
    row.get_by_role("button", name="Save").click()
    expect(row.locator(".rename [role=alert]")).to_have_text("A document needs a title.")
    expect(row.locator(".rename [name=title]")).to_be_focused()
    row.locator(".rename [name=title]").fill(title)
    row.locator(".rename [name=title]").press("Enter")
    renamed = page.locator("table.docs tbody tr", has_text=title)
    expect(renamed.locator(".rename summary")).to_be_focused()
    expect(page.locator(".messages li")).to_have_count(0)  # the row changed in its place


def test_words_are_found_on_every_page_by_keyboard(page: Page, agreement: str) -> None:
    page.goto(agreement)
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type("deductible")
    page.keyboard.press("Enter")
    count = page.locator("#hit-count")
    expect(count).to_have_text(re.compile(r"^\s*1 /\s+\d+\s*$"))
    total = int(count.inner_text().split("/")[1])
    assert total > 2
    expect(page.locator(".hits [aria-current]")).to_contain_text(re.compile("deductible", re.IGNORECASE))
    expect(page.locator(".sheet rect.hl-anchor").first).to_be_attached()
    page.locator("#frame").focus()
    page.keyboard.press("n")
    expect(count).to_have_text(f"2 / {total}")
    page.locator("#frame").focus()
    page.keyboard.press("Shift+N")
    expect(count).to_have_text(f"1 / {total}")
    page.locator("#find").focus()
    page.keyboard.press("Shift+Enter")
    expect(count).to_have_text(f"{total} / {total}")
    page.locator("#find").focus()
    page.keyboard.press("Escape")
    expect(count).to_have_count(0)
    page.locator("#find").fill("earthquake")
    page.keyboard.press("Enter")
    expect(count).to_have_text("none")


def test_a_page_is_zoomed_and_stays_so(page: Page, agreement: str) -> None:
    page.goto(agreement)
    width = "document.querySelector('.sheet').getBoundingClientRect().width"
    fit = page.evaluate(width)
    for _ in range(3):
        page.get_by_role("button", name="Larger").click()
    page.wait_for_function(f"() => {width} > 1.9 * {fit}")
    # Drawn anew for the eye: the sharper image takes the place of the first.
    page.wait_for_function("() => document.querySelector('.sheet img').src.includes('size=sharp')")
    page.goto(f"{agreement}?page=2")
    page.wait_for_function(f"() => {width} > 1.9 * {fit}")
    page.get_by_role("button", name="Fit the width").click()
    page.wait_for_function(f"() => {width} < 1.1 * {fit}")


def test_a_section_a_line_and_selected_words_have_addresses(page: Page, agreement: str) -> None:
    page.goto(agreement)
    entry = page.locator("#panel a", has_text="Insurance").first
    entry.click()
    expect(page.locator("#panel [aria-current=location]")).to_contain_text("Insurance")
    expect(page.locator("#h-section + dl")).to_contain_text("Insurance")

    # A line of the page is inspected by a click on it.
    line = (
        page.locator(".sheet .tl", has_text="deductible").or_(page.locator(".sheet .tl", has_text="Deductible")).first
    )
    number = line.get_attribute("data-line")
    line.click()
    page.wait_for_url(re.compile(f"line={number}"))
    expect(page.locator("#h-line")).to_have_text(f"Line {number}")

    # The words of a line are selected as a reader drags over them; their address lights them.
    page.evaluate(f"getSelection().selectAllChildren(document.querySelector('[data-line=\"{number}\"]'))")
    words = page.evaluate("getSelection().toString()")
    assert "eductible" in words
    page.locator("#link").click()
    expect(page.locator("#said")).to_have_text("The address of these words is copied")
    page.goto(page.evaluate("navigator.clipboard.readText()"))
    expect(page.locator(".sheet rect.hl-anchor").first).to_be_attached()
    expect(page.locator("#fault")).to_have_count(0)
    assert "quote=" in page.url and number == page.locator(".sheet .tl", has_text=words).first.get_attribute(
        "data-line"
    )


def test_a_newer_file_takes_over_and_the_trash_gives_back(page: Page) -> None:
    new_base(page, "Versions")
    base = page.url
    page.locator("#files").set_input_files(note("rules.md", "# Rules\n\nOld.\n"))
    row = page.locator("table.docs tbody tr")
    expect(row.locator(".state", has_text="Ready")).to_be_visible()
    row.locator(".title a").first.click()
    page.locator("#replace summary").click()
    page.locator("#newer").set_input_files(note("rules-2.md", "# Rules\n\nNew.\n"))
    page.get_by_role("button", name="Upload the new version").click()
    expect(page.locator("#about")).to_contain_text("rules.md")
    expect(page.locator("#about")).to_contain_text("rules-2.md")
    page.goto(base)
    expect(row).to_have_count(1)
    expect(row).to_contain_text("newer version")

    row.locator(".title a").first.click()
    page.locator("#about").get_by_role("button", name="Move to trash").click()
    expect(page.locator(".messages")).to_contain_text("is in the trash")
    expect(row).to_have_count(0)
    page.goto(f"{base}trash/")
    page.get_by_role("button", name="Put back").click()
    expect(row).to_have_count(1)


def test_a_page_number_and_a_strip_lead_to_a_page(page: Page, agreement: str) -> None:
    page.goto(f"{agreement}?panel=pages")
    page.locator(".strip a").nth(4).click()
    expect(page.locator("input[name=go]")).to_have_value("5")
    page.wait_for_function("() => document.querySelector('.strip [aria-current] img')?.naturalWidth > 0")
    page.locator("input[name=go]").fill("9")
    page.locator("input[name=go]").press("Enter")
    page.wait_for_url(re.compile(r"\?page=9\b"))
    page.locator("input[name=go]").fill("999")
    page.locator("input[name=go]").press("Enter")
    expect(page.locator("#fault")).to_contain_text("999")
    expect(page.locator("input[name=go]")).to_have_value("9")


def test_a_running_answer_is_met_again_after_a_reload_and_in_a_second_tab(
    page: Page, context: BrowserContext, agreement: str, model: ScriptedLLM
) -> None:
    model.hold = threading.Event()
    try:
        ask(page, agreement, QUESTION)
        live = page.locator("[data-live-answer]")
        expect(live).to_contain_text("The document")  # the model is held in the middle of its first sentence
        counts = {
            "plan": r"^\d search(es)?$",
            "hits": r"^\d+ places$",
            "candidates": r"^\d+ passages?$",
            "arbiter": r"^\d+ kept$",
        }
        for stage, count in counts.items():
            expect(page.locator(f"[data-stage={stage}] span")).to_have_text(re.compile(count))
        page.route("**/events", lambda route: route.abort())
        page.reload()
        expect(page.locator("[data-live-note]")).to_contain_text("Not connected")
        page.unroute("**/events")
        expect(live).to_contain_text("The document")
        with_tab = context.new_page()
        with_tab.goto(page.url)
        expect(with_tab.locator("[data-live-answer]")).to_contain_text("The document")
        assert page.locator(RUNNING).count() == with_tab.locator(RUNNING).count() == 1
    finally:
        model.hold.set()
    for tab in (page, with_tab):
        expect(tab.locator(RUNNING)).to_have_count(0)
        expect(tab.locator(".answer .cite").first).to_be_visible()
    with_tab.close()

    # A marker opens its page beside the answer, and the document at the same words.
    page.route("**/page/*", lambda route: route.abort())
    page.locator(".answer .cite").first.click()
    expect(page.get_by_role("alert").filter(has_text="The server cannot be reached.")).to_be_visible()
    page.unroute("**/page/*")
    page.locator(".answer .cite").first.click()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.wait_for_function(LIT)
    page.locator("#page a", has_text="Open document").click()
    page.wait_for_url(re.compile(r"/documents/.*quote="))
    expect(page.locator(".sheet rect.hl-anchor").first).to_be_attached()
    expect(page.locator("#fault")).to_have_count(0)


def test_a_held_answer_is_stopped(page: Page, agreement: str, model: ScriptedLLM) -> None:
    model.hold = threading.Event()
    try:
        ask(page, agreement, "How high is the deductible of the cyber policy?")
        expect(page.locator("[data-live-answer]")).to_contain_text("The document")
        page.get_by_role("button", name="Stop").click()
        # The model is still held: only the stop can end this, and what had arrived stays.
        expect(page.locator(RUNNING)).to_have_count(0)
        expect(page.locator(".turn .note").first).to_contain_text("You stopped this answer")
        expect(page.locator(".turn .answer")).to_contain_text("The document")
    finally:
        model.hold.set()
    page.reload()
    expect(page.locator(".turn .note").first).to_contain_text("You stopped this answer")


def test_what_is_not_there_is_said_to_be_absent(page: Page, agreement: str, model: ScriptedLLM) -> None:
    model.hold, model.behaviour = None, "answers-not-found"
    try:
        ask(page, agreement, "Does the cyber policy cover earthquakes?")
        absent = page.locator(".absent")
        expect(absent).to_contain_text("Not found")
    finally:
        model.behaviour = "good"
    expect(absent.locator(".words .nil", has_text="earthquake")).to_be_visible()
    near = absent.locator(".near a")
    expect(near.first).to_be_visible()
    near.first.click()
    page.wait_for_function(LIT)
    expect(page.locator("#page .tools .cite")).to_have_text("?")


def test_the_keyboard_asks_and_opens_a_citation(page: Page, agreement: str, model: ScriptedLLM) -> None:
    model.hold = None
    page.goto(f"/ask/?document={agreement.split('/')[2]}")
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/ask/[0-9a-f-]{36}/"))
    expect(page.locator(".answer .cite").first).to_be_visible()
    expect(page.locator(RUNNING)).to_have_count(0)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.answer .cite')"):
            break
    expect(page.locator(".answer .cite .peek").first).to_contain_text("p. ")
    expect(page.locator(".answer .cite .peek").first).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_function(LIT)
    expect(page.locator(".answer .cite").first).to_have_attribute("aria-current", "true")
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()

    # The last question comes back to be edited, and Esc leaves it.
    page.keyboard.press("ArrowUp")
    expect(page.locator("#question")).to_have_value(QUESTION)
    page.keyboard.press("Escape")
    expect(page.locator("#question")).to_have_value("")


def test_an_answer_is_copied_and_called_wrong(page: Page, agreement: str, model: ScriptedLLM) -> None:
    model.hold = None
    page.goto(f"/ask/?document={agreement.split('/')[2]}")
    page.locator(".suggested button").first.click()
    page.wait_for_url(re.compile(r"/ask/[0-9a-f-]{36}/"))
    expect(page.locator(RUNNING)).to_have_count(0)
    page.get_by_role("button", name="Copy with citations").click()
    expect(page.locator("[data-copied]")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "[1] \u201c" in copied and "p. " in copied
    page.locator(".why summary").filter(has_text="Why these passages").click()
    expect(page.locator(".why td").first).to_be_visible()
    page.locator(".feedback details summary").click()
    page.get_by_label("Wrong evidence").check()
    page.locator(".feedback textarea").fill("Line 12 says so, not line 10.")
    page.get_by_role("button", name="Send to the reviewers").click()
    expect(page.locator(".feedback [role=status]")).to_contain_text("wrong evidence")


def test_passages_that_disagree_stand_side_by_side(
    page: Page, agreement: str, model: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(VERDICTS, "wrong-contradictions", with_contradiction)
    model.hold, model.behaviour = None, "wrong-contradictions"
    try:
        ask(page, agreement, f"{QUESTION[:-1]} today?")  # the very same question is answered from the record
        sides = page.locator(".versus li")
        expect(sides).to_have_count(2)
    finally:
        model.behaviour = "good"
    first, second = (sides.nth(index).bounding_box() for index in range(2))
    assert first and second and first["y"] == second["y"] and first["x"] + first["width"] <= second["x"]
    sides.nth(1).locator("a").click()
    page.wait_for_function(LIT)


def with_contradiction(reply: Json, verdicts: list[Json]) -> None:
    first, second = verdicts[:2]
    first["role"], second["role"], reply["answerable"] = "primary", "supporting", True
    ids = [first["candidate_id"], second["candidate_id"]]
    reply["contradictions"] = [{"point": "They give two figures.", "candidate_ids": ids}]


def test_a_conversation_is_renamed_found_and_deleted(page: Page, agreement: str, model: ScriptedLLM) -> None:
    model.hold = None
    ask(page, agreement, QUESTION)
    expect(page.locator(RUNNING)).to_have_count(0)
    page.locator(".conv-head summary").click()
    page.locator("#title").fill("Insurance, autumn review")
    page.get_by_role("button", name="Rename").click()
    expect(page.locator(".convs [aria-current]")).to_contain_text("Insurance, autumn review")
    page.locator("#find").fill("autumn")  # in no question or answer, where it is looked for too
    page.locator("#find").press("Enter")
    expect(page.locator(".convs li")).to_have_count(1)
    page.locator(".convs li a").click()
    page.locator(".conv-head summary").click()
    page.get_by_role("button", name="Delete conversation").click()
    expect(page.locator(".messages li")).to_have_count(1)
    expect(page.locator(".messages")).to_contain_text("Insurance, autumn review")
    page.goto("/ask/trash/")
    page.get_by_role("button", name="Put back").first.click()
    expect(page.locator(".convs [aria-current]")).to_contain_text("Insurance, autumn review")
