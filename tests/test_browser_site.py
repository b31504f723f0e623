"""The site in a real browser: tutorial, people, keyboard, French; axe on every page, light and dark.

With PICTURES=docs/images in the environment the tutorial's pictures are taken anew.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urljoin

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from django.utils import translation
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from tests.browsers import LIT, WIDE, first_link, needs_chromium, new_context, picture, sign_in, tab_to
from tests.running import ADA, ARRIVED, ROOT, Running

pytestmark = needs_chromium

# What WCAG 2.2 asks for at the levels A and AA, as far as a program can see it; megabytes about what is right left out.
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
AXE = {"runOnly": {"type": "tag", "values": LEVELS}, "resultTypes": ["violations"]}
# The rules whose answer may be another in another colour scheme: a page has the same elements in both.
COLOURS = {
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
    "resultTypes": ["violations"],
}
SERIOUS = ("serious", "critical")
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
TALL = ViewportSize(width=390, height=8_000)  # where what sticks to an edge lies over nothing


@pytest.fixture(scope="module")
def address(demo: Running) -> str:
    return f"{demo.address}/"


@pytest.fixture(scope="module")
def owner(demo: Running, browser: Browser) -> Iterator[BrowserContext]:
    """The first owner."""
    context = visitor(browser, base_url=demo.address)
    page = context.new_page()
    sign_in(page, ADA)
    page.close()
    yield context
    context.close()


@pytest.fixture(scope="module")
def addresses(owner: BrowserContext, address: str) -> dict[str, str]:
    """One address of every kind of page a signed-in person can open."""
    page = owner.new_page()
    base = first_link(page, "/bases/", r"/bases/[0-9a-f-]{36}/$")
    document = first_link(page, base, r"/documents/[0-9a-f-]{36}/$")
    conversation = first_link(page, "/ask/", r"/ask/[0-9a-f-]{36}/$")
    run = first_link(page, "/audit/", r"/audit/runs/[0-9a-f-]{36}/$")
    concept = first_link(page, f"{base}dictionary/", r"/dictionary/\d+/$")
    page.close()
    plain = ("/bases/", "/ask/", "/ask/trash/", "/audit/", "/audit/queue/", "/audit/signoffs/", "/audit/golden/")
    more = (
        "/ask/links/",
        "/ask/fields/",
        "/audit/figures/",
        "/audit/changes/",
        "/audit/verify/",
        "/status/",
        "/requirements/",
        "/people/",
        "/accounts/sessions/",
        "/accounts/tokens/",
        "/accounts/password/change/",
    )
    parts = ("members", "settings", "trash", "fields", "model", "dictionary", "dictionary/models", "prompts")
    of_base = {f"base {name}": f"{base}{name}/" for name in (*parts, "reading-rules")}
    audited = {name: base.replace("/bases/", f"/audit/{name}/") for name in ("keeping", "alerts", "carried")}
    coverage = document.replace("/documents/", "/audit/coverage/")
    own = {"base": base, "document": document, "chat": conversation, "trail": run, "concept": concept}
    own |= {"card": f"{document}card/", "share": f"{conversation}share/", "prompt": f"{base}prompts/answer/"}
    named = {path.strip("/"): path for path in (*plain, *more, "/accounts/2fa/", "/nothing/")}
    return own | of_base | audited | {"coverage": coverage, "found": f"{base}search/?q=notice"} | named


def visitor(browser: Browser, **options: Any) -> BrowserContext:
    return new_context(browser, reduced_motion="reduce", **options)


def violations(page: Page, rules: dict[str, Any] = AXE) -> list[str]:
    """What axe finds serious, a line each."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate("async options => (await axe.run(options)).violations", rules)
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found if one["impact"] in SERIOUS]


def french(words: str) -> str:
    with translation.override("fr"):
        return translation.gettext(words)


def test_what_comes_in_place_of_a_part_takes_no_style_along(owner: BrowserContext, address: str) -> None:
    """What a script or a tool of the browser gave the part before: the policy refuses it, which the console says."""
    page, faults = owner.new_page(), list[str]()
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(urljoin(address, "/audit/signoffs/"))
    page.locator("#id_since").evaluate("field => { field.style.color = 'red' }")
    page.locator("#id_base").dispatch_event("change")
    page.wait_for_function("() => !document.getElementById('id_since').style.color")
    expect(page.locator(".htmx-settling")).to_have_count(0)
    assert faults == []
    page.close()


