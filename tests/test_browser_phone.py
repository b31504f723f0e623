"""On a phone: the whole navigation is in sight, and a finger meets what it is put on."""

import re
from collections.abc import Iterator
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.running import Running, fresh_home, manage, started
from tests.test_browser import CHROMIUM_FLAGS, chromium

pytestmark = pytest.mark.skipif(chromium() is None, reason="Chromium is not installed: apt-get install chromium")

WAIT_MS = 90_000
# What does not answer 24 px across and 24 px high around its middle. A link within a sentence may be narrower.
MISSED = """
() => {
  const told = [];
  const isInSentence = (node) =>
    getComputedStyle(node).display === "inline" &&
    [...node.parentElement.childNodes].some((near) => near.nodeType === 3 && /[\\p{L}\\p{N}]{2}/u.test(near.data));
  const targets = "a[href], button, summary, select, textarea, input:not([type=hidden])";
  for (const each of document.querySelectorAll(targets)) {
    const target = each.labels?.length && /checkbox|radio/.test(each.type) ? each.labels[0] : each;
    if (each.closest(".skip, .sr") || !target.checkVisibility({ visibilityProperty: true })) continue;
    each.scrollIntoView({ block: "center", inline: "center" });
    const box = target.getClientRects()[0];
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const wide = isInSentence(each) ? [] : [[-11.5, 0], [11.5, 0]];
    const isMissed = [...wide, [0, -11.5], [0, 11.5]].some(([right, down]) => {
      const hit = document.elementFromPoint(x + right, y + down);
      return !(hit && (target.contains(hit) || each.contains(hit) || hit.closest("label, a, button")?.contains(each)));
    });
    if (isMissed) told.push(`${each.outerHTML.slice(0, 120)} ${Math.round(box.width)}x${Math.round(box.height)}`);
  }
  return told;
}
"""
# How high what is touched most answers around its middle, at most 44 px.
HEIGHTS = """
(selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility()).map((each) => {
  each.scrollIntoView({ block: "center" });
  const box = each.getBoundingClientRect();
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const answers = (down) => each.contains(document.elementFromPoint(x, y + down));
  return [each.textContent.trim().slice(0, 40), answers(-21) && answers(21)];
}).filter(([, isHigh]) => !isHigh)
"""


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with fresh_home() as home, started(home) as instance:
        loaded = manage(instance.environment, "load_demo")
        assert loaded.returncode == 0, loaded.stderr
        yield instance


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_FLAGS)


@pytest.fixture(scope="module")
def page(running: Running, browser: Browser) -> Iterator[Page]:
    """The first owner, on a phone."""
    link = re.search(r"http://\S+/welcome/\S+", running.printed)
    assert link is not None, running.printed
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, locale="en-US", reduced_motion="reduce"
    )
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    page.goto(link[0])
    page.get_by_label("Your name").fill("Ada Osei")
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_label("Password").fill("quiet-harbour-91")
    assert page.evaluate(MISSED) == []
    page.get_by_role("button", name="Create the owner").click()
    page.wait_for_url(re.compile(r"/$"))
    yield page
    context.close()


@pytest.fixture(scope="module")
def addresses(running: Running, page: Page) -> dict[str, str]:
    """The main pages."""
    home = f"http://127.0.0.1:{running.port}/"
    base = linked(page, urljoin(home, "/bases/"), r"/bases/[0-9a-f-]{36}/$")
    found = {
        "base": base,
        "document": linked(page, base, r"/documents/[0-9a-f-]{36}/$"),
        "answer": linked(page, urljoin(home, "/ask/"), r"/ask/[0-9a-f-]{36}/$"),
        "trail": linked(page, urljoin(home, "/audit/"), r"/audit/runs/[0-9a-f-]{36}/$"),
    }
    found |= {name: f"{base}{name}/" for name in ("members", "settings", "dictionary", "prompts", "trash")}
    plain = ("/", "/bases/", "/ask/", "/audit/", "/audit/queue/", "/audit/figures/", "/status/", "/people/")
    return found | {path: urljoin(home, path) for path in plain}


def linked(page: Page, address: str, pattern: str) -> str:
    """The address of the first link on a page that looks as asked."""
    page.goto(address)
    found: list[str] = page.locator("a[href]").evaluate_all("links => links.map(link => link.origin + link.pathname)")
    return next(one for one in found if re.search(pattern, one))


def test_every_target_is_24_px(page: Page, addresses: dict[str, str]) -> None:
    told: dict[str, list[str]] = {}
    for name, path in addresses.items():
        page.goto(path)
        if missed := page.evaluate(MISSED):
            told[name] = missed
    assert told == {}


@pytest.mark.parametrize(
    ("name", "selector"),
    [
        ("/bases/", ".top nav a, .bases .title a"),
        ("base", ".tabs a, .docs .named > a"),
        ("/ask/", ".ask .btn.go"),
        ("answer", ".answer a.cite, .cites a, .ask .btn.go"),
        ("/audit/", ".runs .what a"),
        ("trail", ".cands .what a"),
    ],
)
def test_what_is_touched_most_is_44_px(page: Page, addresses: dict[str, str], name: str, selector: str) -> None:
    page.goto(addresses[name])
    for one in selector.split(", "):
        assert page.locator(one).count(), one
    assert page.evaluate(HEIGHTS, selector) == []


def test_the_whole_navigation_is_in_sight_and_stays(page: Page, addresses: dict[str, str]) -> None:
    for name in ("base", "trail", "answer"):
        page.goto(addresses[name])
        for links in (".top nav a", "nav.tabs a"):
            boxes = [each.bounding_box() for each in page.locator(links).all()]
            assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes), (name, boxes)
    page.goto(addresses["base"])
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    top = page.locator(".top nav").bounding_box()
    assert top is not None and -1 <= top["y"] <= 1
