"""A drill with the real servers: an installation is backed up, restored elsewhere, and says the same."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from accounts.models import User
from audit.keeping import tasks
from chat.asking import keep_question
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from docintel_site import status
from docintel_site.backups import programs
from docintel_site.backups.manifest import MANIFEST, MANIFEST_SUM, sum_line
from documents.access import create_base
from documents.ingestion.conductor import finish, ingest_path
from documents.ingestion.trash import move_to_trash, purge_document
from documents.models import Document, KnowledgeBase
from documents.tests.files import make_pdf
from ledger.chain import Head, digest_of
from ledger.heads import add_head
from ledger.models import Entry, Event
from retrieval.models import RunCandidate
from tests.running import environment, fresh_home, manage

QUESTION = "How long are records of a supplier kept?"
ASK_AGAIN = f"""
from uuid import uuid4
from accounts.models import User
from chat.asking import keep_question
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.models import KnowledgeBase
from retrieval.models import RunCandidate
turn = keep_question(User.objects.get(), QuestionScope(KnowledgeBase.objects.get()), {QUESTION!r}, "balanced",
    form_id=uuid4())
answer_turn(turn.pk)
print(list(RunCandidate.objects.filter(run__turn=turn).order_by("position").values_list("role", "content_anchor")))
"""


@pytest.fixture
def document(transactional_db: None, settings: Settings, tmp_path: Path) -> Document:
    """A small installation: one person, one document, one question and an exported head."""
    settings.MEDIA_ROOT, settings.PAGE_IMAGE_ROOT = tmp_path / "files", tmp_path / "images"
    settings.CARRIED_ROOT, settings.LEDGER_HEADS = tmp_path / "carried", tmp_path / "heads.jsonl"
    settings.LEDGER_KEY = None
    owner = User.objects.create_user("owner@example.org", "quiet-harbour-91", name="Olga")
    base = create_base(owner, "Suppliers")
    KnowledgeBase.objects.filter(pk=base.pk).update(settings={"embeddings": "none"})
    path = tmp_path / "policy.pdf"
    path.write_bytes(make_pdf())
    document = ingest_path(path, KnowledgeBase.objects.get(), owner)
    finish(document.jobs.get())
    ask(owner)
    tasks.export_head()
    return document


def ask(owner: User) -> list[tuple[str, str]]:
    scope = QuestionScope(KnowledgeBase.objects.get())
    turn = keep_question(owner, scope, QUESTION, "balanced", form_id=uuid4())
    answer_turn(turn.pk)
    rows = RunCandidate.objects.filter(run__turn=turn).order_by("position")
    return list(rows.values_list("role", "content_anchor"))


def back_up(folder: Path, *options: str) -> str:
    out = StringIO()
    call_command("backup", str(folder), *options, stdout=out, stderr=out)
    return out.getvalue()


def restore(home: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return manage(environment(home), "restore", str(folder))


def test_an_installation_is_restored_elsewhere_and_answers_the_same(document: Document, tmp_path: Path) -> None:
    anchors = list(RunCandidate.objects.order_by("position").values_list("role", "content_anchor"))
    assert anchors
    head, entries = Entry.objects.latest("sequence"), Entry.objects.count()
    told = back_up(tmp_path / "backup")
    assert status.backup().state == "ok" and Event.objects.get(kind="backup_made").details["head"] == head.sequence
    assert f"#{head.sequence} {head.hash}" in told and "The secret key is not in it" in told
    assert not list((tmp_path / "backup").rglob("secret_key"))
    assert (tmp_path / "backup").stat().st_mode & 0o077 == 0
    with fresh_home() as home:
        done = restore(home, tmp_path / "backup")
        assert done.returncode == 0, done.stderr
        assert f"{entries:,} entries of the ledger verified" in done.stdout
        assert "1 of 1 files are as recorded" in done.stdout and "Put the secret key" in done.stdout
        assert (home / "files" / str(document.file)).read_bytes() == Path(document.file.path).read_bytes()
        assert (home / "ledger-heads.jsonl").read_text() == (tmp_path / "heads.jsonl").read_text()
        asked = manage(environment(home), "shell", "-v", "0", "-c", ASK_AGAIN)
        assert asked.stdout.strip().splitlines()[-1] == str(anchors), asked.stderr
        verified = manage(environment(home), "verify_ledger", "--head", str(home / "ledger-heads.jsonl"))
        assert verified.returncode == 0, verified.stderr
        again = restore(home, tmp_path / "backup")
        assert again.returncode == 1 and "The database has tables already" in again.stderr


def test_a_changed_byte_a_missing_and_a_foreign_file_are_refused(document: Document, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    back_up(backup, "--with-key")
    names = sorted(str(path.relative_to(backup)) for path in backup.rglob("*") if path.is_file())
    assert {*names} == {
        "database.dump",
        f"files/{document.file}",
        "ledger-heads.jsonl",
        MANIFEST,
        MANIFEST_SUM,
        "secret_key",
    }
    with empty_database():
        for name in names:
            with other_byte(backup / name):
                refused = refusal_of(backup)
            assert refused.startswith("Nothing was restored."), name
            assert "SHA-256" in refused, name
            content = (backup / name).read_bytes()
            (backup / name).unlink()
            assert refusal_of(backup).startswith("Nothing was restored."), name
            (backup / name).write_bytes(content)
        (backup / "files" / "more").write_text("x")
        assert "files/more is not named in its manifest" in refusal_of(backup)
        (backup / "files" / "more").unlink()
        (backup / "files" / "link").symlink_to("/etc/passwd")
        assert "neither a file nor a folder" in refusal_of(backup)
        (backup / "files" / "link").unlink()
        rewrite_manifest(backup, format="docintel-backup-9")
        assert "of another form" in refusal_of(backup)
        rewrite_manifest(backup, format="docintel-backup-1", migrations=["audit.9999_of_tomorrow"])
        assert "A newer program made this backup" in refusal_of(backup)
        shutil.rmtree(backup / "files")
        rewrite_manifest(backup, files={"../escape": digest_of(b"x")})
        assert refusal_of(backup).startswith("Nothing was restored.")
        assert "is not a whole backup" in refusal_of(tmp_path / "nothing")


def test_a_file_deleted_for_good_meanwhile_is_no_fault_and_a_lost_one_is_named(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = Path(document.file.path)
    stored.write_bytes(b"other bytes")
    assert "is not the file that was stored" in back_up(tmp_path / "changed")
    stored.unlink()
    assert f"of document {document.pk} is not there" in back_up(tmp_path / "lost")
    real = programs.write_dump

    def dump_while_somebody_deletes(file: Path, snapshot: str) -> None:
        real(file, snapshot)
        with ThreadPoolExecutor(1) as pool:  # a connection of its own: this one's transaction only reads
            pool.submit(delete_for_good, document).result()

    monkeypatch.setattr(programs, "write_dump", dump_while_somebody_deletes)
    assert "is not there" not in back_up(tmp_path / "deleted")
    assert not Document.objects.exists()


def delete_for_good(document: Document) -> None:
    try:
        move_to_trash(document)
        purge_document(document)
    finally:
        connection.close()


def test_it_is_written_whole_or_not_at_all(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    def fail(file: Path, snapshot: str) -> None:
        file.write_bytes(b"half")
        raise programs.NoProgram("pg_dump failed: no space")

    with monkeypatch.context() as patch:
        patch.setattr(programs, "write_dump", fail)
        with pytest.raises(CommandError, match="no space"):
            back_up(tmp_path / "backup")
    with pytest.raises(CommandError, match="exists; name a new folder"):
        back_up(tmp_path)
    with pytest.raises(CommandError, match="cannot be written"):
        back_up(tmp_path / "absent" / "backup")
    assert not [path for path in tmp_path.iterdir() if "backup" in path.name]


def test_entries_lost_with_an_older_backup_are_told(document: Document, tmp_path: Path) -> None:
    back_up(tmp_path / "backup", "--with-key")
    with fresh_home() as home:
        newer = Head(Entry.objects.count() + 5, "f" * 64)
        add_head(home / "ledger-heads.jsonl", newer)
        done = restore(home, tmp_path / "backup")
        assert done.returncode == 0, done.stderr
        assert f"reaches to entry {newer.sequence}" in done.stdout and "Put the secret key" not in done.stdout
        assert digest_of((home / "secret_key").read_bytes()) == digest_of((tmp_path / "backup/secret_key").read_bytes())


# ---- what the drills do to a backup


@contextmanager
def empty_database() -> Iterator[None]:
    """Hide the tables of the tests: a refusal comes before anything is written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("docintel_site.backups.restoring.tables_in_database", list)
        patch.setattr(programs, "load_dump", lambda file: pytest.fail(f"{file} would have been restored"))
        yield


@contextmanager
def other_byte(path: Path) -> Iterator[None]:
    content = path.read_bytes()
    path.write_bytes(content[:-2] + bytes([content[-2] ^ 1]) + content[-1:])
    yield
    path.write_bytes(content)


def rewrite_manifest(backup: Path, **changes: object) -> None:
    """A manifest that is whole, and says something else."""
    content = json.dumps(json.loads((backup / MANIFEST).read_text()) | changes).encode()
    (backup / MANIFEST).write_bytes(content)
    (backup / MANIFEST_SUM).write_bytes(sum_line(digest_of(content)))


def refusal_of(backup: Path) -> str:
    with pytest.raises(CommandError) as refused:
        call_command("restore", str(backup), stdout=StringIO())
    return str(refused.value)
