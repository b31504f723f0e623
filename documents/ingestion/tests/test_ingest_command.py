"""The command: files and folders into a base, without a broker."""

import os
import signal
import threading
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from documents.access import create_base, role_in
from documents.ingestion import trash
from documents.management.folder_watch import FolderWatch
from documents.models import Document, KnowledgeBase
from documents.tests.files import make_pdf

pytestmark = pytest.mark.django_db


def run(*arguments: object) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("ingest", *map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "inner").mkdir()
    (tmp_path / "policy.pdf").write_bytes(make_pdf())
    (tmp_path / "inner" / "notes.md").write_text("# Notes\n\nEvery visitor signs the book.\n")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    return tmp_path


def test_it_takes_a_folder_and_makes_the_base(folder: Path) -> None:
    out, _ = run(folder, "--base", "Policies")
    assert "2 of 2 files are in Policies." in out and "Nobody is a member of Policies: the first owner is to be." in out
    assert "policy.pdf: Reading pages" in out
    documents = KnowledgeBase.objects.get(name="Policies").documents.all()
    assert {document.state for document in documents} == {"ready"}
    assert {document.jobs.get().state for document in documents} == {"done"}


def test_it_notes_what_was_there_already(folder: Path) -> None:
    run(folder / "policy.pdf", "--base", "Policies")
    out, _ = run(folder / "policy.pdf", "--base", "Policies")
    assert "was in the base already" in out
    assert Document.objects.count() == 1


def test_a_base_without_members_is_taken_over_once_there_is_an_owner(folder: Path) -> None:
    User.objects.create_superuser("first@example.org", "a password of sixteen", name="First")
    out, _ = run(folder / "policy.pdf", "--base", "Policies")
    assert "Policies: an administrator takes it over under “Bases”." in out and "first owner" not in out


def test_it_gives_a_new_base_to_the_user(folder: Path, owner: User) -> None:
    out, _ = run(folder / "policy.pdf", "--base", "Policies", "--user", "OWNER@example.org")
    assert "Nobody is a member" not in out
    assert role_in(owner, KnowledgeBase.objects.get()) == "owner"
    assert Document.objects.get().created_by == owner


def test_one_bad_file_does_not_stop_the_others_but_the_command_fails(folder: Path) -> None:
    (folder / "cut.pdf").write_bytes(make_pdf()[:700])
    (folder / "empty.pdf").write_bytes(b"")
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError, match="2 of 4 files"):
        call_command("ingest", str(folder), "--base", "Policies", stdout=out, stderr=err)
    assert "cut.pdf: The PDF is damaged" in err.getvalue()
    assert "empty.pdf: The file is empty" in err.getvalue()
    assert Document.objects.filter(state="ready").count() == 2


def test_a_folder_without_a_readable_file_is_said_to_have_none(tmp_path: Path) -> None:
    (tmp_path / "letter.docx").write_bytes(b"PK")
    assert "No PDF, Markdown or text file is there." in run(tmp_path, "--base", "Policies")[0]


def watch_and(steps: Callable[[Callable[..., None]], None], *arguments: object) -> tuple[str, str]:
    """The command with --watch while another thread does the steps, which wait for words of its output."""
    out, err = StringIO(), StringIO()

    def wait_for(words: str, times: int = 1) -> None:
        for _ in range(1_800):
            if (out.getvalue() + err.getvalue()).count(words) >= times:
                return
            time.sleep(0.1)

    def act() -> None:
        try:
            wait_for("Watching for files")
            steps(wait_for)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    acting = threading.Thread(target=act)
    acting.start()
    call_command("ingest", *map(str, arguments), "--watch", "--every", "0.2", stdout=out, stderr=err)
    acting.join()
    return out.getvalue(), err.getvalue()


@pytest.mark.django_db(transaction=True)
def test_it_takes_what_arrives_in_a_watched_folder_until_it_is_ended(folder: Path, owner: User) -> None:
    create_base(owner, "Policies")

    def steps(wait_for: Callable[..., None]) -> None:
        wait_for("policy.pdf: is ready")
        (folder / "late.md").write_text("# Late\n\nA late file.\n")
        (folder / "copy.md").write_text("# Notes\n\nEvery visitor signs the book.\n")
        (folder / "empty.pdf").write_bytes(b"")
        wait_for("late.md: is ready")
        wait_for("copy.md: was in the base already, as 'Notes'")
        wait_for("empty.pdf: The file is empty")
        (folder / "late.md").write_text("# Late\n\nA late file, and more of it.\n")
        wait_for("late.md: is ready", times=2)

    handlers = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    out, err = watch_and(steps, folder, "--base", "Policies")
    assert "Ended: 4 taken, 1 known already, 1 failed." in out and err.count("The file is empty") == 1
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == handlers
    assert Document.objects.filter(state="ready").count() == 4
    trash.move_to_trash(Document.objects.get(file_name="policy.pdf"))
    out, _ = watch_and(
        lambda wait_for: wait_for("policy.pdf: is in the trash of the base"), folder, "--base", "Policies"
    )
    assert "policy.pdf: is in the trash of the base" in out and "0 taken, 4 known already" in out


def test_a_file_is_told_once_it_has_stopped_changing(tmp_path: Path) -> None:
    paths = [tmp_path / "b.pdf", tmp_path / "a.pdf"]
    watch = FolderWatch(lambda: paths)
    assert watch.look() == []
    paths[0].write_bytes(b"1")
    assert watch.look() == []
    paths[0].write_bytes(b"12")
    assert watch.look() == [], "it is still being copied"
    assert watch.look() == [paths[0]]
    paths[1].write_bytes(b"1")
    assert [watch.look(), watch.look(), watch.look()] == [[], [paths[1]], []]
    paths[0].write_bytes(b"123")
    assert [watch.look(), watch.look(), watch.look()] == [[], [paths[0]], []]
    os.utime(paths[1], (1, 1))
    assert [watch.look(), watch.look()] == [[], [paths[1]]], "of equal size, written anew"
    paths[0].unlink()
    assert watch.look() == []


@pytest.mark.parametrize("every", ["0", "-1", "nan", "inf", "1e9"])
def test_it_refuses_a_pace_that_is_none(folder: Path, every: str) -> None:
    with pytest.raises(CommandError, match="--every takes"):
        run(folder, "--base", "Policies", "--watch", "--every", every)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["/nowhere/at/all.pdf", "--base", "Policies"], "does not exist"),
        ([__file__, "--base", "Policies", "--user", "no@example.org"], "no user"),
        ([__file__, "--base", "Twice"], "several bases"),
    ],
)
def test_it_says_what_is_wrong(owner: User, arguments: list[str], words: str) -> None:
    create_base(owner, "Twice")
    create_base(owner, "Twice")
    with pytest.raises(CommandError, match=words):
        run(*arguments)
