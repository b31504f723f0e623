"""The command `ingest` step by step: which files of a folder, whose base, and what it says of each document."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import OutputWrapper

from accounts.models import User
from accounts.people import find_person
from documents.access import create_base, role_in
from documents.management.commands.ingest import base_to_fill, files_in, last_reason, summary, watch_of
from documents.models import IngestJob, KnowledgeBase
from documents.tests.readings import make_document, store_text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.md", "a.PDF", "deep/er/c.txt", "picture.png", "none", ".hidden.md", "d.markdown"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    (tmp_path / "folder.pdf").mkdir()
    return tmp_path


def test_a_folder_gives_its_readable_files_in_order(folder: Path) -> None:
    found = [str(path.relative_to(folder)) for path in files_in([folder])]
    assert found == sorted(found) and {"b.md", "a.PDF", "deep/er/c.txt"} <= set(found)
    assert not {"picture.png", "none", "folder.pdf"} & set(found)


def test_a_file_that_is_named_is_taken_whatever_it_is_called(folder: Path) -> None:
    paths = [folder / "picture.png", folder / "b.md", folder / "b.md"]
    assert list(files_in(paths)) == paths and list(files_in([])) == []


@pytest.mark.parametrize("name", ["nowhere.pdf", "b.md/x", "link.pdf"])
def test_what_is_not_there_is_named_before_anything_is_read(folder: Path, name: str) -> None:
    (folder / "link.pdf").symlink_to(folder / "gone.pdf")
    with pytest.raises(CommandError, match=r"does not exist\."):
        list(files_in([folder / "b.md", folder / name]))


@pytest.mark.django_db
def test_a_person_is_known_by_the_address_in_any_case() -> None:
    ada = User.objects.create_user("ada@example.org")
    assert find_person("ADA@Example.ORG") == ada
    for address in ("", "eve@example.org", "a\u0130@example.org"):
        with pytest.raises(CommandError, match="no user"):
            find_person(address)


@pytest.mark.django_db
def test_a_base_is_found_by_name_or_id_and_else_made() -> None:
    ada = User.objects.create_user("ada@example.org")
    made = base_to_fill("Policies", ada)
    assert role_in(ada, made) == "owner" and base_to_fill("Policies", None) == base_to_fill(str(made.pk), ada) == made
    nobodys = base_to_fill("Öffentlich", None)
    assert not nobodys.members.exists() and KnowledgeBase.objects.count() == 2
    create_base(ada, "Policies")
    with pytest.raises(CommandError, match="several bases"):
        base_to_fill("Policies", ada)


def test_progress_is_said_each_ten_per_cent_of_a_stage() -> None:
    out = StringIO()
    watch = watch_of(OutputWrapper(out), "policy.pdf")
    watch("check", 0, 0)
    for done in range(201):
        watch("pages", done, 200)
    watch("pages", 200, 200)
    watch("embed", 0, 7)
    said = out.getvalue().splitlines()
    assert said[0] == "policy.pdf: Checking the file" and said[1] == "policy.pdf: Reading pages 0 of 200"
    assert len(said) == 1 + 11 + 1 and said[-1] == "policy.pdf: Embedding passages 0 of 7"


@pytest.mark.django_db
@pytest.mark.parametrize(("is_known", "words"), [(True, "was in the base already"), (False, "is ready")])
def test_a_document_is_summed_up_in_a_line(is_known: bool, words: str) -> None:
    document = make_document(KnowledgeBase.objects.create(name="B"))
    assert summary(document, is_known=is_known) == words and last_reason(document) == "The reading was stopped."
    parse = store_text(document)
    parse.report["embeddings"] = "no vectors here"
    assert summary(document, is_known=is_known) == f"{words}: 1 pages, 6 lines, 'Handbook'; no vectors here"
    parse.embedding_model = "m/2"
    assert summary(document, is_known=is_known).endswith("embedded with m/2")
    IngestJob.objects.create(document=document, state="failed", error_for_people="Odd.")
    assert last_reason(document) == "Odd."


@pytest.mark.django_db
def test_a_folder_without_files_makes_the_base_and_a_file_nobody_may_read_is_said(tmp_path: Path) -> None:
    out, err = StringIO(), StringIO()
    call_command("ingest", str(tmp_path), "--base", "Empty", stdout=out, stderr=err)
    assert "0 of 0 files are in Empty." in out.getvalue() and err.getvalue() == ""
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    with pytest.raises(CommandError, match="1 of 1 files could not"):
        call_command("ingest", str(tmp_path / "picture.png"), "--base", "Empty", stdout=out, stderr=err)
    assert err.getvalue().startswith("picture.png: ") and KnowledgeBase.objects.count() == 1
