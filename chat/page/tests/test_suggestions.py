"""Ask opens where the person works, and offers what was tried and is answered."""

import uuid
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone, translation

from accounts.models import User
from chat.asking import keep_question
from chat.models import SuggestedQuestions
from chat.page import suggestions, trying
from chat.page.last_used import last_scope
from chat.page.suggestions import suggest
from chat.scope import QuestionScope
from chat.turns.tasks import try_questions
from documents import access
from documents.models import Document, KnowledgeBase, Parse
from retrieval.models import RetrievalRun

pytestmark = pytest.mark.django_db


# ---- where Ask opens


def test_it_opens_on_what_was_asked_last(document: Document, tenant: User) -> None:
    Document.objects.update(created_by=None)
    assert last_scope(tenant) == ""
    keep_question(tenant, QuestionScope(document.base), "Rent?", "fast", form_id=uuid.uuid4())
    assert last_scope(tenant) == f"base:{document.base_id}"
    keep_question(tenant, QuestionScope(document.base, (document,)), "Rent?", "fast", form_id=uuid.uuid4())
    assert last_scope(tenant) == f"document:{document.pk}"


def test_it_opens_on_what_was_uploaded_since(document: Document, tenant: User, client: Client) -> None:
    keep_question(tenant, QuestionScope(document.base), "Rent?", "fast", form_id=uuid.uuid4())
    Document.objects.filter(pk=document.pk).update(created_by=tenant, created_at=timezone.now())
    assert last_scope(tenant) == f"document:{document.pk}"
    access.create_base(tenant, "A base before it in the alphabet")
    client.force_login(tenant)
    page = client.get("/ask/").content.decode()
    assert f'<option value="document:{document.pk}" selected>' in page


def test_of_several_uploads_it_opens_on_their_base(document: Document, tenant: User) -> None:
    Document.objects.filter(pk=document.pk).update(created_by=tenant)
    assert last_scope(tenant) == f"document:{document.pk}"
    other = Document.objects.get(pk=document.pk)
    other.pk, other.title, other.sha256 = uuid.uuid4(), "Another", "0" * 64
    other.save()
    assert last_scope(tenant) == f"base:{document.base_id}"


def test_what_is_gone_gives_way_to_its_base_and_then_to_nothing(document: Document, tenant: User) -> None:
    Document.objects.update(created_by=None)
    other = Document.objects.get(pk=document.pk)
    other.pk, other.title, other.sha256 = uuid.uuid4(), "Another", "0" * 64
    other.save()
    keep_question(tenant, QuestionScope(document.base, (document,)), "Rent?", "fast", form_id=uuid.uuid4())
    Document.objects.filter(pk=document.pk).update(trashed_at=timezone.now())
    assert last_scope(tenant) == f"base:{document.base_id}"
    access.delete_base(KnowledgeBase.objects.get(pk=document.base_id))
    assert last_scope(tenant) == ""


def test_it_says_which_documents_it_opened_on_and_what_is_left_out(
    document: Document, tenant: User, client: Client
) -> None:
    Document.objects.update(created_by=None)
    keep_question(tenant, QuestionScope(document.base, (document,)), "Rent?", "fast", form_id=uuid.uuid4())
    client.force_login(tenant)
    assert "opened-on" not in client.get("/ask/").content.decode()  # the only document of its base
    other = Document.objects.get(pk=document.pk)
    other.pk, other.title, other.sha256 = uuid.uuid4(), "Another", "0" * 64
    other.save()
    page = client.get("/ask/").content.decode()
    told = " ".join(page[page.index('id="opened-on"') :].split())
    assert document.title in told[:500]
    assert f"1 other document of <bdi>{document.base.name}</bdi> is left out." in told
    assert f"?base={document.base_id}" in told
    assert "opened-on" not in client.get(f"/ask/?document={document.pk}").content.decode()  # somebody chose it


# ---- what it offers


def test_only_what_is_answered_is_offered_once_it_was_tried(document: Document, tenant: User) -> None:
    value = f"document:{document.pk}"
    before = [question for _, question in suggest(tenant, value)[1]]
    assert before, "a document that was just read has something to offer"
    try_questions()
    kept = SuggestedQuestions.objects.get(parse=document.current_parse, language="en").questions
    assert kept and all(trying.is_answered(question, document) for question in kept)
    assert [question for _, question in suggest(tenant, value)[1]] == kept[:3]
    assert not RetrievalRun.objects.exists(), "nobody asked"


