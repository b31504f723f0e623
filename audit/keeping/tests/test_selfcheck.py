"""The nightly check names every fault that was put into an installation, and nothing of one that has none."""

import hashlib
import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core import mail
from django.db import DatabaseError, transaction
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from audit.carrying.checker import IMPORTED
from audit.carrying.keeping import path_of
from audit.conftest import House, MakeRun, Tamper, make_document
from audit.keeping import selfcheck, tasks
from audit.keeping.selfcheck import UNKNOWN_AGE_S, check_installation, is_due
from audit.keeping.stored_files import stored_files
from audit.models import CarriedArchive, SelfCheck
from docintel_site import status
from documents.models import Document, KnowledgeBase, Line, Packed, Page, Parse
from documents.storage.packed import VERSION, read_packed
from documents.tests.readings import store_text
from ledger.chain import Head
from ledger.events import record
from ledger.heads import add_head
from ledger.models import Entry

PAGE = "/audit/verify/"
Browse = Callable[..., Any]


@pytest.fixture
def installation(house: House, make_run: MakeRun, settings: Settings, tmp_path: Path) -> House:
    """A small installation in which everything agrees: a file, a locked one with its copy, and a carried archive."""
    settings.MEDIA_ROOT, settings.CARRIED_ROOT = tmp_path / "files", tmp_path / "carried"
    settings.LEDGER_HEADS, settings.LEDGER_KEY = tmp_path / "heads.jsonl", None
    Document.objects.filter(pk=house.document.pk).update(current_parse=house.parse)
    give_file(house.document, "file", "sha256")
    locked = make_document(house.base, "Locked")
    Document.objects.filter(pk=locked.pk).update(state=Document.State.WAITING)
    give_file(locked, "file", "sha256")
    give_file(locked, "unlocked", "unlocked_sha256")
    carry(house.base)
    make_run()
    tasks.export_head()
    return house


def give_file(document: Document, field: str, digest_field: str) -> None:
    name, content = f"{document.base_id}/{document.pk}.{field}", f"{field} of {document.pk}".encode()
    write(Path(str(document.file.storage.path(name))), content)
    Document.objects.filter(pk=document.pk).update(**{field: name, digest_field: hashlib.sha256(content).hexdigest()})


def carry(base: KnowledgeBase) -> None:
    archive = CarriedArchive.objects.create(
        base=base,
        from_base=uuid4(),
        from_name="Elsewhere",
        exported_at=timezone.now(),
        program="1",
        manifest_sha256="a" * 64,
        head_sequence=1,
        head_hash="b" * 64,
        is_vouched=False,
    )
    write(path_of(archive), b"records")
    details = {"manifest": archive.manifest_sha256, "kept": hashlib.sha256(b"records").hexdigest()}
    with transaction.atomic():
        record(IMPORTED, "Owner", f"base:{base.pk}", details)


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def stored(field: str) -> Path:
    document = Document.objects.exclude(unlocked="").get() if field == "unlocked" else Document.objects.get(unlocked="")
    return Path(getattr(document, field).path)


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def leave_old(path: Path) -> None:
    write(path, b"of nobody")
    long_ago = time.time() - UNKNOWN_AGE_S - 60
    os.utime(path, (long_ago, long_ago))


def of_settings(settings: Settings, name: str) -> Path:
    return Path(getattr(settings, name))


Seed = Callable[[Settings, Tamper], object]
SEEDED: dict[str, tuple[Seed, str, str]] = {
    "an original is gone": (lambda s, t: stored("file").unlink(), "file_missing", ".file (document "),
    "an original is another": (lambda s, t: stored("file").write_bytes(b"x"), "file_changed", ".file (document "),
    "an original is a folder": (
        lambda s, t: make_folder(stored("file")),
        "file_unreadable",
        ".file (document ",
    ),
    "a copy without password is gone": (lambda s, t: stored("unlocked").unlink(), "file_missing", ".unlocked (doc"),
    "a copy without password is another": (
        lambda s, t: stored("unlocked").write_bytes(b"x"),
        "file_changed",
        ".unlocked (doc",
    ),
    "carried records are gone": (
        lambda s, t: path_of(CarriedArchive.objects.get()).unlink(),
        "file_missing",
        "carried/",
    ),
    "carried records are others": (
        lambda s, t: path_of(CarriedArchive.objects.get()).write_bytes(b"x"),
        "file_changed",
        "carried/",
    ),
    "a file of nobody": (
        lambda s, t: leave_old(of_settings(s, "MEDIA_ROOT") / "gone" / "orphan"),
        "file_without_row",
        "gone/orphan",
    ),
    "carried records of nobody": (
        lambda s, t: leave_old(of_settings(s, "CARRIED_ROOT") / "orphan.zip"),
        "file_without_row",
        "carried/orphan.zip",
    ),
    "lines are lost": (lambda s, t: Line.objects.filter(number=4).delete(), "rows_missing", "reading 3"),
    "a page is lost": (lambda s, t: Page.objects.filter(number=2).delete(), "rows_missing", "reading 3"),
    "what is packed is another": (
        lambda s, t: Packed.objects.create(parse=Parse.objects.get(), version=VERSION, value=b"x"),
        "packed_changed",
        "reading 3",
    ),
    "a reading is lost": (
        lambda s, t: Document.objects.update(current_parse=None),
        "reading_missing",
        "document ",
    ),
    "a record is another": (
        lambda s, t: t("UPDATE retrieval_retrievalrun SET question = 'Forged?'"),
        "record_changed",
        "ledger",
    ),
    "the end of the chain is cut off": (
        lambda s, t: t("DELETE FROM ledger_entry WHERE sequence = (SELECT max(sequence) FROM ledger_entry)"),
        "record_changed",
        "ledger",
    ),
    "the chain is not the exported one": (
        lambda s, t: add_head(of_settings(s, "LEDGER_HEADS"), Head(1, "0" * 64)),
        "record_changed",
        "ledger",
    ),
    "the heads cannot be read": (
        lambda s, t: of_settings(s, "LEDGER_HEADS").write_text("{"),
        "heads_unreadable",
        "heads.jsonl",
    ),
}


