"""The pages, through the client: uploads with and without scripts, the list, a document, members and settings."""

import re
import time
from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from documents.access import create_base, role_in
from documents.base_settings import BaseSettings
from documents.ingestion import conductor, queueing, tasks
from documents.models import Document, IngestJob, KnowledgeBase, Parse, TocEntry
from documents.pages import listing
from documents.tests.files import make_locked_pdf, make_pdf, make_scan, upload_of
from tests.pages import on_one_line

pytestmark = pytest.mark.django_db

Member = Callable[[str], User]
Queued = Callable[..., IngestJob]
WEIGHT_BYTES = 180_000  # of 300 KB, beside styles and scripts
HOSTILE = '<script>alert(1)</script>"><img src=x>.pdf'


@pytest.fixture(autouse=True)
def _without_broker(monkeypatch: pytest.MonkeyPatch, base: KnowledgeBase) -> None:
    monkeypatch.setattr(tasks, "wake", lambda job: None)
    base.settings = {"embeddings": "none"}
    base.save()


def send(client: Client, base: KnowledgeBase, *files: SimpleUploadedFile, **headers: str) -> Any:
    return client.post(reverse("documents:upload", args=[base.pk]), {"files": list(files)}, headers=headers)


def shown(client: Client, base: KnowledgeBase, **query: str) -> str:
    return client.get(reverse("documents:base", args=[base.pk]), query).content.decode()


def page_of(client: Client, document: Document, **query: str | int) -> Any:
    return client.get(reverse("documents:document", args=[document.pk]), query)


@pytest.fixture
def document(queued: Queued) -> Document:
    job = queued()
    conductor.ingest(job)
    return Document.objects.get(pk=job.document_id)


# ---- bases


def test_it_says_what_to_do_when_there_is_no_base(member: Member, client: Client) -> None:
    client.force_login(member("stranger"))
    assert b"Begin with a base" in client.get(reverse("documents:bases")).content


def test_it_makes_a_base(signed_in: Client, owner: User) -> None:
    response = signed_in.post(reverse("documents:bases"), {"name": "Claims 2026"}, follow=True)
    assert role_in(owner, KnowledgeBase.objects.get(name="Claims 2026")) == "owner"
    assert b"No documents yet" in response.content


@pytest.mark.parametrize("name", ["", "   ", "x" * 121, "a\x00b", "\u202e\u200b"])
def test_it_refuses_a_name_it_cannot_keep(signed_in: Client, name: str) -> None:
    assert signed_in.post(reverse("documents:bases"), {"name": name}).status_code == 400
    assert KnowledgeBase.objects.count() == 1


def test_it_lists_only_bases_of_the_person(signed_in: Client, member: Member) -> None:
    create_base(member("stranger"), "Not yours")
    assert b"Not yours" not in signed_in.get(reverse("documents:bases")).content


def test_a_base_is_ready_only_when_nothing_of_it_is_being_read(signed_in: Client, queued: Queued) -> None:
    job = queued()
    assert "In progress" in (reading := signed_in.get(reverse("documents:bases")).content.decode())
    assert "Ready" not in reading
    conductor.ingest(job)
    assert "Ready" in (read := signed_in.get(reverse("documents:bases")).content.decode())
    assert "In progress" not in read


# ---- uploads


def test_it_takes_several_files_and_says_what_became_of_each(signed_in: Client, base: KnowledgeBase) -> None:
    again = upload_of(make_pdf(), "again.pdf")
    response = send(signed_in, base, upload_of(make_pdf()), upload_of(b"", "empty.pdf"), again)
    assert response.status_code == 302
    page = shown(signed_in, base)
    assert "Taken" in page and "The file is empty" in page and "already in the base" in page
    assert f'href="{reverse("documents:document", args=[Document.objects.get().pk])}"' in page
    assert "The file is empty" not in shown(signed_in, base), "told once"


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (b"", "empty.pdf", "The file is empty"),
        (b"<!doctype html><p>no PDF</p>", "page.pdf", "not a PDF"),
        (b"PK\x03\x04", "letter.docx", "not a PDF, Markdown or text file"),
    ],
)
def test_it_refuses_in_a_clear_sentence(
    signed_in: Client, base: KnowledgeBase, content: bytes, name: str, words: str
) -> None:
    response = send(signed_in, base, upload_of(content, name))
    assert response.status_code == 400
    assert words in response.content.decode()
    assert not Document.objects.exists()


