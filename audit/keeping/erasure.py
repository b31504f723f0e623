"""Erase what a person asked and was answered: the words go, the ledger entries stay and still verify.

Each erased record gets an event with the digest of what remains (audit.proof.erased). Its salt is erased with the
words, so that nobody can guess them from the entry's digest. The event also says why, for those who may read it.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar
from uuid import UUID

from django.db import DatabaseError, ProgrammingError, connection, transaction
from django.db.models import CharField, Count, Exists, Model, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat
from django.utils.translation import gettext as _
from psycopg.errors import InsufficientPrivilege

from accounts.models import User
from audit.models import ERASED_COMMENT, ERASED_READ, ERASED_REVIEW, AuditEvent, Comment, Rejudgement, Review
from audit.proof.erased import ERASED
from audit.proof.verification import PAYLOADS
from chat.answer_record import exchanges_apart
from chat.models import (
    ERASED_ANSWER,
    ERASED_CITATION,
    ERASED_FEEDBACK,
    ERASED_REWRITING,
    Answer,
    Citation,
    Conversation,
    Extraction,
    ExtractionField,
    Feedback,
    Retrieval,
    Rewriting,
    Share,
    Turn,
)
from chat.stream import forget
from documents.idempotency import forget_keys
from documents.models import Document, KnowledgeBase
from ledger.chain import digest_of
from ledger.events import record
from ledger.holds import holds_on, refuse_when_held
from ledger.models import Event, Salt
from llm.models import ERASED_CALL, LLMCall
from retrieval.dictionary.learned import forget_lessons
from retrieval.models import ERASED_CANDIDATE, ERASED_DOCUMENT, ERASED_RUN, RetrievalRun, RunCandidate, RunDocument
from retrieval.record.storing import calls_apart

PERSON_ERASED = "person_erased"
NOT_ALLOWED = (
    "This installation’s database role may add to the record and not erase from it. Somebody who may sign in as the "
    "owner of the database has to do it: manage.py erase_person, see docs/security.md."
)

AnyRow = TypeVar("AnyRow", bound=Model)


class CannotErase(Exception):
    """Nothing was erased; the message is for people."""


@dataclass(frozen=True)
class Erasing:
    """Who has something erased and why, as recorded with every erasure."""

    by: str
    why: str


@contextmanager
def erase_alone(base: KnowledgeBase) -> Iterator[None]:
    """One erasure from the pages of a base at a time. Raises CannotErase.

    No transaction holds it: in one, everybody’s questions would wait for the ledger until the last run is erased.
    """
    lock = f"erase base:{base.pk}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [lock])
        (is_ours,) = cursor.fetchone() or (False,)
    if not is_ours:
        raise CannotErase(_("An erasure in this base is under way. Look again in a moment."))
    try:
        yield
    finally:
        with suppress(DatabaseError), connection.cursor() as cursor:  # a lost connection has released it
            cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [lock])


def erase_person(person: User, erasing: Erasing, base: KnowledgeBase | None = None) -> int:
    """Erase what a person asked, in one base or everywhere; return the number of runs. Raises Held or CannotErase.

    Conversations, retrievals and extractions are deleted; run, answer, readings, feedback and reviews lose their words,
    and so do the person's comments on documents.
    Each run is one transaction, so an interrupted erasure can be continued by calling it again.
    """
    conversations = in_base(Conversation.objects.filter(user=person), base)
    runs = in_base(RetrievalRun.objects.filter(asked_by=person), base)
    bases = {*runs.order_by().values_list("base_id", flat=True), *conversations.values_list("base_id", flat=True)}
    refuse_when_held(*(subject for pk in bases for subject in holders_of(pk, person.pk)), f"user:{person.pk}")
    refuse_without_rights()
    with explain_denial():
        delete_conversations(conversations)
        delete_asked(in_base(Retrieval.objects.filter(user=person), base))
        delete_asked(in_base(Extraction.objects.filter(user=person), base))
        mine = list(exclude_erased(runs, "run").only("pk", "base_id", "llm_call_id"))
        for run in mine:
            erase_run(run, erasing)
        erase_strays(erasing)
        erase_comments(in_base(Comment.objects.filter(author=person), base), erasing)
        if base is None:
            erase_searches(person, erasing)
        details = {"why": erasing.why, "runs": len(mine)} | ({"base": str(base.pk)} if base else {})
        record(PERSON_ERASED, erasing.by, f"user:{person.pk}", details)
    return len(mine)


def erase_run(run: RetrievalRun, erasing: Erasing) -> None:
    """Erase one run with its answer, its turn, the words of its reviews, and every exchange with a model about it."""
    with transaction.atomic():
        RetrievalRun.objects.select_for_update(no_key=True).only("pk").get(pk=run.pk)
        if erasure_of(run):  # meanwhile, by another erasure
            return
        # An exchange for several fields may have been erased with the run of another.
        apart = [(kind, call.pk) for kind, call in calls_apart(run) if call.request_sha256]
        calls = {run.llm_call_id, *(pk for _kind, pk in apart), *replayed_calls(run)}
        RunCandidate.objects.filter(run=run).update(**ERASED_CANDIDATE)
        RunDocument.objects.filter(run=run).update(**ERASED_DOCUMENT)
        RetrievalRun.objects.filter(pk=run.pk).update(**ERASED_RUN)
        written = list(Answer.objects.filter(run=run))
        answers = [(answer.pk, answer.llm_call_id) for answer in written]
        others = [call_id for answer in written for call_id in exchanges_apart(answer)]
        calls.update(others)
        reviews = list(exclude_erased(Review.objects.filter(run=run), "review").values_list("pk", flat=True))
        for answer_id, call_id in answers:
            calls.add(call_id)
            Citation.objects.filter(answer=answer_id).update(**ERASED_CITATION)
            Answer.objects.filter(pk=answer_id).update(**ERASED_ANSWER)
        Review.objects.filter(pk__in=reviews).update(**ERASED_REVIEW)
        forget_lessons(run)
        forget_turn(run)
        delete_asked(Retrieval.objects.filter(run=run))
        forget_field(run)
        Rejudgement.objects.filter(run=run).delete()
        blank_calls(calls)
        subjects = [
            ("run", run.pk),
            *apart,
            *(("answer", pk) for pk, _call in answers),
            *(("exchange", pk) for pk in others),
            *(("review", pk) for pk in reviews),
        ]
        for kind, pk in subjects:
            leave(kind, pk, erasing, run.base_id)
        for answer_id, _call in answers:
            erase_as_example(answer_id, erasing)


def erase_as_example(answer_id: UUID, erasing: Erasing) -> None:
    """Erase the exchanges of older writers that were shown an answer as an example; what they wrote stays.

    One of somebody whose questions are under legal hold stays too, until its own run is erased.
    """
    for shown in Answer.objects.filter(examples__contains=[{"answer": str(answer_id)}]).select_related("run"):
        if holds_on(holders_of(shown.run.base_id, shown.run.asked_by_id)):
            continue
        calls = LLMCall.objects.filter(pk__in=exchanges_apart(shown), purpose="answer")
        for call in exclude_erased(calls, "exchange").only("pk"):
            blank_calls({call.pk})
            leave("exchange", call.pk, erasing, shown.run.base_id)


def leave(kind: str, pk: UUID, erasing: Erasing, base_id: UUID | None = None) -> None:
    """Delete the salt of an erased record, and chain the digest of what remains."""
    subject = f"{kind}:{pk}"
    Salt.objects.filter(subject=subject).delete()
    details = {"left": digest_of(PAYLOADS[kind].read([pk])[pk]), "why": erasing.why}
    record(ERASED, erasing.by, subject, details | ({"base": str(base_id)} if base_id else {}))


def erase_strays(erasing: Erasing) -> None:
    """Erase readings and feedback whose turn is gone."""
    no_turn = ~Exists(Turn.objects.filter(pk=OuterRef("turn_id")))
    for kind, rows, blank in (
        ("rewriting", Rewriting.objects.filter(no_turn), ERASED_REWRITING),
        ("feedback", Feedback.objects.filter(no_turn), ERASED_FEEDBACK),
    ):
        for row in exclude_erased(rows, kind):
            with transaction.atomic():
                type(row)._default_manager.filter(pk=row.pk).update(**blank)
                if isinstance(row, Rewriting):
                    blank_calls({row.llm_call_id})
                leave(kind, row.pk, erasing)


def erase_searches(person: User, erasing: Erasing) -> None:
    """Erase the words a person searched for in the audit's lists; the record that they searched stays."""
    searches = AuditEvent.objects.filter(person=person, detail__has_key="text")
    for pk in exclude_erased(searches, "audit_event").values_list("pk", flat=True):
        with transaction.atomic():
            AuditEvent.objects.filter(pk=pk).update(**ERASED_READ)
            leave("audit_event", pk, erasing)