def test_where_everything_agrees_nothing_is_found(installation: House, browse: Browse) -> None:
    check = check_installation()
    assert (check.faults, check.fault_count, check.files, check.readings) == ([], 0, 4, 1)
    assert check.entries == Entry.objects.count()
    assert status.nightly().state == "ok" and "nothing found" in status.nightly().what
    page = browse(installation.auditor, PAGE).content.decode()
    assert "Nothing found" in page and "Files: 4, readings: 1" in page


@pytest.mark.parametrize("seeded", SEEDED)
def test_each_seeded_fault_is_named_and_no_other(
    seeded: str, installation: House, settings: Settings, tamper: Tamper
) -> None:
    seed, kind, subject = SEEDED[seeded]
    seed(settings, tamper)
    found = [(fault["kind"], fault["subject"]) for fault in check_installation().faults]
    assert len(found) == 1 and found[0][0] == kind and subject in found[0][1], found


def test_every_reading_has_its_turn_and_none_a_second_before_the_last(
    installation: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        store_text(make_document(installation.base, f"{number}.md"))
    monkeypatch.setattr(selfcheck, "PACKED_CHECKED", 4)

    def named() -> list[str]:
        Packed.objects.update(value=b"x")
        return [each["subject"] for each in check_installation().faults if each["kind"] == "packed_changed"]

    for _ in range(2):
        nights = [named() for _ in range(4)]
        subjects = [subject for night in nights for subject in night]
        assert len(subjects) == len(set(subjects)) == 12 and max(map(len, nights)) < 12


def test_a_packed_value_whose_seal_does_not_fit_is_named_once_and_made_anew(
    installation: House, settings: Settings, tamper: Tamper
) -> None:
    parse = Parse.objects.get()
    SEEDED["what is packed is another"][0](settings, tamper)
    assert read_packed(parse) == {} and check_installation().faults[0]["detail"].endswith(", made anew")
    assert read_packed(parse) and check_installation().faults == []
    Line.objects.filter(number=2).update(text="Forged.")
    details = [check_installation().faults[0]["detail"] for _ in range(2)]
    assert details[0] == details[1] and "made anew" not in details[0], "rows that were changed stay as they are"


def test_administrators_are_mailed_and_auditors_told_how_many(
    installation: House, settings: Settings, browse: Browse
) -> None:
    settings.MAIL_CONFIGURED = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    User.objects.filter(pk=installation.viewer.pk).update(is_superuser=True)
    stored("file").unlink()
    check_installation()
    assert [each.to for each in mail.outbox] == [["viewer@example.org"]]
    assert "A file is missing: files/" in mail.outbox[0].body and "operations.md" in mail.outbox[0].body
    found = status.nightly()
    assert found.state == "fail" and "1 fault" in found.what and "files/" in found.detail
    page = browse(installation.auditor, PAGE).content.decode()
    assert "1 fault" in page and "An administrator sees what was found." in page and "A file is missing" not in page
    assert "A file is missing: files/" in browse(User.objects.get(pk=installation.viewer.pk), PAGE).content.decode()


def test_only_the_first_faults_are_kept_and_all_are_counted(
    installation: House, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selfcheck, "FAULTS_KEPT", 2)
    for number in range(3):
        leave_old(of_settings(settings, "MEDIA_ROOT") / "gone" / str(number))
    check = check_installation()
    assert (check.fault_count, len(check.faults)) == (3, 2)


def test_what_belongs_to_a_document_deleted_meanwhile_is_no_fault(
    installation: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = list(stored_files())
    monkeypatch.setattr("audit.keeping.selfcheck.stored_files", lambda: listed)
    stored("unlocked").unlink()
    stored_of_locked = Document.objects.exclude(unlocked="").get()
    Path(stored_of_locked.file.path).unlink()
    stored_of_locked.delete()
    assert check_installation().faults == []


def test_it_runs_once_a_night_and_by_day_after_a_missed_one(
    installation: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    night = (timezone.now() + timedelta(days=90)).replace(hour=2, minute=10)
    assert is_due(night) and is_due(night + timedelta(hours=9)), "the first entry is long ago then"
    tasks.check_installation()
    assert not SelfCheck.objects.exists(), "a new installation waits for its first night"
    monkeypatch.setattr(timezone, "now", lambda: night)
    for _ in range(2):
        tasks.check_installation()
    assert SelfCheck.objects.count() == 1
    assert not is_due(night + timedelta(hours=11)) and is_due(night + timedelta(hours=24))
    assert is_due(night + timedelta(hours=27)) and not selfcheck.is_overdue(night + timedelta(hours=29))
    monkeypatch.setattr(timezone, "now", lambda: night + timedelta(hours=31))
    assert status.nightly().state == "warn"


def test_what_it_found_stays(installation: House) -> None:
    check = check_installation()
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        SelfCheck.objects.filter(pk=check.pk).update(fault_count=0)
