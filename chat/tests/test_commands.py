"""Asking from the shell, and the demonstration."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from accounts.models import User
from audit.proof.verification import verify
from chat.conftest import ABSENT_QUESTION, LEASE_TEXT, RENT_QUESTION
from chat.handing_over import SHELL_EMAIL
from chat.management.commands.ask import as_text
from chat.models import Conversation, Turn
from chat.turns import demo
from documents.models import Document, KnowledgeBase, Membership
from retrieval.models import RetrievalRun

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lease_path(tmp_path: Path, settings: Settings) -> Path:
    settings.MEDIA_ROOT = tmp_path / "files"
    path = tmp_path / "lease.md"
    path.write_text(LEASE_TEXT)
    return path


def said(*arguments: Any, **options: Any) -> str:
    out = io.StringIO()
    call_command("ask", *arguments, stdout=out, **options)
    return out.getvalue()


def test_it_answers_from_a_file(lease_path: Path) -> None:
    text = said(RENT_QUESTION, document=str(lease_path))
    assert "12,500 euros a month" in text and "[1] p. 1 · Rent" in text
    assert "Clear, as far as rules can tell. One sentence or value" in text
    said("What is the deposit?", document=str(lease_path))
    assert Document.objects.count() == 1 and RetrievalRun.objects.count() == 2 and verify().ok


def test_it_tells_doubt_as_the_page_does(document: Document) -> None:
    said(RENT_QUESTION, document=str(document.pk))
    turn = Turn.objects.select_related("run", "answer").get()
    assert turn.run is not None
    turn.run.confidence = 0.5
    turn.run.searched = [{"text": "terrace", "forms": [], "count": 0}]
    doubted = as_text(turn)
    assert "\n\nDoubtful, as far as rules can tell. " in doubted
    assert "\n\nNo page that was read mentions “terrace”." in doubted


def test_it_prints_the_result_as_json(lease_path: Path) -> None:
    result = json.loads(said(RENT_QUESTION, document=str(lease_path), json=True))
    first = result["candidates"][0]
    assert (first["role"], first["section_title"], result["not_found"]) == ("primary", "Rent", False)
    quotes = [first["content_anchor"], result["answer"]["citations"][0]["quote"]]
    assert all(" ".join(quote.split()) in LEASE_TEXT for quote in quotes)
    assert RetrievalRun.objects.get().pk.hex == result["run_id"].replace("-", "")


def test_it_ends_well_when_nothing_is_found(lease_path: Path) -> None:
    assert "Not found." in said(ABSENT_QUESTION, document=str(lease_path))
    result = json.loads(said(ABSENT_QUESTION, document=str(lease_path), json=True))
    assert result["not_found"] and result["not_found_reason"] and result["answer"]["kind"] == "not_found"
    assert result["answered_before"]["run_id"] != result["run_id"]


def test_it_asks_a_base_by_name_and_a_document_by_id(document: Document) -> None:
    assert "12,500" in said(RENT_QUESTION, base="Leases")
    assert "12,500" in said(RENT_QUESTION, document=str(document.pk), mode="fast", arbiter="rules")
    assert Membership.objects.get(user__email=SHELL_EMAIL, base=document.base).role == "viewer"


def test_it_asks_a_base_that_the_command_line_made(lease_path: Path) -> None:
    """Which has no member until somebody takes it over."""
    call_command("ingest", str(lease_path), "--base", "Leases", stdout=io.StringIO())
    assert not Membership.objects.filter(base__name="Leases").exists()
    assert "12,500" in said(RENT_QUESTION, base="Leases")


def test_it_asks_as_a_person(document: Document, tenant: User, stranger: User) -> None:
    said(RENT_QUESTION, base="Leases", user=tenant.email)
    assert Conversation.objects.get().user == tenant
    with pytest.raises(CommandError, match="cannot be asked"):
        said(RENT_QUESTION, base="Leases", user=stranger.email)


def test_it_leaves_the_command_line_to_the_owners_of_the_site(lease_path: Path) -> None:
    owner = User.objects.create_superuser("owner@example.org", "a long pass phrase")
    said(RENT_QUESTION, document=str(lease_path))
    assert RetrievalRun.objects.visible_to(owner).count() == 1
    assert not User.objects.get(email=SHELL_EMAIL).is_active


@pytest.mark.parametrize(
    ("question", "where", "sentence"),
    [
        (" ", {"base": "Leases"}, "The question is empty"),
        ("What?", {"base": "Nowhere"}, "There is no base named Nowhere"),
        ("What?", {"document": "/no/such/file.pdf"}, "neither a file nor the id of a document"),
        ("What?", {"base": "Leases", "user": "nobody@example.org"}, "There is no user nobody@example.org"),
    ],
)
def test_it_fails_with_one_sentence(document: Document, question: str, where: dict[str, str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        said(question, **where)


def test_it_says_why_a_file_cannot_be_read(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path / "files"
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing else")
    with pytest.raises(CommandError, match="cannot be read"):
        said("What?", document=str(tmp_path / "broken.pdf"))


def test_it_takes_bytes_that_are_no_text(lease_path: Path) -> None:
    said("What is the rent \udcff?", document=str(lease_path))
    assert Turn.objects.get().question == "What is the rent ??"


# ---- the demonstration


@pytest.fixture
def small_samples(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path / "files"
    monkeypatch.setattr(demo, "SAMPLES", ("information-security-policy.md",))
    monkeypatch.setattr(demo, "ASKED_OF", "information-security-policy.md")


def test_it_loads_the_samples_once(small_samples: None) -> None:
    call_command("load_demo", stdout=io.StringIO())
    call_command("load_demo", stdout=io.StringIO())
    assert KnowledgeBase.objects.get().name == "Demo"
    assert (Document.objects.count(), Turn.objects.count(), RetrievalRun.objects.count()) == (1, 5, 5)
    assert RetrievalRun.objects.get(question=demo.ABSENT_QUESTION).status == "not_found"
    assert not User.objects.get(email=demo.DEMO_EMAIL).is_active


def test_it_hands_the_samples_to_the_first_owner(small_samples: None) -> None:
    demo.load(None)
    owner = User.objects.create_superuser("owner@example.org", "a long pass phrase")
    demo.hand_over(owner)
    demo.hand_over(owner)
    assert Conversation.objects.visible_to(owner).count() == 5
    assert RetrievalRun.objects.visible_to(owner).exclude(asked_by=owner).count() == 5, "which the owner may review"
    assert list(Membership.objects.values_list("user__email", "role")) == [("owner@example.org", "owner")]
    demo.load(owner)
    assert (KnowledgeBase.objects.count(), Turn.objects.count()) == (1, 5)


def test_an_owner_who_comes_in_meanwhile_has_all_of_it(small_samples: None) -> None:
    told: list[str] = []

    def tell(step: str) -> None:
        told.append(step)
        if len(told) == 2:
            demo.hand_over(User.objects.create_superuser("owner@example.org", "a long pass phrase"))

    demo.load(None, tell)
    assert told[0] == "information-security-policy.md is read" and len(told) == 6
    assert told[-1] == f"asked: {demo.QUESTION}"
    owner = User.objects.get(email="owner@example.org")
    assert [each.user for each in Conversation.objects.all()] == [owner] * 5
    assert RetrievalRun.objects.visible_to(owner).exclude(asked_by=owner).count() == 5, "which the owner may review"
    assert list(Membership.objects.values_list("user__email", "role")) == [("owner@example.org", "owner")]


def test_it_hands_nothing_over_that_was_not_loaded() -> None:
    owner = User.objects.create_superuser("owner@example.org", "a long pass phrase")
    demo.hand_over(owner)
    assert not KnowledgeBase.objects.exists()


def test_it_loads_the_samples_for_an_owner_who_is_there(small_samples: None) -> None:
    owner = User.objects.create_superuser("owner@example.org", "a long pass phrase")
    call_command("load_demo", stdout=io.StringIO())
    assert {each.user for each in Conversation.objects.all()} == {owner}
    assert not User.objects.filter(email=demo.DEMO_EMAIL).exists()
