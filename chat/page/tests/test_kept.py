"""A question sent when its session was over (H18) stands in its field again, for whoever sent it and nobody else."""

import re
import time
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.sessions import SEEN_AT
from chat.conftest import Ask
from documents.models import Document, KnowledgeBase, Membership, Role
from tests.pages import on_one_line

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "What is the rent <b>after</b> 2025?"
SHOWN = "What is the rent &lt;b&gt;after&lt;/b&gt; 2025?"
SAID = "Your question is kept"


@pytest.fixture
def page(client: Client, tenant: User, document: Document) -> Client:
    client.force_login(tenant)
    return client


def leave_alone(client: Client, hours: int = 9) -> None:
    session = client.session
    session[SEEN_AT] = int(time.time()) - hours * 3600
    session.save()


def send(client: Client, question: str, path: str = "/ask/", **fields: Any) -> str:
    """Send a question; return the page that it leads to."""
    given = {"question": question, "scope": "", "mode": "thorough", "form_id": uuid4(), "pages": "3-7"}
    answer = client.post(path, given | fields)
    assert answer.status_code == 302 and answer["Location"].startswith("/accounts/login/")
    return on_one_line(client.get(answer["Location"]))


def field_of(client: Client, path: str = "/ask/") -> str:
    found = re.search(r'<textarea[^>]*id="question"[^>]*>(.*?)</textarea>', on_one_line(client.get(path)))
    assert found
    return found[1]


def test_it_is_kept_until_its_asker_has_signed_in_again(page: Client, tenant: User, document: Document) -> None:
    """(H18)"""
    leave_alone(page)
    said = send(page, QUESTION, scope=f"document:{document.pk}")
    assert SAID in said and "2025" not in said
    page.force_login(tenant)
    html = on_one_line(page.get("/ask/"))
    assert f"{SHOWN}</textarea>" in html and 'value="3-7"' in html
    assert re.search(rf'value="document:{document.pk}"\s+selected', html)
    assert field_of(page) == "", "it is given back once"


def test_a_follow_up_is_kept_for_its_conversation(page: Client, tenant: User, ask: Ask) -> None:
    path = reverse("chat:conversation", args=[ask().conversation_id])
    leave_alone(page)
    assert SAID in send(page, QUESTION, path)
    page.force_login(tenant)
    assert field_of(page) == "" and field_of(page, path) == SHOWN


def test_nobody_else_gets_it(page: Client, tenant: User, base: KnowledgeBase) -> None:
    other = User.objects.create_user("other@example.org")
    Membership.objects.create(base=base, user=other, role=Role.VIEWER)
    leave_alone(page)
    send(page, QUESTION)
    page.force_login(other)
    assert field_of(page) == ""
    page.logout()
    page.force_login(tenant)
    assert field_of(page) == ""


@pytest.mark.parametrize("question", ["", "  ", "x" * 10_001])
def test_nothing_but_a_question_is_kept(page: Client, question: str) -> None:
    leave_alone(page)
    assert SAID not in send(page, question)


def test_no_form_of_another_site_has_its_text_kept(tenant: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(tenant)
    leave_alone(browser)
    assert browser.post("/ask/", {"question": "Planted?"}).status_code == 403
    assert "kept_question" not in browser.session
