"""A conversation as a file: complete, readable, and nothing in it is markup but ours."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from chat.answer_record import give_feedback
from chat.conftest import ABSENT_QUESTION, Ask
from chat.followup.tests.test_rewriting import answered, follow
from chat.models import Conversation
from chat.page.export import escape_markdown, file_name

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def conversation(ask: Ask, tenant: User) -> Conversation:
    """An answer, a completed follow-up, nothing found, and a question that still waits."""
    first = answered(ask("What is the deposit?"))
    give_feedback(first, tenant, "incomplete", "the bank")
    answered(follow(first, "When is it returned?"))
    answered(follow(first, ABSENT_QUESTION))
    follow(first, "What about <b>[fire](http://x)</b>?")
    return first.conversation


def exported(client: Client, tenant: User, conversation: Conversation, form: str) -> str:
    client.force_login(tenant)
    response = client.get(reverse("chat:export", args=[conversation.pk, form]))
    assert response["Content-Disposition"] == f'attachment; filename="what-is-the-deposit.{form}"'
    return response.content.decode()


def test_it_gives_a_conversation_to_read(client: Client, tenant: User, conversation: Conversation) -> None:
    text = exported(client, tenant, conversation, "md")
    assert text.startswith("# What is the deposit?\n\nLeases · exported ")
    assert "## 2. When is it returned?" in text and "Asked as: When is the deposit returned?" in text
    assert "\\[1\\] " in text and "> " in text and "25,000 euros" in text and "\n\nWaiting.\n" in text
    assert "## 4. What about \\<b\\>\\[fire\\](http://x)\\</b\\>?" in text


def test_it_gives_a_conversation_to_programs(client: Client, tenant: User, conversation: Conversation) -> None:
    content = json.loads(exported(client, tenant, conversation, "json"))
    assert content["format"] == "docintel-conversation-1" and content["id"] == str(conversation.pk)
    first, second, absent, waiting = content["turns"]
    assert first["answer"]["kind"] == "extractive" and first["feedback"] == {
        "kind": "incomplete",
        "comment": "the bank",
    }
    cited = first["answer"]["citations"][0]
    assert cited["quote"] and cited["page"] == 1 and cited["lines"][0] <= cited["lines"][1] and cited["boxes"]
    assert (second["question"], second["asked"]) == ("When is it returned?", "When is the deposit returned?")
    assert absent["answer"]["kind"] == "not_found" and waiting["answer"] is None and waiting["run_id"] is None


def test_it_exports_in_two_forms_only(client: Client, tenant: User, conversation: Conversation) -> None:
    client.force_login(tenant)
    assert client.get(reverse("chat:export", args=[conversation.pk, "exe"])).status_code == 404


@pytest.mark.parametrize(
    ("title", "name"),
    [("What? Now!", "what-now"), ("\u00e9\u4e2d", "conversation"), ("a" * 99, "a" * 60), ('x"\r\n', "x")],
)
def test_it_names_the_file_plainly(title: str, name: str) -> None:
    assert file_name(Conversation(title=title)) == name


def test_it_leaves_no_markup() -> None:
    assert escape_markdown("a *b* [c](d) <e>\n# f") == "a \\*b\\* \\[c\\](d) \\<e\\> \\# f"