def erase_comments(comments: "QuerySet[Comment]", erasing: Erasing) -> None:
    """Erase the words of comments; that somebody commented on those lines stays, and so do the replies of others."""
    for row in exclude_erased(comments, "comment").only("pk", "base_id"):
        with transaction.atomic():
            Comment.objects.filter(pk=row.pk).update(**ERASED_COMMENT)
            leave("comment", row.pk, erasing, row.base_id)


# ---- rows


def holders_of(base_id: UUID, person_id: int | None) -> tuple[str, str, str]:
    """The subjects under legal hold that protect a person's questions in a base."""
    return f"user:{person_id}", f"base:{base_id}", f"base:{base_id}:user:{person_id}"


def in_base(rows: "QuerySet[AnyRow]", base: KnowledgeBase | None) -> "QuerySet[AnyRow]":
    return rows.filter(base=base) if base else rows


def exclude_erased(rows: "QuerySet[AnyRow]", kind: str) -> "QuerySet[AnyRow]":
    subject = Concat(Value(f"{kind}:"), Cast(OuterRef("pk"), CharField()))
    return rows.filter(~Exists(Event.objects.filter(kind=ERASED, subject=subject)))


def delete_conversations(conversations: "QuerySet[Conversation]") -> None:
    """Delete conversations with their turns and pending events; a worker answering one of them loses it."""
    with transaction.atomic():
        delete_asked(Turn.objects.filter(conversation__in=conversations))
        conversations.delete()


