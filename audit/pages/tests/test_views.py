"""The list and the trail by address: nobody learns of a run that is not his, and nonsense in an address is left out."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import BadRequest
from django.test import RequestFactory

from audit.conftest import House, MakeAnswer, MakeRun, run_fields
from audit.models import AuditEvent, RunSign
from audit.pages.forms import RunFilters
from audit.pages.views import read_choice, turn_to
from audit.runs.listing import RunKey
from audit.runs.signs import LOOKED, signs_of_run
from audit.trail.candidates import Choice
from chat.models import Conversation, Retrieval, Turn
from chat.turns.compose import QUOTED
from chat.writing.phrases import describe_place
from documents.downloads import attachment
from documents.ingestion.trash import move_to_trash, purge_document
from llm.models import LLMCall

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("query", "choice"),
    [
        ("", Choice()),
        ("role=primary&method=titles&repair=exact", Choice(role="primary", method="titles", repair="exact")),
        ("role=PRIMARY&method=oracle&repair=%00", Choice()),
        ("heat=1&blind=1&against_rrf=1", Choice(heat=True, blind=True, against_rrf=True)),
        ("heat=yes&blind=true&against_detectors=on", Choice()),
        ("page=2", Choice(page=2)),
        ("wide=section", Choice(wide="section")),
        ("wide=book", Choice()),
        ("page=-1", Choice()),
        ("page=two", Choice()),
        ("page=1.5", Choice()),
        ("page=", Choice()),
        ("candidate=p1-l1-2&queue=low", Choice(candidate_id="p1-l1-2", queue="low")),
        ("role=primary&role=discarded", Choice(role="discarded")),
    ],
)
def test_what_an_address_asks_for(query: str, choice: Choice) -> None:
    assert read_choice(RequestFactory().get(f"/?{query}")) == choice


@pytest.mark.parametrize(
    "page", ["9" * 5_000, "²", "٣", "1_0", " 2"], ids=["huge", "square", "arabic", "score", "space"]
)
def test_a_strange_page_breaks_nothing(house: House, make_run: MakeRun, browse: Any, page: str) -> None:
    assert browse(house.auditor, f"/audit/runs/{make_run().pk}/?page={page}").status_code == 200


@pytest.mark.parametrize(
    ("section", "last_page", "said"),
    [
        ("", 1, "page 1, lines 1–2 · "),
        ("2. Term", 1, "2. Term, page 1, lines 1–2 · "),
        ("2. Term", 2, "2. Term, pages 1–2, lines 1–2 · "),
    ],
)
def test_a_citation_says_where_its_quote_begins_and_ends(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, browse: Any, section: str, last_page: int, said: str
) -> None:
    """A quote may begin on the page before the lines that its candidate was found by."""
    run = make_run(pictures=[{"page": last_page, "x0": 72, "y0": 80, "x1": 300, "y1": 92}], section=section)
    make_answer(run)
    shown = browse(house.auditor, f"/audit/runs/{run.pk}/").content.decode()
    (place,) = re.findall(r'</q>\s*<span class="meta">(.*?)<span class="mono">', shown, re.DOTALL)
    assert " ".join(place.split()) == said.strip()


def test_a_neighbouring_page_keeps_the_filters(house: House) -> None:
    key = RunKey.read(f"2026-01-01T00:00:00Z_{uuid4()}")
    form = RunFilters({"text": "a&b", "status": "found", "csrf": "x", "role": ""}, user=house.auditor)
    address = turn_to(form, before=key)
    assert "text=a%26b" in address and "status=found" in address and "before=2026" in address
    assert "csrf" not in address and "role" not in address
    assert turn_to(form, before=None) == ""
    with pytest.raises(BadRequest):
        RunKey.read("nonsense")


@pytest.mark.parametrize("person", ["viewer", "stranger", None])
@pytest.mark.parametrize("rest", ["", "calls/{call}/request/", "calls/{call}/reply/", "evidence/"])
def test_a_run_of_others_is_not_there(
    house: House, make_run: MakeRun, make_call: Any, browse: Any, person: str | None, rest: str
) -> None:
    call = make_call()
    run = make_run(arbiter="model", llm_call=call)
    response = browse(getattr(house, person) if person else None, f"/audit/runs/{run.pk}/{rest.format(call=call.pk)}")
    assert response.status_code == (404 if person else 302)
    assert b"How is attention computed?" not in response.content


@pytest.mark.parametrize("what", ["request", "reply"])
def test_a_call_of_another_run_is_not_given(
    house: House, make_run: MakeRun, make_call: Any, browse: Any, what: str
) -> None:
    own, foreign = make_call(), make_call()
    run = make_run(arbiter="model", llm_call=own)
    make_run(arbiter="model", llm_call=foreign)
    addresses = [f"/audit/runs/{run.pk}/calls/{pk}/{what}/" for pk in (own.pk, foreign.pk, uuid4())]
    assert [browse(house.auditor, address).status_code for address in addresses] == [200, 404, 404]
    assert AuditEvent.objects.filter(action="exchange").count() == 3, "asking for one that is none is recorded too"


def test_what_is_taken_away_is_named_and_not_shown_in_the_page(
    house: House, make_run: MakeRun, make_call: Any, browse: Any
) -> None:
    call = make_call(raw_reply="<script>alert(1)</script>")
    run = make_run(arbiter="model", llm_call=call)
    reply = browse(house.auditor, f"/audit/runs/{run.pk}/calls/{call.pk}/reply/")
    assert reply.content == LLMCall.objects.get().raw_reply.encode()
    assert reply["Content-Disposition"] == f'attachment; filename="reply-{call.pk}.txt"'
    assert reply["Content-Type"] == "text/plain; charset=utf-8" and reply["X-Content-Type-Options"] == "nosniff"
    assert attachment(b"x", "a.json", "application/json").content == b"x"


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_pages_are_only_read(house: House, make_run: MakeRun, signed_in: Any, method: str) -> None:
    run = make_run()
    for address in ("/audit/", f"/audit/runs/{run.pk}/", "/audit/changes/", "/audit/figures/", "/audit/golden/"):
        assert getattr(signed_in(house.auditor), method)(address).status_code == 405


def test_a_list_that_cannot_be_is_told_and_shows_nothing(house: House, make_run: MakeRun, browse: Any) -> None:
    make_run()
    response = browse(house.auditor, "/audit/?status=exploded")
    assert response.status_code == 400 and b"How is attention computed?" not in response.content
    assert browse(house.auditor, "/audit/?status=found").status_code == 200


def test_a_run_that_a_model_made_hard_to_show_is_shown(
    house: House, make_run: MakeRun, make_call: Any, browse: Any
) -> None:
    """A reply that no parser gets to the end of: the trail shows it as it came."""
    run = make_run(arbiter="model", llm_call=make_call(raw_reply="[" * 100_000))
    assert browse(house.auditor, f"/audit/runs/{run.pk}/").status_code == 200


@pytest.mark.parametrize("configured", [True, False])
def test_without_a_model_none_judges_again(
    house: House, make_run: MakeRun, browse: Any, settings: Any, configured: bool
) -> None:
    settings.LLM_CONFIGURED = configured
    page = browse(house.auditor, f"/audit/runs/{make_run().pk}/").content.decode()
    button = page.split('value="model"')[1].split("</button>")[0]
    assert ("disabled" in button) is not configured
    assert ("No model is configured." in page) is not configured


def test_lists_say_which_document_was_asked_where_it_was_one(house: House, make_run: MakeRun, browse: Any) -> None:
    """The same question asked of each of several documents is a line for each."""
    one = make_run("primary")
    make_run("primary", scope=[*one.scope, {**one.scope[0], "title": "Second policy"}])
    page = browse(house.auditor, "/audit/").content.decode()
    assert page.count(f"<bdi>{one.scope[0]['title']}</bdi>") == 1 and "Second policy" not in page


def test_a_question_that_failed_names_the_document_it_was_asked_of(
    house: House, make_run: MakeRun, browse: Any
) -> None:
    """Its run got nowhere and lists none; what was asked of a whole base names none."""
    talk = Conversation.objects.create(user=house.asker, base=house.base)
    title, nowhere = house.document.title, {"status": "failed", "failure": "The database was away.", "scope": []}
    of_one, of_all, of_program = (make_run("", **nowhere) for _ in range(3))
    chosen = {"document_ids": [str(house.document.pk)]}
    Turn.objects.create(conversation=talk, number=1, run=of_one, question="One?", scope_name=title, **chosen)
    Turn.objects.create(conversation=talk, number=2, run=of_all, question="All?", scope_name=house.base.name)
    Retrieval.objects.create(base=house.base, user=house.asker, run=of_program, question="By program?", **chosen)
    assert browse(house.auditor, "/audit/").content.decode().count(f"<bdi>{title}</bdi>") == 2
    for run, is_named in ((of_one, True), (of_all, False), (of_program, True)):
        head = (
            browse(house.auditor, f"/audit/runs/{run.pk}/").content.decode().split('class="facts"')[1].split("</dd>")[0]
        )
        assert (title in head) is is_named


def test_the_trail_says_once_that_it_quotes_and_leads_to_the_verdict(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, browse: Any
) -> None:
    run = make_run("primary")
    make_answer(run, kind="extractive", note=QUOTED)
    page = " ".join(browse(house.auditor, f"/audit/runs/{run.pk}/").content.decode().split())
    assert page.count("uoted from the document.") == 1, "the note says it; its kind need not"
    assert 'href="#verdict"' in page and page.count('id="verdict"') == 1


def test_a_missing_word_is_named_and_led_to(house: House, make_run: MakeRun, browse: Any) -> None:
    searched = [
        {"text": "attention", "forms": ["attention"], "count": 91},
        {"text": "parental", "forms": ["parental", "parent"], "count": 0},
    ]
    run = make_run(searched=searched)
    for name in (LOOKED, *signs_of_run(run)):
        RunSign.objects.create(run=run, name=name)
    page = browse(house.auditor, f"/audit/runs/{run.pk}/").content.decode()
    signs = page.split('class="signs"')[1].split("</p>")[0]
    assert "“parental”" in signs and "attention" not in signs and 'href="#searched"' in signs
    listed = page.split('id="searched"')[1].split("</dd>")[0]
    assert "<b>attention</b> 91" in listed and "parental, parent" in listed


def test_the_head_says_that_a_document_is_gone(house: House, make_run: MakeRun, browse: Any) -> None:
    run = make_run()
    address = f"/audit/runs/{run.pk}/"
    assert b"deleted for good" not in browse(house.auditor, address).content
    move_to_trash(house.document, house.owner)
    page = browse(house.auditor, address).content.decode()
    assert "In the trash." in page and "the page image went" not in page and "deleted for good" not in page
    house.document.refresh_from_db()
    assert purge_document(house.document, house.owner)
    page = browse(house.auditor, address).content.decode()
    head = page.split('class="head"')[1].split("</header>")[0]
    assert f"“{house.document.title}” was deleted for good on" in head
    assert f"/audit/changes/?base={run.base_id}&amp;kind=purged" in head and "the page image went" in page
    theirs = browse(house.asker, address).content.decode()
    assert "was deleted for good on" in theirs and "/audit/changes/?base=" not in theirs


def test_the_words_that_matched_are_lit(house: House, make_run: MakeRun, browse: Any) -> None:
    keywords = [{"text": "attention", "forms": ["attention", "softmax"], "source": "direct", "priority": "primary"}]
    run = make_run(parsed=run_fields(house)["parsed"] | {"keywords": keywords})
    page = browse(house.auditor, f"/audit/runs/{run.pk}/").content.decode()
    quote = page.split('class="row quotehead"')[1].split("<dl")[0]
    context = page.split('class="doc lines-kept"')[1].split("</p>")[0]
    for text in (quote, context):
        assert {word.lower() for word in re.findall(r"<mark\s*>(.*?)</mark\s*>", text)} == {"softmax"}


def test_a_section_that_is_only_a_letter_is_named_after_the_one_above(
    house: House, make_run: MakeRun, browse: Any
) -> None:
    run = make_run("primary", section="E.")
    page = browse(house.auditor, f"/audit/runs/{run.pk}/").content.decode()
    assert "Model Architecture &gt; E." in page
    candidate = run.candidates.get()
    assert candidate.section_title == "E."
    assert describe_place(candidate, [1], with_document=False).endswith(" · Model Architecture > E.")


def test_a_section_named_as_its_document_is_told_once(house: House, make_run: MakeRun) -> None:
    title = house.document.title
    candidate = make_run("primary", section=title).candidates.get()
    assert describe_place(candidate, [1], with_document=True).endswith(f") · {title}")


@pytest.mark.parametrize(("form", "is_said"), [("", True), ("outline", False), ("compare", False)])
def test_no_rank_is_told_where_nothing_was_ranked(
    house: House, make_run: MakeRun, browse: Any, form: str, *, is_said: bool
) -> None:
    """An outline is in the order of its document, and the sides of a comparison are taken in turns."""
    run = make_run("tangential primary", parsed=run_fields(house)["parsed"] | {"form": form})
    page = browse(house.auditor, f"/audit/runs/{run.pk}/").content.decode()
    assert ("RRF would have put this" in page) is is_said
    assert ('id="disagreement"' in page) is is_said
