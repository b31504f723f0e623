"""Into the trash, back and away for good: every step once or twice, with its versions, its copy and its record."""

from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from accounts.models import User
from documents.ingestion import page_images, trash
from documents.ingestion.trash import (
    KEPT_DAYS,
    CopyExists,
    find_citing,
    forget_files,
    identify_document,
    move_to_trash,
    older_versions,
    purge_document,
    purge_due,
    restore_document,
    say_citing,
)
from documents.models import Document, Embedding, IngestJob, KnowledgeBase, Line, Parse
from documents.tests.readings import make_document, store_text
from ledger.holds import place
from ledger.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def base() -> KnowledgeBase:
    return KnowledgeBase.objects.create(name="Suppliers")


@pytest.fixture
def document(base: KnowledgeBase) -> Document:
    document = make_document(base)
    store_text(document)
    return document


def fresh(document: Document) -> Document:
    return Document.objects.get(pk=document.pk)


def kinds() -> list[str]:
    return list(Event.objects.order_by("created_at").values_list("kind", flat=True))


def chain(base: KnowledgeBase, length: int) -> list[Document]:
    """Versions of a document, the newest last; all but that one are replaced."""
    made: list[Document] = []
    for number in range(length):
        made.append(make_document(base, f"v{number}.md", replaces=made[-1] if made else None))
    Document.objects.filter(pk__in=[one.pk for one in made[:-1]]).update(replaced_at=timezone.now())
    return [fresh(one) for one in made]


