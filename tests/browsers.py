"""A real browser for tests: started, signed in, walked by keyboard, pictured."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any, cast

import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from launch.check import REPORTS
from tests.running import ARRIVED, ROOT, Person

PATIENCE_MS = 90_000  # a busy machine; nothing waits when it need not
PICTURES = os.environ.get("PICTURES", "")
# Pictures are made smaller: a document shows them at half the width of a screen.
WIDE = ViewportSize(width=1200, height=760) if PICTURES else ViewportSize(width=1440, height=900)
PHONE = ViewportSize(width=390, height=844)
TABS_MAX = 80
CHROMIUM_FLAGS = [
    "--no-sandbox",  # tests run as root in containers
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
]
# Asked in one step inside the page: the viewer may be swapped between two steps of the driver.
LIT = """() => {
  const box = document.querySelector("#page rect.hl-anchor")?.getBoundingClientRect();
  return box && box.width > 20 && box.height > 5;
}"""
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
traced: list[BrowserContext] = []  # those that are, closed ones included


def chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for path in map(shutil.which, names) if path), None)


needs_chromium = pytest.mark.skipif(chromium() is None, reason="Chromium is not installed: apt-get install chromium")


@contextmanager
def opened() -> Iterator[Browser]:
    """A browser whose waits all have the same patience; while it is open, this thread cannot use the database."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """A visitor with an empty jar of cookies."""
    context = browser.new_context(**{"viewport": WIDE, "locale": "en-US", **options})
    context.set_default_timeout(PATIENCE_MS)
    if is_traced():
        context.tracing.start(snapshots=True)
        traced.append(context)
    return context


def is_traced() -> bool:
    return bool(os.environ.get(REPORTS))


def sign_in(page: Page, person: Person, path: str = "/accounts/login/") -> None:
    """Sign in; the context of the page has the site as its base."""
    page.goto(path)
    page.locator("#id_login").fill(person.email)
    page.locator("#id_password").fill(person.password)
    page.locator("main button[type=submit]").first.click()
    page.wait_for_url(ARRIVED)


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the element has the focus, as somebody without a mouse does."""
    for _ in range(TABS_MAX):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {selector}")


def first_link(page: Page, path: str, pattern: str) -> str:
    """The path of the first link on a page that looks as asked."""
    page.goto(path)
    found: list[str] = page.locator("a[href]").evaluate_all("links => links.map(link => link.pathname)")
    return next(one for one in found if re.search(pattern, one))


def picture(page: Page, name: str) -> None:
    """Take a picture of the tutorial, where the environment asks for it; its 256 commonest colours are enough."""
    if PICTURES:
        taken = Image.open(BytesIO(page.screenshot())).convert("RGB")
        counted = cast("list[tuple[int, tuple[int, int, int]]]", taken.getcolors(taken.width * taken.height))
        palette = Image.new("P", (1, 1))
        palette.putpalette([part for _, colour in sorted(counted, reverse=True)[:256] for part in colour])
        few = taken.quantize(palette=palette, dither=Image.Dither.NONE)
        few.save(ROOT / PICTURES / f"{name}.png", optimize=True)