def test_it_refuses_60_megabytes_soon_and_names_the_limit(
    signed_in: Client, base: KnowledgeBase, settings: Any
) -> None:
    big = upload_of(b"%PDF-1.7\n" + b"x" * 60_000_000, "big.pdf")
    started = time.process_time()
    response = send(signed_in, base, big, upload_of(make_pdf()))
    spent_s = time.process_time() - started
    assert response.status_code == 302
    assert "larger than 50 MB" in shown(signed_in, base)
    assert Document.objects.get().file_name == "policy.pdf", "the other file is not lost"
    big.seek(0)
    assert send(signed_in, base, big).status_code == 413
    assert spent_s < 4  # of the processor, building the request included; the promise is two


def test_it_answers_a_script_in_json(signed_in: Client, base: KnowledgeBase) -> None:
    response = send(signed_in, base, upload_of(make_pdf()), accept="application/json")
    [outcome] = response.json()["outcomes"]
    assert (response.status_code, outcome["code"], outcome["name"]) == (200, "accepted", "policy.pdf")
    again = send(signed_in, base, upload_of(make_pdf()), accept="application/json")
    assert (again.json()["outcomes"][0]["code"], again.json()["outcomes"][0]["url"]) == ("duplicate", outcome["url"])


def test_it_asks_for_a_file_when_there_is_none(signed_in: Client, base: KnowledgeBase) -> None:
    response = signed_in.post(reverse("documents:upload", args=[base.pk]))
    assert response.status_code == 400
    assert b"Choose at least one file" in response.content


def test_it_refuses_more_files_than_a_form_may_have(signed_in: Client, base: KnowledgeBase) -> None:
    files = [upload_of(b"# x", f"{number}.md") for number in range(101)]
    assert send(signed_in, base, *files).status_code == 400
    assert not Document.objects.exists()


def test_it_shows_hostile_names_as_text(signed_in: Client, base: KnowledgeBase) -> None:
    send(signed_in, base, upload_of(make_scan(), HOSTILE))
    conductor.ingest(IngestJob.objects.get())
    for page in (shown(signed_in, base), page_of(signed_in, Document.objects.get()).content.decode()):
        assert "<script>alert" not in page and "<img src=x>" not in page


# ---- the list


def test_it_shows_progress_and_asks_again_only_while_something_is_busy(
    signed_in: Client, base: KnowledgeBase, queued: Queued
) -> None:
    """T9."""
    job = queued()
    began = timezone.now() - timedelta(minutes=3, seconds=10)
    IngestJob.objects.update(state="running", stage="pages", done_count=31, total_count=88, started_at=began)
    page = shown(signed_in, base)
    assert "Reading page 31 of 88" in page and 'value="35"' in page and "Begun 3 min ago." in page
    assert 'hx-trigger="every 2s"' in page
    IngestJob.objects.update(state="queued", done_count=0)
    conductor.ingest(job)
    assert 'hx-trigger="every' not in shown(signed_in, base)


def test_a_row_brings_the_figures_above_the_list(signed_in: Client, document: Document) -> None:
    row = on_one_line(signed_in.get(reverse("documents:row", args=[document.pk])))
    assert row.startswith("<tr") and 'hx-swap-oob="true"' in row and "1 ready" in row


