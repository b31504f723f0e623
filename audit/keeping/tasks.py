"""Tasks for the record: verify it, export the head of the chain, and erase runs past their retention."""

import logging
from functools import partial
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from audit.keeping import selfcheck
from audit.keeping.erasure import CannotErase
from audit.keeping.retention import expire
from audit.models import RecordCheck
from audit.proof import checking, witnessing
from audit.proof.verification import digests_of, fault_sentence
from jobs import waking
from ledger import chain, heads, stamps
from ledger.chain import Fault, time_text

logger = logging.getLogger(__name__)

VERIFY_LIMIT_S = 6 * 3600  # a million entries take ten minutes


class LedgerBroken(Exception):
    """Entries after the last exported head do not verify; no further head is exported."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault_sentence(fault))


@shared_task(name="audit.tasks.export_head")
def export_head(**_: Any) -> None:
    """Verify the entries since the last exported head, export the next, have it stamped and witnessed."""
    last = heads.last_head(settings.LEDGER_HEADS)
    with transaction.atomic():  # one connection suffices for an hour's entries
        found = chain.verify(digests_of, since=last)
    checking.keep_hourly(found)
    if found.first_bad is not None:
        logger.critical("The ledger does not verify: %s", fault_sentence(found.first_bad))
        raise LedgerBroken(found.first_bad)
    if last is None or found.head.sequence > last.sequence:
        for head in checking.heads_after(last, found.head):
            heads.add_head(settings.LEDGER_HEADS, head, settings.LEDGER_KEY)
    stamp_heads()
    witnessing.give_heads()


def stamp_heads() -> None:
    """Have heads stamped where there is an authority; one that fails stops nothing and is asked again next hour."""
    authority = stamps.own_authority()
    if authority is None:
        return
    try:
        stamps.stamp_waiting(settings.LEDGER_HEADS, settings.LEDGER_KEY, authority)
    except stamps.NoStamp as error:
        last = stamps.last_stamp(settings.LEDGER_HEADS)
        logger.error("No head was stamped (last stamp: %s). %s", time_text(last) if last else "none", error)


@shared_task(name="audit.tasks.verify_record", time_limit=VERIFY_LIMIT_S)
def verify_record(check_id: str, **_: Any) -> None:
    checking.verify_stored(check_id)


def start_check(check: RecordCheck) -> None:
    """Wake a worker once the row is committed. If the broker is down, the sweeper does it later."""
    waking.wake_after_commit(check, partial(waking.send, verify_record))


@shared_task(name="audit.tasks.sweep_checks")
def sweep_checks(**_: Any) -> None:
    """Wake verifications whose message was lost or whose worker died, and end those that used their last attempt."""
    checking.give_up_checks()
    waking.sweep(RecordCheck.objects.all(), lambda _: verify_record)


@shared_task(name="audit.tasks.check_installation", time_limit=VERIFY_LIMIT_S)
def check_installation(**_: Any) -> None:
    """Once a night: hold files, rows and chain against each other. It is woken each hour, and looks at the clock."""
    if selfcheck.is_due(timezone.now()):
        selfcheck.check_installation()


@shared_task(name="audit.tasks.apply_retention")
def apply_retention(**_: Any) -> None:
    try:
        erased = expire()
    except CannotErase as error:
        logger.error("%s", error)
        return
    if erased:
        logger.info("%s runs were older than the rule of their base and are erased.", erased)
