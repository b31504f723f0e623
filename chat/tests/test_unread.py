"""A question to a base in which not every document is read: it is answered, and says what nobody looked at (R57)."""

import json
import uuid
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from chat.asking import keep_question
from chat.conftest import ABSENT_QUESTION, RENT_QUESTION, Serve
from chat.models import Answer
from chat.scope import QuestionScope, ScopeError, choices, choose, resolve, write_picker_value
from chat.turns.conductor import answer_turn
from chat.turns.evidence import retrieve_evidence
from documents.models import Document, IngestJob, KnowledgeBase
from reading.reasons import REASONS
from tests.pages import on_one_line

pytestmark = pytest.mark.django_db(transaction=True)
SUMMARY = "2 documents: 1 read, 1 not read"

AskBase = Callable[..., Answer]


@pytest.fixture
def locked(document: Document) -> Document:
    """A document of the same base that nobody can read."""
    made = Document.objects.create(
        base=document.base,
        title="Annex",
        file_name="annex.pdf",
        file="nowhere",
        sha256="a" * 64,
        size_bytes=1,
        media_type="application/pdf",
        state=Document.State.FAILED,
    )
    IngestJob.objects.create(
        document=made,
        state=IngestJob.State.FAILED,
        reason_code="encrypted",
        error_for_people=REASONS["encrypted"],
    )
    return made


@pytest.fixture
def ask_base(document: Document, tenant: User) -> AskBase:
    def ask(question: str) -> Answer:
        turn = keep_question(tenant, QuestionScope(document.base), question, "balanced", form_id=uuid.uuid4())
        answer_turn(turn.pk)
        return Answer.objects.select_related("run", "turn").get(turn=turn)

    return ask


@pytest.fixture
def client(tenant: User) -> Client:
    client = Client()
    client.force_login(tenant)
    return client


def page_of(client: Client, answer: Answer, language: str = "en") -> str:
    address = reverse("chat:conversation", args=[answer.turn.conversation_id])
    return on_one_line(client.get(address, headers={"Accept-Language": language}))


def test_what_is_read_answers_and_the_rest_is_listed(locked: Document, ask_base: AskBase, client: Client) -> None:
    answer = ask_base(RENT_QUESTION)
    assert (answer.kind, answer.run.status) == ("extractive", "found")
    assert [row.cause for row in answer.run.documents.order_by("title")] == ["encrypted", ""]
    page = page_of(client, answer)
    assert SUMMARY in page and "The PDF is locked with a password." in page
    assert "Searched 1 of 2 documents, cited " in page
    french = page_of(client, answer, "fr")
    assert "2 documents : 1 lu, 1 non lu" in french and "Le PDF est" in french


def test_nothing_is_called_absent_beside_it(locked: Document, ask_base: AskBase, client: Client) -> None:
    answer = ask_base(ABSENT_QUESTION)
    assert answer.kind == "cannot_tell"
    assert "1 of 2 documents could not be read: Annex (The PDF is locked with a password" in answer.text
    page = page_of(client, answer)
    assert f"{SUMMARY} · 1 of 1 page has text" in page and "Cannot tell" in page


def test_a_writer_that_finds_no_answer_proves_no_absence(locked: Document, ask_base: AskBase, serve: Serve) -> None:
    serve("answers-not-found")
    answer = ask_base(RENT_QUESTION)
    assert (answer.run.status, answer.kind) == ("found", "cannot_tell")
    assert "But not everything was looked at: 1 of 2 documents could not be read: Annex" in answer.text


def test_alone_it_is_still_not_found(ask_base: AskBase, client: Client) -> None:
    """G4."""
    answer = ask_base(ABSENT_QUESTION)
    assert answer.kind == "not_found" and "documents:" not in page_of(client, answer)


def test_a_greeting_searches_nothing_and_the_page_does_not_say_so(
    locked: Document, ask_base: AskBase, client: Client
) -> None:
    answer = ask_base("Hello! Thank you very much.")
    assert (answer.kind, answer.run.status, answer.run.candidates.count()) == ("clarification", "clarify", 0)
    page = page_of(client, answer)
    assert "What would you like to know?" in page
    assert SUMMARY not in page and "2 documents: 1 not read, 1 not searched" in page
    states = {row.title: (row.state, row.reason) for row in answer.run.documents.all()}
    assert states.pop("Annex")[0] == "unreadable"
    assert list(states.values()) == [("unsearched", "the question was asked back before anything was searched")]


def test_a_program_is_told_of_every_document(
    locked: Document, document: Document, client: Client, settings: Settings
) -> None:
    asked = {"message": RENT_QUESTION, "knowledge_base_id": str(document.base_id)}
    settings.API_ANSWER_WAIT_S = 0
    later = client.post("/api/v1/retrieve", json.dumps(asked), content_type="application/json").json()
    retrieve_evidence(later["retrieval_id"])
    told = client.get(f"/api/v1/retrievals/{later['retrieval_id']}").json()["result"]
    assert told["looked_at"] == "2 documents: 1 read line by line, 1 could not be read"
    assert [(each["title"], each["state"], each["cause"]) for each in told["documents"]] == [
        ("Annex", "unreadable", "encrypted"),
        (document.title, "read", None),
    ]
    assert (told["status"], told["doc_id"], told["coverage"]["unreadable_documents"]) == ("found", None, 1)


def test_several_may_be_chosen_though_one_is_not_read(
    tenant: User, base: KnowledgeBase, document: Document, locked: Document
) -> None:
    value = write_picker_value([document.pk, locked.pk])
    assert set(choose(tenant, value).document_ids) == {str(document.pk), str(locked.pk)}
    [(_, offered)] = choices(tenant, chosen=value)
    assert dict(offered)[value] == f"2 chosen: Annex, {document.title}"
    assert write_picker_value([locked.pk]) not in dict(offered)
    assert resolve(tenant, base, [str(document.pk), str(locked.pk)]) == [locked, document]
    for given in (f"document:{locked.pk}", f"documents:{locked.pk},{uuid.uuid4()}"):
        with pytest.raises(ScopeError):
            choose(tenant, given)


def test_a_list_passes_on_those_that_are_not_read(
    base: KnowledgeBase, document: Document, locked: Document, client: Client
) -> None:
    picked = {"action": "ask", "document": [document.pk, locked.pk]}
    led = client.post(reverse("documents:bulk", args=[base.pk]), picked)
    assert str(locked.pk) in led["Location"] and str(document.pk) in led["Location"]
    alone = client.post(reverse("documents:bulk", args=[base.pk]), {"action": "ask", "document": locked.pk})
    assert alone["Location"] == f"{reverse('chat:home')}?base={base.pk}"


def test_a_base_in_which_nothing_is_read_says_so(tenant: User, base: KnowledgeBase, locked: Document) -> None:
    Document.objects.exclude(pk=locked.pk).delete()
    with pytest.raises(ScopeError, match="No document of this base has been read yet"):
        resolve(tenant, base, [])
    with pytest.raises(ScopeError, match="was not read"):
        resolve(tenant, base, [str(locked.pk)])
