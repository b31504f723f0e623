"""The list of documents: the words for each state of a document and its job, and what narrows and orders the list."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone, translation
from pytest_django import DjangoAssertNumQueries

from documents.models import Document, IngestJob, KnowledgeBase, Parse
from documents.pages.listing import (
    SORTS,
    STRENGTHS,
    build_rows,
    filter_documents,
    find_outdated,
    list_documents,
    situation_of,
    sort_documents,
    summary_of,
    text_words,
    toc_words,
)
from documents.tests.readings import make_document, store_text


def parse_of(**fields: Any) -> Parse:
    values = {
        "page_count": 4,
        "unreadable_pages": [],
        "toc_strength": "strong",
        "toc_origin": "outline",
        "warnings": [],
    }
    return Parse(**values | fields)


def document_of(parse: Parse | None, state: str = "ready") -> Document:
    return Document(title="Policy", state=state, current_parse=parse)


@pytest.mark.parametrize(
    ("parse", "job", "kind", "words", "note", "can_retry"),
    [
        (None, {"state": "queued"}, "busy", "Waiting to be read", "", False),
        (None, {"state": "queued", "attempts": 1}, "busy", "Waiting to be read", "Attempt 2 of 3.", False),
        (None, {"state": "running", "cancel_requested": True}, "busy", "Stopping", "", False),
        (None, {"state": "queued", "stage": "embed"}, "busy", "Waiting for search by meaning", "", False),
        ({}, {"state": "queued", "stage": "annotate"},
         "busy", "Waiting for descriptions", "It can be asked already.", False),
        (None, {"state": "running", "stage": "check"}, "busy", "Checking the file", "", False),
        (None, {"state": "running", "stage": "pages"}, "busy", "Reading pages", "", False),
        (None, {"state": "running", "stage": "pages", "done_count": 3, "total_count": 4},
         "busy", "Reading page 3 of 4", "", False),
        (None, {"state": "cancelled"}, "fail", "Stopped", "It was stopped before it was read.", True),
        (None, None, "fail", "Stopped", "It was stopped before it was read.", True),
        (None, {"state": "failed", "error_for_people": "Odd."}, "fail", "Failed", "Odd.", True),
        ({}, None, "ok", "Ready", "", False),
        ({}, {"state": "done"}, "ok", "Ready", "", False),
        ({}, {"state": "cancelled"}, "ok", "Ready", "", False),
        ({}, {"state": "failed", "stage": "embed", "error_for_people": "Odd."},
         "warn", "Ready", "Search by meaning failed: Odd.", True),
        ({}, {"state": "failed", "stage": "pages", "error_for_people": "Odd."},
         "warn", "Ready", "Reading it again failed: Odd.", True),
        ({"unreadable_pages": [2]}, None, "warn", "Ready in part", "1 of 4 pages has no text", False),
        ({"unreadable_pages": [2, 3]}, {"state": "failed"},
         "warn", "Ready in part", "2 of 4 pages have no text", False),
        ({"warnings": ["repaired", "garbled_text"]}, None,
         "warn", "Ready", "Much of the text has no known letters", False),
        ({"warnings": ["garbled_pages(2)"]}, None, "warn", "Ready", "letters they draw: 2.", False),
        ({"warnings": ["concealed_text(1-3)"]}, None, "warn", "Ready", "1-3", False),
        ({"warnings": ["repaired", "characters_removed(3)"]}, None, "ok", "Ready", "", False),
    ],
)  # fmt: skip
def test_a_document_says_how_it_is(
    parse: dict[str, Any] | None, job: dict[str, Any] | None, kind: str, words: str, note: str, can_retry: bool
) -> None:
    document = document_of(None if parse is None else parse_of(**parse))
    found = situation_of(document, IngestJob(**job) if job else None)
    assert (found.kind, found.words, found.can_retry) == (kind, words, can_retry) and note in found.note
    assert bool(found.poll_s) is (kind == "busy") and (note or not found.note)


@pytest.mark.parametrize(
    ("seconds", "note"),
    [(0, "Begun 0 s ago."), (-9, "Begun 0 s ago."), (90, "Begun 90 s ago."), (7261, "Begun 121 min ago.")],
)
def test_work_says_since_when(seconds: int, note: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    job = IngestJob(
        state="running", stage="pages", started_at=now - timedelta(seconds=seconds), done_count=1, total_count=3
    )
    found = situation_of(document_of(None), job)
    assert found.note == note and found.percent == 33


@pytest.mark.parametrize(("attempts", "percent"), [(0, 50), (1, None)])
def test_a_document_between_two_turns_says_how_far_it_is(attempts: int, percent: int | None) -> None:
    """An attempt that failed may begin anew."""
    job = IngestJob(state="queued", stage="embed", attempts=attempts, done_count=2, total_count=4)
    assert situation_of(document_of(parse_of()), job).percent == percent


def test_every_state_is_said_in_the_language_of_the_reader() -> None:
    jobs = [IngestJob(state=state, stage=stage) for state in IngestJob.State for stage in IngestJob.Stage]
    for parse in (None, parse_of()):
        english = {situation_of(document_of(parse), job).words for job in jobs}
        with translation.override("fr"):
            french = {situation_of(document_of(parse), job).words for job in jobs}
        assert english and not english & french


@pytest.mark.parametrize(
    ("parse", "state", "contents", "text"),
    [
        (None, "failed", "", "–"),
        (None, "waiting", "after reading", "–"),
        ({}, "ready", "outline, strong", "all pages"),
        ({"toc_strength": "none"}, "ready", "none found", "all pages"),
        ({"toc_origin": "magic", "toc_strength": "weak", "unreadable_pages": [1]}, "ready", "magic, weak", "3 of 4"),
    ],
)
def test_contents_and_text_in_words(parse: dict[str, Any] | None, state: str, contents: str, text: str) -> None:
    document = document_of(None if parse is None else parse_of(**parse), state)
    assert (toc_words(document), text_words(document)) == (contents, text)


# ---- the list


@pytest.fixture
def documents(base: KnowledgeBase) -> dict[str, Document]:
    """Read, waiting, failed, read and read again, and one each in the trash, replaced and in no base of ours."""
    made = {
        name: make_document(base, f"{name}.md")
        for name in ("read", "waiting", "failed", "again", "trashed", "replaced")
    }
    store_text(made["read"])
    store_text(made["again"], "# Nur ein Titel\n\nDie Prüfung der Häuser.")
    made["waiting"].jobs.create()
    made["again"].jobs.create(stage="embed", state="running")
    Document.objects.filter(pk=made["failed"].pk).update(state="failed", tags=["legal", "old"])
    Document.objects.filter(pk=made["trashed"].pk).update(trashed_at=timezone.now())
    Document.objects.filter(pk=made["replaced"].pk).update(replaced_at=timezone.now())
    make_document(KnowledgeBase.objects.create(name="Other"), "foreign.md")
    return made


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        ({}, "again failed read waiting"),
        ({"state": "ready"}, "read"),
        ({"state": "busy"}, "again waiting"),
        ({"state": "needs"}, "failed"),
        ({"state": "nonsense"}, "again failed read waiting"),
        ({"toc": "strong"}, ""),
        ({"toc": "weak"}, "again read"),
        ({"tag": "legal"}, "failed"),
        ({"tag": "leg"}, ""),
        ({"q": "READ"}, "read"),
        ({"q": ".md"}, "again failed read waiting"),
        ({"q": "rents"}, "read"),
        ({"q": "prufung"}, "again"),
        ({"q": '"seven years"'}, "read"),
        ({"q": "%"}, ""),
        ({"q": "_"}, ""),
        ({"q": "a & | ! ( ' \" \\"}, ""),
        ({"q": "read", "state": "busy"}, ""),
    ],
)
def test_the_list_is_narrowed(
    base: KnowledgeBase, documents: dict[str, Document], chosen: dict[str, str], names: str
) -> None:
    store = Parse.objects.exclude(toc_strength="none")
    store.update(toc_strength="weak")
    found = filter_documents(list_documents(base), chosen)
    assert sorted(document.file_name.removesuffix(".md") for document in found) == names.split()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "sort", [*SORTS, *(f"-{name}" for name in SORTS), "", "nonsense", "-", "--title", "title; DROP"]
)
def test_every_order_has_every_document_and_one_that_is_unknown_is_the_usual(
    base: KnowledgeBase, documents: dict[str, Document], sort: str
) -> None:
    found = [document.file_name for document in sort_documents(list_documents(base), sort)]
    assert len(found) == 4
    if sort.removeprefix("-") not in SORTS or sort == "-added":
        assert found == ["again.md", "failed.md", "waiting.md", "read.md"]
    if sort == "state":
        assert found[0] == "failed.md"
    if "pages" in sort:
        assert set(found[:2]) == {"read.md", "again.md"}, "those that are not read come last either way"


@pytest.mark.django_db
def test_rows_and_figures_count_what_can_be_asked(
    base: KnowledgeBase, documents: dict[str, Document], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    found = list(sort_documents(list_documents(base), "title"))
    with django_assert_num_queries(2):
        rows = {row.document.file_name: row for row in build_rows(found)}
    assert (rows["read.md"].toc_entries, rows["waiting.md"].toc_entries, rows["waiting.md"].pages) == (3, 0, None)
    strength = rows["read.md"].document.current_parse.toc_strength  # type: ignore[union-attr]
    assert sum(rows["read.md"].toc_bars) == STRENGTHS.get(strength, 0)
    assert rows["again.md"].job is not None and rows["again.md"].job.state in IngestJob.OPEN and build_rows([]) == []
    figures = summary_of(base)
    assert (figures.documents, figures.pages, figures.askable) == (4, 2, 2)
    assert (figures.ready, figures.busy, figures.needs) == (1, 2, 1)
    empty = summary_of(KnowledgeBase.objects.create(name="Empty"))
    assert (empty.documents, empty.pages, empty.busy) == (0, 0, 0)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("settings", "is_outdated"),
    [
        ({}, False),
        ({"chunking": "page"}, True),
        ({"ranking": "rules"}, False),
        ({"chunk_size": 500}, False),
        ({"chunking": "fixed", "chunk_size": 500}, True),
    ],
)
def test_a_document_read_with_other_settings_is_outdated(
    base: KnowledgeBase, settings: dict[str, Any], is_outdated: bool
) -> None:
    document = make_document(base)
    store_text(document)
    base.settings = settings
    assert find_outdated(base).exists() is is_outdated
    document.jobs.create()
    assert not find_outdated(base).exists(), "it is being read already"