def test_it_is_said_how_many_answers_cite_what_goes(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that cites two of them is one answer; one that cites an older version counts for the newest."""
    first, second = chain(base, 2)
    other, third = make_document(base, "other.md"), make_document(base, "third.md")
    one, two = uuid4(), uuid4()
    pairs = [(first.pk, one), (second.pk, one), (second.pk, two), (other.pk, two)]
    monkeypatch.setattr(trash, "citing_answers", [lambda ids: [pair for pair in pairs if pair[0] in ids]])
    found = find_citing([second, other, third])
    assert found == {second.pk: {one, two}, other.pk: {two}, third.pk: set()}
    went = "The earlier versions are in the trash too. "
    assert say_citing([second, other, third]).startswith(f"{went}2 answers cite this or one of them: their quotes stay")
    assert say_citing([other]).startswith("1 answer cites this: its quotes stay")
    assert say_citing([third]) == say_citing([]) == "No answer cites this."
    pairs.clear()
    assert say_citing([second, other]) == f"{went}No answer cites this or one of them."


def test_a_document_goes_to_the_trash_once_and_comes_back_once(document: Document) -> None:
    ada = User.objects.create_user("ada@example.org", name="Ada")
    for _ in range(2):
        move_to_trash(document, ada)
    assert fresh(document).trashed_at and kinds() == ["trashed"]
    for _ in range(2):
        assert restore_document(document, ada) is None, "it was read: nothing to do"
    assert fresh(document).trashed_at is None and kinds() == ["trashed", "restored"]
    event = Event.objects.get(kind="trashed")
    assert (event.actor, event.subject, event.details) == (
        "Ada",
        f"document:{document.pk}",
        identify_document(document),
    )


def test_its_older_versions_go_and_come_with_it(base: KnowledgeBase) -> None:
    first, second, third = chain(base, 3)
    assert older_versions(third) == [second.pk, first.pk] and older_versions(first) == []
    move_to_trash(third)
    assert [fresh(one).trashed_at is None for one in (first, second, third)] == [False] * 3
    restore_document(third)
    assert [fresh(one).trashed_at is None for one in (first, second, third)] == [True] * 3
    assert not fresh(third).replaced_at and fresh(first).replaced_at


@pytest.mark.parametrize(("state", "left"), [("queued", "cancelled"), ("running", "running"), ("done", "done")])
def test_the_work_on_it_is_stopped(base: KnowledgeBase, state: str, left: str) -> None:
    document = make_document(base)
    job = document.jobs.create(state=state)
    move_to_trash(document)
    job.refresh_from_db()
    assert (job.state, job.cancel_requested) == (left, state == "running")


@pytest.mark.parametrize(("job_state", "is_queued"), [("cancelled", True), (None, True), ("failed", False)])
def test_one_that_was_never_read_is_read_when_it_comes_back(
    base: KnowledgeBase, job_state: str | None, is_queued: bool
) -> None:
    document = make_document(base)
    if job_state:
        document.jobs.create(state=job_state)
    move_to_trash(document)
    job = restore_document(document)
    assert (job is not None) is is_queued and IngestJob.objects.filter(state="queued").exists() is is_queued


def test_a_copy_that_came_meanwhile_stays_and_is_named(base: KnowledgeBase, document: Document) -> None:
    move_to_trash(document)
    copy = make_document(base)
    with pytest.raises(CopyExists, match="in the base again") as caught:
        restore_document(document)
    assert caught.value.document == copy and fresh(document).trashed_at and kinds() == ["trashed"]
    move_to_trash(copy)
    assert restore_document(document) is None and fresh(document).trashed_at is None


def test_the_same_bytes_in_another_base_are_no_copy(document: Document) -> None:
    move_to_trash(document)
    make_document(KnowledgeBase.objects.create(name="Other"))
    restore_document(document)
    assert fresh(document).trashed_at is None


def test_what_is_not_in_the_trash_is_not_purged(document: Document) -> None:
    assert purge_document(document) is False and fresh(document) and kinds() == []


def test_a_purge_takes_everything_but_its_record(document: Document) -> None:
    parse = Parse.objects.get()
    move_to_trash(document)
    assert purge_document(document) is True and purge_document(document) is False
    assert not any(model.objects.exists() for model in (Document, Parse, Line, Embedding, IngestJob))
    details = Event.objects.get(kind="purged").details
    assert details == identify_document(document) | {"file_name": "handbook.md", "parses": [str(parse.pk)]}


def test_a_purge_takes_the_versions_that_went_with_it_and_leaves_others(base: KnowledgeBase) -> None:
    *_, newest = chain(base, 4)
    other = make_document(base, "other.md")
    move_to_trash(newest)
    assert purge_document(newest)
    assert list(Document.objects.all()) == [other] and kinds().count("purged") == 4


def test_files_go_when_no_other_document_has_the_same_bytes(base: KnowledgeBase, document: Document) -> None:
    document.file.save("x", ContentFile(b"bytes"))
    path, images = Path(document.file.path), page_images.folder_of(document.sha256)
    images.mkdir(parents=True)
    copy = make_document(KnowledgeBase.objects.create(name="Other"))
    forget_files(document)
    assert path.exists() is False and images.exists(), "the copy's page images are the same"
    Document.objects.filter(pk__in=[document.pk, copy.pk]).delete()
    forget_files(document)
    assert not images.exists()


@pytest.mark.parametrize(("days", "is_gone"), [(KEPT_DAYS - 0.1, False), (KEPT_DAYS + 0.1, True)])
def test_the_trash_is_emptied_by_age(document: Document, days: float, is_gone: bool) -> None:
    Document.objects.update(trashed_at=timezone.now() - timedelta(days=days))
    purge_due()
    assert Document.objects.exists() is not is_gone


def test_what_is_left_of_a_deleted_base_is_purged_and_a_held_one_is_not(
    base: KnowledgeBase, document: Document
) -> None:
    held = make_document(base, "held.md")
    place(f"document:{held.pk}", "Olga", "Claim 7 before the court")
    living = make_document(KnowledgeBase.objects.create(name="Living"))
    KnowledgeBase.objects.filter(pk=base.pk).update(deleted_at=timezone.now())
    for _ in range(2):
        purge_due()
    assert set(Document.objects.all()) == {held, living} and fresh(held).trashed_at and fresh(living).trashed_at is None