def test_the_tutorial(owner: BrowserContext, browser: Browser, address: str) -> None:
    """docs/tutorial.md step by step; the pictures it shows are the ones taken here."""
    page = owner.new_page()

    # 2: the demonstration's question, its quote lit on the page
    page.goto(urljoin(address, first_link(page, "/ask/", r"/ask/[0-9a-f-]{36}/$")))
    page.locator(".cites a").first.click()
    page.wait_for_function(LIT)
    picture(page, "answer")

    # 3: why: every passage with its role and reason
    page.get_by_role("link", name="Audit trail").first.click()
    page.wait_for_url(re.compile(r"/audit/runs/"))
    trail = page.url
    expect(page.locator("#cand rect.hl-anchor").first).to_be_attached()
    picture(page, "trail")

    # 4: a base of one's own, a document, a question it cannot answer
    page.goto(urljoin(address, "/bases/"))
    page.locator("#id_name").fill("Contracts")
    page.get_by_role("button", name="Make base").click()
    page.wait_for_url(re.compile(r"/bases/[0-9a-f-]{36}/$"))
    page.locator("#files").set_input_files(ROOT / "samples" / "outsourcing-agreement.pdf")
    row = page.locator("table.docs tbody tr", has_text="outsourcing-agreement.pdf")
    expect(row.locator(".state", has_text="Ready")).to_be_visible()
    picture(page, "base")
    page.goto(urljoin(address, "/ask/"))
    page.locator("#question").fill("Is there anything about earthquakes?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".absent").first).to_contain_text("earthquake")
    picture(page, "not-found")

    # 5: an auditor, invited with the role, who reads the trail and agrees
    page.goto(urljoin(address, "/bases/"))
    page.get_by_role("link", name="Demo", exact=True).click()
    page.get_by_role("link", name=re.compile("^Members")).click()
    page.locator("#id_email").fill("nia@example.org")
    page.locator("#id_role").select_option("auditor")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("tbody")).to_contain_text("nia@example.org")
    page.goto(urljoin(address, "/people/"))
    page.get_by_role("row", name=re.compile("nia@example.org")).get_by_role("button", name="New link").click()
    link = page.locator("#invitation-link").input_value()
    picture(page, "people")
    auditor = visitor(browser)
    theirs = auditor.new_page()
    theirs.goto(link)
    theirs.get_by_label("Your name").fill("Nia Roy")
    theirs.get_by_label("Password").fill(ADA.password)
    theirs.get_by_role("button", name="Sign in").click()
    theirs.wait_for_url(ARRIVED)
    theirs.goto(trail)
    form = theirs.locator("#cand form.review")
    form.locator("[name=outcome][value=agree]").check(force=True)
    form.locator("[name=reason]").fill("The clause says it in so many words.")
    picture(theirs, "review")
    form.get_by_role("button", name=re.compile("^Save")).click()
    theirs.goto(trail)
    expect(theirs.locator("main")).to_contain_text("The clause says it in so many words.")
    auditor.close()
    page.close()


