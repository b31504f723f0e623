"""Pages in a real browser: quotes in view, zoom, pages that follow on, Back, selected words, a second tab."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from tests.browsers import LIT, PATIENCE_MS, PHONE, WIDE, needs_chromium, new_context, sign_in
from tests.running import Person, Running, new_person, shell
from tests.test_browser_site import violations

pytestmark = needs_chromium

ZOOMS = (0.5, 1, 2, 3)  # chosen; without one a quote opens legible
LEGIBLE = 10.9  # px a printed line is high
LEGIBLE_WHOLE = 9.9  # the same where the whole of the printed column is then in view
ZOOM = "zoom => sessionStorage.setItem('zoom', zoom)"
CITATIONS = (17, 17, 16)  # opened in each of the three documents, fifty in all
# Three conversations of a reader, each with one document of the demonstration, asked about its sections.
ASKING = """
import json, uuid
from accounts.models import User
from chat.asking import keep_question
from chat.models import Citation
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.access import set_role
from documents.models import KnowledgeBase
reader = User.objects.get(email="reader@example.org")
base = KnowledgeBase.objects.get(name="Demo")
set_role(base, reader, "owner")
told = []
for document in base.documents.order_by("file_name"):
    turn = None
    for entry in document.current_parse.toc_entries.exclude(origin="front").order_by("-last_line", "index"):
        question = f"What does the document say about {entry.title}?"
        conversation = turn.conversation if turn else None
        turn = keep_question(
            reader, QuestionScope(base, (document,)), question, "fast", form_id=uuid.uuid4(), conversation=conversation
        )
        answer_turn(turn.pk, arbiter="rules")
        cited = Citation.objects.filter(answer__turn__conversation=turn.conversation)
        if cited.count() >= 17:
            break
    told.append({"document": f"/documents/{document.pk}/", "conversation": f"/ask/{turn.conversation_id}/"})
print(json.dumps(told))
"""
# Where the first word of the open quote is drawn: the letters of its line at the left end of the first lit box.
FIRST_WORD = """() => {
  const lit = document.querySelector(".frame rect.hl-anchor");
  const frame = lit.closest(".frame"), scale = lit.ownerSVGElement.getScreenCTM();
  const [x, y] = [lit.x.baseVal.value, lit.y.baseVal.value + lit.height.baseVal.value / 2];
  const line = [...lit.ownerSVGElement.querySelectorAll(".tl")].find(each => {
    const box = each.getBBox();
    return box.y <= y && y <= box.y + box.height && x < box.x + box.width && box.x <= x + lit.width.baseVal.value;
  });
  const letters = [...line.textContent];
  let from = letters.findIndex((letter, at) => letter.trim() && line.getEndPositionOfChar(at).x > x + 1);
  let to = from;
  while (to + 1 < letters.length && letters[to + 1].trim()) to += 1;
  const whole = lit.getBoundingClientRect(), edge = frame.getBoundingClientRect();
  const box = {
    left: line.getStartPositionOfChar(from).x * scale.a + scale.e,
    right: line.getEndPositionOfChar(to).x * scale.a + scale.e,
    top: whole.top,
    bottom: Math.min(whole.bottom, whole.top + 40 * scale.d),
  };
  const seen = {
    left: Math.max(edge.left, 0),
    top: Math.max(edge.top, 0),
    right: Math.min(edge.left + frame.clientWidth, innerWidth),
    bottom: Math.min(edge.top + frame.clientHeight, innerHeight),
  };
  const isInside =
    box.left >= seen.left && box.right <= seen.right && box.top >= seen.top && box.bottom <= seen.bottom;
  return { word: letters.slice(from, to + 1).join(""), isInside, box, seen };
}"""
PAGES = "() => [...document.querySelectorAll('.frame .sheet')].map(sheet => Number(sheet.dataset.page))"
# Where the frame stands and the pages in it: at its end nothing scrolls until the next one has come.
PLACE = f"document.querySelector('.frame').scrollTop + ' ' + ({PAGES})()"
STILL = f"""async () => {{
  const frame = () => new Promise(requestAnimationFrame);
  for (let last = "", same = 0; same < 3; last = {PLACE}) {{
    await frame();
    same = {PLACE} === last ? same + 1 : 0;
  }}
}}"""
# Waits until it stands elsewhere, and still; how many pages are in it then.
MOVED = f"""async before => {{
  const until = performance.now() + {PATIENCE_MS};
  while ({PLACE} === before) {{
    if (performance.now() > until) throw new Error("Nothing moved from " + before);
    await new Promise(requestAnimationFrame);
  }}
  await ({STILL})();
  return ({PAGES})().length;
}}"""
SEEN = """() => {
  const edge = document.querySelector(".frame").getBoundingClientRect();
  const eye = edge.top + edge.height / 3;
  const sheets = [...document.querySelectorAll(".frame .sheet")];
  return Number(sheets.findLast(sheet => sheet.getBoundingClientRect().top <= eye).dataset.page);
}"""


@pytest.fixture(scope="module")
def reader(demo: Running) -> Person:
    return new_person(demo, "reader@example.org")


@pytest.fixture(scope="module")
def context(demo: Running, browser: Browser, reader: Person) -> Iterator[BrowserContext]:
    context = new_context(browser, base_url=demo.address, reduced_motion="reduce")
    page = context.new_page()
    sign_in(page, reader)
    page.close()
    yield context
    context.close()


@pytest.fixture(scope="module")
def asked(demo: Running, reader: Person) -> list[dict[str, str]]:
    """For each of the three documents: its path, and that of a conversation with citations of it."""
    told: list[dict[str, str]] = json.loads(shell(demo, ASKING).splitlines()[-1])
    return told


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page whose scripts must not fail."""
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    page.evaluate("localStorage.clear()")
    page.close()
    assert faults == []


