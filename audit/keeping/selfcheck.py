"""The nightly check of the installation: files against digests, rows against files, readings, chain against heads.

It changes nothing. What it found is kept in a row, shown on *Status* and *Verify the record*, and mailed to
administrators.
"""

import logging
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from itertools import chain as joined
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db.models import Count, F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext, ngettext, override

from accounts.mail import mail_administrators
from audit.keeping.stored_files import StoredFile, sha256_of_file, stored_files
from audit.models import SelfCheck
from audit.proof.checking import exported_heads
from audit.proof.verification import Report, verify
from documents.models import Document, Line, Page, Parse
from documents.storage.derived import changed_values, pack_anew
from documents.storage.packed import read_packed
from documents.storage.temporary import old_paths
from ledger.heads import BadHeadFile
from ledger.models import Entry

logger = logging.getLogger(__name__)

NIGHT_HOUR = 2  # of the server's clock in UTC, when few people work
LEAST_APART = timedelta(hours=12)
AT_THE_LATEST = timedelta(hours=26)  # of an installation that is off at night
OVERDUE = timedelta(hours=30)
UNKNOWN_AGE_S = 3 * 3600  # what belongs to no row is removed within two hours; what is older was left
FAULTS_KEPT = 200
PACKED_CHECKED = 500  # readings a night, or half as many: of filings of 300 pages five minutes
PAUSE_MAX_S = 1.0


@dataclass(frozen=True)
class Discrepancy:
    """One thing that is not as it should be; `kind` is a key of KINDS."""

    kind: str
    subject: str
    detail: str = ""


def is_due(now: datetime) -> bool:
    """Whether it is time: once a night, and by day where last night was missed."""
    last = last_check()
    begun = last.created_at if last else first_entry_at()
    if begun is None:
        return False
    return now - begun > AT_THE_LATEST or (now - begun > LEAST_APART and now.hour == NIGHT_HOUR)


def last_check() -> SelfCheck | None:
    return SelfCheck.objects.order_by("-created_at").first()


def is_overdue(now: datetime) -> bool:
    last = last_check()
    begun = last.created_at if last else first_entry_at()
    return begun is not None and now - begun > OVERDUE


def first_entry_at() -> datetime | None:
    """When this installation recorded something for the first time."""
    return Entry.objects.order_by("sequence").values_list("created_at", flat=True).first()


def check_installation() -> SelfCheck:
    """Look at everything, keep what was found and tell administrators of it."""
    started = timezone.now()
    stored = list(stored_files())
    ledger_faults, report = check_ledger()
    found = list(
        joined(compare_files(stored), find_files_without_row(stored), check_readings(), check_packed(), ledger_faults)
    )
    check = SelfCheck.objects.create(
        files=len(stored),
        readings=Parse.objects.count(),
        entries=report.verification.checked if report else 0,
        fault_count=len(found),
        faults=[asdict(fault) for fault in found[:FAULTS_KEPT]],
        started_at=started,
        created_at=timezone.now(),
    )
    if found:
        logger.critical("The nightly check found %s faults. First: %s %s", len(found), found[0].kind, found[0].subject)
        tell_administrators(check)
    return check


# ---- what is looked at


def compare_files(stored: list[StoredFile]) -> Iterator[Discrepancy]:
    """Files that rows name and that are not there, cannot be read, or have other bytes than were stored."""
    for each in stored:
        began = time.monotonic()
        if fault := fault_of_file(each):
            yield fault
        time.sleep(min(time.monotonic() - began, PAUSE_MAX_S))  # half of the disk is left to others


def fault_of_file(stored: StoredFile) -> Discrepancy | None:
    subject = f"{stored.name} ({stored.subject})"
    try:
        is_same = stored.sha256 in ("", sha256_of_file(stored.path))
    except FileNotFoundError:
        return Discrepancy("file_missing", subject) if stored.has_row() else None  # deleted for good meanwhile
    except OSError as error:
        return Discrepancy("file_unreadable", subject, error.strerror or "")
    return None if is_same else Discrepancy("file_changed", subject)


