"""Where people begin: a new owner with the first steps, an auditor with the queue, all others with their bases."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.models import User
from chat.asking import keep_question
from chat.handing_over import FILES_NAME
from chat.models import Conversation, Turn
from chat.page.last_used import last_scope
from chat.scope import QuestionScope
from chat.turns import demo, tasks
from docintel_site.first_run import LOADING_FOR
from documents.access import create_base, set_role
from documents.models import Document, KnowledgeBase, Role
from ledger.models import Event

pytestmark = pytest.mark.django_db


def sign_in(client: Client, name: str, *, administers: bool = False) -> User:
    user = User.objects.create_user(f"{name}@example.org", is_superuser=administers)
    client.force_login(user)
    return user


def test_a_new_owner_finds_three_steps_until_a_document_is_there(client: Client) -> None:
    owner = sign_in(client, "owner", administers=True)
    page = client.get("/").content.decode()
    assert "First steps" in page and "Drop PDF, Markdown or text files here" in page
    assert 'action="/first-files/"' in page and 'action="/bases/"' in page and 'action="/demo/"' in page
    create_base(owner, FILES_NAME)
    assert 'action="/bases/"' in client.get("/").content.decode(), "the base of the shell is no matter of theirs"
    base = create_base(owner, "Contracts")
    assert f'href="/bases/{base.pk}/"' in client.get("/").content.decode()
    Document.objects.create(base=base, created_by=owner, title="A", file_name="a.pdf", sha256="0" * 64, size_bytes=1)
    assert client.get("/").headers["Location"] == "/bases/"


def test_a_file_can_be_dropped_on_the_first_page(client: Client) -> None:
    owner = sign_in(client, "owner", administers=True)
    assert client.get("/first-files/").headers["Location"] == "/", "nothing was dropped yet"
    for name in ("terms", "policy"):
        file = SimpleUploadedFile(f"{name}.md", f"# {name}\n\nFees are due in 30 days.".encode())
        taken = client.post("/first-files/", {"files": file}, headers={"Accept": "application/json"})
        assert [outcome["code"] for outcome in taken.json()["outcomes"]] == ["accepted"]
    base = KnowledgeBase.objects.with_role(owner, Role.OWNER).get()
    assert base.name == "My documents" and base.documents.count() == 2
    assert client.get("/first-files/").headers["Location"] == f"/bases/{base.pk}/"
    sign_in(client, "asker")
    assert client.post("/first-files/", {}).status_code == client.get("/first-files/").status_code == 404


def test_the_samples_are_not_offered_while_they_are_loaded(client: Client) -> None:
    owner = sign_in(client, "owner", administers=True)
    base = demo.demo_base(owner)
    page = client.get("/").content.decode()
    assert "The samples are being loaded" in page and f'href="/bases/{base.pk}/"' in page
    assert 'action="/demo/"' not in page and 'hx-trigger="every' in page, "the step follows by itself"
    long_ago = timezone.now() - 2 * LOADING_FOR
    KnowledgeBase.objects.update(created_at=long_ago)
    page = client.get("/").content.decode()
    assert 'action="/demo/"' in page, "what broke can be done again"
    assert 'id="bring-samples"' in page, "by which htmx gives it its focus back when the step is swapped"
    theirs = Document.objects.create(base=base, title="A", file_name="a.pdf", sha256="0" * 64, size_bytes=1)
    assert 'action="/demo/"' not in client.get("/").content.decode()
    Document.objects.filter(pk=theirs.pk).update(created_by=owner, file_name=demo.SAMPLES[0])
    page = client.get("/").content.decode()
    assert "First steps" in page, "the samples of an owner who was there before them are nothing they brought"
    assert 'hx-trigger="every' in page, "nor does the page know yet whether somebody loads them"
    Document.objects.filter(pk=theirs.pk).update(file_name="a.pdf")
    assert client.get("/").headers["Location"] == "/bases/"
    page = client.get("/", headers={"HX-Request": "true"}).content.decode()
    assert 'id="see-an-answer"' in page and "The samples are being loaded" in page, "the step stays on its open page"


@pytest.mark.django_db(transaction=True)
def test_an_administrator_has_the_samples_brought_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = sign_in(client, "owner", administers=True)
    sent: list[int] = []
    monkeypatch.setattr(tasks.load_demo, "apply_async", lambda arguments, **_: sent.extend(arguments))
    first, second = (client.post("/demo/").headers["Location"] for _ in range(2))
    assert first == second and sent == [owner.pk] * 2
    page = client.get(first).content.decode()
    assert "The samples are being read" in page and "No documents yet" not in page
    assert page.count('hx-trigger="every') == len(demo.SAMPLES), "the page follows each without a reload"
    tasks.load_demo(owner.pk)
    assert Document.objects.filter(base__name=demo.BASE_NAME).count() == len(demo.SAMPLES)
    page = client.get("/ask/").content.decode()
    assert demo.QUESTION in page
    base = KnowledgeBase.objects.get(name=demo.BASE_NAME)
    assert last_scope(owner) == f"base:{base.pk}", "nobody asked of one of them yet"
    assert f'<option value="base:{base.pk}" selected>' in page
    sign_in(client, "asker")
    assert client.post("/demo/").status_code == 404


def test_the_steps_lead_to_the_answer_of_the_demonstration(client: Client) -> None:
    owner = sign_in(client, "owner", administers=True)
    base = demo.demo_base(owner)
    turn = keep_question(owner, QuestionScope(base), demo.QUESTION, "fast", form_id=demo.FORM_IDS[demo.QUESTION])
    assert "hold an answer already" not in client.get("/").content.decode(), "it is still being answered"
    Turn.objects.update(state="done")
    page = client.get("/").content.decode()
    assert f'href="/ask/{turn.conversation_id}/"' in page and demo.QUESTION in page
    assert 'hx-trigger="every' not in page
    Conversation.objects.update(deleted_at=timezone.now())
    assert "hold an answer already" not in client.get("/").content.decode(), "it lies in the trash"


def test_an_auditor_begins_with_what_waits_for_review(client: Client) -> None:
    auditor = sign_in(client, "auditor")
    assert client.get("/").headers["Location"] == "/bases/", "of nothing yet"
    other = User.objects.create_user("other@example.org")
    set_role(create_base(other, "Contracts"), auditor, Role.AUDITOR)
    assert client.get("/").headers["Location"] == "/audit/queue/"
    set_role(create_base(other, "Filings"), auditor, Role.VIEWER)
    assert client.get("/").headers["Location"] == "/bases/"


# ---- bases of others


def test_an_administrator_sees_that_a_base_exists_and_takes_it_over_on_record(client: Client) -> None:
    person = User.objects.create_user("person@example.org", name="Ada Person")
    base = create_base(person, "Secret matters")
    owner = sign_in(client, "owner", administers=True)
    page = client.get("/bases/").content.decode()
    assert "Secret matters" in page and "Ada Person" in page
    assert client.get(f"/bases/{base.pk}/").status_code == 404, "its content stays closed"
    refused = client.post(f"/bases/{base.pk}/take-over/", {"reason": " \u200b"})
    assert refused.status_code == 400 and "the owners of the base can read it" in refused.content.decode()
    assert client.get(f"/bases/{base.pk}/").status_code == 404
    taken = client.post(f"/bases/{base.pk}/take-over/", {"reason": "Ada has left"})
    assert taken.headers["Location"] == f"/bases/{base.pk}/"
    assert client.get(f"/bases/{base.pk}/").status_code == 200
    event = Event.objects.get(kind="base_taken_over")
    assert event.details == {"name": "Secret matters", "reason": "Ada has left"}
    assert client.post(f"/bases/{base.pk}/take-over/", {"reason": "again"}).status_code == 404, "it is theirs by now"
    client.force_login(person)
    changes = client.get("/audit/changes/").content.decode()
    assert "Base taken over" in changes and "Ada has left" in changes and str(owner) in changes


def test_nobody_else_sees_or_takes_the_bases_of_others(client: Client) -> None:
    base = create_base(User.objects.create_user("person@example.org"), "Secret matters")
    sign_in(client, "somebody")
    assert "Secret matters" not in client.get("/bases/").content.decode()
    assert client.post(f"/bases/{base.pk}/take-over/", {"reason": "Curious"}).status_code == 404
    client.logout()
    assert client.post(f"/bases/{base.pk}/take-over/", {"reason": "Curious"}).status_code == 302