def test_the_tutorial_shows_the_pictures_it_takes() -> None:
    shown = set(re.findall(r"images/([\w-]+)\.png", (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")))
    sources = [path.read_text(encoding="utf-8") for path in (Path(__file__), Path(__file__).with_name("test_run.py"))]
    taken = {name for source in sources for name in re.findall(r'picture\(\w+, "([\w-]+)"\)', source)}
    assert shown == taken


def test_the_head_of_a_trail_leads_to_its_quotes_and_to_a_verdict(owner: BrowserContext, address: str) -> None:
    page = owner.new_page()
    page.goto(urljoin(address, "/audit/"))
    page.get_by_role("link", name="What is the deductible amount?").first.click()
    expect(page.locator("#checks")).to_have_attribute("hidden", "until-found")
    page.locator("details:has(.said) > summary").first.click()
    page.locator(".said a.cite").first.click()
    expect(page.locator("#citation-1")).to_be_in_viewport()
    page.locator("#tab-candidates").click()
    expect(page.locator("#checks")).to_have_attribute("hidden", "until-found")
    page.get_by_role("link", name="Give a verdict").click()
    expect(page.locator("#checks form.review")).to_be_in_viewport()
    page.close()


def test_a_refused_verdict_is_in_sight_and_a_row_opens_its_candidate(owner: BrowserContext, address: str) -> None:
    page = owner.new_page()
    page.goto(urljoin(address, "/audit/"))
    page.get_by_role("link", name="What is the deductible amount?").first.click()
    page.get_by_role("link", name="Give a verdict").click()
    form = page.locator("#checks form.review")
    form.get_by_text("Wrong", exact=True).click()
    form.locator("[name=reason]").fill("bad")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("alert")).to_be_in_viewport()
    expect(form.locator("[name=reason]")).to_be_focused()
    expect(form.locator("[name=reason]")).to_have_value("bad")

    page.locator("#tab-candidates").click()
    row = page.locator("tr[data-candidate]").nth(1)
    row.locator(".c-rep").click()
    expect(page.locator("#cand")).to_have_attribute("data-open", row.get_attribute("data-candidate") or "")

    # A comment is in sight once it is saved.
    page.locator("#cand .comments summary").click()
    page.locator("#cand .comments textarea").fill("Is this the amount of today?")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.locator("#cand .said-by:focus")).to_contain_text("Is this the amount of today?")
    expect(page.locator("#cand .said-by:focus")).to_be_in_viewport()
    page.close()


def test_the_status_page_finds_everything_at_work(demo: Running, owner: BrowserContext, address: str) -> None:
    page = owner.new_page()

    def is_all_at_work() -> bool:
        page.goto(urljoin(address, "/status/"))
        return page.locator("table.parts .s-fail").count() == 0

    demo.wait_for(is_all_at_work)
    assert page.locator("table.parts tbody tr").count() >= 10
    page.close()


@pytest.mark.parametrize("size", ["wide", "phone"])
def test_axe_finds_nothing_serious_and_nothing_is_wider_than_the_screen(
    owner: BrowserContext, addresses: dict[str, str], address: str, size: str
) -> None:
    page = owner.new_page()
    page.add_init_script(AXE_SCRIPT)  # each page has it from its beginning
    page.set_viewport_size(WIDE if size == "wide" else TALL)
    told: dict[str, list[str]] = {}
    for name, path in addresses.items():
        page.goto(urljoin(address, path))
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            faults = violations(page, AXE if scheme == SCHEMES[0] else COLOURS)
            width, room = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            if width > room:
                faults.append(f"{width} px wide")
            if faults:
                told[f"{name}, {scheme}"] = faults
    page.close()
    assert told == {}


def test_pages_before_signing_in_pass_axe_too(browser: Browser, owner: BrowserContext, address: str) -> None:
    context = visitor(browser)
    page = context.new_page()
    for path in ("/accounts/login/", "/accounts/password/reset/", "/nothing/", "/invitation/nothing/"):
        page.goto(urljoin(address, path))
        assert violations(page) == [], path
    context.close()


def test_the_keyboard_alone_is_enough(owner: BrowserContext, address: str) -> None:
    page = owner.new_page()
    page.goto(urljoin(address, "/bases/"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null"), "past the menu"
    page.keyboard.press("?")
    expect(page.locator("#keyhelp")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("#keyhelp")).to_be_hidden()
    page.goto(urljoin(address, "/ask/"))
    page.locator("#question").press_sequentially("What?")
    expect(page.locator("#keyhelp")).to_be_hidden()
    page.close()


def test_a_base_is_made_and_set_up_by_keyboard_alone(owner: BrowserContext, address: str) -> None:
    page = owner.new_page()
    page.goto(urljoin(address, "/bases/"))
    tab_to(page, "main #id_name")
    page.keyboard.type("Keys")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/bases/[0-9a-f-]{36}/$"))
    tab_to(page, "a[href$='/settings/']")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/settings/$"))
    tab_to(page, "fieldset.plain input")
    before = page.locator("fieldset.plain input:focus").get_attribute("value")
    page.keyboard.press("ArrowDown")
    chosen = page.locator("fieldset.plain input:focus").get_attribute("value")
    assert chosen != before
    page.keyboard.press("Enter")
    expect(page.locator("body")).to_contain_text("The settings are saved")
    assert page.locator("fieldset.plain input:checked").first.get_attribute("value") == chosen
    page.close()


def test_the_interface_speaks_french(owner: BrowserContext, browser: Browser, address: str) -> None:
    context = visitor(browser, locale="fr-FR")
    page = context.new_page()
    page.goto(urljoin(address, "/accounts/login/"))
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    page.get_by_label(french("E-mail")).fill(ADA.email)
    page.get_by_label(french("Password"), exact=True).fill(ADA.password)
    page.get_by_role("button", name=french("Sign in")).click()
    page.wait_for_url(ARRIVED)
    page.get_by_role("link", name=french("Ask"), exact=True).first.click()
    page.wait_for_url(re.compile(r"/ask/$"))
    page.locator("#question").fill("What is the deductible of the property insurance?")
    page.locator("#question").press("Enter")
    page.wait_for_url(re.compile(r"/ask/[0-9a-f-]{36}/"))
    page.locator(".cites a").first.click()
    page.wait_for_function(LIT)
    page.get_by_role("link", name=french("Audit trail")).first.click()
    page.wait_for_url(re.compile(r"/audit/runs/"))
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    # And back, by the switch, which the browser's own wish does not overrule.
    page.locator("summary.who").click()
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.goto(urljoin(address, "/status/"))
    expect(page.get_by_role("heading", name="Status")).to_be_visible()
    context.close()


def test_sessions_are_ended_from_another_browser(owner: BrowserContext, browser: Browser, address: str) -> None:
    other = visitor(browser)
    page = other.new_page()
    page.goto(urljoin(address, "/accounts/login/"))
    page.get_by_label("E-mail").fill(ADA.email)
    page.get_by_label("Password", exact=True).fill(ADA.password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(ARRIVED)
    mine = owner.new_page()
    mine.goto(urljoin(address, "/accounts/sessions/"))
    mine.get_by_role("button", name="End all others").click()
    expect(mine.locator(".messages")).to_contain_text("ended")
    mine.close()
    page.goto(urljoin(address, "/bases/"))
    expect(page).to_have_url(re.compile(r"/accounts/login/"))
    other.close()
