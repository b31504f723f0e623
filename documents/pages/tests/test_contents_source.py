"""Whoever may write in a base chooses from which source the contents of a document are taken; it is read anew (R13)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from documents.ingestion import conductor, tasks
from documents.models import Document, IngestJob, KnowledgeBase
from documents.pages.contents_source import SourceError, choose_source, usable_sources
from documents.storage.replacement import replace
from documents.tests.files import make_pdf, upload_of
from ledger.models import Event
from reading.rows import CONTENTS_SOURCES
from reading.tests.pdfs import SOURCES, write_sources

pytestmark = pytest.mark.django_db

Member = Callable[[str], User]
Queued = Callable[..., IngestJob]
Choose = Callable[[Client, Document, str], Any]


@pytest.fixture(autouse=True)
def woken(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    KnowledgeBase.objects.filter(pk=base.pk).update(settings={"embeddings": "none"})
    base.refresh_from_db()
    woken: list[Any] = []
    monkeypatch.setattr(tasks, "wake", lambda job: woken.append(job.pk))
    return woken


@pytest.fixture
def document(queued: Queued, tmp_path: Path) -> Document:
    return read(queued(write_sources(tmp_path / "sources.pdf").read_bytes()))


def read(job: IngestJob) -> Document:
    conductor.finish(job)
    return Document.objects.select_related("current_parse").get(pk=job.document_id)


def titles(document: Document) -> list[str]:
    assert document.current_parse is not None
    return list(document.current_parse.toc_entries.exclude(origin="front").values_list("title", flat=True))


def page_of(client: Client, document: Document, **query: Any) -> str:
    return client.get(reverse("documents:document", args=[document.pk]), query).content.decode()


def by_page(client: Client, document: Document, source: str) -> Any:
    return client.post(reverse("documents:contents", args=[document.pk]), {"source": source, "page": 2})


def by_api(client: Client, document: Document, source: str) -> Any:
    body = json.dumps({"contents_source": source})
    return client.generic("PATCH", f"/api/v1/documents/{document.pk}", body, "application/json")


@pytest.mark.parametrize(("choose", "status"), [(by_page, 302), (by_api, 200)])
@pytest.mark.django_db(transaction=True)
def test_a_choice_is_recorded_and_makes_a_new_reading(
    signed_in: Client, owner: User, document: Document, choose: Choose, status: int, woken: list[Any]
) -> None:
    """(R13)"""
    assert titles(document) == SOURCES["outline"] and document.current_parse is not None
    assert usable_sources(document.current_parse) == [(name, len(has)) for name, has in SOURCES.items()]
    assert choose(signed_in, document, "headings").status_code == status
    job = document.jobs.get(state="queued")
    assert woken == [job.pk]
    [event] = Event.objects.filter(kind="contents_source_changed")
    told = {"base": str(document.base_id), "source": ["automatic", "headings"]}
    assert (event.actor, event.subject, event.details) == (str(owner), f"document:{document.pk}", told)
    changed = read(job)
    assert changed.contents_source == "headings" and titles(changed) == SOURCES["headings"]
    first = changed.parses.get(number=1)
    assert changed.parses.count() == 2 and first.toc_entries.exclude(origin="front").count() == len(SOURCES["outline"])
    choose(signed_in, changed, "headings")
    assert Event.objects.filter(kind="contents_source_changed").count() == 1 and len(woken) == 1, "it says the same"


def test_each_usable_source_is_offered_with_its_entries(signed_in: Client, document: Document) -> None:
    page = page_of(signed_in, document)
    options = ["Automatic (outline)", "Outline, 4 entries", "Linked contents, 5 entries"]
    for words in (*options, "Printed contents, 6 entries", "Headings, 12 entries"):
        assert f">{words}</option>" in page
    assert '<option value="automatic" selected>' in page
    changed = read(choose_source(document, "headings") or pytest.fail("no reading"))
    assert '<option value="headings" selected>' in page_of(signed_in, changed)
    assert "Contents from" not in page_of(signed_in, changed, parse=1), "an earlier reading"
    assert "Contents from" not in page_of(signed_in, changed, panel="pages")


def test_it_is_offered_only_to_who_may_write_and_where_there_is_a_choice(
    member: Member, signed_in: Client, document: Document, queued: Queued, client: Client
) -> None:
    for role, is_offered in (("viewer", False), ("auditor", False), ("editor", True)):
        client.force_login(member(role))
        assert ("Contents from" in page_of(client, document)) == is_offered
    assert "Contents from" in page_of(signed_in, document)
    document.parses.update(profile={})
    assert "Contents from" not in page_of(signed_in, document), "a reading older than the list"
    choose_source(document, "headings")
    assert "Contents from" not in page_of(signed_in, document), "it is being read"
    IngestJob.objects.all().delete()
    assert "Automatic (none found)" in page_of(signed_in, document), "the way back from a choice"


@pytest.mark.parametrize("choose", [by_page, by_api])
@pytest.mark.parametrize("role", ["viewer", "auditor", "stranger"])
def test_it_is_as_if_the_document_were_not_there(
    member: Member, client: Client, document: Document, choose: Choose, role: str
) -> None:
    client.force_login(member(role))
    assert choose(client, document, "headings").status_code == 404
    assert Document.objects.get().contents_source == "automatic" and document.parses.count() == 1
    assert not document.jobs.filter(state="queued").exists()


@pytest.mark.parametrize("source", ["markdown", "", "Headings"])
def test_what_is_no_source_changes_nothing(signed_in: Client, document: Document, source: str) -> None:
    assert by_api(signed_in, document, source).status_code == 400
    assert by_page(signed_in, document, source).status_code == 302
    assert "Nothing was changed" in page_of(signed_in, document)
    assert Document.objects.get().contents_source == "automatic" and not Event.objects.filter(
        kind="contents_source_changed"
    )


def test_a_source_the_file_has_not_is_said_and_the_automatic_one_taken(signed_in: Client, queued: Queued) -> None:
    """The API takes it, as a newer version may have it; the page does not offer it."""
    document = read(queued(make_pdf()))
    assert by_page(signed_in, document, "linked_contents").status_code == 302
    assert Document.objects.get().contents_source == "automatic"
    by_api(signed_in, document, "linked_contents")
    changed = read(document.jobs.get(state="queued"))
    assert changed.current_parse is not None and changed.current_parse.number == 2
    assert changed.current_parse.toc_origin == "outline" and len(titles(changed)) == 4
    assert "contents_source_unusable" in changed.current_parse.warnings
    page = page_of(signed_in, changed)
    assert "The source that was chosen for the contents is not usable in this file" in page
    assert "Contents from" in page
    [shown] = [signed_in.get(f"/api/v1/documents/{document.pk}").json()]
    assert shown["contents_source"] == "linked_contents"


def test_the_source_is_chosen_of_a_pdf_that_rests_in_its_base(signed_in: Client, base: KnowledgeBase) -> None:
    for name, changed, words in (
        ("notes.md", {}, "Only of a PDF"),
        ("busy.pdf", {}, "being worked on"),
        ("old.pdf", {"trashed_at": "2026-01-01T00:00Z"}, "in the trash"),
    ):
        document = Document.objects.create(
            base=base, title=name, sha256=name, size_bytes=1, media_type="text/markdown", **changed
        )
        if name.endswith(".pdf"):
            document.media_type = "application/pdf"
            document.save()
        if name == "busy.pdf":
            IngestJob.objects.create(document=document, stage=IngestJob.Stage.EMBED)
        with pytest.raises(SourceError, match=words):
            choose_source(document, "headings")
        refused = by_api(signed_in, document, "headings")
        assert refused.status_code == 400 and refused.json()["errors"][0]["field"] == "contents_source"
    assert not Document.objects.exclude(contents_source="automatic").exists()


def test_a_newer_version_keeps_the_choice(document: Document, owner: User) -> None:
    changed = read(choose_source(document, "headings", owner) or pytest.fail("no reading"))
    newer = read(replace(changed, owner, upload_of(make_pdf(note="Second edition."))).jobs.get())
    assert newer.contents_source == "headings" and newer.current_parse is not None
    assert newer.current_parse.toc_origin == "headings"


def test_every_choice_has_its_words(signed_in: Client, document: Document) -> None:
    page = page_of(signed_in, document)
    assert all(f'<option value="{name}"' in page for name in CONTENTS_SOURCES)
