"""The pages of the chat, as their owner and as a stranger sees them."""

import json
import re
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

import pytest
from asgiref.sync import async_to_sync
from django.http import StreamingHttpResponse
from django.test import AsyncClient, Client
from django.urls import reverse
from django.utils import timezone, translation

from accounts.models import User
from chat import stream
from chat.conftest import ABSENT_QUESTION, RENT_QUESTION, Ask, Serve
from chat.models import Answer, Citation, Conversation, Turn
from chat.page.thread import ShownTurn, with_rows
from chat.turns import tasks
from chat.turns.conductor import AnsweringFailed, answer_turn
from documents import access
from documents.models import Document, KnowledgeBase, Role
from retrieval.models import RetrievalRun
from tests import scripted_llm
from tests.pages import on_one_line

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    woken: list[Any] = []
    monkeypatch.setattr(tasks, "wake", lambda turn: woken.append(turn.pk))
    return woken


@pytest.fixture
def page(client: Client, tenant: User, woken: list[Any]) -> Client:
    client.force_login(tenant)
    return client


def fields(document: Document, question: str = RENT_QUESTION, **changes: Any) -> dict[str, Any]:
    given = {"question": question, "scope": f"document:{document.pk}", "mode": "balanced", "form_id": uuid.uuid4()}
    return given | changes


def address(turn: Turn, /, **query: Any) -> str:
    return reverse("chat:conversation", args=[turn.conversation_id], query=query or None)


# ---- asking


def test_it_keeps_a_question_and_wakes_a_worker(page: Client, document: Document, woken: list[Any]) -> None:
    response = page.post("/ask/", fields(document))
    turn = Turn.objects.get()
    assert response.status_code == 302 and response["Location"] == f"{address(turn)}#turn-{turn.pk}"
    assert woken == [turn.pk] and turn.question == RENT_QUESTION and turn.state == "queued"
    assert turn.conversation.title == RENT_QUESTION


def test_it_makes_one_turn_of_a_form_sent_twice(page: Client, document: Document) -> None:
    sent = fields(document)
    assert page.post("/ask/", sent)["Location"] == page.post("/ask/", sent)["Location"]
    assert Turn.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"question": " "}, "The question is empty"),
        ({"question": "\u200b\u200d"}, "The question is empty"),
        ({"question": "a\x00b"}, "NUL character"),
        ({"question": "y" * 4001}, "4,001 characters long; at most 4,000"),
        ({"question": "long " * 2000 + "?"}, "10,001 characters long; at most 4,000"),
        ({"scope": "base:nonsense"}, "cannot be asked"),
        ({"scope": ""}, "Choose a base or a document"),
        ({"mode": "reckless"}, "reckless"),
        ({"form_id": "x"}, "UUID"),
    ],
)
def test_it_says_what_is_wrong_and_keeps_the_text(
    page: Client, document: Document, changes: dict[str, str], words: str
) -> None:
    response = page.post("/ask/", fields(document) | changes)
    assert response.status_code == 400 and words in on_one_line(response)
    assert not Turn.objects.exists()
    kept = changes.get("question", RENT_QUESTION)
    assert response.context["form"]["question"].value() == kept


def test_it_takes_a_follow_up_only_in_the_same_base(page: Client, ask: Ask, document: Document, tenant: User) -> None:
    turn = ask()
    other = access.create_base(tenant, "Other")
    assert page.post(address(turn), fields(document)).status_code == 302
    assert page.post(address(turn), fields(document, scope=f"base:{other.pk}")).status_code == 400
    assert turn.conversation.turns.count() == 2


def test_it_offers_what_an_address_asks_for(page: Client, document: Document) -> None:
    response = page.get("/ask/", {"document": str(document.pk), "question": "What <b>now</b>?"})
    html = on_one_line(response)
    assert f'<option value="document:{document.pk}" selected>' in html
    assert "What &lt;b&gt;now&lt;/b&gt;?" in html
    typical = ("How can the agreement be terminated?", "What has to be paid, and when?")
    assert all(each in html for each in typical) and "about Parties?" in html
    assert page.get("/ask/", {"document": "nonsense", "base": "\x00"}).status_code == 200


