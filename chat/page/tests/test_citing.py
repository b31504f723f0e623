"""Which answers cite a line: one's own, those an auditor may read, and nobody else's."""

from uuid import UUID

import pytest
from django.db import DatabaseError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from audit.conftest import House, MakeAnswer, MakeRun
from audit.models import AuditEvent
from audit.proof.verification import verify
from chat.models import Citation, Conversation, Turn
from chat.page.citing import ANSWERS_MAX, LINES_MAX, answers_citing
from documents.models import Document

pytestmark = pytest.mark.django_db


@pytest.fixture
def turn(make_run: MakeRun, make_answer: MakeAnswer) -> Turn:
    return make_answer(make_run()).turn


def cited(turn: Turn) -> Citation:
    return Citation.objects.filter(answer__turn=turn).select_related("candidate", "answer__run").order_by("marker")[0]


def questions(user: User, citation: Citation, line: int | None = None) -> list[str]:
    found = answers_citing(user, citation.candidate.parse_id, line or citation.first_line)
    return [answer.question for answer in found.answers]


def test_only_those_who_may_read_an_answer_are_told_that_it_cites_a_line(turn: Turn, house: House) -> None:
    citation = cited(turn)
    told = {
        name: questions(getattr(house, name), citation) for name in ("asker", "auditor", "owner", "viewer", "stranger")
    }
    asked = [citation.answer.run.question]
    assert told == {"asker": asked, "auditor": asked, "owner": asked, "viewer": [], "stranger": []}


def test_the_trash_says_how_many_answers_cite_a_document_before_it_goes(
    turn: Turn, house: House, client: Client
) -> None:
    document = cited(turn).candidate.document
    client.force_login(house.owner, backend="allauth.account.auth_backends.AuthenticationBackend")
    page = client.get(reverse("documents:document", args=[document.pk])).content.decode()
    assert "1 answer cites it. Its quotes stay; in the trash no page is shown" in " ".join(page.split())
    page = client.post(reverse("documents:trash", args=[document.pk]), follow=True).content.decode()
    assert "1 answer cites this: its quotes stay, and no page is shown beside them." in page
    page = client.get(reverse("documents:trashed", args=[document.base_id])).content.decode()
    assert "1 answer cites it. Its quotes stay, the pages beside them go." in " ".join(page.split())
    client.post(reverse("documents:purge", args=[document.pk]))
    assert not Document.objects.filter(pk=document.pk).exists() and cited(turn).quote


def test_the_trash_says_that_earlier_versions_go_with_a_document(turn: Turn, house: House, client: Client) -> None:
    older = cited(turn).candidate.document
    newer = Document.objects.create(
        base=older.base, title=older.title, file_name="newer.md", sha256="5" * 64, size_bytes=1, replaces=older
    )
    Document.objects.filter(pk=older.pk).update(replaced_at=timezone.now())
    client.force_login(house.owner, backend="allauth.account.auth_backends.AuthenticationBackend")

    def page_at(name: str, key: UUID) -> str:
        return " ".join(client.get(reverse(f"documents:{name}", args=[key])).content.decode().split())

    told = "1 answer cites it or an earlier version; the earlier versions go with it. Its quotes stay"
    assert told in page_at("document", newer.pk)
    page = client.post(reverse("documents:trash", args=[newer.pk]), follow=True).content.decode()
    assert "The earlier versions are in the trash too. 1 answer cites this or one of them" in page
    assert f"{told}, the pages beside them go." in page_at("trashed", older.base_id)


def test_lines_beside_the_quote_and_other_readings_have_none(turn: Turn, house: House) -> None:
    citation = cited(turn)
    last = Citation.objects.filter(answer__turn=turn).order_by("-last_line")[0].last_line
    for line in (last + 1, LINES_MAX, LINES_MAX + 1, 10**12):
        assert questions(house.asker, citation, line) == []
    assert answers_citing(house.asker, turn.pk, citation.first_line).answers == []


def test_ones_own_answer_leads_to_its_conversation_and_anothers_to_the_trail(turn: Turn, house: House) -> None:
    citation = cited(turn)
    own, theirs = (
        answers_citing(user, citation.candidate.parse_id, citation.first_line) for user in (house.asker, house.auditor)
    )
    assert own.answers[0].url.startswith(reverse("chat:conversation", args=[turn.conversation_id]))
    assert theirs.answers[0].url == reverse("audit:trail", args=[citation.answer.run_id])
    Conversation.objects.filter(pk=turn.conversation_id).update(deleted_at=timezone.now())
    deleted = answers_citing(house.asker, citation.candidate.parse_id, citation.first_line)
    assert deleted.answers == theirs.answers


def test_of_many_answers_the_latest_are_shown(make_run: MakeRun, make_answer: MakeAnswer, house: House) -> None:
    turns = [make_answer(make_run()).turn for _ in range(ANSWERS_MAX + 1)]
    citation = cited(turns[0])
    found = answers_citing(house.asker, citation.candidate.parse_id, citation.first_line)
    assert len(found.answers) == ANSWERS_MAX and found.has_more


def test_the_page_of_a_line_says_so_in_words(turn: Turn, house: House, client: Client) -> None:
    citation = cited(turn)
    client.force_login(house.asker)
    address = reverse("audit:citing", args=[citation.candidate.document_id, citation.first_line])
    number = citation.candidate.parse.number
    assert citation.answer.run.question in client.get(address, {"parse": number}).content.decode()
    assert client.get(address, {"parse": "99"}).status_code == 404
    client.force_login(house.stranger)
    assert client.get(address, {"parse": number}).status_code == 404


def test_that_others_asked_about_a_line_is_shown_on_record_or_not_at_all(
    turn: Turn, house: House, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    citation = cited(turn)
    address = reverse("audit:citing", args=[citation.candidate.document_id, citation.first_line])
    asked = {"parse": citation.candidate.parse.number}
    client.force_login(house.asker)
    assert client.get(address, asked).status_code == 200 and not AuditEvent.objects.exists(), "one's own"
    client.force_login(house.auditor)
    assert citation.answer.run.question in client.get(address, asked).content.decode()
    event = AuditEvent.objects.get()
    assert (event.action, event.person_id) == ("citing", house.auditor.pk)
    assert event.detail["runs"] == [str(citation.answer.run_id)] and verify().ok

    def refuse(*_: object, **__: object) -> None:
        raise DatabaseError("disk full")

    monkeypatch.setattr("audit.access_log.store", refuse)
    with pytest.raises(DatabaseError):
        client.get(address, asked)