def find_files_without_row(stored: list[StoredFile]) -> Iterator[Discrepancy]:
    known = {each.path for each in stored}
    files = old_paths(Path(settings.MEDIA_ROOT), "*/*", UNKNOWN_AGE_S)
    carried = old_paths(Path(settings.CARRIED_ROOT), "*", UNKNOWN_AGE_S)
    for path in sorted([*files, *carried]):
        if path not in known:
            yield Discrepancy("file_without_row", f"{path.parent.name}/{path.name}")


def check_readings() -> Iterator[Discrepancy]:
    """Readings that have not the rows they counted when they were written, and read documents without one."""

    def rows_of(model: type[Page | Line]) -> Coalesce:
        counted = model._default_manager.filter(parse=OuterRef("pk")).order_by().values("parse")
        return Coalesce(Subquery(counted.annotate(rows=Count("pk")).values("rows")), 0)

    counted = Parse.objects.annotate(pages_now=rows_of(Page), lines_now=rows_of(Line))
    wrong = counted.filter(~Q(pages_now=F("page_count")) | ~Q(lines_now=F("line_count"))).order_by("pk")
    for parse in wrong.iterator():
        detail = f"pages {parse.pages_now}/{parse.page_count}, lines {parse.lines_now}/{parse.line_count}"
        yield Discrepancy("rows_missing", f"document {parse.document_id}, reading {parse.number}", detail)
    for pk in Document.objects.filter(state=Document.State.READY, current_parse=None).values_list("pk", flat=True):
        yield Discrepancy("reading_missing", f"document {pk}")


def check_packed() -> Iterator[Discrepancy]:
    """What answers are found in against the rows that pages and evidence show: each night one part of all readings."""
    current = Parse.objects.filter(pk__in=Document.objects.values("current_parse")).select_related("document")
    parts = 1 << (current.count() // PACKED_CHECKED).bit_length()
    size = 2**128 // parts
    first = SelfCheck.objects.count() % parts * size  # their ids are random, so that the parts are of one size
    for parse in current.filter(pk__range=(UUID(int=first), UUID(int=first + size - 1))).order_by("pk").iterator():
        if (changed := changed_values(parse)) and Parse.objects.filter(pk=parse.pk).exists():  # not erased meanwhile
            subject = f"document {parse.document_id}, reading {parse.number}"
            anew = ["made anew"] * (not read_packed(parse) and pack_anew(parse))  # whose seal does not fit
            yield Discrepancy("packed_changed", subject, ", ".join([*changed, *anew]))


def check_ledger() -> tuple[list[Discrepancy], Report | None]:
    """The whole chain against the rows and every exported head."""
    try:
        report = verify(expected=exported_heads())
    except BadHeadFile as error:
        return [Discrepancy("heads_unreadable", str(settings.LEDGER_HEADS), str(error))], None
    return ([] if report.ok else [Discrepancy("record_changed", "ledger", report.sentence)]), report


# ---- what is said of it


def describe_finding(fault: dict[str, str]) -> str:
    """A stored fault in the reader's language."""
    kinds = {
        "file_missing": gettext("A file is missing"),
        "file_unreadable": gettext("A file cannot be read"),
        "file_changed": gettext("A file is not the one that was stored"),
        "file_without_row": gettext("A file belongs to nothing"),
        "rows_missing": gettext("A reading has lost rows"),
        "packed_changed": gettext("A reading is stored in two ways that differ"),
        "reading_missing": gettext("A document that was read has no reading"),
        "heads_unreadable": gettext("The exported heads cannot be read"),
        "record_changed": gettext("The record was changed"),
    }
    told = f"{kinds[fault['kind']]}: {fault['subject']}"
    return f"{told} ({fault['detail']})" if fault["detail"] else told


def summarize(check: SelfCheck) -> str:
    if not check.fault_count:
        return gettext("nothing found")
    return ngettext("%(n)d fault", "%(n)d faults", check.fault_count) % {"n": check.fault_count}


def tell_administrators(check: SelfCheck) -> None:
    with override(settings.LANGUAGE_CODE):
        lines = [describe_finding(fault) for fault in check.faults]
        told = {"lines": lines, "more": check.fault_count - len(lines)}
        text = render_to_string("audit/selfcheck_mail.txt", told)
        mail_administrators(gettext("The nightly check found something"), text)
