"""Whose turn it is in the queues of ingestion, with the real rows and workers that look at once."""

from collections.abc import Callable
from datetime import timedelta
from threading import Barrier, Thread
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now

from accounts.models import User
from documents.ingestion import tasks
from documents.ingestion.conductor import IMPROVING_STAGES, READING_STAGES, finish
from documents.ingestion.queueing import claim_next
from documents.models import Document, IngestJob, KnowledgeBase
from documents.tests.readings import make_document

pytestmark = pytest.mark.django_db
Queued = Callable[..., IngestJob]
MANY = 250


@pytest.fixture
def other(db: None) -> User:
    return User.objects.create_user("other@example.org", "quiet-harbour-91")


def queue(base: KnowledgeBase, user: User | None, count: int = 1, **fields: object) -> list[IngestJob]:
    """Queued jobs of documents, oldest first."""
    made = []
    for _ in range(count):
        document = make_document(base, f"{uuid4()}.md")
        Document.objects.filter(pk=document.pk).update(created_by=user)
        made.append(document.jobs.create(**fields))
    return made


def take(stages: tuple[IngestJob.Stage, ...] = READING_STAGES, woken_for: IngestJob | None = None) -> IngestJob | None:
    """The job that a worker takes, which then has it."""
    lease = claim_next(stages, str(woken_for.pk if woken_for else uuid4()))
    return lease.job if lease else None


def end(*jobs: IngestJob | None) -> None:
    IngestJob.objects.filter(pk__in=[job.pk for job in jobs if job]).update(state="done")


def test_one_document_of_another_person_is_next_and_not_last(base: KnowledgeBase, owner: User, other: User) -> None:
    """T8, by the messages of the many, which came before."""
    many = queue(base, owner, MANY)
    end(take(woken_for=many[0]))
    [single] = queue(base, other)
    assert take(woken_for=many[1]) == single
    end(single)
    assert take(woken_for=many[2]) == many[1], "oldest first"


def test_a_small_upload_is_read_before_the_rest_of_a_large_one(
    base: KnowledgeBase, owner: User, other: User, queued: Queued
) -> None:
    """T8, from the message to the document that answers."""
    first = queued(b"# First\n\nText.", "first.md")
    many = queue(base, owner, MANY)
    tasks.ingest_document(str(first.pk))
    single = queued(b"# Access\n\nKeys are changed each quarter.", "access.md")
    Document.objects.filter(pk=single.document_id).update(created_by=other)
    tasks.ingest_document(str(many[0].pk))
    assert Document.objects.get(pk=single.document_id).current_parse is not None
    assert set(IngestJob.objects.filter(pk__in=[job.pk for job in many]).values_list("state", flat=True)) == {"queued"}


def test_people_take_turns_and_so_do_bases_of_nobody(base: KnowledgeBase, owner: User, other: User) -> None:
    jobs = {whose: queue(base, whose, 3) for whose in (owner, other, None)}
    taken = []
    for _ in range(9):
        taken.append(job := take())
        end(job)
    assert taken == [jobs[whose][turn] for turn in range(3) for whose in (owner, other, None)]
    assert take() is None


def test_who_has_nothing_at_work_is_before_who_has(base: KnowledgeBase, owner: User, other: User) -> None:
    queue(base, owner, 3)
    theirs = queue(base, other, 3)
    assert take() is not None  # and stays at work
    for job in theirs:
        assert take() == job
        end(job)


def test_the_queues_are_fair_by_themselves(base: KnowledgeBase, owner: User, other: User) -> None:
    """Who just had a document read has not had a turn of the embedder."""
    queue(base, owner, stage="embed")
    end(take(IMPROVING_STAGES))
    queue(base, owner, stage="embed")
    [theirs] = queue(base, other)
    assert take() == theirs
    IngestJob.objects.filter(pk=theirs.pk).update(state="queued", stage="embed", lease_owner="")
    assert take(IMPROVING_STAGES) == theirs


def test_what_goes_on_later_stands_behind_other_documents_of_the_same_person(base: KnowledgeBase, owner: User) -> None:
    [long] = queue(base, owner, stage="embed", done_count=640, total_count=50_000)
    [short] = queue(base, owner, stage="embed")
    assert take(IMPROVING_STAGES) == short
    end(short)
    assert take(IMPROVING_STAGES) == long


@pytest.mark.parametrize(
    ("fields", "is_taken"),
    [
        ({"reason_code": "internal", "attempts": 1}, False),
        ({"reason_code": "internal", "attempts": 1, "heartbeat_at": Now() - timedelta(hours=1)}, True),
        ({"state": "running", "lease_owner": "dead", "heartbeat_at": Now() - timedelta(hours=1)}, True),
        ({"state": "running", "lease_owner": "living", "heartbeat_at": Now()}, False),
        ({"attempts": 3}, False),
        ({"state": "cancelled"}, False),
        ({"state": "failed"}, False),
        ({"stage": "embed"}, False),
    ],
)
def test_only_what_waits_and_is_due_is_taken(
    base: KnowledgeBase, owner: User, fields: dict[str, object], is_taken: bool
) -> None:
    [job] = queue(base, owner)
    IngestJob.objects.filter(pk=job.pk).update(**{"heartbeat_at": Now(), **fields})
    assert (take() == job) is is_taken


def test_the_sweeper_wakes_what_was_released_after_an_error(base: KnowledgeBase, owner: User) -> None:
    [job] = queue(base, owner, reason_code="internal", attempts=1)
    IngestJob.objects.update(heartbeat_at=Now())
    assert take() is None and take(woken_for=job) == job


def test_a_command_works_on_its_own_job(base: KnowledgeBase, owner: User, queued: Queued) -> None:
    queue(base, None, 3)
    own = queued(b"# Access\n\nKeys are changed.", "access.md")
    assert finish(own).current_parse is not None
    assert IngestJob.objects.filter(state="queued").count() == 3


@pytest.mark.django_db(transaction=True)
def test_workers_that_look_at_once_take_one_each(base: KnowledgeBase, owner: User, other: User) -> None:
    at_once = 6
    jobs = [*queue(base, owner, 4), *queue(base, other, 4)]
    together, taken = Barrier(at_once, timeout=60), []

    def work() -> None:
        together.wait()
        taken.append(take())
        connection.close()

    threads = [Thread(target=work) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert None not in taken and len(set(taken)) == at_once and set(taken) <= set(jobs)


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_for_a_job_that_is_locked(base: KnowledgeBase, owner: User) -> None:
    first, second = queue(base, owner, 2)
    taken = []

    def work() -> None:
        taken.append(take())
        connection.close()

    with transaction.atomic():
        IngestJob.objects.select_for_update().get(pk=first.pk)
        thread = Thread(target=work)
        thread.start()
        thread.join(timeout=60)
        assert taken == [second]
