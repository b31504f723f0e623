"""Tags, order and marks of the list: one action on many documents, and only on those of the base."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from documents import tagging
from documents.access import create_base
from documents.ingestion import tasks
from documents.ingestion.trash import move_to_trash
from documents.models import Document, IngestJob, KnowledgeBase
from documents.storage.uploads import accept_upload
from documents.tests.files import make_pdf, upload_of
from ledger.models import Event
from tests.pages import on_one_line

pytestmark = pytest.mark.django_db

Member = Callable[[str], User]


@pytest.fixture
def documents(base: KnowledgeBase, owner: User, monkeypatch: pytest.MonkeyPatch) -> list[Document]:
    monkeypatch.setattr(tasks, "wake", lambda job: None)
    names = ("beta.pdf", "Alpha.pdf", "gamma.pdf")
    return [accept_upload(base, owner, upload_of(make_pdf(1, note=name), name)) for name in names]


def do(client: Client, base: KnowledgeBase, action: str, *marked: Document, **form: str) -> Any:
    data = {"action": action, "document": [str(document.pk) for document in marked], **form}
    return client.post(reverse("documents:bulk", args=[base.pk]), data, follow=True)


def listed(client: Client, base: KnowledgeBase, **query: str) -> list[str]:
    page = client.get(reverse("documents:base", args=[base.pk]), query)
    return [row.document.title for row in page.context["rows"]]


def tags_of(*documents: Document) -> list[list[str]]:
    return [Document.objects.get(pk=document.pk).tags for document in documents]


def test_it_tags_and_untags_the_marked(signed_in: Client, base: KnowledgeBase, documents: list[Document]) -> None:
    one, two, three = documents
    do(signed_in, base, "tag", one, two, tags="Contract, 2026 ,contract")
    assert tags_of(one, two, three) == [["Contract", "2026"], ["Contract", "2026"], []]
    do(signed_in, base, "tag", two, three, tags="CONTRACT")
    assert tags_of(two, three) == [["Contract", "2026"], ["Contract"]], "the base spells a tag in one way"
    do(signed_in, base, "untag", one, tags="2026")
    assert tags_of(one) == [["Contract"]]
    assert listed(signed_in, base, tag="2026") == ["Alpha"]
    assert tagging.tags_of(base) == [("2026", 1), ("Contract", 3)]


def test_it_acts_on_all_that_fit_the_filter(signed_in: Client, base: KnowledgeBase, documents: list[Document]) -> None:
    do(signed_in, base, "tag", everything="1", q="a.pdf", tags="old")
    assert tags_of(*documents) == [["old"], ["old"], ["old"]]
    do(signed_in, base, "trash", everything="1", q="alpha")
    assert listed(signed_in, base) == ["gamma", "beta"]


@pytest.mark.parametrize("tags", ["x" * 41, ",".join(map(str, range(21)))])
def test_it_refuses_tags_it_cannot_keep(
    signed_in: Client, base: KnowledgeBase, documents: list[Document], tags: str
) -> None:
    response = do(signed_in, base, "tag", documents[0], tags=tags)
    assert b'class="note error"' in response.content
    assert tags_of(documents[0]) == [[]]


def test_a_tag_is_text(signed_in: Client, base: KnowledgeBase, documents: list[Document]) -> None:
    response = do(signed_in, base, "tag", documents[0], tags='<b>"x"\x00')
    assert "<b>" not in response.content.decode().split('id="list"')[1]
    assert tags_of(documents[0]) == [['<b>"x"']]


def test_it_reads_again_stops_and_trashes(signed_in: Client, base: KnowledgeBase, documents: list[Document]) -> None:
    one, two, three = documents
    do(signed_in, base, "stop", one, two)
    assert [document.jobs.get().state for document in documents] == ["cancelled", "cancelled", "queued"]
    do(signed_in, base, "read_again", one, three)
    assert (one.jobs.count(), three.jobs.count()) == (2, 1), "what is being read is not queued twice"
    do(signed_in, base, "trash", one, two, three)
    assert listed(signed_in, base) == []
    assert IngestJob.objects.filter(state="queued").count() == 0


def put_back_form(page: str) -> dict[str, str]:
    """What the button in the message sends."""
    [ids] = re.findall(r'name="trashed" value="([^"]*)"', page)
    return {"action": "restore", "trashed": ids}


def test_what_was_trashed_is_put_back_from_the_message(
    signed_in: Client, base: KnowledgeBase, documents: list[Document]
) -> None:
    one, two, three = documents
    response = do(signed_in, base, "trash", one, two)
    page = response.content.decode()
    assert "2 documents are in the trash." in page and 'Trash <span class="n">2</span>' in on_one_line(response)
    assert "Put back" not in shown_again(signed_in, base), "it is said once"
    response = signed_in.post(reverse("documents:bulk", args=[base.pk]), put_back_form(page), follow=True)
    assert b"2 documents are in the base again." in response.content
    assert 'Trash <span class="n">0</span>' in on_one_line(response)
    assert sorted(listed(signed_in, base)) == ["Alpha", "beta", "gamma"]
    assert one.jobs.filter(state="queued").exists(), "what was not read yet is read now"
    page = signed_in.post(reverse("documents:trash", args=[three.pk]), follow=True).content.decode()
    assert "“gamma” is in the trash." in page
    signed_in.post(reverse("documents:bulk", args=[base.pk]), put_back_form(page))
    assert len(listed(signed_in, base)) == 3


def shown_again(client: Client, base: KnowledgeBase) -> str:
    return client.get(reverse("documents:base", args=[base.pk])).content.decode()


def test_a_file_uploaded_again_meanwhile_stays_in_the_trash(
    signed_in: Client, base: KnowledgeBase, owner: User, documents: list[Document]
) -> None:
    page = do(signed_in, base, "trash", *documents[:2]).content.decode()
    accept_upload(base, owner, upload_of(make_pdf(1, note="beta.pdf"), "beta.pdf"))
    page = signed_in.post(reverse("documents:bulk", args=[base.pk]), put_back_form(page), follow=True).content.decode()
    assert "1 document is in the base again." in page
    assert "Not put back, because the same file is in the base already: beta." in page


@pytest.mark.parametrize("ids", ["", "x", ",,,", "\x00", "9" * 5_000])
def test_nonsense_and_what_is_not_in_this_trash_is_not_put_back(
    signed_in: Client, base: KnowledgeBase, member: Member, documents: list[Document], ids: str
) -> None:
    other = create_base(member("stranger"), "Not yours")
    foreign = accept_upload(other, None, upload_of(make_pdf(1, note="foreign"), "foreign.pdf"))
    move_to_trash(foreign)
    form = {"action": "restore", "trashed": f"{ids},{foreign.pk},{documents[0].pk}"}
    page = signed_in.post(reverse("documents:bulk", args=[base.pk]), form, follow=True)
    assert b"Nothing was done" in page.content
    foreign.refresh_from_db()
    assert foreign.trashed_at is not None


def test_it_asks_the_marked(signed_in: Client, base: KnowledgeBase, documents: list[Document]) -> None:
    response = signed_in.post(reverse("documents:bulk", args=[base.pk]), {"action": "ask", "document": documents[0].pk})
    assert response.headers["Location"] == f"{reverse('chat:home')}?base={base.pk}", "it has not been read"


def test_it_touches_no_other_base(signed_in: Client, base: KnowledgeBase, owner: User, member: Member) -> None:
    other = create_base(member("stranger"), "Not yours")
    foreign = accept_upload(other, owner, upload_of(make_pdf(1, note="foreign"), "foreign.pdf"))
    for action in ("tag", "untag", "read_again", "stop", "trash"):
        response = do(signed_in, base, action, foreign, tags="mine")
        assert b"Nothing was done" in response.content
    foreign.refresh_from_db()
    assert (foreign.tags, foreign.trashed_at, foreign.jobs.get().state) == ([], None, "queued")


@pytest.mark.parametrize(("role", "code"), [("viewer", 404), ("auditor", 404), ("editor", 302), ("stranger", 404)])
def test_only_writers_act(base: KnowledgeBase, documents: list[Document], member: Member, role: str, code: int) -> None:
    client = Client()
    client.force_login(member(role))
    address = reverse("documents:bulk", args=[base.pk])
    for action in ("tag", "trash"):
        form = {"action": action, "document": documents[0].pk, "tags": "x"}
        assert client.post(address, form).status_code == code
    asked = client.post(address, {"action": "ask", "document": documents[0].pk})
    assert asked.status_code == (404 if role == "stranger" else 302)


@pytest.mark.parametrize("marked", ["", "1", "null", "\x00", "x" * 400])
def test_nonsense_marks_nothing(signed_in: Client, base: KnowledgeBase, documents: list[Document], marked: str) -> None:
    response = signed_in.post(reverse("documents:bulk", args=[base.pk]), {"action": "trash", "document": marked})
    assert response.status_code == 302
    assert len(listed(signed_in, base)) == 3


@pytest.mark.parametrize(
    ("sort", "titles"),
    [
        ("", ["gamma", "Alpha", "beta"]),
        ("title", ["Alpha", "beta", "gamma"]),
        ("-title", ["gamma", "beta", "Alpha"]),
        ("added", ["beta", "Alpha", "gamma"]),
        ("-pages", ["gamma", "Alpha", "beta"]),
        ("contents", ["gamma", "Alpha", "beta"]),
        ("state", ["gamma", "Alpha", "beta"]),
        ("'; drop table", ["gamma", "Alpha", "beta"]),
    ],
)
def test_it_sorts(
    signed_in: Client, base: KnowledgeBase, documents: list[Document], sort: str, titles: list[str]
) -> None:
    assert listed(signed_in, base, sort=sort) == titles


def test_a_title_is_edited_where_it_is_seen(signed_in: Client, base: KnowledgeBase, documents: list[Document]) -> None:
    IngestJob.objects.update(state="cancelled")  # while it is read its row is replaced every few seconds
    address = reverse("documents:rename", args=[documents[0].pk])
    of_document = reverse("documents:document", args=[documents[0].pk])
    on_page = signed_in.post(address, {"title": "Supplier policy", "from": "document", "page": "2"})
    assert on_page["Location"] == f"{of_document}?page=2"
    in_list = signed_in.post(address, {"title": "Policy for suppliers", "from": "base"})
    assert in_list["Location"] == reverse("documents:base", args=[base.pk])
    row = signed_in.post(address, {"title": "Policy"}, headers={"HX-Request": "true"})
    assert row.status_code == 200 and f'<a href="{of_document}"><bdi>Policy</bdi></a>' in row.content.decode()
    refused = signed_in.post(address, {"title": " "}, headers={"HX-Request": "true"}).content.decode()
    assert "A document needs a title." in refused and '<details class="rename" open>' in refused
    assert b"A document needs a title." in signed_in.post(address, {"title": " "}, follow=True).content
    documents[0].refresh_from_db()
    assert (documents[0].title, documents[0].is_title_given) == ("Policy", True)
    titles = [event.details["title"][1] for event in Event.objects.filter(kind="renamed").order_by("created_at")]
    assert titles == ["Supplier policy", "Policy for suppliers", "Policy"]


def test_only_those_who_may_edit_are_offered_the_pencil(
    signed_in: Client, base: KnowledgeBase, documents: list[Document], member: Member
) -> None:
    IngestJob.objects.update(state="cancelled")
    list_address = reverse("documents:base", args=[base.pk])
    assert signed_in.get(list_address).content.count(b'class="rename"') == len(documents)
    viewer = Client()
    viewer.force_login(member("viewer"))
    assert b'class="rename"' not in viewer.get(list_address).content


def test_it_names_a_document_and_its_tags(signed_in: Client, documents: list[Document]) -> None:
    address = reverse("documents:describe", args=[documents[0].pk])
    signed_in.post(address, {"title": "  Supplier \x00 policy ", "tags": "a, b"})
    documents[0].refresh_from_db()
    assert (documents[0].title, documents[0].tags) == ("Supplier policy", ["a", "b"])
    for form in ({"title": " ", "tags": "c"}, {"title": "x", "tags": "y" * 41}):
        assert b'class="note error"' in signed_in.post(address, form, follow=True).content
    documents[0].refresh_from_db()
    assert (documents[0].title, documents[0].tags) == ("Supplier policy", ["a", "b"])