def report(asked: list[dict[str, str]]) -> str:
    """The path of the longest document, the annual report of eighteen pages."""
    return asked[0]["document"]


def open_citation(page: Page, number: int) -> None:
    """Press the citation and wait until its page stands beside the answer."""
    link = page.locator(".cites li a").nth(number)
    if not link.is_visible():
        link.locator("xpath=ancestor::details/summary").click()
    where = link.get_attribute("hx-get")
    with page.expect_response(lambda response: response.url.endswith(str(where))):
        link.click()
    page.wait_for_function("link => link.getAttribute('aria-current') === 'true'", arg=link.element_handle())


# The same within the page for the first ones of a conversation, and what is seen in the very moment each is shown: a
# step of the driver for each would cost ten times as much.
OPEN_EACH = """async count => {
  const seen = [];
  for (let number = 0; number < count; number += 1) {
    const link = document.querySelectorAll(".cites li a")[number], before = document.getElementById("page");
    if (!link.checkVisibility()) link.closest("details").open = true;
    link.scrollIntoView({ block: "nearest" });
    link.click();
    const isOpen = () => document.getElementById("page") !== before && link.getAttribute("aria-current") === "true";
    while (!isOpen()) await new Promise(requestAnimationFrame);
    seen.push(LOOK);
  }
  return seen;
}"""


def seen_of_each(page: Page, count: int, look: str) -> list[Any]:
    """What this script says of each of the first citations of a conversation once it is open."""
    seen: list[Any] = page.evaluate(OPEN_EACH.replace("LOOK", look), count)
    return seen


def misses(page: Page, count: int, told: str) -> list[Any]:
    """Which of the first citations of a conversation do not show the first word of their quote."""
    words = enumerate(seen_of_each(page, count, f"({FIRST_WORD})()"))
    return [(told, number, word) for number, word in words if not word["isInside"] or not word["word"]]


@pytest.mark.parametrize("zoom", ZOOMS)
def test_the_first_word_of_fifty_quotes_is_in_view_at_any_zoom(
    page: Page, asked: list[dict[str, str]], zoom: float
) -> None:
    missed = []
    for of_document, count in zip(asked, CITATIONS, strict=True):
        page.goto(of_document["conversation"])
        page.evaluate(ZOOM, zoom)
        missed += misses(page, count, of_document["document"])
    assert missed == []


