"""Which parses of a document are kept: the current one, and every one a run refers to."""

from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from documents.models import Parse
from documents.storage.store import erase_parses

SUPERSEDED_FOR = timedelta(hours=1)  # far longer than any question that began before the new parse


def record_parses(parse_ids: Iterable[UUID | str]) -> None:
    """Keep parses for good because a run refers to them; called in the transaction that stores the run."""
    unrecorded = Parse.objects.filter(pk__in=list(parse_ids), is_recorded=False)
    with transaction.atomic():
        # Locked in a fixed order, so that two runs over the same documents cannot deadlock.
        locked = [parse.pk for parse in unrecorded.select_for_update().order_by("pk").only("pk")]
        Parse.objects.filter(pk__in=locked).update(is_recorded=True)


def drop_superseded() -> None:
    """Delete the parses that were replaced some time ago and that no run refers to, one by one."""
    replaced = Parse.objects.filter(document__current_parse__created_at__lt=Now() - SUPERSEDED_FOR)
    unused = replaced.filter(is_recorded=False).exclude(pk=F("document__current_parse"))
    for pk in list(unused.values_list("pk", flat=True)):
        with transaction.atomic():
            # A run being stored at this moment has locked the row, or will find it gone.
            if Parse.objects.select_for_update(skip_locked=True).filter(pk=pk, is_recorded=False).first():
                erase_parses(Parse.objects.filter(pk=pk))
