"""Scheduled tasks for the record: export the head of the chain, and erase runs past their retention."""

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
    """Entries after the last exported head do not verify; no further head is exported."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault_sentence(fault))


@shared_task(name="audit.tasks.export_head")
def export_head(**_: Any) -> None:
    """Verify the entries since the last exported head and export the next head. Raises LedgerBroken instead."""
    last = heads.last_head(settings.LEDGER_HEADS)
    with transaction.atomic():  # one connection suffices for an hour's entries
        found = chain.verify(digests_of, since=last)
    if found.first_bad is not None:
        logger.critical("The ledger does not verify: %s", fault_sentence(found.first_bad))
        raise LedgerBroken(found.first_bad)
    if last is None or found.head.sequence > last.sequence:
        for head in sorted({*heads_of_packs(last, found.head), found.head}):
            heads.add_head(settings.LEDGER_HEADS, head, settings.LEDGER_KEY)


def heads_of_packs(last: Head | None, until: Head) -> Iterator[Head]:
    """The entries that record evidence packs: each pack ends with its own, so a later head is not contained in it."""
    ids = AuditEvent.objects.filter(action=PACKED).annotate(subject=Cast("pk", CharField())).values("subject")
    new = Entry.objects.filter(sequence__gt=last.sequence if last else 0, sequence__lte=until.sequence)
    rows = new.filter(kind="audit_event", subject_id__in=ids).values_list("sequence", "hash")
    return (Head(*row) for row in rows)


@shared_task(name="audit.tasks.apply_retention")
def apply_retention(**_: Any) -> None:
    """Erase the words of runs older than their base's rule."""
    try:
        erased = expire()
    except CannotErase as error:
        logger.error("%s", error)
        return
    if erased:
        logger.info("%s runs were older than the rule of their base and are erased.", erased)
