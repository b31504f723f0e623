"""An old answer shows that its document has a newer version since, and the way to it."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.files import File
from django.test import Client
from django.urls import reverse

from accounts.models import User
from chat.conftest import ABSENT_QUESTION, LEASE_TEXT, RENT_QUESTION, Ask
from chat.models import Turn
from chat.turns.conductor import answer_turn
from documents.ingestion import conductor
from documents.ingestion.conductor import ingest_path
from documents.ingestion.trash import move_to_trash
from documents.models import Document, KnowledgeBase
from documents.storage import replacement

REPLACED = "replaced by a newer version"


@pytest.fixture
def client(tenant: User) -> Client:
    client = Client()
    client.force_login(tenant)
    return client


def page_of(client: Client, turn: Turn, **query: str | int) -> str:
    return client.get(reverse("chat:conversation", args=[turn.conversation_id]), query).content.decode()


def replace(document: Document, user: User, tmp_path: Path) -> Document:
    path = tmp_path / "lease-2.md"
    path.write_text(LEASE_TEXT.replace("12,500", "13,000"))
    with path.open("rb") as file:
        newer = replacement.replace(document, user, File(file, name="lease-2.md"))
    conductor.finish(newer.jobs.get())
    return newer


@pytest.mark.parametrize("question", [RENT_QUESTION, ABSENT_QUESTION])
def test_an_old_answer_leads_to_the_newer_version(
    ask: Ask, question: str, client: Client, document: Document, tenant: User, tmp_path: Path
) -> None:
    turn = ask(question)
    answer_turn(turn.pk)
    newest_url = reverse("documents:newest", args=[document.pk])
    assert newest_url not in page_of(client, turn)
    newer = replace(document, tenant, tmp_path)
    page = page_of(client, turn)
    assert newest_url in page and "Ask the newer version" in page
    client.post(reverse("chat:retry", args=[turn.pk]), {"form_id": turn.pk})
    again = Turn.objects.exclude(pk=turn.pk).get()
    answer_turn(again.pk)
    again.refresh_from_db()
    assert again.run is not None and [seen["document_id"] for seen in again.run.scope] == [str(newer.pk)]
    assert page_of(client, again).count("Ask the newer version") == 1, "the new answer is of the newer version"
    move_to_trash(Document.objects.get(pk=newer.pk))
    assert "Ask the newer version" not in page_of(client, turn), "there is none to ask"


def test_the_cited_page_leads_to_its_words_in_the_newer_version(
    ask: Ask, client: Client, document: Document, tenant: User, tmp_path: Path
) -> None:
    turn = ask()
    answer_turn(turn.pk)
    pane = reverse("chat:page", args=[turn.pk, 1])
    assert "newest/" not in client.get(pane).content.decode()
    newer = replace(document, tenant, tmp_path)
    page = client.get(pane).content.decode()
    assert "Look for these words in the newer version" in page
    url = page.split('href="' + reverse("documents:newest", args=[document.pk]))[1].partition('"')[0]
    [quote] = parse_qs(urlsplit(url).query)["quote"]
    assert "12,500" in quote
    found = client.get(reverse("documents:newest", args=[document.pk]), {"quote": quote}, follow=True)
    assert found.redirect_chain[0][0].startswith(reverse("documents:document", args=[newer.pk]))
    assert "These words do not stand in this reading" in found.content.decode()


def test_the_list_of_a_scope_says_which_document_was_replaced(
    ask: Ask, client: Client, document: Document, base: KnowledgeBase, tenant: User, tmp_path: Path
) -> None:
    path = tmp_path / "annex.md"
    path.write_text("# Annex\n\n## Parking\n\nThe tenant may use four parking spaces.\n")
    other = ingest_path(path, base, tenant)
    turn = ask()
    Turn.objects.filter(pk=turn.pk).update(document_ids=[str(document.pk), str(other.pk)])
    turn.refresh_from_db()
    answer_turn(turn.pk)
    assert REPLACED not in page_of(client, turn)
    replace(document, tenant, tmp_path)
    page = page_of(client, turn)
    assert page.split("</table>")[0].count(REPLACED) == 2, "of the one document, above the table and in it"
    assert reverse("documents:newest", args=[other.pk]) not in page