@pytest.mark.parametrize("zoom", [1, 2])
def test_the_first_word_of_fifty_quotes_is_in_view_on_a_phone(
    page: Page, asked: list[dict[str, str]], zoom: float
) -> None:
    page.set_viewport_size(PHONE)
    missed = []
    for of_document, count in zip(asked, CITATIONS, strict=True):
        page.goto(of_document["conversation"])
        page.evaluate(ZOOM, zoom)
        missed += misses(page, count, of_document["document"])
    assert missed == []


# The height of a usual printed line of the open quote; whether its frame shows the whole column, or the quote as far
# left as it goes.
LAID = """() => {
  const frame = document.querySelector(".viewer .frame"), edge = frame.getBoundingClientRect();
  const boxes = [...frame.querySelectorAll(".hl-anchor")].map(box => box.getBoundingClientRect());
  const lines = [...frame.querySelector(".sheet:has(.hl-anchor)").querySelectorAll(".tl")];
  const column = lines.map(line => line.getBoundingClientRect());
  const isWhole = column.every(box => box.left >= edge.left && box.right <= edge.left + frame.clientWidth + 1);
  const isAtEnd = frame.scrollLeft >= frame.scrollWidth - frame.clientWidth - 1;
  const isLeft = Math.min(...boxes.map(box => box.left)) - edge.left < 40 || boxes[0].left - edge.left < 40;
  const heights = boxes.map(box => box.height).sort((one, other) => one - other);
  return { height: heights[(heights.length - 1) >> 1], isWhole, isLeft: isLeft || isAtEnd };
}"""


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_a_citation_opens_legible(page: Page, asked: list[dict[str, str]], size: ViewportSize) -> None:
    page.set_viewport_size(size)
    missed = []
    for of_document, count in zip(asked, CITATIONS, strict=True):
        page.goto(of_document["conversation"])
        for number, (word, laid) in enumerate(seen_of_each(page, count, f"[({FIRST_WORD})(), ({LAID})()]")):
            is_legible = laid["height"] >= (LEGIBLE_WHOLE if laid["isWhole"] else LEGIBLE)
            if not (word["isInside"] and is_legible and (laid["isWhole"] or laid["isLeft"])):
                missed.append((of_document["document"], number, laid, word))
    assert missed == []


def test_a_cited_page_has_the_screen_of_a_phone(page: Page, asked: list[dict[str, str]]) -> None:
    page.set_viewport_size(PHONE)
    page.goto(asked[0]["conversation"])
    open_citation(page, 3)
    page.wait_for_function("document.querySelector('.viewer .frame').getBoundingClientRect().top < 120")
    assert page.get_by_role("link", name="Back to the answer").is_visible()
    assert page.get_by_role("link", name="Open document").is_visible()


def test_what_is_pressed_on_a_narrow_screen_is_large_enough(page: Page, asked: list[dict[str, str]]) -> None:
    page.set_viewport_size(PHONE)
    sizes = "all => all.map(each => each.getBoundingClientRect()).map(box => Math.min(box.width, box.height))"
    page.goto(asked[0]["conversation"])
    found = page.locator(".turn .cite").evaluate_all(sizes)
    page.goto(report(asked))
    page.goto(str(page.locator(".crumbs a", has_text="Demo").get_attribute("href")))
    marks = page.locator(".docs td.pick input").evaluate_all(sizes)
    assert len(marks) == len(asked)
    assert min(found + marks) >= 24


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_a_quote_in_an_address_is_in_view_whatever_the_zoom(
    page: Page, asked: list[dict[str, str]], size: ViewportSize
) -> None:
    page.set_viewport_size(size)
    for of_document in asked:
        page.goto(of_document["conversation"])
        open_citation(page, 0)
        path = page.locator("#page a", has_text="Open document").get_attribute("href")
        for zoom in (1, 3):
            page.evaluate(ZOOM, zoom)
            page.goto(str(path))
            page.wait_for_function(f"() => ({FIRST_WORD})().isInside")


