"""What readers say of an answer: kept for good, shown again, refused to everybody else."""

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import User
from chat.answer_record import give_feedback
from chat.conftest import Ask
from chat.models import Feedback, Turn
from chat.turns.conductor import answer_turn
from documents.models import KnowledgeBase

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def answered(ask: Ask) -> Turn:
    turn = ask()
    answer_turn(turn.pk)
    return turn


@pytest.fixture
def page(client: Client, tenant: User) -> Client:
    client.force_login(tenant)
    return client


def address(turn: Turn) -> str:
    return reverse("chat:feedback", args=[turn.pk])


def shown(page: Client, turn: Turn) -> str:
    response = page.get(reverse("chat:conversation", args=[turn.conversation_id]))
    return " ".join(response.content.decode().split())


@pytest.mark.parametrize("kind", Feedback.Kind.values)
def test_it_keeps_what_a_reader_says(page: Client, answered: Turn, tenant: User, kind: str) -> None:
    response = page.post(address(answered), {"kind": kind, "comment": " page 3 <b>says</b> otherwise "})
    assert response["Location"].endswith(f"#turn-{answered.pk}")
    said = Feedback.objects.get()
    assert (said.turn, said.by, said.by_name, said.kind) == (answered, tenant, str(tenant), kind)
    assert said.comment == "page 3 <b>says</b> otherwise" and said.is_complaint is (kind != "helpful")
    html = shown(page, answered)
    assert f"You called this {said.get_kind_display().lower()}" in html and "&lt;b&gt;says" in html


def test_it_shows_what_was_said_last(page: Client, answered: Turn) -> None:
    for kind in ("helpful", "wrong_evidence"):
        page.post(address(answered), {"kind": kind}, headers={"HX-Request": "true"})
    html = shown(page, answered)
    assert "You called this wrong evidence" in html and "called this helpful" not in html
    assert Feedback.objects.count() == 2


@pytest.mark.parametrize(
    "sent", [{}, {"kind": "splendid"}, {"kind": "helpful", "comment": "x" * 2001}, {"kind": "helpful", "comment": "\0"}]
)
def test_it_says_what_is_wrong_with_a_word(page: Client, answered: Turn, sent: dict[str, str]) -> None:
    piece = page.post(address(answered), sent, headers={"HX-Request": "true"}).content.decode()
    assert "Say what is wrong" in piece and piece.lstrip().startswith('<div class="feedback"')
    page.post(address(answered), sent)
    assert "Say what is wrong" in shown(page, answered)
    assert not Feedback.objects.exists()


def test_it_takes_none_before_there_is_an_answer(page: Client, ask: Ask) -> None:
    assert page.post(address(ask()), {"kind": "helpful"}).status_code == 404


def test_it_is_absent_for_everybody_else(
    client: Client, answered: Turn, viewer: User, stranger: User, base: KnowledgeBase
) -> None:
    for person in (viewer, stranger):
        client.force_login(person)
        assert client.post(address(answered), {"kind": "helpful"}).status_code == 404
    client.logout()
    assert client.post(address(answered), {"kind": "helpful"}).status_code == 302
    assert not Feedback.objects.exists()


def test_it_cannot_be_changed_or_deleted(answered: Turn, tenant: User) -> None:
    said = give_feedback(answered, tenant, "incomplete")
    for act in (lambda: Feedback.objects.update(kind="helpful"), said.delete):
        with pytest.raises(DatabaseError, match="Cannot"), transaction.atomic():
            act()
    assert Feedback.objects.get().kind == "incomplete"