def delete_asked(rows: "QuerySet[Turn] | QuerySet[Retrieval] | QuerySet[Extraction]") -> None:
    """Delete what was asked, which holds words, with its events and keys; a worker that is at it loses it."""
    with transaction.atomic():
        ids = list(rows.values_list("pk", flat=True))
        transaction.on_commit(partial(forget, ids))
        forget_keys(str(rows.model._meta.model_name), ids)
        rows.delete()


def forget_field(run: RetrievalRun) -> None:
    """Delete the field of a run, and with the last field of an extraction the extraction."""
    field = ExtractionField.objects.filter(run=run).select_related("extraction").first()
    if field is None:
        return
    field.delete()
    if not field.extraction.fields.exists():
        delete_asked(Extraction.objects.filter(pk=field.extraction.pk))


def forget_turn(run: RetrievalRun) -> None:
    """Delete the turn of a run; its conversation loses a name taken from a question, or is deleted if empty."""
    turn = Turn.objects.filter(run=run).select_related("conversation").first()
    if turn is None:
        return
    conversation = turn.conversation
    delete_asked(Turn.objects.filter(pk=turn.pk))
    if conversation.turns.exists():
        Conversation.objects.filter(pk=conversation.pk).update(title=_("Erased"))
    else:
        conversation.delete()