def test_a_chosen_zoom_holds_for_every_document(page: Page, asked: list[dict[str, str]]) -> None:
    width = "document.querySelector('.sheet').getBoundingClientRect().width"
    page.goto(report(asked))
    fit = page.evaluate(width)
    for _ in range(3):
        page.get_by_role("button", name="Larger").click()
    for path in (f"{report(asked)}?page=3", asked[2]["document"]):
        page.goto(path)
        page.wait_for_function(f"() => {width} > 1.9 * {fit}")
    page.goto(asked[1]["conversation"])
    open_citation(page, 0)
    expect(page.locator("[data-zoomed]")).to_have_text("200 %")
    page.get_by_role("button", name="Fit the width").click()
    open_citation(page, 1)
    expect(page.locator("[data-zoomed]")).to_have_text("fit")


def test_a_quote_stays_in_view_while_one_zooms(page: Page, asked: list[dict[str, str]]) -> None:
    page.goto(asked[0]["conversation"])
    open_citation(page, 3)
    for name in ("Larger", "Larger", "Larger", "Larger", "Larger", "Smaller", "Smaller"):
        page.get_by_role("button", name=name).click()
        assert page.evaluate(FIRST_WORD)["isInside"], name
    page.set_viewport_size({"width": 1200, "height": 700})
    page.wait_for_function(f"() => ({FIRST_WORD})().isInside")


def test_a_page_fits_the_width_of_a_phone(page: Page, asked: list[dict[str, str]]) -> None:
    page.set_viewport_size(PHONE)
    for path in (report(asked), asked[0]["conversation"]):
        page.goto(path)
        if "/ask/" in path:
            open_citation(page, 0)
            page.get_by_role("button", name="Fit the width").click()
        frame = page.locator(".viewer .frame")
        assert frame.evaluate("frame => frame.scrollWidth - frame.clientWidth") <= 0
        assert page.locator(".sheet").first.evaluate("sheet => sheet.getBoundingClientRect().width") > 300
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def scroll_until(page: Page, number: int, by: int) -> list[int]:
    """Scroll until that page is read; how many sheets stood in the page on the way."""
    counts: list[int] = []
    half = int(page.evaluate("document.querySelector('.frame .sheet').getBoundingClientRect().height / 2"))
    step = max(-half, min(by, half))  # a longer one could pass over a page of a phone
    for _ in range(80):
        seen, last = page.evaluate(f"() => [({SEEN})(), {PLACE}]")
        if seen == number:
            return counts
        page.locator(".viewer .frame").hover()
        page.mouse.wheel(0, step)
        counts.append(page.evaluate(MOVED, last))
    raise AssertionError(f"page {number} did not come: {page.evaluate(PAGES)}")


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_pages_scroll_on_to_the_end_and_back_and_few_stay(
    page: Page, asked: list[dict[str, str]], size: ViewportSize
) -> None:
    page.set_viewport_size(size)
    page.goto(f"{report(asked)}?find=revenue")
    counts = scroll_until(page, 15, 500)
    expect(page.locator("[name=go]")).to_have_value("15")
    expect(page).to_have_url(re.compile(r"page=15\b"))
    expect(page).to_have_url(re.compile(r"find=revenue"))
    counts += scroll_until(page, 1, -500)
    assert max(counts) <= 9, counts
    pages = page.evaluate(PAGES)
    assert pages == list(range(pages[0], pages[-1] + 1)), "in their order, none twice"
    expect(page.locator("[name=go]")).to_have_value("1")
    assert page.locator(".sheet.more rect.hl-found").count() > 0, "words found are lit on the pages that follow"


def test_what_stands_beside_a_page_follows_it(page: Page, asked: list[dict[str, str]]) -> None:
    page.goto(f"{report(asked)}?page=8")
    scroll_until(page, 10, 400)
    expect(page.locator("#of-page tbody")).to_contain_text("Consolidated Income Statement")
    expect(page.locator("#panel [aria-current=location]")).to_contain_text("Consolidated Income Statement")
    expect(page).to_have_title(re.compile("page 10"))
    page.reload()
    expect(page.locator("[name=go]")).to_have_value("10")


