"""An auditor of the demonstration reviews a sample in a real browser, by keyboard alone."""

import re

from playwright.sync_api import Browser, expect

from tests.browsers import needs_chromium, new_context
from tests.running import ARRIVED, Running, shell

pytestmark = needs_chromium

# The comments of the candidate before may still come in between.
BACK_AS_SOON_AS_SHOWN = """id => document.addEventListener("htmx:afterSwap", function back() {
  if (document.getElementById("cand").dataset.open !== id) return;
  document.removeEventListener("htmx:afterSwap", back);
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "k", bubbles: true }));
})"""
# Somebody who audits the demonstration and has asked nothing in it.
AUDITOR = """
from accounts.models import User
from documents.access import set_role
from documents.models import KnowledgeBase
nia = User.objects.create_user("auditor@example.org", "quiet-harbour-91", name="Nia Roy")
base = KnowledgeBase.objects.get(name="Demo")
set_role(base, nia, "auditor")
"""
# A seed by which the one run with candidates is drawn, by the published rule and not by our code.
SEED = """
import hashlib
from retrieval.models import RetrievalRun
runs = {str(pk): status for pk, status in RetrievalRun.objects.filter(base=base).values_list("pk", "status")}
drawn = lambda seed: min(runs, key=lambda pk: hashlib.sha256(f"{seed}:{pk}".encode()).hexdigest())
print(next(seed for seed in map(str, range(10_000)) if runs[drawn(seed)] == "found"))
"""


def test_an_auditor_reviews_a_sample_by_keyboard_alone(demo: Running, browser: Browser) -> None:
    """From drawing a sample to signing it off without a mouse: candidates walked, one overruled, one agreed with."""
    seed = shell(demo, AUDITOR + SEED).split()[-1]
    context = new_context(browser, base_url=demo.address)
    page = context.new_page()
    press, on_page = page.keyboard.press, page.wait_for_function
    page.goto("/accounts/login/")
    page.locator("#id_login").focus()
    page.keyboard.type("auditor@example.org")
    press("Tab")
    page.keyboard.type("quiet-harbour-91")
    press("Enter")
    page.wait_for_url(ARRIVED)

    # A sample of one, opened from its list.
    page.goto("/audit/queue/")
    page.locator("#id_size").focus()
    press("Control+A")
    page.keyboard.type("1")
    page.locator("#id_seed").focus()
    page.keyboard.type(seed)
    press("Enter")
    page.wait_for_url(re.compile(r"/audit/queue/[0-9a-f-]{36}/$"))
    sample = page.url
    press("j")
    press("Enter")
    page.wait_for_url(re.compile(r"/audit/runs/.+queue="))

    # Down, down, up: each time the row, the page and the review are those of one candidate.
    ids = page.locator("tr[data-candidate]").evaluate_all("rows => rows.map(row => row.dataset.candidate)")
    opened = (
        "id => document.querySelector('#cand')?.dataset.open === id"
        " && document.querySelector('tr.sel')?.dataset.candidate === id"
    )
    for key, index in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("k", 0)):
        press(key)
        on_page(opened, arg=ids[index])
        assert page.locator("#cand rect.hl-anchor").count() >= 1
    # A key that comes while the comments of a candidate are on their way is not lost.
    page.evaluate(BACK_AS_SOON_AS_SHOWN, ids[1])
    press("j")
    on_page(opened, arg=ids[0])
    press("h")
    expect(page.locator("#heat")).to_have_attribute("aria-checked", "true")
    expect(page.locator("#cand rect.heat").first).to_be_attached()

    # Overruled with a reason; what the arbiter said stays beside it, and the next candidate is open.
    press("4")
    page.keyboard.type("It names the topic and nothing more.")
    press("Enter")
    on_page(opened, arg=ids[1])
    first = page.locator(f'tr[data-candidate="{ids[0]}"] .c-role')
    expect(first.locator("s")).to_have_count(1)
    expect(first).to_contain_text("Discarded")
    press("a")
    press("Enter")
    on_page(opened, arg=ids[2])
    expect(page.locator(f'tr[data-candidate="{ids[1]}"] .c-role')).to_contain_text("agreed")

    # The verdict on the answer closes the sample, which is then signed off.
    press("v")
    expect(page.locator("#checks form.review [name=outcome]").first).to_be_focused()
    press("Space")
    press("Enter")
    page.wait_for_url(sample)
    expect(page.locator("main")).to_contain_text("1 of 1 question reviewed")
    press("s")
    press("Enter")
    page.wait_for_url("**/audit/signoffs/sample/**")
    page.locator("[name=note]").focus()
    page.keyboard.type("The sample of one.")
    press("Tab")  # Enter in the note signs nothing
    press("Enter")
    page.wait_for_url("**/audit/signoffs/")
    expect(page.locator("main")).to_contain_text("The sample of one.")
    context.close()
