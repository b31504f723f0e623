"""What the schedule does for the record: export the head of the chain, and erase what is kept no longer."""

import logging
from collections.abc import Iterator
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.db.models import CharField
from django.db.models.functions import Cast

from audit.access_log import PACKED
from audit.keeping.erasure import CannotErase
from audit.keeping.retention import expire
from audit.models import AuditEvent
from audit.proof.verification import digests_of, fault_sentence
from ledger import chain, heads
from ledger.chain import Fault, Head
from ledger.models import Entry

logger = logging.getLogger(__name__)


class LedgerBroken(Exception):
    """What came after the last exported head does not verify; no further head is exported."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault_sentence(fault))


@shared_task(name="audit.tasks.export_head")
def export_head(**_: Any) -> None:
    """Walk what is new since the last exported head, and export the next one. Raises LedgerBroken, and exports none."""
    last = heads.last_head(settings.LEDGER_HEADS)
    with transaction.atomic():  # one connection suffices for what an hour brings
        found = chain.verify(digests_of, since=last)
    if found.first_bad is not None:
        logger.critical("The ledger does not verify: %s", fault_sentence(found.first_bad))
        raise LedgerBroken(found.first_bad)
    if last is None or found.head.sequence > last.sequence:
        for head in sorted({*heads_of_packs(last, found.head), found.head}):
            heads.add_head(settings.LEDGER_HEADS, head, settings.LEDGER_KEY)


def heads_of_packs(last: Head | None, until: Head) -> Iterator[Head]:
    """The entries by which evidence packs were recorded: a pack ends with its own, so that no later head is in it."""
    ids = AuditEvent.objects.filter(action=PACKED).annotate(subject=Cast("pk", CharField())).values("subject")
    new = Entry.objects.filter(sequence__gt=last.sequence if last else 0, sequence__lte=until.sequence)
    rows = new.filter(kind="audit_event", subject_id__in=ids).values_list("sequence", "hash")
    return (Head(*row) for row in rows)


@shared_task(name="audit.tasks.apply_retention")
def apply_retention(**_: Any) -> None:
    """Erase the words of runs that are older than the rule of their base."""
    try:
        erased = expire()
    except CannotErase as error:
        logger.error("%s", error)
        return
    if erased:
        logger.info("%s runs were older than the rule of their base and are erased.", erased)