def test_it_says_that_keyword_questions_work_while_it_embeds(
    signed_in: Client, base: KnowledgeBase, document: Document
) -> None:
    IngestJob.objects.update(state="running", stage="embed", done_count=5, total_count=10)
    page = shown(signed_in, base)
    assert (
        "Search by meaning: passage 5 of 10" in page and "It can be asked already" in page and "Ask this base" in page
    )


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (make_locked_pdf(), "locked.pdf", "locked with a password"),
        (make_scan(), "scan.pdf", "No page has text"),
        (make_pdf()[:700], "cut.pdf", "damaged"),
    ],
)
def test_it_says_why_a_file_failed_and_offers_to_try_again(
    signed_in: Client, base: KnowledgeBase, queued: Queued, content: bytes, name: str, words: str
) -> None:
    """T9."""
    conductor.ingest(queued(content, name))
    page = shown(signed_in, base)
    assert words in page and "Try again" in page and "1 needs attention" in page


def test_a_viewer_sees_no_buttons(base: KnowledgeBase, document: Document, member: Member, client: Client) -> None:
    client.force_login(member("viewer"))
    page = shown(client, base)
    assert "Move to trash" not in page and 'id="drop"' not in page and "Read again" not in page


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"q": "supplier"}, 1),
        ({"q": "policy.pdf"}, 1),
        ({"q": "quarter notices"}, 1),
        ({"q": "résumés"}, 1),
        ({"q": "absent"}, 0),
        ({"state": "ready"}, 1),
        ({"state": "busy"}, 0),
        ({"state": "needs"}, 0),
        ({"toc": "weak"}, 0),
        ({"toc": "nonsense", "state": "'"}, 1),
        ({"q": "\x00"}, 1),
        ({"q": "(((& | !"}, 0),
        ({"page": "999999"}, 1),
        ({"page": "-1"}, 1),
    ],
)
def test_it_filters(
    signed_in: Client, base: KnowledgeBase, document: Document, query: dict[str, str], count: int
) -> None:
    assert shown(signed_in, base, **query).count('class="thumb"') == count


def test_the_list_takes_the_same_number_of_queries_however_long_it_is(
    signed_in: Client, base: KnowledgeBase, queued: Queued, django_assert_max_num_queries: Any
) -> None:
    for number in range(12):
        queued(f"# Policy {number}".encode(), f"{number}.md")
    shown(signed_in, base)  # the first request of a session notes when it began
    with django_assert_max_num_queries(20):
        shown(signed_in, base)


def test_no_word_in_an_address_breaks_a_page(signed_in: Client, document: Document) -> None:
    texts = ["x" * 10_000, "\u202eevil\u202c", "a\x00b", "((((", "'; --", '"><b id="us">', "-1", "9" * 40]
    asked = {f"/bases/{document.base_id}/": "q tag state sort page"}
    asked[f"/documents/{document.pk}/"] = "find quote page line hit go panel parse"
    for address, names in asked.items():
        for name, text in product(names.split(), texts):
            response = signed_in.get(address, {name: text})
            assert response.status_code in (200, 302, 404), (address, name, text)
            assert b'<b id="us">' not in response.content and "\u202e" not in response.content.decode()


def test_it_shows_a_page_with_its_lines_and_section(signed_in: Client, document: Document) -> None:
    page = page_of(signed_in, document, page=2).content.decode()
    assert "Records of a supplier" in page
    assert reverse("documents:page_image", args=[document.pk, 2]) in page
    assert re.search(r'aria-current="location".*?Retention', page, re.DOTALL)
    assert "4 of 4 titles found" in page
    assert "style=" not in page


def test_contents_of_thousands_of_entries_do_not_weigh_a_page_down(signed_in: Client, document: Document) -> None:
    parse = Parse.objects.get()
    [entry] = parse.toc_entries.order_by("-index")[:1]
    levels = [1 + (index % 10 > 0) + (index % 100 > 9) for index in range(3000)]
    like = {field.attname: getattr(entry, field.attname) for field in TocEntry._meta.fields if not field.primary_key}
    more = (like | {"index": entry.index + 1 + place, "level": level} for place, level in enumerate(levels))
    TocEntry.objects.bulk_create([TocEntry(**row | {"title": "Title " * 9}) for row in more])
    page = page_of(signed_in, document, page=2)
    assert len(page.content) < WEIGHT_BYTES and "sections</span>" in on_one_line(page)