def replayed_calls(run: RetrievalRun) -> list[UUID]:
    """The exchanges in which the run's brief was replayed."""
    replays = AuditEvent.objects.filter(action="replay", run_id=run.pk).values_list("detail__calls", flat=True)
    return [UUID(call) for calls in replays for call in calls or ()]


def blank_calls(calls: set[UUID | None]) -> None:
    LLMCall.objects.filter(pk__in=[pk for pk in calls if pk]).exclude(Q(raw_reply="") & Q(request={})).update(
        **ERASED_CALL
    )


def refuse_without_rights() -> None:
    """Raise CannotErase before anything goes where the database would refuse a part of it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege(%s, 'UPDATE')", [RetrievalRun._meta.db_table])
        if cursor.fetchone() != (True,):
            raise CannotErase(_(NOT_ALLOWED))


@contextmanager
def explain_denial() -> Iterator[None]:
    """Say in words that the database does not let this role erase."""
    try:
        yield
    except ProgrammingError as error:
        if isinstance(error.__cause__, InsufficientPrivilege):
            raise CannotErase(_(NOT_ALLOWED)) from error
        raise


# ---- what is shown of an erasure


def is_erased_from(person_id: str, base: KnowledgeBase) -> bool:
    """Whether what a person asked in a base was erased as a whole."""
    subject = f"user:{person_id}"
    return Event.objects.filter(kind=PERSON_ERASED, subject=subject, details__base=str(base.pk)).exists()


def erasure_of(run: RetrievalRun) -> Event | None:
    """The event that a run was erased, with who and why; None if it was not."""
    return Event.objects.filter(kind=ERASED, subject=f"run:{run.pk}").first()


class Loss(NamedTuple):
    """How much an erasure takes of what a person asked in a base; what hangs on these goes with them, uncounted."""

    questions: int
    conversations: int  # in the list or in the trash
    links: int
    comments: int
    extractions: int
    retrievals: int

    @property
    def seen(self) -> str:
        """What a page that shows it sends back, so that no other number of any is erased than was shown."""
        return "-".join(map(str, self))


def count_loss(person: User, base: KnowledgeBase) -> Loss:
    """What `erase_person` would take now of what is counted. Raises Held or CannotErase."""
    refuse_when_held(*holders_of(base.pk, person.pk))
    refuse_without_rights()
    conversations = Conversation.objects.filter(user=person, base=base)
    return Loss(
        exclude_erased(RetrievalRun.objects.filter(asked_by=person, base=base), "run").count(),
        conversations.count(),
        Share.objects.open().filter(conversation__in=conversations).count(),
        exclude_erased(Comment.objects.filter(author=person, base=base), "comment").count(),
        Extraction.objects.filter(user=person, base=base).count(),
        Retrieval.objects.filter(user=person, base=base).count(),
    )


class Questioner(NamedTuple):
    """Who has asked in a base, with the number of runs not erased."""

    person: User
    runs: int


def askers_of(base: KnowledgeBase) -> list[Questioner]:
    """Who has asked in a base and is still there, who asked most first."""
    asked = exclude_erased(RetrievalRun.objects.filter(base=base).exclude(asked_by=None), "run").order_by()
    counted = dict(asked.values_list("asked_by_id").annotate(runs=Count("pk")).order_by("-runs"))
    people = User.objects.in_bulk(counted)
    return [Questioner(people[pk], runs) for pk, runs in counted.items() if pk in people]


def hold_subjects(base: KnowledgeBase) -> dict[str, str]:
    """What can be held in a base, with labels: the base, its askers, its documents."""
    people = {f"base:{base.pk}:user:{each.person.pk}": str(each.person) for each in askers_of(base)}
    titles = Document.objects.filter(base=base).order_by("title").values_list("pk", "title")
    documents = {f"document:{pk}": _("document “%(title)s”") % {"title": title} for pk, title in titles}
    asked = {subject: _("what %(person)s asked here") % {"person": name} for subject, name in people.items()}
    return {f"base:{base.pk}": _("everything in this base")} | asked | documents
