"""The command: files and folders into a base, without a broker."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from documents.access import create_base, role_in
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
    assert "2 of 2 files are in Policies." in out
    assert "policy.pdf: Reading pages" in out
    documents = KnowledgeBase.objects.get(name="Policies").documents.all()
    assert {document.state for document in documents} == {"ready"}
    assert {document.jobs.get().state for document in documents} == {"done"}


def test_it_notes_what_was_there_already(folder: Path) -> None:
    run(folder / "policy.pdf", "--base", "Policies")
    out, _ = run(folder / "policy.pdf", "--base", "Policies")
    assert "was in the base already" in out
    assert Document.objects.count() == 1


def test_it_gives_a_new_base_to_the_user(folder: Path, owner: User) -> None:
    run(folder / "policy.pdf", "--base", "Policies", "--user", "OWNER@example.org")
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
