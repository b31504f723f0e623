"""Under the last answer stands what could be asked next: only what is answered and was neither asked nor cited."""

import html
import re
import uuid

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from chat.asking import keep_question
from chat.conftest import ABSENT_QUESTION, Ask
from chat.models import Rewriting, SuggestedQuestions, Turn
from chat.page.following import FollowUps, attach_follow_ups
from chat.page.thread import ShownTurn, turns_of
from chat.page.trying import is_answered, try_questions
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.models import Document

pytestmark = pytest.mark.django_db
BUTTON = re.compile(r'<button class="btn sm" type="submit" name="question" value="([^"]*)"')


def next_after(turn: Turn) -> FollowUps | None:
    answer_turn(turn.pk)
    shown = [ShownTurn(each) for each in turns_of(turn.conversation)]
    attach_follow_ups(shown, turn.conversation.user)
    assert all(each.follow_ups is None for each in shown[:-1]), "only the last answer is followed"
    return shown[-1].follow_ups  # type: ignore[no-any-return]


def offered(client: Client, turn: Turn) -> list[str]:
    page = client.get(f"/ask/{turn.conversation_id}/").content.decode()
    return [html.unescape(question) for question in BUTTON.findall(page)]


def test_the_sections_nearest_to_what_is_cited_come_first(ask: Ask, document: Document) -> None:
    try_questions()
    found = next_after(ask("Must notice be given in writing?"))
    assert found is not None and found.document == document and not found.is_named
    said = "What does the document say about %s?"
    assert found.questions[:2] == [said % "Deposit", said % "Repairs"], "the neighbours of Termination in the contents"
    assert all(is_answered(question, document) for question in found.questions)


def test_what_was_asked_or_cited_is_not_offered(ask: Ask, tenant: User) -> None:
    try_questions()
    first = ask("What does the deposit come to, and when is it returned?")
    found = next_after(first)
    assert found is not None and not any("eposit" in question for question in found.questions)
    asked = [found.questions[0]]
    while found is not None:
        again = keep_question(
            tenant,
            QuestionScope(found.document.base, (found.document,)),
            asked[-1],
            "balanced",
            form_id=uuid.uuid4(),
            conversation=first.conversation,
        )
        found = next_after(again)
        assert found is None or not set(found.questions) & set(asked)
        asked += found.questions[:1] if found else []
    assert len(asked) > 2, "it goes on until nothing is left"


def test_what_is_typical_of_the_document_follows(ask: Ask, document: Document) -> None:
    typical = "Who are the parties to the lease of the warehouse?"
    kept = ["What does the document say about Rent?", typical]
    assert document.current_parse is not None
    SuggestedQuestions.objects.create(parse=document.current_parse, language="en", questions=kept)
    found = next_after(ask("When is the deposit returned?"))
    assert found is not None and found.questions == kept


def test_what_was_offered_right_before_makes_way(ask: Ask, document: Document) -> None:
    typical = [f"Who {does} the warehouse?" for does in ("insures", "heats", "guards", "cleans", "paints")]
    assert document.current_parse is not None
    SuggestedQuestions.objects.create(parse=document.current_parse, language="en", questions=typical)
    first = ask("When is the deposit returned?")
    offers = [next_after(first)]
    for question in ("What is the rent?", "Must notice be given in writing?"):
        turn = keep_question(
            first.conversation.user,
            QuestionScope(document.base, (document,)),
            question,
            "balanced",
            form_id=uuid.uuid4(),
            conversation=first.conversation,
        )
        offers.append(next_after(turn))
    assert [each and each.questions for each in offers] == [typical[:3], typical[3:], typical[:3]]


def test_one_offer_does_not_ask_the_same_thing_twice(ask: Ask, document: Document) -> None:
    kept = ["What does the document say about Rent?", "What is the rent of the warehouse?", "Who heats the warehouse?"]
    assert document.current_parse is not None
    SuggestedQuestions.objects.create(parse=document.current_parse, language="en", questions=kept)
    found = next_after(ask("When is the deposit returned?"))
    assert found is not None and found.questions == [kept[0], kept[2]]


def test_nothing_is_offered_before_it_was_tried_and_below_a_not_found(ask: Ask, document: Document) -> None:
    assert next_after(ask()) is None
    try_questions()
    assert next_after(ask(ABSENT_QUESTION)) is None


def test_pressed_it_is_asked_of_that_document_as_it_stands(ask: Ask, document: Document, client: Client) -> None:
    try_questions()
    turn = ask()
    answer_turn(turn.pk)
    client.force_login(turn.conversation.user)
    question = offered(client, turn)[0]
    sent = {"form_id": str(uuid.uuid4()), "scope": f"document:{document.pk}", "mode": "balanced", "question": question}
    client.post(f"/ask/{turn.conversation_id}/", sent)
    second = turn.conversation.turns.get(number=2)
    answer_turn(second.pk)
    second.refresh_from_db()
    assert second.question == question and second.run is not None and second.run.status == "found"
    assert not Rewriting.objects.filter(turn=second, outcome=Rewriting.Outcome.REWRITTEN).exists()
    assert question not in offered(client, second)


def test_of_a_base_it_names_the_document_and_only_one_that_can_still_be_asked(
    document: Document, tenant: User, client: Client
) -> None:
    try_questions()
    turn = keep_question(tenant, QuestionScope(document.base), "What is the rent?", "fast", form_id=uuid.uuid4())
    found = next_after(turn)
    assert found is not None and found.is_named and found.scope == f"document:{document.pk}"
    client.force_login(tenant)
    assert offered(client, turn) == found.questions
    head = client.get(f"/ask/{turn.conversation_id}/").content.decode().split('class="suggested"')[0]
    link = f'<a href="/documents/{document.pk}/"><bdi>{document.title}</bdi></a>'
    assert f"What could be asked next of {link}" in head
    part = client.get(f"/ask/turns/{turn.pk}/", headers={"HX-Request": "true"}).content.decode()
    assert len(BUTTON.findall(part)) == len(found.questions), "the page that follows a turn in work shows them as well"
    Document.objects.filter(pk=document.pk).update(trashed_at=timezone.now())
    assert not offered(client, turn)