def test_it_shows_where_to_begin_without_documents(client: Client, stranger: User) -> None:
    client.force_login(stranger)
    assert "There is no document to ask yet" in on_one_line(client.get("/ask/"))


# ---- a conversation


def test_it_shows_a_turn_that_waits(page: Client, ask: Ask) -> None:
    turn = ask()
    html = on_one_line(page.get(address(turn)))
    assert f'data-events="/ask/turns/{turn.pk}/events"' in html
    assert "Waiting for a worker" in html and 'http-equiv="refresh"' in html and "Stop" in html


def test_it_shows_an_answer_with_its_citations(page: Client, ask: Ask) -> None:
    turn = ask()
    answer_turn(turn.pk)
    html = on_one_line(page.get(address(turn)))
    assert "No model is configured: this answer is quoted from the document, chosen by rules." in html
    assert "12,500 euros a month" in html and "Why these passages?" in html and 'class="hl-anchor"' in html
    assert f'hx-get="/ask/turns/{turn.pk}/page/1"' in html and "word for word" in html
    assert reverse("audit:trail", args=[RetrievalRun.objects.get().pk]) in html
    assert "http-equiv" not in html and " style=" not in html and "<script>" not in html


def test_it_links_every_marker_of_a_written_answer(page: Client, ask: Ask, serve: Serve) -> None:
    serve()
    turn = ask()
    answer_turn(turn.pk)
    html = on_one_line(page.get(address(turn)))
    markers = re.findall(r'class="cite" href="[^"]*cite=(\d+)#page"', html)
    assert markers == [str(citation.marker) for citation in Answer.objects.get().citations.all()]


def test_it_shows_three_quotes_and_unfolds_the_rest(page: Client, ask: Ask) -> None:
    turn = ask()
    answer_turn(turn.pk)
    quote = Citation.objects.order_by("marker")[0]
    for marker in range(Citation.objects.count() + 1, 6):
        quote.pk, quote.marker, quote._state.adding = None, marker, True
        quote.save()
    html = on_one_line(page.get(address(turn)))
    before, after = html.split("2 more quotes</summary>")
    cited = [re.findall(r'<li id="cite-[\w-]+" data-cite="(\d)"', part) for part in (before, after)]
    assert cited == [["1", "2", "3"], ["4", "5"]]
    assert '<details class="why" open>' not in html
    last = on_one_line(page.get(address(turn, turn=turn.pk, cite=5)))
    assert last.index('<details class="why" open>') < last.index("2 more quotes</summary>")


def test_the_passages_of_an_answer_are_counted_as_they_are_shown(page: Client, ask: Ask) -> None:
    turn = ask("Who repairs the roof, what is the deposit and who pays the rent?")
    answer_turn(turn.pk)
    html, run = on_one_line(page.get(address(turn))), RetrievalRun.objects.get()
    cited = Citation.objects.values("candidate").distinct().count()
    told = re.search(r'Why these passages\? <span class="meta">([^<]*)</span>', html)
    counts = {words: int(count) for count, words in re.findall(r"(\d+) ([^\d]+?)(?:, |$)", told[1] if told else "")}
    assert counts["cited"] == cited and sum(counts.values()) == run.candidates.count()
    assert f"cited {cited} of {run.candidates.count()} passages" in html and f"<span>{cited} cited, " in html


def test_it_shows_what_a_model_wrote_as_text(page: Client, ask: Ask, serve: Serve) -> None:
    serve("good", "obeys-document")
    turn = ask()
    answer_turn(turn.pk)
    html = on_one_line(page.get(address(turn)))
    outside = [url for url in re.findall(r'(?:src|href|action)="([^"]*)"', html) if not url.startswith(("/", "#"))]
    assert outside == [] and "<img src=x" not in html and "onerror=" not in re.sub(r"&lt;.*?&gt;", "", html)


