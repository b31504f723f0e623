"""Verifying the record from its page: the job a worker carries out, and where the hourly task leaves its result."""

import logging
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import CharField
from django.db.models.functions import Cast
from django.utils import timezone

from accounts.models import User
from audit.access_log import NAME_MAX, record_event
from audit.models import AuditEvent, RecordCheck
from audit.proof.verification import Report, digests_of, fault_sentence, verify
from audit.proof.verifier import MADE_AS
from jobs.lease import Lease, LeaseLost, claim, is_exhausted
from ledger import chain
from ledger.chain import Head, Verification
from ledger.heads import BadHeadFile, head_fields, head_line, last_head, private_key, read_heads
from ledger.models import Entry

logger = logging.getLogger(__name__)

State = RecordCheck.State
PENDING = (State.QUEUED, State.RUNNING)


# ---- in the web process


def ask_to_verify(user: User) -> RecordCheck:
    """Store that the whole record is to be verified; while it is being verified, that job."""
    pending = find_pending()
    if pending:
        return pending
    try:
        with transaction.atomic():
            check = RecordCheck.objects.create(by=user, by_name=str(user)[:NAME_MAX])
            record_event(user, "verify_record", None)
            return check
    except IntegrityError:
        return find_pending() or ask_to_verify(user)  # somebody else asked in the same moment


def find_pending() -> RecordCheck | None:
    return RecordCheck.objects.filter(state__in=PENDING).first()


def find_last(*, is_whole: bool) -> RecordCheck | None:
    """The last verification that has ended."""
    ended = RecordCheck.objects.filter(is_whole=is_whole).exclude(state__in=PENDING)
    return ended.order_by("-created_at").first()


# ---- in a worker


def verify_stored(check_id: UUID | str) -> None:
    """Carry out one stored verification. Safe to run twice and in parallel."""
    job = claim(RecordCheck.objects.all(), check_id)
    if job is None:
        return
    with Lease(job) as lease:
        try:
            heads = exported_heads()
            report = verify(expected=heads)
            outcome = outcome_of_check(report.verification, report)
            lease.end(state=State.DONE, ended_at=timezone.now(), heads=len(heads), **outcome)
        except LeaseLost as error:
            logger.warning("%s", error)
        except BadHeadFile as error:
            lease.end(state=State.FAILED, ended_at=timezone.now(), error=str(error))
        except DatabaseError as error:  # while it is away the row cannot be written: the sweeper hands the job on
            logger.error("The record could not be verified: %s", error)


def exported_heads() -> list[Head]:
    """The heads the hourly task has exported: the chain must still hold every one. Raises BadHeadFile."""
    return read_heads(settings.LEDGER_HEADS) if settings.LEDGER_HEADS.exists() else []


def heads_after(last: Head | None, until: Head) -> list[Head]:
    """The heads to export after the `last` one: of each evidence pack, and the one the chain has now.

    A pack ends with the entry that records it, so a later head is not contained in it.
    """
    ids = (
        AuditEvent.objects.filter(action__in=MADE_AS.values())
        .annotate(subject=Cast("pk", CharField()))
        .values("subject")
    )
    new = Entry.objects.filter(sequence__gt=last.sequence if last else 0, sequence__lte=until.sequence)
    rows = new.filter(kind="audit_event", subject_id__in=ids).values_list("sequence", "hash")
    return sorted({*(Head(*row) for row in rows), until})


def can_sign() -> bool:
    """Whether this process may read the key that signs heads; the hourly task may where the web server may not."""
    try:
        return settings.LEDGER_KEY is None or bool(private_key(settings.LEDGER_KEY))
    except BadHeadFile:
        return False


def newest_heads() -> str:
    """The lines of heads that the hourly task has not exported yet, after what it would verify.

    None where this process cannot sign any: the file then ends with the last exported one. Raises BadHeadFile where
    there is no such one, or where what it would verify does not: nothing is signed then, here or there.
    """
    last = last_head(settings.LEDGER_HEADS)
    is_signing = can_sign()
    if last is None and not is_signing:
        raise BadHeadFile("No head was exported yet; the first one is within an hour of the start.")
    with transaction.atomic():
        found = chain.verify(digests_of, since=last)
    if found.first_bad is not None:
        raise BadHeadFile(fault_sentence(found.first_bad))
    if not is_signing or (last and found.head.sequence <= last.sequence):
        return ""
    return "".join(head_line(head_fields(each, settings.LEDGER_KEY)) for each in heads_after(last, found.head))


def outcome_of_check(found: Verification, report: Report | None = None) -> dict[str, object]:
    bad = found.first_bad
    return {
        "checked": found.checked,
        "head_sequence": found.head.sequence,
        "head_hash": found.head.hash,
        "bad_sequence": bad.sequence if bad else None,
        "fault": report.sentence if report else fault_sentence(bad) if bad else "",
    }


def keep_hourly(found: Verification) -> None:
    """Store what the hourly task found among the entries since the last exported head."""
    ended = {"state": State.DONE, "ended_at": timezone.now()}
    RecordCheck.objects.create(is_whole=False, **ended, **outcome_of_check(found))


def give_up_checks() -> None:
    error = "The worker stopped while it was at it."
    ended = {"state": State.FAILED, "ended_at": timezone.now(), "lease_owner": "", "error": error}
    RecordCheck.objects.filter(is_exhausted()).update(**ended)