def test_pages_are_turned_by_keyboard_where_they_stand(page: Page, asked: list[dict[str, str]]) -> None:
    page.goto(f"{report(asked)}?page=5")
    page.evaluate("window.isSame = true")
    for key, number in (("ArrowRight", 6), ("ArrowRight", 7), ("ArrowLeft", 6)):
        page.wait_for_function(f"number => ({PAGES})().includes(number)", arg=number)
        page.keyboard.press(key)
        expect(page.locator("[name=go]")).to_have_value(str(number))
        assert page.evaluate(SEEN) == number
    assert page.evaluate("window.isSame"), "the page was not loaded anew"
    page.locator("#frame").focus()
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    expect(page.locator("[name=go]")).to_have_value("7")


def test_the_pages_around_a_citation_are_turned_and_scrolled(page: Page, asked: list[dict[str, str]]) -> None:
    page.goto(asked[0]["conversation"])
    open_citation(page, 5)
    seen = page.locator("#page [data-seen]")
    cited = int(seen.inner_text())
    page.wait_for_function(f"number => ({PAGES})().includes(number)", arg=cited - 1)
    page.locator("#page").get_by_role("link", name="Previous page").click()
    expect(seen).to_have_text(str(cited - 1))
    assert page.evaluate(SEEN) == cited - 1
    scroll_until(page, cited + 1 if cited < 18 else cited, 400)
    open_citation(page, 5)
    assert page.evaluate(FIRST_WORD)["isInside"]
    # Without the script the same link leads to a page of its own.
    path = page.locator("#page").get_by_role("link", name="Previous page").get_attribute("href")
    page.goto(str(path))
    expect(seen).to_have_text(str(cited - 1))


def test_back_goes_back_through_citations(page: Page, asked: list[dict[str, str]]) -> None:
    page.goto(asked[0]["conversation"])
    opened = []
    for number in (2, 4, 6):
        open_citation(page, number)
        opened.append((page.url, re.findall(r"(?:turn|cite)=([\w-]+)", page.url)))
    assert len({url for url, _ in opened}) == 3
    for url, (turn, cite) in reversed(opened[:2]):
        page.go_back()
        expect(page).to_have_url(url)
        expect(page.locator(f"#page[data-turn='{turn}'][data-cite='{cite}']")).to_be_visible()
        expect(page.locator(".cites li.on")).to_have_count(1)
        page.wait_for_function(LIT)
    page.go_forward()
    expect(page).to_have_url(opened[1][0])


def test_an_address_of_a_citation_shows_the_answer_beside_its_page(page: Page, asked: list[dict[str, str]]) -> None:
    page.goto(asked[0]["conversation"])
    turns = page.locator("article.turn:has(.cites li a)")
    assert turns.count() > 2
    turn = turns.nth(1)
    path = turn.locator(".cites li a").first.get_attribute("href")
    assert path is not None and path.endswith("#page")
    name = turn.get_attribute("id")
    for is_first in (True, False):
        if is_first:
            page.goto(path)
        else:
            page.reload()
        expect(page.locator("#page[data-turn]")).to_have_attribute("data-turn", str(name).removeprefix("turn-"))
        expect(page.locator(f"#{name} h2")).to_be_in_viewport()
        page.wait_for_function(LIT)


def test_what_an_outcome_means_stands_by_its_word(page: Page, asked: list[dict[str, str]]) -> None:
    page.goto(asked[0]["conversation"])
    word = page.locator(".outcome button.term").first
    word.click()
    box = page.locator(f"#{word.get_attribute('popovertarget')}")
    expect(box).to_be_visible()
    there, here = box.bounding_box(), word.bounding_box()
    assert there and here and abs(there["x"] - here["x"]) < 2, (there, here)
    assert min(abs(there["y"] - here["y"] - here["height"]), abs(here["y"] - there["y"] - there["height"])) < 8


