"""On a phone: the whole navigation is in sight, and a finger meets what it is put on."""

import re
from collections.abc import Iterator
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from tests.browsers import MISSED, PHONE, WIDE, needs_chromium, new_context, sign_in
from tests.running import ADA, Running

pytestmark = needs_chromium

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
TWICE = ViewportSize(width=720, height=450)  # what a browser of 1440 x 900 has left at 200 %
# What a reader says of an answer is folded away until it is wanted.
FOLDED = "document.querySelectorAll('.feedback details').forEach((each) => { each.open = true })"


@pytest.fixture(scope="module")
def page(demo: Running, browser: Browser) -> Iterator[Page]:
    """The first owner, on a phone."""
    context = new_context(
        browser, base_url=demo.address, viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    page = context.new_page()
    sign_in(page, ADA)
    yield page
    context.close()


@pytest.fixture(scope="module")
def addresses(demo: Running, page: Page) -> dict[str, str]:
    """The main pages."""
    home = f"{demo.address}/"
    base = linked(page, urljoin(home, "/bases/"), r"/bases/[0-9a-f-]{36}/$")
    found = {
        "base": base,
        "document": linked(page, base, r"/documents/[0-9a-f-]{36}/$"),
        "answer": linked(page, urljoin(home, "/ask/"), r"/ask/[0-9a-f-]{36}/$"),
        "trail": linked(page, urljoin(home, "/audit/"), r"/audit/runs/[0-9a-f-]{36}/$"),
    }
    found |= {name: f"{base}{name}/" for name in ("members", "settings", "dictionary", "prompts", "trash")}
    found["keeping"] = linked(page, f"{base}settings/", r"/audit/keeping/[0-9a-f-]{36}/$")
    plain = ("/", "/bases/", "/ask/", "/audit/", "/audit/queue/", "/audit/figures/", "/status/", "/people/")
    return found | {path: urljoin(home, path) for path in (*plain, "/accounts/tokens/", "/audit/golden/")}


def linked(page: Page, address: str, pattern: str) -> str:
    """The address of the first link on a page that looks as asked."""
    page.goto(address)
    found: list[str] = page.locator("a[href]").evaluate_all("links => links.map(link => link.origin + link.pathname)")
    return next(one for one in found if re.search(pattern, one))


def test_every_target_is_24_px(page: Page, addresses: dict[str, str]) -> None:
    told: dict[str, list[str]] = {}
    for name, path in addresses.items():
        page.goto(path)
        page.evaluate(FOLDED)
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


def test_what_the_box_says_fits_its_one_line(page: Page, addresses: dict[str, str]) -> None:
    page.goto(addresses["answer"])
    question = page.locator("#question")
    assert question.get_attribute("placeholder") == "Ask a follow-up"
    assert question.evaluate("box => box.scrollHeight <= box.clientHeight")
    page.set_viewport_size(WIDE)
    assert page.get_by_placeholder("Ask a follow-up, or a new question").is_visible()
    page.set_viewport_size(PHONE)


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


@pytest.mark.parametrize("name", ["/audit/", "/audit/queue/", "/audit/figures/", "base", "trail"])
def test_at_twice_the_size_every_tab_is_in_sight(page: Page, addresses: dict[str, str], name: str) -> None:
    page.set_viewport_size(TWICE)
    page.goto(addresses[name])
    ends = page.locator("nav.tabs a").evaluate_all("all => all.map(each => each.getBoundingClientRect().right)")
    assert ends and max(ends) <= TWICE["width"]
    page.set_viewport_size(PHONE)


def test_at_twice_the_size_the_question_box_leaves_the_answer_its_room(page: Page, addresses: dict[str, str]) -> None:
    page.set_viewport_size(TWICE)
    page.goto(addresses["answer"])
    covered = page.locator(".ask").evaluate("box => Math.max(0, innerHeight - box.getBoundingClientRect().top)")
    assert covered <= TWICE["height"] / 3
    page.set_viewport_size(PHONE)


def test_what_a_sign_means_has_the_width_of_the_page(page: Page, addresses: dict[str, str]) -> None:
    page.goto(addresses["/audit/queue/"])
    widths = page.locator(".meanings dd").evaluate_all("all => all.map(each => each.clientWidth)")
    assert widths and min(widths) >= 300


def test_long_words_of_german_make_no_page_wider(page: Page, browser: Browser, addresses: dict[str, str]) -> None:
    signed_in = page.context.storage_state()
    context = new_context(browser, viewport=PHONE, is_mobile=True, locale="de-DE", storage_state=signed_in)
    german = context.new_page()
    for name in ("trail", "/audit/", "/audit/queue/"):
        german.goto(addresses[name])
        assert german.locator("html").get_attribute("lang") == "de"
        frames = german.locator("html, .scroll:has(> .runs)")
        wide = frames.evaluate_all("all => all.filter(each => each.scrollWidth > each.clientWidth).length")
        assert wide == 0, name
    context.close()


def test_the_box_of_the_sign_in_page_is_24_px(demo: Running, browser: Browser) -> None:
    context = new_context(browser, base_url=demo.address, viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto("/accounts/login/")
    box = page.locator("#id_remember").bounding_box()
    context.close()
    assert box is not None and min(box["width"], box["height"]) >= 24