def test_the_row_of_a_document_offers_them_once_they_were_tried(
    document: Document, tenant: User, client: Client
) -> None:
    client.force_login(tenant)
    address = f"/ask/documents/{document.pk}/suggested"
    awaited = client.get(address).content.decode()
    assert "looked=2" in awaited and "Looking for questions this document answers" in awaited
    assert not client.get(f"{address}?looked=60").content.decode().strip(), "it does not ask for ever"
    try_questions()
    page = client.get(address).content.decode()
    kept = SuggestedQuestions.objects.get(parse=document.current_parse, language="en").questions
    assert page.count(f"/ask/?document={document.pk}&amp;question=") == min(len(kept), 3) > 0


def test_sections_make_questions_that_read_well(document: Document) -> None:
    titles = ["3. Grant of Endorsement.", "1. Definitions", "THERAVANCE BIOPHARMA UK LIMITED and BRETT HAUMANN"]
    titles += ["~~5. Exclusivity~~", "6. Fees ~~and costs~~", "Item 8.01 Other Events"]
    in_capitals = ["7. USE OF THE PREMISES", "ARTICLE IV – BASE RENT", "2019 ANNUAL REPORT", "— CONTENTS OF BOX"]
    titles += ["4.", "1 April, 2020", "31. Dezember 2019", "2.1.2 such other longer period as agreed", "May 2020"]
    asked = list(
        suggestions.questions_on(dict(enumerate([*titles, "4. RSU Awards", "NOTICES", *in_capitals])), document)
    )
    assert asked == [
        "What does the document say about Grant of Endorsement?",
        "What does the document say about Fees?",
        "What does the document say about Other Events?",
        "What does the document say about RSU Awards?",
        "What does the document say about Use of the premises?",
        "What does the document say about Base rent?",
    ]


def test_a_document_that_answers_none_offers_none(document: Document, tenant: User) -> None:
    assert suggest(tenant, f"document:{document.pk}")[1]
    SuggestedQuestions.objects.create(parse=Parse.objects.get(), language="en", questions=[])
    assert suggest(tenant, f"document:{document.pk}") == (None, [])


def test_what_is_not_answered_is_left_out(document: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["Who insures the helicopters?", *suggestions.questions_of(document)]
    monkeypatch.setattr(trying, "questions_of", lambda _document: asked)
    answered = trying.answered_questions(document, "en")
    assert answered and asked[0] not in answered


def test_each_language_has_its_own(document: Document, tenant: User) -> None:
    try_questions()
    assert SuggestedQuestions.objects.filter(parse=document.current_parse).count() == len(settings.LANGUAGES)
    kept = SuggestedQuestions.objects.get(parse=document.current_parse, language="fr").questions
    with translation.override("fr"):
        assert [question for _, question in suggest(tenant, f"document:{document.pk}")[1]][: len(kept[:3])] == kept[:3]


def test_a_list_that_is_opened_soon_after_reading_waits_for_them(
    document: Document, tenant: User, client: Client
) -> None:
    client.force_login(tenant)
    asking = f'hx-get="/ask/documents/{document.pk}/suggested"'
    assert asking in client.get(f"/bases/{document.base_id}/").content.decode()
    Parse.objects.update(created_at=timezone.now() - timedelta(hours=1))
    assert asking not in client.get(f"/bases/{document.base_id}/").content.decode()


def test_the_language_that_is_waited_for_comes_first(document: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_document: Document, language: str) -> list[str]:
        if language != "de":
            raise TimeoutError(language)
        return ["Was gilt?"]

    monkeypatch.setattr(trying, "answered_questions", fail)
    with pytest.raises(TimeoutError):
        trying.try_questions("de")
    assert list(SuggestedQuestions.objects.values_list("language", flat=True)) == ["de"], "kept before the others"
    assert document in trying.documents_untried(), "the others are tried later"
    monkeypatch.setattr(trying, "answered_questions", lambda _document, language: [language])
    trying.try_questions()
    kept = dict(SuggestedQuestions.objects.values_list("language", "questions"))
    assert kept.pop("de") == ["Was gilt?"] and kept == {"en": ["en"], "fr": ["fr"]}


def test_a_parse_is_tried_once(document: Document) -> None:
    assert document in trying.documents_untried()
    assert trying.try_questions() >= 1
    assert document not in trying.documents_untried()
    count = SuggestedQuestions.objects.count()
    trying.try_questions()
    assert SuggestedQuestions.objects.count() == count