def test_no_page_of_another_answer_stands_beside_one_that_cites_nothing(
    page: Client, ask: Ask, document: Document
) -> None:
    first = ask()
    answer_turn(first.pk)
    page.post(address(first), fields(document, ABSENT_QUESTION))
    second = Turn.objects.get(number=2)
    assert "hl-anchor" in on_one_line(page.get(address(first)))  # while it is searched
    answer_turn(second.pk)
    html = on_one_line(page.get(address(first)))
    assert PLAINLY_NOT_FOUND in html and "hl-anchor" not in html and "The page of a citation opens here" in html
    assert "hl-anchor" in on_one_line(page.get(address(first, turn=first.pk, cite=1)))


PLAINLY_NOT_FOUND = 'popovertarget="outcome-not_found"'


def test_it_shows_what_was_searched_in_vain(page: Client, ask: Ask, serve: Serve) -> None:
    serve()
    turn = ask(ABSENT_QUESTION)
    answer_turn(turn.pk)
    html = on_one_line(page.get(address(turn)))
    assert PLAINLY_NOT_FOUND in html and "Words searched" in html and "trademark <b>0</b>" in html
    assert "1 of 1 page has text" in html or "pages have text" in html
    shown = ShownTurn(Turn.objects.get(pk=turn.pk))
    assert len(shown.candidates) > 1 and "passages, none of them answers" in html
    one = ShownTurn(shown.turn)
    one.candidates = shown.candidates[:1]
    assert one.looked_at.endswith("· 1 passage, it does not answer")


def test_it_shows_the_passages_that_were_refused(page: Client, ask: Ask, serve: Serve) -> None:
    """R58."""
    serve()
    turn = ask("Who repairs the trademark of the landlord?")
    answer_turn(turn.pk)
    candidate = RetrievalRun.objects.get().candidates.first()
    assert candidate is not None
    pane = page.get(f"/ask/turns/{turn.pk}/near/{candidate.position}")
    assert pane.status_code == 200 and "hl-anchor" in on_one_line(pane)
    assert page.get(f"/ask/turns/{turn.pk}/near/99").status_code == 404