def test_it_lights_a_line_and_finds_its_page(signed_in: Client, document: Document) -> None:
    line = document.current_parse.lines.filter(page_number=3).order_by("number")[1]  # type: ignore[union-attr]
    page = page_of(signed_in, document, line=line.number).content.decode()
    assert f"Line {line.number}" in page and "hl-anchor" in page and 'name="page" value="3"' in page


@pytest.mark.parametrize("query", [{"page": 5}, {"page": 999999999}, {"parse": 7}])
def test_it_has_no_such_page(signed_in: Client, document: Document, query: dict[str, int]) -> None:
    assert page_of(signed_in, document, **query).status_code == 404


@pytest.mark.parametrize("text", ["-1", "0", "abc", "1e400", "\x00", "٣", "9" * 40])
def test_nonsense_shows_the_first_page(signed_in: Client, document: Document, text: str) -> None:
    assert b'name="page" value="1"' in page_of(signed_in, document, page=text, line=text, parse=text).content


def test_it_shows_older_versions(signed_in: Client, document: Document) -> None:
    conductor.ingest(queueing.queue_again(document))
    page = page_of(signed_in, document, parse=1, page=2).content.decode()
    assert "Reading 2, current" in page and "?page=3&amp;parse=1" in page


def test_a_document_that_is_not_read_yet_says_how_far_it_is(signed_in: Client, queued: Queued) -> None:
    page = page_of(signed_in, queued().document).content.decode()
    assert "Waiting to be read" in page and "hx-trigger" in page


def test_the_page_of_a_document_that_was_being_read_loads_itself_when_it_is_ready(
    signed_in: Client, document: Document
) -> None:
    response = signed_in.get(
        reverse("documents:document", args=[document.pk]), headers={"HX-Request": "true", "HX-Target": "reading"}
    )
    assert response.headers["HX-Refresh"] == "true"


def test_a_file_that_could_not_be_read_can_be_replaced_where_it_says_so(
    signed_in: Client, member: Member, client: Client, queued: Queued
) -> None:
    job = queued(make_locked_pdf(), "locked.pdf")
    conductor.ingest(job)
    address = reverse("documents:replace", args=[job.document_id])
    page = page_of(signed_in, job.document).content.decode()
    assert "locked with a password" in page and address in page
    newer = signed_in.post(address, {"files": upload_of(make_pdf(), "open.pdf")}, follow=True).context["document"]
    conductor.ingest(newer.jobs.get())
    assert list(Document.objects.answering().values_list("pk", flat=True)) == [newer.pk]
    client.force_login(member("viewer"))
    assert address not in page_of(client, job.document).content.decode()


def test_details_of_a_failure_are_for_administrators(signed_in: Client, owner: User, queued: Queued) -> None:
    job = queued(make_pdf()[:700], "cut.pdf")
    conductor.ingest(job)
    IngestJob.objects.update(error_for_admins="object 7 is broken")
    assert b"object 7" not in page_of(signed_in, job.document).content
    User.objects.filter(pk=owner.pk).update(is_staff=True)
    assert b"object 7" in page_of(signed_in, job.document).content