def test_back_goes_back_through_candidates_and_tabs_of_a_trail(page: Page, asked: list[dict[str, str]]) -> None:
    page.goto(asked[0]["conversation"])
    page.get_by_role("link", name="Audit trail").first.click()
    page.wait_for_url(re.compile(r"/audit/runs/"))
    candidate = page.locator("#cand")
    names = []
    for number in (1, 2):
        row = page.locator(".cands tbody tr[data-candidate]").nth(number)
        row.locator(".what a").click()
        names.append(str(row.get_attribute("data-candidate")))
        expect(candidate).to_have_attribute("data-open", names[-1])
    page.locator("#tab-plan").click()
    expect(page.locator("#plan")).to_be_visible()
    page.locator("#tab-checks").click()
    expect(page.locator("#checks")).to_be_visible()
    page.go_back()
    expect(page.locator("#plan")).to_be_visible()
    page.go_back()
    expect(page.locator("#candidates")).to_be_visible()
    expect(candidate).to_have_attribute("data-open", names[1])
    page.go_back()
    expect(candidate).to_have_attribute("data-open", names[0])
    expect(page.locator(".cands tr.sel")).to_have_attribute("data-candidate", names[0])

    # A walk by keyboard leaves one step behind it, not one for each row.
    length = page.evaluate("history.length")
    for _ in range(3):
        before = candidate.get_attribute("data-open")
        page.keyboard.press("j")
        expect(candidate).not_to_have_attribute("data-open", str(before))
    assert page.evaluate("history.length") == length


# The widths of the columns of the head once its outcome is a long sentence, as one that was judged wrong has.
WIDTHS = """() => {
  const facts = document.querySelector(".trail .facts");
  facts.children[4].querySelector("dd").append(" the program said otherwise".repeat(9));
  return [...facts.children].map(each => Math.round(each.getBoundingClientRect().width));
}"""
CUT = """() => {
  const frame = document.querySelector(".scroll:has(> .cands)");
  return frame.scrollWidth - frame.clientWidth;
}"""


def test_the_head_and_the_candidates_of_a_trail_keep_their_columns(
    page: Page, browser: Browser, asked: list[dict[str, str]]
) -> None:
    page.goto(asked[0]["conversation"])
    path = page.get_by_role("link", name="Audit trail").first.get_attribute("href")
    base_url = re.match(r"https?://[^/]+", page.url)
    context = new_context(
        browser, base_url=base_url and base_url[0], locale="de-DE", storage_state=page.context.storage_state()
    )
    german = context.new_page()
    for width in (1440, 1300, 1110, 1024):
        german.set_viewport_size({"width": width, "height": 900})
        german.goto(str(path))
        assert german.locator("html").get_attribute("lang") == "de"
        assert german.evaluate(CUT) == 0, width
        widths = german.evaluate(WIDTHS)
        assert min(widths) >= 100, (width, widths)  # the longest word of the head, and no letters below each other
    german.set_viewport_size({"width": 1440, "height": 900})
    german.goto(f"{path}#plan")
    heading, steps = (german.locator(each).bounding_box() for each in ("#h-plan", "#steps"))
    assert heading and steps and heading["y"] >= steps["y"] + steps["height"], "two rows of steps leave it in sight"
    context.close()