def test_a_kept_passage_of_a_refusal_is_not_said_to_be_left_aside(
    page: Client, ask: Ask, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(scripted_llm.VERDICTS, "wrong-quote", with_support_alone)
    serve("wrong-quote")
    turn = ask("Who repairs the roof of the landlord?")
    answer_turn(turn.pk)
    assert RetrievalRun.objects.get().status == "not_found"
    html = on_one_line(page.get(address(turn)))
    assert "Nearest passages</h3>" in html and "Supporting" in html and "not kept" not in html


def with_support_alone(reply: Any, verdicts: list[Any]) -> None:
    reply["answerable"], verdicts[0]["role"] = False, "supporting"


def with_contradiction(reply: Any, verdicts: list[Any]) -> None:
    first, second = verdicts[:2]
    first["role"], second["role"], reply["answerable"] = "primary", "supporting", True
    ids = [first["candidate_id"], second["candidate_id"]]
    reply["contradictions"] = [{"point": "Both speak of <repairs>.", "candidate_ids": ids}]


def with_contradiction_beside(reply: Any, verdicts: list[Any]) -> None:
    with_contradiction(reply, verdicts)
    verdicts[0]["role"], verdicts[1]["role"], verdicts[2]["role"] = "supporting", "supporting", "primary"


@pytest.mark.parametrize(
    ("verdicts", "shown"),
    [
        pytest.param(with_contradiction, "<details open>", id="side by side"),
        pytest.param(with_contradiction_beside, "<details>", id="beside it, after a written answer"),
    ],
)
def test_it_shows_passages_that_disagree(
    page: Client, ask: Ask, serve: Serve, monkeypatch: pytest.MonkeyPatch, verdicts: Callable[..., None], shown: str
) -> None:
    monkeypatch.setitem(scripted_llm.VERDICTS, "wrong-contradictions", verdicts)
    serve("wrong-contradictions")
    turn = ask("Who repairs the roof and who repairs the doors of the landlord and the tenant?")
    answer_turn(turn.pk)
    html = on_one_line(page.get(address(turn)))
    [versus] = re.findall(r'<section class="versus".*?</section>', html)
    assert "Both speak of &lt;repairs&gt;." in versus and versus.count("<q ") == 2
    assert shown in versus


def test_a_marker_says_its_page_and_quote_before_it_is_opened(page: Client, ask: Ask, serve: Serve) -> None:
    serve()
    turn = ask()
    answer_turn(turn.pk)
    html = on_one_line(page.get(address(turn)))
    [peek] = re.findall(r'<span class="peek"[^>]*>(.*?)</span>', html)[:1]
    assert "p. 1" in peek and "12,500 euros a month" in peek


@pytest.mark.parametrize(("language", "searched"), [("en", "search word"), ("fr", "mot"), ("de", "Suchw")])
def test_the_stages_of_an_answer_stay_the_same_after_it(ask: Ask, tenant: User, language: str, searched: str) -> None:
    """In the reader's language, which the worker that tells them does not know."""
    turn = ask()
    answer_turn(turn.pk)
    _, frames = events_of(tenant, turn, language=language)
    told = [json.loads(said) for said in re.findall(r"^event: stage\ndata: (.*)$", "".join(frames), re.MULTILINE)]
    live = {each["name"]: each["detail"] for each in told if each.get("detail")}
    with translation.override(language):
        shown = ShownTurn(with_rows(Turn.objects.filter(pk=turn.pk)).get())
        assert live.items() <= {stage.key: stage.detail for stage in shown.stages}.items()
    assert searched in live["parsed"] and set(live) == {"parsed", "plan", "hits", "candidates", "arbiter"}


def test_it_shows_a_failure_with_a_way_on(page: Client, ask: Ask, document: Document, woken: list[Any]) -> None:
    turn = ask()
    Document.objects.filter(pk=document.pk).update(trashed_at=timezone.now())
    with pytest.raises(AnsweringFailed):
        answer_turn(turn.pk)
    html = on_one_line(page.get(address(turn)))
    assert 'popovertarget="outcome-failed"' in html and "no longer in this base" in html and "Ask again" in html
    response = page.post(reverse("chat:retry", args=[turn.pk]))
    again = Turn.objects.get(number=2)
    assert response["Location"].endswith(f"#turn-{again.pk}") and woken == [again.pk]


def test_a_question_is_asked_again_once_for_each_form(page: Client, ask: Ask) -> None:
    turn = ask()
    answer_turn(turn.pk)
    forms = re.findall(r'name="form_id" value="([0-9a-f-]{36})"', on_one_line(page.get(address(turn))))
    assert len(set(forms)) == 2, "the box for the next question, and what is done with this one"
    retry = reverse("chat:retry", args=[turn.pk])
    asked = {"form_id": forms[0]}
    first = page.post(retry, asked)["Location"]
    Turn.objects.filter(number=2).update(state=Turn.State.DONE)
    assert page.post(retry, asked)["Location"] == first
    assert page.post(retry, {"form_id": "x"})["Location"] != first


def test_it_asks_again_only_what_failed_or_was_stopped(page: Client, ask: Ask) -> None:
    assert page.post(reverse("chat:retry", args=[ask().pk])).status_code == 404


def test_it_keeps_the_quote_of_a_document_in_the_trash(page: Client, ask: Ask, document: Document) -> None:
    turn = ask()
    answer_turn(turn.pk)
    Document.objects.filter(pk=document.pk).update(trashed_at=timezone.now())
    html = on_one_line(page.get(address(turn, turn=turn.pk, cite=1)))
    assert "The document is in the trash, so its page is not shown." in html
    assert "12,500 euros a month" in html and "hl-anchor" not in html


@pytest.mark.parametrize(
    "query", ["turn=x", "cite=1", "cite=99", "cite=-1", "cite=\u0661", "near=0", "near=1e9", "turn="]
)
def test_it_opens_no_page_that_an_address_makes_up(page: Client, ask: Ask, query: str) -> None:
    turn = ask()
    answer_turn(turn.pk)
    named = "" if query.startswith("turn") else f"turn={turn.pk}&"
    assert page.get(f"{address(turn)}?{named}{query}").status_code == 200


def test_it_escapes_the_question(page: Client, ask: Ask) -> None:
    turn = ask("<script>alert(1)</script>")
    assert "<script>alert(1)" not in on_one_line(page.get(address(turn)))


def test_it_costs_the_same_queries_however_many_turns(
    page: Client, ask: Ask, django_assert_max_num_queries: Any, tenant: User
) -> None:
    first = ask()
    answer_turn(first.pk)
    for _ in range(3):
        again = Turn.objects.create(
            conversation=first.conversation,
            number=first.conversation.turns.count() + 1,
            question=RENT_QUESTION,
            document_ids=first.document_ids,
            scope_name=first.scope_name,
        )
        answer_turn(again.pk)
    page.get("/ask/")  # the first request of a session notes when it began
    with django_assert_max_num_queries(34):  # four of them ask what reviewers hold against answers
        page.get(address(first))


# ---- follow-ups, asking again


def test_it_shows_the_completed_question_and_lets_it_be_edited(page: Client, ask: Ask, document: Document) -> None:
    first = ask("What is the deposit?")
    page.post(address(first), fields(document, "When is it returned?"))
    second = Turn.objects.get(number=2)
    answer_turn(second.pk)
    html = on_one_line(page.get(address(first)))
    assert "Asked as</span> When is the deposit returned?" in html and f'name="edits" value="{second.pk}"' in html
    page.post(address(first), fields(document, "When is the deposit given back?", edits=second.pk))
    third = Turn.objects.get(number=3)
    answer_turn(third.pk)
    html = on_one_line(page.get(address(first)))
    third.refresh_from_db()
    assert third.as_typed and third.again_of == second and third.run and third.run.question == third.question
    assert f'Edited from <a href="#turn-{second.pk}">question 2</a>' in html
    assert f'Asked again as <a href="#turn-{third.pk}">question 3</a>' in html


def test_it_says_why_a_follow_up_was_asked_as_typed(page: Client, ask: Ask, document: Document) -> None:
    first = ask()
    page.post(address(first), fields(document, "Why?"))
    answer_turn(Turn.objects.get(number=2).pk)
    assert "not in a way rules can complete with certainty" in on_one_line(page.get(address(first)))


def test_it_edits_no_question_of_another_conversation(page: Client, ask: Ask, document: Document) -> None:
    first, other = ask(), ask()
    page.post(address(first), fields(document, "Who repairs the roof?", edits=other.pk))
    assert Turn.objects.get(number=2).again_of is None


def test_it_answers_again_and_keeps_the_earlier_answer(page: Client, ask: Ask) -> None:
    """R107."""
    first = ask()
    answer_turn(first.pk)
    said = Answer.objects.get().text
    page.post(reverse("chat:retry", args=[first.pk]))
    again = Turn.objects.get(number=2)
    answer_turn(again.pk)
    html = on_one_line(page.get(address(first)))
    assert again.again_of == first and [answer.text for answer in Answer.objects.all()] == [said, said]
    assert f'Asked again from <a href="#turn-{first.pk}">question 1</a>' in html and html.count("<article") == 2


# ---- stopping, renaming, deleting


def test_it_asks_the_worker_to_stop(page: Client, ask: Ask) -> None:
    turn = ask()
    assert page.post(reverse("chat:stop", args=[turn.pk])).status_code == 302
    turn.refresh_from_db()
    assert turn.stop_requested
    assert page.get(reverse("chat:stop", args=[turn.pk])).status_code == 405


def test_a_new_question_inside_a_conversation_is_of_its_base(
    page: Client, tenant: User, ask: Ask, document: Document
) -> None:
    turn = ask(RENT_QUESTION)
    other = access.create_base(tenant, "Newer")
    Document.objects.create(
        base=other, created_by=tenant, title="B", file_name="b.pdf", sha256="1" * 64, size_bytes=1,
        state=document.state, current_parse=document.current_parse,
    )  # fmt: skip
    link = f'href="/ask/?base={document.base_id}"'
    assert link in page.get(address(turn)).content.decode()
    form = page.get("/ask/", {"base": str(document.base_id)}).content.decode()
    assert f'<option value="base:{document.base_id}" selected>' in form
    assert 'class="btn new" href="/ask/"' in page.get("/ask/").content.decode()


def test_it_renames_a_conversation(page: Client, ask: Ask) -> None:
    turn = ask()
    page.post(reverse("chat:rename", args=[turn.conversation_id]), {"title": "Rent"})
    page.post(reverse("chat:rename", args=[turn.conversation_id]), {"title": " "})
    assert Conversation.objects.get().title == "Rent"


def test_it_hides_a_deleted_conversation_and_keeps_its_runs(page: Client, ask: Ask) -> None:
    turn = ask()
    answer_turn(turn.pk)
    told = page.post(reverse("chat:delete", args=[turn.conversation_id]), follow=True).content.decode()
    back = f'action="{reverse("chat:restore", args=[turn.conversation_id])}"'
    assert "is in the trash" in told and told.count(back) == 1, "it can be put back where it is said"
    assert back not in page.get(reverse("chat:home")).content.decode(), "it is said once"
    assert page.get(address(turn)).status_code == 404
    assert RetrievalRun.objects.count() == 1
    assert RENT_QUESTION in on_one_line(page.get(reverse("chat:trash")))
    page.post(reverse("chat:restore", args=[turn.conversation_id]))
    assert page.get(address(turn)).status_code == 200
    assert "The trash is empty" in on_one_line(page.get(reverse("chat:trash")))
    page.post(reverse("chat:delete", args=[turn.conversation_id]))
    assert page.get(reverse("audit:trail", args=[RetrievalRun.objects.get().pk])).status_code == 200


@pytest.mark.parametrize(
    ("find", "is_found"),
    [
        ("rent", True),
        ("MONTH rent", True),
        ("12,500", True),
        ("rent deposit trademark", False),
        ("%", False),
        ("_", False),
    ],
)
def test_it_finds_conversations_by_words_of_questions_and_answers(
    page: Client, ask: Ask, find: str, is_found: bool
) -> None:
    turn = ask()
    answer_turn(turn.pk)
    html = on_one_line(page.get("/ask/", {"find": find}))
    assert (f'href="/ask/{turn.conversation_id}/"' in html) is is_found
    assert ("No conversation has" in html) is not is_found


def test_it_shows_all_conversations_for_a_search_that_is_none(page: Client, ask: Ask) -> None:
    turn = ask()
    for find in ("", "x" * 201, "\0"):
        assert f'href="/ask/{turn.conversation_id}/"' in on_one_line(page.get("/ask/", {"find": find}))


# ---- other people

ROUTES = ("turn", "events", "stop", "retry", "page", "near")


@pytest.mark.parametrize("name", [*ROUTES, "conversation", "rename", "delete", "restore", "export"])
def test_it_is_absent_for_everybody_else(client: Client, ask: Ask, viewer: User, stranger: User, name: str) -> None:
    turn = ask()
    answer_turn(turn.pk)
    key = turn.pk if name in ROUTES else turn.conversation_id
    arguments: dict[str, list[Any]] = {"page": [1], "near": [1], "export": ["md"]}
    more = arguments.get(name, [])
    target = reverse(f"chat:{name}", args=[key, *more])
    method = client.post if name in ("stop", "retry", "rename", "delete", "restore") else client.get
    for person in (viewer, stranger):
        client.force_login(person)
        assert method(target).status_code == 404
    client.logout()
    assert method(target).status_code == 302


def test_it_is_absent_once_the_base_is_closed(client: Client, ask: Ask, viewer: User, base: KnowledgeBase) -> None:
    turn = ask(user=viewer)
    client.force_login(viewer)
    assert client.get(address(turn)).status_code == 200
    access.remove_member(base, viewer)
    assert client.get(address(turn)).status_code == 404
    assert client.get(f"/ask/turns/{turn.pk}/events").status_code == 404


def test_it_shows_no_trail_to_whom_it_is_not_open(client: Client, ask: Ask, viewer: User, base: KnowledgeBase) -> None:
    turn = ask(user=viewer)
    answer_turn(turn.pk)
    client.force_login(viewer)
    run = RetrievalRun.objects.get()
    has_link = reverse("audit:trail", args=[run.pk]) in on_one_line(client.get(address(turn)))
    assert has_link is RetrievalRun.objects.visible_to(viewer).filter(pk=run.pk).exists()
    access.set_role(base, viewer, Role.AUDITOR)
    assert reverse("audit:trail", args=[run.pk]) in on_one_line(client.get(address(turn)))


# ---- the partial and the events


def test_it_gives_the_finished_turn_to_the_page_that_watched_it(page: Client, ask: Ask) -> None:
    turn = ask()
    answer_turn(turn.pk)
    response = page.get(f"/ask/turns/{turn.pk}/", headers={"HX-Request": "true"})
    html = on_one_line(response)
    assert html.startswith(f'<article class="turn" id="turn-{turn.pk}"') and 'data-outcome="Passages found"' in html
    assert page.get(f"/ask/turns/{turn.pk}/")["Location"] == address(turn)


def events_of(
    person: User, turn: Turn, last_event_id: str = "", language: str = "en"
) -> tuple[StreamingHttpResponse, list[str]]:
    """The response and the frames of an event stream, read to its end over ASGI."""

    async def read() -> tuple[StreamingHttpResponse, list[str]]:
        browser = AsyncClient()
        await browser.aforce_login(person)
        headers = {"Accept-Language": language} | ({"Last-Event-ID": last_event_id} if last_event_id else {})
        response = cast("StreamingHttpResponse", await browser.get(f"/ask/turns/{turn.pk}/events", headers=headers))
        content = cast("AsyncIterator[bytes]", response.streaming_content)
        frames = [frame.decode() async for frame in content]
        await stream.reader_client().aclose()
        return response, frames

    return async_to_sync(read)()


def types_of(frames: list[str]) -> list[str]:
    return re.findall(r"^event: (\w+)$", "".join(frames), re.MULTILINE)


def test_it_streams_the_events_of_a_turn(ask: Ask, tenant: User) -> None:
    turn = ask()
    answer_turn(turn.pk)
    response, frames = events_of(tenant, turn)
    assert response["Content-Type"] == "text/event-stream" and response["X-Accel-Buffering"] == "no"
    assert types_of(frames)[0] == "stage" and types_of(frames)[-1] == "done"


def test_it_resumes_after_the_last_event_seen(ask: Ask, tenant: User) -> None:
    turn = ask()
    answer_turn(turn.pk)
    _, frames = events_of(tenant, turn)
    ids = re.findall(r"^id: (\S+)$", "".join(frames), re.MULTILINE)
    _, rest = events_of(tenant, turn, ids[3])
    assert re.findall(r"^id: (\S+)$", "".join(rest), re.MULTILINE) == ids[4:]


def test_it_tells_the_end_from_the_row_when_the_stream_is_gone(ask: Ask, tenant: User) -> None:
    turn = ask()
    answer_turn(turn.pk)
    stream.shared_client().delete(stream.stream_key(turn.pk))
    assert types_of(events_of(tenant, turn)[1]) == ["done"]


def test_it_keeps_a_question_when_the_broker_is_away(
    client: Client, document: Document, tenant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **options: Any) -> None:
        raise ConnectionError("the broker is away")

    monkeypatch.setattr(tasks.answer_turn, "apply_async", refuse)
    client.force_login(tenant)
    assert client.post("/ask/", fields(document)).status_code == 302
    assert Turn.objects.get().state == "queued"


# ---- what narrows a question


def test_a_narrowed_question_is_recorded_and_the_next_one_is_narrowed_too(
    page: Client, document: Document, client: Client
) -> None:
    asked = fields(document, pages="1", section="Rent", top_k="5", threshold="0.2")
    turn = Turn.objects.get(pk=page.post("/ask/", asked)["Location"].rpartition("#turn-")[2])
    answer_turn(turn.pk)
    run = RetrievalRun.objects.get()
    assert turn.filters == {"pages": [1], "section": "Rent", "top_k": 5, "threshold": 0.2}
    assert run.settings["filters"] == turn.filters
    html = on_one_line(page.get(address(turn)))
    assert "Page 1 · Section “Rent” · At most 5 places judged · Nearness from 0.2 ·" in html
    assert html.count('class="chip"') == 4 and 'name="pages" value="1"' in html and 'value="Rent"' in html
    trail = on_one_line(page.get(reverse("audit:trail", args=[run.pk])))
    assert "Narrowed by the asker" in trail and "only section “Rent” in page 1; at most 5 places judged" in trail


def test_each_document_of_the_picker_leads_to_its_page(page: Client, document: Document) -> None:
    Document.objects.create(
        base=document.base, title="Other", sha256="1" * 64, size_bytes=1, current_parse=document.current_parse
    )
    shown = on_one_line(page.get("/ask/"))
    link = f'href="{reverse("documents:document", args=[document.pk])}" aria-label="Open {document.title}"'
    assert shown.count(link) == 1


def test_a_filter_is_taken_off_without_asking(page: Client, ask: Ask, document: Document) -> None:
    turn = ask()
    typed = fields(document, "And then?", pages="1-2", section="Rent", mode="fast", drop="pages")
    for where in (address(turn), "/ask/"):
        response = page.post(where, typed)
        form = response.context["form"]
        assert response.status_code == 200 and Turn.objects.count() == 1
        assert [chip.field for chip in form.chips] == ["section"]
        kept = {name: form[name].value() for name in ("question", "scope", "mode")}
        assert kept == {"question": "And then?", "scope": typed["scope"], "mode": "fast"}


def test_a_filter_that_cannot_be_read_is_told_beside_its_field(page: Client, document: Document) -> None:
    response = page.post("/ask/", fields(document, pages="seven", section="Rent"))
    html = on_one_line(response)
    assert response.status_code == 400 and not Turn.objects.exists()
    assert '<details class="refine" open>' in html and 'aria-describedby="pages_helptext pages_error"' in html
    assert "“seven” is not a page or a span of pages." in html and 'value="seven"' in html and 'value="Rent"' in html
    assert response.context["form"]["question"].value() == RENT_QUESTION


# ---- the text around a citation


def test_the_text_around_a_citation_is_as_wide_as_asked_for(page: Client, ask: Ask) -> None:
    turn = ask()
    answer_turn(turn.pk)
    citation = Answer.objects.get().citations.get(marker=1)
    plain = on_one_line(page.get(address(turn, turn=turn.pk, cite=1)))
    assert 'class="doc lines-kept widened"' not in plain and "hl-context" not in plain
    before = list(RetrievalRun.objects.values()), list(citation.candidate.__class__.objects.values())
    shown = {}
    for scope in ("line", "paragraph", "section", "page"):
        link = address(turn, turn=turn.pk, cite=1, wide=scope).replace("&", "&amp;")
        assert f'href="{link}#page"' in plain and f'hx-get="/ask/turns/{turn.pk}/page/1?wide={scope}"' in plain
        pane = on_one_line(page.get(f"/ask/turns/{turn.pk}/page/1", {"wide": scope}))
        whole = on_one_line(page.get(address(turn, turn=turn.pk, cite=1, wide=scope)))
        (shown[scope],) = re.findall(r'widened".*?>(.*?)</p>', pane)
        assert shown[scope] in whole and 'aria-current="true"' in pane
        assert "<mark>" in shown[scope] and "hl-anchor" in pane and "hl-context" in pane
    assert "<br>" in shown["section"] and "Deposit" in shown["page"] and "Deposit" not in shown["section"]
    assert before == (list(RetrievalRun.objects.values()), list(citation.candidate.__class__.objects.values()))
    assert "widened" not in on_one_line(page.get(address(turn, turn=turn.pk, cite=1, wide="book")))


def test_the_text_around_a_citation_goes_with_its_document(page: Client, ask: Ask, document: Document) -> None:
    turn = ask()
    answer_turn(turn.pk)
    Document.objects.filter(pk=document.pk).update(trashed_at=timezone.now())
    html = on_one_line(page.get(f"/ask/turns/{turn.pk}/page/1", {"wide": "page"}))
    assert "The document is in the trash" in html and "widened" not in html and "Deposit" not in html