@pytest.mark.parametrize("name", ["policy.pdf", "Ünï 😀.pdf", 'a"; b.pdf', "-leading.pdf"])
def test_the_original_is_a_download_and_nothing_else(
    signed_in: Client, base: KnowledgeBase, queued: Queued, name: str
) -> None:
    document = queued(name=name).document
    response = signed_in.get(reverse("documents:original", args=[document.pk]))
    assert response.content == make_pdf()
    assert response.headers["Content-Disposition"].startswith("attachment; filename")
    assert "\n" not in response.headers["Content-Disposition"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Type"] == "application/octet-stream"


def test_it_reads_again_and_stops(signed_in: Client, document: Document) -> None:
    signed_in.post(reverse("documents:read_again", args=[document.pk]))
    assert document.jobs.filter(state="queued").count() == 1
    signed_in.post(reverse("documents:stop", args=[document.pk]), {"from": "base"})
    assert document.jobs.filter(state="cancelled").count() == 1


# ---- the trash


def test_a_trashed_document_leaves_the_base_and_comes_back(
    signed_in: Client, base: KnowledgeBase, document: Document
) -> None:
    signed_in.post(reverse("documents:trash", args=[document.pk]))
    assert not Document.objects.filter(base=base).answering().exists()
    page = shown(signed_in, base)
    trash = reverse("documents:trashed", args=[base.pk])
    assert "No documents yet" not in page and f'No documents; <a href="{trash}">1 in the trash</a>' in page
    assert b"In the trash" in page_of(signed_in, document).content
    assert document.title in signed_in.get(reverse("documents:trashed", args=[base.pk])).content.decode()
    put_back = signed_in.post(reverse("documents:restore", args=[document.pk]), follow=True)
    assert f"“{document.title}” is back in its base." in put_back.content.decode()
    assert Document.objects.filter(base=base).answering().get() == document


def test_a_copy_in_the_trash_stays_there_when_the_file_came_again(
    signed_in: Client, base: KnowledgeBase, document: Document
) -> None:
    signed_in.post(reverse("documents:trash", args=[document.pk]))
    send(signed_in, base, upload_of(make_pdf()))
    response = signed_in.post(reverse("documents:restore", args=[document.pk]), follow=True)
    assert b"in the base again already" in response.content
    assert Document.objects.living().count() == 1


def test_the_trash_stops_the_reading(signed_in: Client, queued: Queued) -> None:
    job = queued()
    signed_in.post(reverse("documents:trash", args=[job.document_id]))
    job.refresh_from_db()
    assert job.state == "cancelled"
    signed_in.post(reverse("documents:restore", args=[job.document_id]))
    assert IngestJob.objects.filter(state="queued").count() == 1


# ---- members and settings


def test_an_owner_adds_changes_and_removes_members(signed_in: Client, base: KnowledgeBase, member: Member) -> None:
    user = member("stranger")
    signed_in.post(reverse("documents:members", args=[base.pk]), {"email": "Stranger@Example.org", "role": "auditor"})
    assert role_in(user, base) == "auditor"
    one = reverse("documents:member", args=[base.pk, user.pk])
    signed_in.post(one, {"role": "editor"})
    assert role_in(user, base) == "editor"
    assert signed_in.post(one, {"role": "emperor"}).status_code == 404
    signed_in.post(one)
    assert role_in(user, base) == ""


def test_it_says_that_nobody_has_the_address(signed_in: Client, base: KnowledgeBase) -> None:
    response = signed_in.post(
        reverse("documents:members", args=[base.pk]), {"email": "no@example.org", "role": "viewer"}
    )
    assert response.status_code == 400
    assert b"Nobody here has this address" in response.content


def test_it_tells_the_last_owner_to_name_another(signed_in: Client, base: KnowledgeBase, owner: User) -> None:
    response = signed_in.post(reverse("documents:member", args=[base.pk, owner.pk]), follow=True)
    assert b"A base needs an owner" in response.content


# Models and their tiers have pages of their own.
OWN = {name: value for name, value in BaseSettings().to_json().items() if name not in ("tiers", "model")}
OTHERS = {
    name: next(value for value in reversed(values) if value != OWN[name])
    for name, values in (BaseSettings.CHOICES | BaseSettings.RANGES).items()
}
# Each but its default, unless a model or reviewed answers are needed for it.
FIXED = {"chunking": "fixed", "chunk_size": 800, "chunk_overlap": 80}
DEFAULT = {name: OWN[name] for name in ("cards", "golden_check")}
GOOD = {**OTHERS, **FIXED, **DEFAULT, "name": "Suppliers", "ranking": "rules", "embeddings": "none"}


def test_it_keeps_settings(signed_in: Client, base: KnowledgeBase) -> None:
    address = reverse("documents:settings", args=[base.pk])
    assert signed_in.post(address, {**GOOD, "name": "Renamed"}).status_code == 302
    base.refresh_from_db()
    assert base.name == "Renamed"
    assert base.settings.items() >= {name: value for name, value in GOOD.items() if name != "name"}.items()
    assert b'value="800"' in signed_in.get(address).content


def test_every_setting_says_its_default_and_why(signed_in: Client, base: KnowledgeBase) -> None:
    page = signed_in.get(reverse("documents:settings", args=[base.pk])).content.decode()
    assert page.count("Default: ") == len(OWN)
    assert "Default: By section; a section is what people cite." in page
    assert "Default: 40, from 5 to 60; " in page


def test_only_owners_can_fill_in_settings(client: Client, base: KnowledgeBase, member: Member) -> None:
    client.force_login(member("editor"))
    page = client.get(reverse("documents:settings", args=[base.pk])).content.decode()
    assert page.count(" disabled") >= len(BaseSettings().to_json()) and "Save settings" not in page


def test_viewers_see_no_settings(client: Client, base: KnowledgeBase, member: Member) -> None:
    client.force_login(member("viewer"))
    address = reverse("documents:settings", args=[base.pk])
    assert client.get(address).status_code == 404
    page = client.get(reverse("documents:base", args=[base.pk])).content.decode()
    assert address not in page and reverse("reading_rules:rules", args=[base.pk]) not in page
    client.force_login(member("editor"))
    page = client.get(reverse("documents:base", args=[base.pk])).content.decode()
    assert address in page and reverse("reading_rules:rules", args=[base.pk]) in page


@pytest.mark.parametrize(
    "change", [{"chunk_size": 10}, {"chunk_overlap": 900}, {"ranking": "luck"}, {"passages_max": "x"}, {"name": ""}]
)
def test_it_refuses_settings_that_are_not_allowed(
    signed_in: Client, base: KnowledgeBase, change: dict[str, object]
) -> None:
    response = signed_in.post(reverse("documents:settings", args=[base.pk]), {**GOOD, **change})
    assert response.status_code == 400
    assert b"errorlist" in response.content or b"note error" in response.content
    base.refresh_from_db()
    assert base.settings == {"embeddings": "none"}


# ---- settings that a reading depends on


def chunked(base: KnowledgeBase, **settings: object) -> None:
    base.settings = {"embeddings": "none", **settings}
    base.save()


@pytest.mark.parametrize(
    ("settings", "passages"),
    [({"chunking": "page"}, 4), ({"chunking": "fixed", "chunk_size": 400, "chunk_overlap": 20}, 2)],
)
def test_it_reads_a_base_again_with_other_settings(
    document: Document, base: KnowledgeBase, signed_in: Client, settings: dict[str, object], passages: int
) -> None:
    settings_page, again = (
        reverse("documents:settings", args=[base.pk]),
        reverse("documents:read_outdated", args=[base.pk]),
    )
    assert "read with other settings" not in signed_in.get(settings_page).content.decode()
    chunked(base, **settings)
    assert "1 document was read with other settings" in signed_in.get(settings_page).content.decode()
    page = signed_in.post(again, follow=True).content.decode()
    assert "1 document will be read again" in page and "Waiting to be read" in page
    assert "read with other settings" not in signed_in.get(settings_page).content.decode(), "it is under way"
    before = document.current_parse
    conductor.ingest(document.jobs.get(state="queued"))
    document.refresh_from_db()
    assert document.current_parse is not None and document.current_parse != before
    assert document.current_parse.settings["chunking"] == settings["chunking"]
    assert document.current_parse.passages.count() == passages
    assert signed_in.post(again, follow=True).content.count(b"0 documents will be read again") == 1


@pytest.mark.parametrize(
    ("settings", "is_outdated"),
    [
        ({"ranking": "rules", "passages_max": 3, "recognition": "on_request"}, False),
        ({"chunk_size": 300}, False),  # says nothing while sections are cut
        ({"contextualisation": "none"}, True),
    ],
)
def test_only_settings_of_the_reading_ask_for_another(
    document: Document, base: KnowledgeBase, settings: dict[str, object], is_outdated: bool
) -> None:
    chunked(base, **settings)
    assert listing.find_outdated(base).exists() == is_outdated


def test_a_parse_of_before_a_setting_counts_as_made_with_its_default(document: Document, base: KnowledgeBase) -> None:
    Parse.objects.update(settings={"embeddings": "none"})
    assert not listing.find_outdated(base).exists()
    chunked(base, chunking="page")
    assert listing.find_outdated(base).get() == document


# ---- the report of a parse


def test_the_report_says_what_was_found_and_what_is_doubtful(document: Document, signed_in: Client) -> None:
    parse = Parse.objects.get()
    parse.unreadable_pages = [2, 3]
    parse.report |= {"removed_chars": 7, "concealed_chars": 30, "recognition": "Recognition was stopped."}
    parse.report["annotation"] = {"done": 1, "of": 4, "failure": "It is away.", "tokens_in": 9, "tokens_out": 2}
    parse.report["annotation"] |= {"cost": "0.01234", "currency": "EUR", "unpriced": 2}
    parse.save()
    parse.pages.filter(number=2).update(text_layer="ocr", column_count=2, flags=["recognised"])
    parse.pages.filter(number__gt=2).update(label="1")
    page = page_of(signed_in, document).content.decode()
    for words in (
        "2 of 4 pages; without text: 2-3",
        "1 read from page images",
        "Recognition was stopped.",
        "several on 1 of 4 pages",
        "7 removed, 30 white, transparent or tiny",
        "1 of 4 described by a model (9 tokens in, 2 out, 0.0123 EUR, 2 calls not priced). It is away.",
        "are so far apart",
        "running heads",
    ):
        assert words in page, words


def test_a_running_head_that_is_searched_is_not_said_to_be_left_out(document: Document, signed_in: Client) -> None:
    parse = Parse.objects.get()
    parse.lines.filter(page_number=1).update(kind="furniture")
    first, count = 1, parse.lines.filter(page_number=1).count()
    Parse.objects.update(report={"line_kinds": {"furniture": count}})
    page = page_of(signed_in, document).content.decode()
    told = "running head, file header or markup, not searched"  # whatever the reader set aside
    assert page.count(told) == count and f"{count} lines of running heads, page numbers, file headers, markup" in page
    parse.passages.filter(index=0).update(kind="running", first_line=first, last_line=first, first_page=1, last_page=1)
    page = page_of(signed_in, document).content.decode()
    assert page.count(told) == count - 1
    assert f"{count - 1} lines of running heads" in page


def test_passages_and_the_section_stand_beside_the_page(document: Document, signed_in: Client) -> None:
    Parse.objects.get().passages.filter(first_page=2).update(annotation="About how long <b>records</b> live.")
    page = page_of(signed_in, document, page=2).content.decode()
    assert "Passages of this page" in page and "About how long &lt;b&gt;records&lt;/b&gt; live." in page
    assert re.search(r"Known from</dt>\s*<dd>\s*outline,", page) and "2 Retention" in page
    Parse.objects.get().toc_entries.update(origin="front", title="Front matter", breadcrumb="Front matter")
    assert "Known from" not in page_of(signed_in, document, page=2).content.decode()
    page = signed_in.get(f"/documents/{document.pk}/?page=2", headers={"Accept-Language": "de"}).content.decode()
    assert "<dd>Titelei</dd>" in page and "Front matter" not in page