SELECT = """line => {
  const range = document.createRange();
  range.selectNodeContents(line);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""


SELECT_PART = """(line, words) => {
  const piece = [...line.querySelectorAll("tspan")].find(each => each.textContent.includes(words)).firstChild;
  const range = document.createRange(), at = piece.data.indexOf(words);
  range.setStart(piece, at);
  range.setEnd(piece, at + words.length);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""


# Where each piece of a row is drawn, from left to right, in points.
EDGES = """pieces => pieces.map(
  each => [each.getStartPositionOfChar(0).x, each.getEndPositionOfChar(each.textContent.length - 1).x]
)"""


def test_selected_words_are_commented_on(page: Page, asked: list[dict[str, str]]) -> None:
    page.goto(f"{report(asked)}?page=3")
    page.locator(".sheet[data-page='3'] .tl", has_text="Revenue rose by").first.evaluate(SELECT)
    page.get_by_role("link", name="Comment", exact=True).click()
    comments = page.locator("#comments")
    comments.get_by_label("Comment", exact=True).fill("Before or after the restatement?")
    comments.get_by_role("button", name="Comment", exact=True).click()
    thread = comments.locator(".thread")
    expect(thread).to_contain_text("Before or after the restatement?")
    thread.get_by_label("Reply").fill("After it.")
    thread.get_by_role("button", name="Reply").click()
    expect(thread).to_contain_text("After it.")
    page.reload()
    expect(thread).to_contain_text("After it.")


def test_selected_words_are_asked_about(page: Page, asked: list[dict[str, str]]) -> None:
    page.goto(f"{report(asked)}?page=3")
    line = page.locator(".sheet[data-page='3'] .tl", has_text="Revenue rose by").first
    words = str(line.text_content()).strip()
    line.evaluate(SELECT)
    about = page.get_by_role("link", name="Ask about this")
    expect(about).to_be_visible()
    assert violations(page) == []
    about.click()
    page.wait_for_url(re.compile(r"/ask/\?document="))
    expect(page.locator("#question")).to_have_value(re.compile(re.escape(words[:40])))
    expect(page.locator(".chip")).to_have_text(re.compile("Page 3"))
    page.locator(".ask button.go").click()
    page.wait_for_url(re.compile(r"/ask/[0-9a-f-]{36}/"))
    expect(page.locator(".cites li").first).to_contain_text("p. 3")


def test_words_are_selected_whole(page: Page, asked: list[dict[str, str]]) -> None:
    page.goto(f"{report(asked)}?page=3")
    line = page.locator(".sheet[data-page='3'] .tl", has_text="Revenue rose by").first
    line.evaluate(SELECT_PART, "evenue r")
    page.get_by_role("link", name="Ask about this").click()
    page.wait_for_url(re.compile(r"/ask/\?document="))
    expect(page.locator("#question")).to_have_value(re.compile("“Revenue rose”"))


def test_a_cell_of_a_row_stands_where_it_is_printed_and_is_selected_alone(
    page: Page, asked: list[dict[str, str]]
) -> None:
    page.goto(f"{report(asked)}?page=8")
    line = page.locator(".sheet[data-page='8'] .tl:has(tspan + tspan + tspan)").first
    cells = line.locator("tspan").all_text_contents()
    edges = line.locator("tspan").evaluate_all(EDGES)
    assert all(left[1] + 10 < right[0] for left, right in pairwise(edges)), edges
    line.evaluate(SELECT_PART, cells[1])
    page.get_by_role("link", name="Ask about this").click()
    page.wait_for_url(re.compile(r"/ask/\?document="))
    expect(page.locator("#question")).to_have_value(re.compile(f"“{re.escape(cells[1].strip())}”"))


def test_words_selected_beside_an_answer_are_asked_about_in_its_conversation(
    page: Page, asked: list[dict[str, str]]
) -> None:
    page.goto(asked[0]["conversation"])
    open_citation(page, 1)
    number = page.locator("#page [data-seen]").inner_text()
    page.locator(f"#page .sheet[data-page='{number}'] .tl").nth(4).evaluate(SELECT)
    page.get_by_role("link", name="Ask about this").click()
    expect(page).to_have_url(re.compile(f"{asked[0]['conversation']}.*question="))
    expect(page.locator("#question")).to_have_value(re.compile("What does this mean"))
    expect(page.locator(".chip", has_text=f"Page {number}")).to_have_count(1)


def test_nothing_lies_over_a_page_until_it_is_asked_for(page: Page, asked: list[dict[str, str]]) -> None:
    page.goto(f"{report(asked)}?page=3")
    expect(page.locator(".sheet .ln").first).to_be_hidden()
    expect(page.locator(".sheet .linebox").first).to_be_hidden()
    page.locator(".tools .menu summary").click()
    page.get_by_label("Line numbers").check()
    expect(page.locator(".sheet .ln").first).to_be_visible()
    page.goto(f"{report(asked)}?page=4")
    expect(page.locator(".sheet .ln").first).to_be_visible()


def test_a_clicked_line_says_which_answers_cite_it(page: Page, asked: list[dict[str, str]]) -> None:
    page.goto(asked[0]["conversation"])
    open_citation(page, 0)
    question = page.locator(".turn", has=page.locator(".cites li.on")).locator(".question").inner_text()
    page.locator("#page a", has_text="Open document").click()
    page.wait_for_url(re.compile("/documents/"))
    lit = page.evaluate(FIRST_WORD)
    page.mouse.click((lit["box"]["left"] + lit["box"]["right"]) / 2, (lit["box"]["top"] + lit["box"]["bottom"]) / 2)
    page.wait_for_url(re.compile(r"line=\d+"))
    citing = page.locator("#of-page", has_text="Answers that cite this line")
    citing.get_by_role("link", name=question).click()
    page.wait_for_url(re.compile(r"/ask/.*cite="))
    expect(page.locator("#page")).to_have_attribute("data-cite", re.compile(r"\d"))


def test_a_question_of_one_tab_shows_in_the_others(
    page: Page, context: BrowserContext, asked: list[dict[str, str]]
) -> None:
    page.goto(asked[2]["conversation"])
    count = page.locator(".turn").count()
    second, home = context.new_page(), context.new_page()
    second.goto(asked[2]["conversation"])
    second.evaluate("window.isSame = true")
    second.locator("#question").fill("A draft of the second tab")
    home.goto("/ask/")
    page.locator("#question").fill("Who signs the agreement?")
    page.locator(".ask button.go").click()
    expect(second.locator(".turn")).to_have_count(count + 1)
    expect(second.locator(".turn[aria-busy]")).to_have_count(0)
    expect(second.locator(".turn").last).to_contain_text("Who signs the agreement?")
    expect(second.locator("#question")).to_have_value("A draft of the second tab")
    expect(home.locator(".convs li a").first).to_contain_text(f"{count + 1} questions")
    assert second.evaluate("window.isSame"), "the page was not loaded anew"
    second.close()
    home.close()


def test_a_tab_that_did_not_follow_an_answer_shows_its_page(
    page: Page, context: BrowserContext, asked: list[dict[str, str]]
) -> None:
    second = context.new_page()
    second.goto(asked[1]["conversation"])
    count = second.locator(".turn").count()
    before = second.locator("#page").get_attribute("data-turn")
    second.route("**/*", lambda route: route.abort())
    page.goto(asked[1]["conversation"])
    page.locator("#question").fill("Who signs the agreement?")
    page.locator(".ask button.go").click()
    expect(page.locator(".turn")).to_have_count(count + 1)
    expect(page.locator(".turn[aria-busy]")).to_have_count(0)
    expect(page.locator(f'#page[data-turn="{before}"]')).to_have_count(0)
    shown = page.locator("#page[data-turn]").count()
    second.unroute("**/*")
    page.evaluate("otherTabs.postMessage(location.pathname)")
    expect(second.locator(".turn")).to_have_count(count + 1)
    expect(second.locator(f'#page[data-turn="{before}"]')).to_have_count(0)
    expect(second.locator("#page[data-turn]")).to_have_count(shown)
    second.close()


def test_a_document_uploaded_in_one_tab_shows_in_another(page: Page, context: BrowserContext) -> None:
    page.goto("/bases/")
    page.locator("#id_name").fill("Two tabs")
    page.get_by_role("button", name="Make base").click()
    page.wait_for_url(re.compile(r"/bases/[0-9a-f-]{36}/$"))
    second = context.new_page()
    second.goto(page.url)
    page.locator("#files").set_input_files(
        {"name": "rules.md", "mimeType": "text/markdown", "buffer": b"# Rules\n\nNo smoking.\n"}
    )
    expect(second.locator("table.docs tbody tr")).to_have_count(1)
    expect(second.locator("table.docs tbody .state", has_text="Ready")).to_be_visible()
    row = page.locator("table.docs tbody tr")
    expect(row.locator(".state", has_text="Ready")).to_be_visible()
    row.locator("td.pick input").check()
    page.locator("#bulk summary").click()
    page.locator("#bulk-tags").fill("house")
    page.locator("#bulk").get_by_role("button", name="Put on").click()
    expect(second.locator("table.docs a.tag")).to_have_text("house")
    second.close()
