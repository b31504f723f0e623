"""Keeping a question: what can be asked, where, and once for each form."""

import threading
import uuid

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import User
from chat import scope
from chat.asking import QuestionError, ask_again, check_question, keep_question
from chat.conftest import Ask
from chat.models import Conversation, Turn
from chat.page.suggestions import suggest
from chat.scope import QuestionScope, ScopeError, choose
from documents import access
from documents.models import Document, KnowledgeBase

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty"),
        ("  \n\t ", "is empty"),
        ("\u200b\u200d\ufeff\u202e", "is empty"),
        ("\u00a0\u3000", "is empty"),
        ("what\x00ever", "NUL"),
        ("x" * 4001, "4,001 characters"),
    ],
)
def test_it_refuses_what_asks_nothing_or_too_much(text: str, why: str) -> None:
    with pytest.raises(QuestionError, match=why):
        check_question(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Is \u202elife\u202c fair?", "Is life fair?"),
        ("\u202aC:\\rent\u2069?", "C:\\rent?"),
        ("red \x1b[31malert\ud800\x07", "red [31malert"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
    ],
)
def test_it_takes_what_would_disguise_a_question_out_of_it(text: str, kept: str) -> None:
    assert check_question(text) == kept


@pytest.mark.parametrize("text", ["?", "5", "\U0001f4b6", "x" * 4000, "  padded  ", "عدد", "a\u200bb"])
def test_it_takes_every_other_question_as_it_is(text: str) -> None:
    assert check_question(text) == text.strip()


def test_it_keeps_one_turn_of_a_form_that_is_sent_twice(document: Document, tenant: User) -> None:
    form_id, where = uuid.uuid4(), QuestionScope(document.base, (document,))
    first = keep_question(tenant, where, "What is the rent?", "fast", form_id=form_id)
    again = keep_question(tenant, where, "What is the rent?", "fast", form_id=form_id)
    other = keep_question(tenant, where, "What is the deposit?", "fast", form_id=form_id)
    assert first == again and other != first
    assert Turn.objects.count() == Conversation.objects.count() == 2


def test_it_keeps_one_turn_of_a_form_that_is_sent_four_times_at_once(document: Document, tenant: User) -> None:
    form_id, where = uuid.uuid4(), QuestionScope(document.base)

    def send() -> None:
        keep_question(tenant, where, "What is the rent?", "fast", form_id=form_id)
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Turn.objects.count() == Conversation.objects.count() == 1


def test_it_numbers_the_turns_of_a_conversation(ask: Ask, document: Document, tenant: User) -> None:
    first = ask()
    where = QuestionScope(document.base)
    second = keep_question(tenant, where, "And then?", "fast", form_id=uuid.uuid4(), conversation=first.conversation)
    third = ask_again(first)
    assert [turn.number for turn in (first, second, third)] == [1, 2, 3]
    assert third.question == first.question and third.document_ids == [str(document.pk)]
    assert second.document_ids == [] and second.scope_name == "Whole base: Leases"


def test_it_asks_again_once_for_each_form(ask: Ask) -> None:
    turn, form_id = ask(), uuid.uuid4()
    again = ask_again(turn, form_id)
    Turn.objects.update(state=Turn.State.DONE)
    assert ask_again(turn, form_id) == again
    assert ask_again(turn, uuid.uuid4()) not in (turn, again)


def test_it_moves_a_conversation_up_when_it_goes_on(ask: Ask) -> None:
    first, second = ask(), ask()
    ask_again(first)
    assert list(Conversation.objects.all()) == [first.conversation, second.conversation]


def test_it_offers_only_what_can_be_asked(
    document: Document, base: KnowledgeBase, tenant: User, stranger: User
) -> None:
    (name, offered), *others = scope.choices(tenant)
    assert name == "Leases" and not others
    assert [value for value, _ in offered] == [f"base:{base.pk}", f"document:{document.pk}"]
    assert scope.choices(stranger) == []


@pytest.mark.parametrize(
    "value", ["", "x", "base:", "base:1", "document:\x00", "base:00000000-0000-4000-8000-000000000000", "user:1"]
)
def test_it_chooses_nothing_that_is_not_there(value: str, tenant: User, document: Document) -> None:
    with pytest.raises(ScopeError):
        choose(tenant, value)


def test_it_chooses_nothing_of_another(document: Document, stranger: User) -> None:
    for value in (f"base:{document.base_id}", f"document:{document.pk}"):
        with pytest.raises(ScopeError):
            choose(stranger, value)


def test_it_resolves_a_base_to_what_is_in_it_now(document: Document, base: KnowledgeBase, tenant: User) -> None:
    assert scope.resolve(tenant, base, []) == scope.resolve(tenant, base, [str(document.pk)]) == [document]
    Document.objects.filter(pk=document.pk).update(trashed_at=timezone.now())
    with pytest.raises(ScopeError, match="nothing to ask"):
        scope.resolve(tenant, base, [])


def test_it_resolves_no_document_of_another_base(document: Document, tenant: User) -> None:
    other = access.create_base(tenant, "Other")
    with pytest.raises(ScopeError, match="no longer in this base"):
        scope.resolve(tenant, other, [str(document.pk)])


def test_it_suggests_questions_of_what_can_be_asked(document: Document, tenant: User, stranger: User) -> None:
    """(R15) First what is typical of the type on its card."""
    named, suggested = suggest(tenant, f"document:{document.pk}")
    assert named == document
    assert suggested and all(value == f"document:{document.pk}" for value, _ in suggested)
    questions = [question for _, question in suggested]
    assert questions == [  # typical of an agreement, and it has such sections; then its first section
        "How can the agreement be terminated?",
        "What has to be paid, and when?",
        "What does the document say about Parties?",
    ]
    assert suggest(stranger, f"document:{document.pk}") == (None, [])
