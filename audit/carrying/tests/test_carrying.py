"""A base is carried: exported, checked by a stranger, imported under another name, and its records kept as they came.

The import goes into the same installation. That proves the way between two as well: nothing of the archive is looked up
by an id of the exporting base, the new one has other ids throughout, and its records are read from the file alone.
"""

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from audit.carrying import bringing, checker, packing
from audit.carrying.belongings import carried_documents, describe_base, describe_document
from audit.carrying.checker import BAD, CONSISTENT, OK, UNREADABLE, check_archive
from audit.carrying.keeping import NotKept, path_of, read_record, remove_records
from audit.carrying.packing import write_checker
from audit.conftest import GoTo
from audit.keeping import tasks
from audit.keeping.erasure import Erasing, erase_person
from audit.keeping.retention import days_kept, set_days
from audit.models import CarriedArchive, CarriedRun
from audit.proof.verification import verify
from audit.review.comments import begin_thread
from audit.review.reviewing import Opinion, review
from chat.asking import keep_question
from chat.models import Answer, Conversation
from chat.prompts.guidance import change_guidance, guidance_of
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.access import create_base, set_role
from documents.base_settings import BaseSettings
from documents.cards.types import Card
from documents.cards.versions import card_of, edit_card
from documents.ingestion.conductor import finish, ingest_path
from documents.ingestion.unlocking import unlock
from documents.metadata.fields import add_field, noted_in, remove_field, rename_field, set_values
from documents.models import Document, KnowledgeBase, Membership
from documents.naming import rename_document
from documents.storage.replacement import replace
from documents.tests.files import make_locked_pdf, make_pdf, upload_of
from ledger import chain, holds
from ledger.heads import add_head
from ledger.holds import Held
from ledger.models import Entry, Event
from retrieval.dictionary.csv_format import WordRow
from retrieval.dictionary.editing import add_concept
from retrieval.dictionary.packs import packs_on, switch
from retrieval.models import RetrievalRun, Term
from retrieval.question.kinds import RuleRow
from retrieval.reading_rules.editing import change_rules, newest_of
from retrieval.types import LineRange
from tests.stamp_authority import StampAuthority

QUESTION = "How long are records of a supplier kept?"
NOTED = {"Reviewed": "2026-11-23", "Region": "South"}
ABSENT = "What is the boiling point of mercury?"


class Undone(Exception):
    """Takes back what a test did to the tables."""


Rewrite = Callable[[str, Callable[[bytes], bytes]], Path]
MADE_ONCE: list[bytes] = []


@pytest.fixture
def owner(transactional_db: None) -> User:
    return User.objects.create_user("owner@example.org", "quiet-harbour-91", name="Olga")


@pytest.fixture
def asker(transactional_db: None) -> User:
    return User.objects.create_user("asker@example.org", "quiet-harbour-91", name="Asim")


@pytest.fixture
def base(owner: User, asker: User, settings: Settings, tmp_path: Path) -> KnowledgeBase:
    """A base with one of everything that is carried: a replaced document, words, rules, guidance, two questions."""
    settings.MEDIA_ROOT, settings.PAGE_IMAGE_ROOT = tmp_path / "files", tmp_path / "images"
    settings.CARRIED_ROOT = tmp_path / "carried"
    base = create_base(owner, "Suppliers")
    own = {"embeddings": "none", "passages_max": 3}
    KnowledgeBase.objects.filter(pk=base.pk).update(settings=own)
    base.refresh_from_db()
    set_role(base, asker, "viewer")
    path = tmp_path / "policy.pdf"
    path.write_bytes(make_pdf())
    first = ingest_path(path, base, owner, cutting={"chunking": "page"})
    newer = replace(first, owner, upload_of(make_pdf(note="Second edition."), "policy-2.pdf"))
    document = finish(newer.jobs.get())
    Document.objects.filter(pk=document.pk).update(tags=["Suppliers", "2026"], contents_source="headings")
    rename_document(document, "The supplier policy", owner)
    add_field(base, "Reviewed", "date", by=owner)
    add_field(base, "Region", "choice", ["North", "South"], owner)
    set_values(
        Document.objects.get(pk=document.pk), {field.pk: NOTED[field.name] for field in base.metadata_fields.all()}
    )
    edit_card(Document.objects.get(pk=document.pk), Card(type="policy", summary="What suppliers must keep."), owner)
    switch(base, {"finance"})
    add_concept(base, WordRow("retention period", "en", "kept for", "secondary", 0.5))
    change_rules(base, [RuleRow("vague", "", "en", "stuff")], "Nobody knows what it means", owner, seen=0)
    change_guidance(base, "answer", "Answer in short sentences.", "Readers ask for it", owner, seen=0)
    set_days(base, 400, "Olga")
    for question in (QUESTION, ABSENT):
        turn = keep_question(asker, QuestionScope(base), question, "balanced", form_id=uuid4())
        answer_turn(turn.pk)
    run = RetrievalRun.objects.get(question=QUESTION)
    review(run, None, owner, Opinion("incomplete", reason="It leaves out résumés."))
    return base


@pytest.fixture
def archive(base: KnowledgeBase, tmp_path: Path) -> Path:
    call_command("export_base", base.name, tmp_path / "base.zip", stdout=StringIO())
    return tmp_path / "base.zip"


@pytest.fixture
def packed(request: pytest.FixtureRequest, transactional_db: None, settings: Settings, tmp_path: Path) -> Path:
    """An archive to be refused. It is made once: where nothing is imported, the base it is of need not be there."""
    settings.CARRIED_ROOT = tmp_path / "carried"
    if not MADE_ONCE:
        MADE_ONCE.append(request.getfixturevalue("archive").read_bytes())
    path = tmp_path / "packed.zip"
    path.write_bytes(MADE_ONCE[0])
    return path


@pytest.fixture
def heads(archive: Path, tmp_path: Path) -> Path:
    """What the exporter kept elsewhere: its head after the export."""
    add_head(tmp_path / "heads.jsonl", chain.head())
    return tmp_path / "heads.jsonl"


@pytest.fixture
def rewrite(packed: Path, tmp_path: Path) -> Rewrite:
    """The archive with the content of one file changed by a function, and all else as it was."""

    def write(name: str, change: Callable[[bytes], bytes]) -> Path:
        path = tmp_path / "changed.zip"
        with zipfile.ZipFile(packed) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for entry in old.infolist():
                content = old.read(entry)
                new.writestr(entry.filename, change(content) if entry.filename == name else content)
        return path

    return write


def bring(path: Path, **options: Any) -> str:
    out = StringIO()
    call_command("import_base", path, stdout=out, **options)
    return out.getvalue()


def check(path: Path, *options: object, programs: str = os.defpath) -> tuple[int, str]:
    """As a stranger does: the script alone, with no DocIntel to import."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(write_checker())
        script.flush()
        command = [sys.executable, "-I", script.name, str(path), *map(str, options)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": programs})
    return done.returncode, done.stdout


def run_file(archive: Path) -> str:
    """The name of the file with the run that found something."""
    with zipfile.ZipFile(archive) as file:
        names = [name for name in file.namelist() if name.startswith("records/") and b"seven years" in file.read(name)]
    return names[0]


# ---- there and back


def test_a_base_comes_over_with_all_that_people_gave_it(base: KnowledgeBase, archive: Path, heads: Path) -> None:
    told = bring(archive, name="Suppliers, brought", owner="OWNER@example.org", head=heads)
    new = KnowledgeBase.objects.get(name="Suppliers, brought")
    assert "2 documents; the records of 2 questions are kept" in told and "vouched for by the head" in told
    assert BaseSettings.from_json(new.settings) == BaseSettings.from_json(base.settings)
    assert [(each.user.email, each.role) for each in Membership.objects.filter(base=new)] == [
        ("owner@example.org", "owner")
    ]
    current = Document.objects.living().get(base=new)
    old = current.replaces
    assert (current.title, current.tags, current.file_name) == (
        "The supplier policy",
        ["Suppliers", "2026"],
        "policy-2.pdf",
    )
    assert old is not None and old.base == new and old.replaced_at is not None and old.cutting == {"chunking": "page"}
    assert (old.contents_source, current.contents_source) == ("automatic", "headings")
    assert current.current_parse is not None and current.current_parse.toc_origin == "headings"
    assert {field.name: value for field, value in noted_in(current)} == NOTED
    assert (card_of(current).type, card_of(current).summary) == ("policy", "What suppliers must keep.")
    assert Document.objects.get(base=base, replaced_at=None).sha256 == current.sha256
    rows = ("concept__name", "language", "text", "priority", "weight", "pack")
    words = [set(Term.objects.filter(concept__base=each).values_list(*rows)) for each in (base, new)]
    assert words[0] == words[1] and ("retention period", "en", "kept for", "secondary", 0.5, "") in words[1]
    assert packs_on(new) == {"finance"}
    rules = newest_of(new)
    assert rules is not None and rules.rows == [["vague", "", "en", "stuff", True]]
    assert guidance_of(new)["answer"].text == "Answer in short sentences."
    assert days_kept(new) == 400


def test_foreign_runs_are_kept_apart_from_the_own_chain(base: KnowledgeBase, archive: Path, heads: Path) -> None:
    head = chain.head()
    bring(archive, name="Brought", head=heads)
    kept = CarriedArchive.objects.get()
    assert not RetrievalRun.objects.filter(base=kept.base).exists() and verify().ok
    assert (kept.from_name, kept.head_sequence, kept.head_hash) == ("Suppliers", head.sequence, head.hash)
    outcomes = dict(CarriedRun.objects.filter(archive=kept).values_list("question", "outcome"))
    assert outcomes == {QUESTION: "passages", ABSENT: "not_found"}
    assert set(kept.runs.values_list("asked_by_name", flat=True)) == {"Asim"}
    event = Event.objects.get(kind="base_imported")
    assert event.subject == f"base:{kept.base_id}"
    assert event.details["archive"] == chain.digest_of(archive.read_bytes())
    assert event.details["head"] == f"{head.sequence} {head.hash}"
    assert event.details["kept"] == chain.digest_of(path_of(kept).read_bytes())
    exported = Event.objects.get(kind="base_exported")
    assert exported.details["manifest"] == event.details["manifest"] == kept.manifest_sha256


def test_the_record_of_a_run_is_what_the_ledger_vouched_for(base: KnowledgeBase, archive: Path) -> None:
    bring(archive, name="Brought")
    run = RetrievalRun.objects.get(question=QUESTION)
    lines = [json.loads(line) for line in read_record(CarriedArchive.objects.get(), run.pk).splitlines()]
    assert [line["kind"] for line in lines] == ["run", "answer", "review"]
    for line in lines:
        entry = Entry.objects.get(sequence=line["sequence"])
        assert chain.digest_of(line["content"].encode()) == entry.payload_digest
    assert Answer.objects.get(run=run).text in json.loads(lines[1]["content"].partition("\n")[2])["text"]


def test_what_was_said_of_the_base_is_in_it_too(base: KnowledgeBase, owner: User, tmp_path: Path) -> None:
    document = Document.objects.living().get(base=base)
    parse = document.current_parse
    assert parse is not None
    begin_thread(document, parse, LineRange(1, 2), owner, "Is this the newest wording?")
    call_command("export_base", base.name, tmp_path / "base.zip", stdout=StringIO())
    with zipfile.ZipFile(tmp_path / "base.zip") as file:
        told = [json.loads(line) for line in file.read("records/base.jsonl").splitlines()]
    assert {each["kind"] for each in told} == {"comment", "event", "guidance", "rule_set"}
    assert ["newest wording" in each["content"] for each in told if each["kind"] == "comment"] == [True]
    assert check(tmp_path / "base.zip")[0] == CONSISTENT


def test_conversations_come_along_and_deleted_ones_do_not(base: KnowledgeBase, tmp_path: Path) -> None:
    Conversation.objects.filter(turns__question=ABSENT).update(deleted_at="2026-01-01T00:00:00Z")
    call_command("export_base", str(base.pk), tmp_path / "base.zip", stdout=StringIO())
    with zipfile.ZipFile(tmp_path / "base.zip") as file:
        told = [json.loads(line) for line in file.read("conversations.jsonl").splitlines()]
        names = file.namelist()
    run = RetrievalRun.objects.get(question=QUESTION)
    assert [[turn["run"] for turn in each["turns"]] for each in told] == [[str(run.pk)]]
    assert [each["by"] for each in told] == ["Asim"]
    assert len([name for name in names if name.startswith("records/")]) == 3, "the run itself stays on record"


# ---- again, and after a stop


def test_the_same_archive_again_changes_nothing(base: KnowledgeBase, archive: Path) -> None:
    first = bring(archive, name="Brought")
    rename_document(Document.objects.living().get(base__name="Brought"), "Renamed since")
    events = Event.objects.count()
    assert bring(archive, name="Brought").splitlines()[-1] == first.splitlines()[-1]
    assert (KnowledgeBase.objects.count(), CarriedArchive.objects.count(), Event.objects.count()) == (2, 1, events)
    assert Document.objects.living().get(base__name="Brought").title == "Renamed since"


def documents_of(base: KnowledgeBase) -> list[dict[str, object]]:
    """What is told of the documents of a base, without their ids."""
    told = [describe_document(document) for document in carried_documents(base)]
    return [each | {"id": "", "replaces": bool(each["replaces"])} for each in told]


def test_three_round_trips_lose_nothing(base: KnowledgeBase, owner: User, tmp_path: Path) -> None:
    """What was asked on each way is in every later archive, byte for byte, and is vouched for by the last head."""
    run, here, seen, asked = RetrievalRun.objects.get(question=QUESTION), base, [], {QUESTION, ABSENT}
    belongings = [(describe_base(here) | {"name": ""}, documents_of(here))]
    for trip in ("first", "second", "third"):
        path, heads, out = tmp_path / f"{trip}.zip", tmp_path / f"{trip}.jsonl", StringIO()
        call_command("export_base", str(here.pk), path, stdout=out)
        add_head(heads, chain.head())
        assert ("and what came in" in out.getvalue()) == (trip != "first")
        assert check(path, "--head", heads)[0] == OK and check(path)[0] == CONSISTENT
        bring(path, name=trip, owner=owner.email, head=heads)
        here = KnowledgeBase.objects.get(name=trip)
        belongings.append((describe_base(here) | {"name": ""}, documents_of(here)))
        assert all(each.is_vouched and each.finished_at for each in here.carried.all())
        assert {*CarriedRun.objects.filter(archive__base=here).values_list("question", flat=True)} == asked
        seen.append(read_record(here.carried.get(from_base=base.pk), run.pk))
        question = f"What came back on the {trip} way?"
        answer_turn(keep_question(owner, QuestionScope(here), question, "balanced", form_id=uuid4()).pk)
        asked.add(question)
    assert belongings == belongings[:1] * 4 and seen == seen[:1] * 3
    assert [here.carried.count(), verify().ok] == [3, True]
    bring(tmp_path / "first.zip", name="third", owner=owner.email)
    assert KnowledgeBase.objects.filter(name="third").count() == 2, "the base itself was made of another archive"


def test_what_came_before_must_fit_too(
    base: KnowledgeBase, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring(archive, name="Brought")
    kept = CarriedArchive.objects.get()
    path, again = path_of(kept), tmp_path / "again.zip"
    with zipfile.ZipFile(path) as old:
        files = {name: old.read(name) for name in old.namelist()}

    def export_with(name: str, change: Callable[[bytes], bytes]) -> None:
        with zipfile.ZipFile(path, "w") as new:
            for each, content in files.items():
                new.writestr(each, change(content) if each == name else content)
        call_command("export_base", "Brought", again, stdout=StringIO())

    monkeypatch.setattr(packing, "sha256_of_file", lambda _: Event.objects.get(kind="base_imported").details["kept"])
    for name, change, why in (
        (run_file(archive), another_answer, "in brought/.*was changed: its SHA-256 is not the one in the manifest"),
        ("manifest.json", lambda old: old.replace(b'"Suppliers"', b'"Customers"'), "in brought/.*altered or replaced"),
    ):
        export_with(name, change)
        with pytest.raises(CommandError, match=why):
            bring(again, name="Not brought")
        again.unlink()
    assert not KnowledgeBase.objects.filter(name="Not brought").exists()


@pytest.fixture
def moved(base: KnowledgeBase, archive: Path, heads: Path, tmp_path: Path) -> Path:
    """An archive of what was brought along from another one that no head vouched for."""
    bring(archive, name="Moved")
    call_command("export_base", "Moved", tmp_path / "moved.zip", stdout=StringIO())
    return tmp_path / "moved.zip"


def head_now(path: Path) -> Path:
    add_head(path, chain.head())
    return path


def test_what_nobody_vouched_for_is_not_vouched_for_by_passing_on(
    moved: Path, heads: Path, owner: User, tmp_path: Path
) -> None:
    """A head of who passes it on vouches for what was made there; one of who made it vouches for the rest."""
    kept, later = CarriedArchive.objects.get(), head_now(tmp_path / "later.jsonl")
    code, told = check(moved, "--head", later)
    assert code == CONSISTENT and f"nobody vouched for brought/{kept.pk}/ when it was brought along" in told, told
    told = bring(moved, name="Twice", head=later)
    outer, within = told.splitlines()[-1], told.splitlines()[-2]
    assert "the records of 0 questions are kept as they came, vouched for by the head you gave" in outer
    assert "“Suppliers”: the records of 2 questions" in within and "vouched for by no head" in within
    both = tmp_path / "both.jsonl"
    both.write_text(heads.read_text() + later.read_text())
    code, told = check(moved, "--head", both)
    assert code == OK and "word of the exporter" not in told, told
    told = bring(moved, name="Thrice", head=both)
    assert ["vouched for by the head you gave" in line for line in told.splitlines()[-2:]] == [True, True]


def test_the_word_of_who_passed_it_on_is_told_apart_from_a_head(
    archive: Path, heads: Path, tmp_path: Path, owner: User, client: Client
) -> None:
    bring(archive, name="Moved", head=heads)
    call_command("export_base", "Moved", tmp_path / "moved.zip", stdout=StringIO())
    later = head_now(tmp_path / "later.jsonl")
    code, told = check(tmp_path / "moved.zip", "--head", later)
    assert code == OK and "was vouched for when it came is the word of the exporter" in told, told
    assert "vouched for by the installation they came through" in bring(
        tmp_path / "moved.zip", name="Twice", owner=owner.email, head=later
    )
    client.force_login(owner)
    page = client.get(f"/audit/carried/{KnowledgeBase.objects.get(name='Twice').pk}/").content.decode()
    assert page.count("Vouched for by the installation it came through") == 1
    assert page.count("Vouched for by a head kept elsewhere") == 1


def test_a_head_that_contradicts_what_is_within_is_a_fault(moved: Path, heads: Path, tmp_path: Path) -> None:
    """Of a ledger whose entries are not the exporter's: the head stands before all of the archive's own."""
    with zipfile.ZipFile(moved) as file:
        first = json.loads(file.read("ledger.jsonl").partition(b"\n")[0])["sequence"]
    head = json.loads(heads.read_text())
    assert head["sequence"] < first
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps(head | {"hash": "0" * 64}) + "\n")
    code, told = check(moved, "--head", other)
    assert code == BAD and f"in brought/{CarriedArchive.objects.get().pk}/, ledger entry {head['sequence']}" in told
    other.write_text(heads.read_text() + other.read_text())
    assert check(moved, "--head", other)[0] == BAD


def test_a_head_of_another_ledger_with_the_same_number_is_no_fault() -> None:
    """A head bears no name of its ledger, and two ledgers both have an entry 5."""
    mine, theirs = (5, "a" * 64), (5, "b" * 64)
    outer = checker.CheckedArchive({}, "", met={mine}, contradicted={theirs})
    outer.brought["brought/"] = checker.CheckedArchive({}, "", met={theirs}, contradicted={mine})
    checker.refuse_contradicted(outer)
    outer.brought.clear()
    with pytest.raises(checker.BadArchive, match="ledger entry 5 is not the one of the head you gave"):
        checker.refuse_contradicted(outer)


def test_an_archive_within_is_there_once_and_there_are_not_too_many(
    moved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The base that was made of it could never be exported."""
    kept, copy = CarriedArchive.objects.get(), uuid4()
    path = path_of(kept)
    shutil.copy(path, path.with_name(f"{copy}.zip"))
    twin = CarriedArchive.objects.get()
    twin.pk = copy
    twin.save(force_insert=True)
    call_command("export_base", "Moved", tmp_path / "twice.zip", stdout=StringIO())
    with pytest.raises(CommandError, match="holds the same archive as brought/"):
        bring(tmp_path / "twice.zip", name="Not brought")
    monkeypatch.setattr(checker, "BROUGHT_MAX", 0)
    with pytest.raises(CommandError, match="1 archives that were brought along; at most 0"):
        bring(moved, name="Not brought")


def test_names_are_walked_once_however_many_archives_are_within() -> None:
    class Names(zipfile.ZipFile):
        walks = 0

        def namelist(self) -> list[str]:
            self.walks += 1
            return super().namelist()

    with Names(io.BytesIO(), "w") as file:
        folders = [f"brought/{uuid4()}/" for _ in range(30)]
        for folder in folders:
            file.writestr(f"{folder}manifest.json", b"{}")
        within = checker.archives_within(file)
        assert [(key, each.namelist()) for key, each in within.items()] == [(key, ["manifest.json"]) for key in folders]
        assert file.walks == 1


@pytest.mark.parametrize("is_lost", [True, False])
def test_a_base_is_exported_without_what_it_lost_and_that_is_said(
    base: KnowledgeBase, archive: Path, tmp_path: Path, is_lost: bool
) -> None:
    bring(archive, name="Moved")
    kept, said = CarriedArchive.objects.get(), StringIO()
    path = path_of(kept)
    path.unlink() if is_lost else path.write_bytes(path.read_bytes()[:-1] + b"?")
    call_command("export_base", "Moved", tmp_path / "moved.zip", stdout=StringIO(), stderr=said)
    assert "1 archives that the base had brought along are damaged or lost" in said.getvalue()
    with zipfile.ZipFile(tmp_path / "moved.zip") as file:
        assert json.loads(file.read("manifest.json"))["left_out"] == [f"carried_archive:{kept.pk}"]
    assert Event.objects.get(kind="base_exported", subject=f"base:{kept.base_id}").details["lost"] == 1
    code, told = check(tmp_path / "moved.zip", "--head", head_now(tmp_path / "later.jsonl"))
    assert code == OK and f"Its exporter left out carried_archive:{kept.pk}." in told, told


def test_an_archive_without_what_was_brought_along_says_so(moved: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(moved) as old, zipfile.ZipFile(tmp_path / "less.zip", "w") as new:
        gone = [name for name in old.namelist() if name.startswith("brought/")]
        for name in old.namelist():
            if not name.startswith(("files/", "brought/")):
                new.writestr(name, old.read(name))
    told = check(tmp_path / "less.zip", "--head", head_now(tmp_path / "later.jsonl"))[1]
    assert f"Neither the originals nor what had been brought along ({len(gone)} files) are in it" in told


def test_only_an_archive_with_others_within_is_of_the_later_format(archive: Path, moved: Path) -> None:
    """The program before refuses those by the name of the format rather than as forged."""
    formats = []
    for path in (archive, moved):
        with zipfile.ZipFile(path) as file:
            formats.append(json.loads(file.read("manifest.json"))["format"])
    assert formats == ["docintel-base-1", "docintel-base-2"]


def test_a_value_whose_field_is_another_since_the_import_stopped_is_told(
    base: KnowledgeBase, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(bringing, "restore_document", stop)
        with pytest.raises(KeyboardInterrupt):
            bring(archive, name="Brought")
    new = KnowledgeBase.objects.get(name="Brought")
    rename_field(new.metadata_fields.get(name="Region"), "Area", None)
    remove_field(new.metadata_fields.get(name="Reviewed"), None)
    add_field(new, "Reviewed", "number", by=None)
    told = bring(archive, name="Brought")
    assert "its value of 'Region', 'South', has no field here" in told
    assert "its value of 'Reviewed', '2026-11-23', has no field here" in told


def test_an_import_that_was_stopped_goes_on(
    base: KnowledgeBase, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(bringing, "restore_document", stop)
        with pytest.raises(KeyboardInterrupt):
            bring(archive, name="Brought")
    begun = CarriedArchive.objects.get()
    assert begun.finished_at is None and begun.documents == {}
    bring(archive, name="Brought")
    kept = CarriedArchive.objects.get()
    assert kept.finished_at is not None and len(kept.documents) == 2
    assert Document.objects.filter(base=kept.base).count() == 2
    assert Document.objects.living().get(base=kept.base).title == "The supplier policy"


def test_a_locked_file_waits_for_its_password_and_stops_nothing(
    base: KnowledgeBase, owner: User, tmp_path: Path
) -> None:
    (tmp_path / "locked.pdf").write_bytes(make_locked_pdf())
    ingest_path(tmp_path / "locked.pdf", base, owner)
    call_command("export_base", base.name, tmp_path / "base.zip", stdout=StringIO())
    told = bring(tmp_path / "base.zip", name="Brought", owner=owner.email)
    assert "locked.pdf: waits for its password" in told and "policy-2.pdf: is ready" in told
    assert "3 documents" in told
    locked = Document.objects.get(base__name="Brought", file_name="locked.pdf")
    assert finish(unlock(locked, "open", owner)).current_parse is not None


def test_a_file_that_cannot_be_read_there_either_is_named(
    base: KnowledgeBase, owner: User, tmp_path: Path, settings: Settings
) -> None:
    (tmp_path / "locked.pdf").write_bytes(make_locked_pdf())
    ingest_path(tmp_path / "locked.pdf", base, owner)
    call_command("export_base", base.name, tmp_path / "base.zip", stdout=StringIO())
    settings.UPLOAD_MAX_BYTES = Document.objects.living().get(base=base, file_name="policy-2.pdf").size_bytes - 1
    with pytest.raises(CommandError, match=r"Files that could not be read: 1\."):
        bring(tmp_path / "base.zip", name="Brought")
    brought = Document.objects.filter(base__name="Brought")
    assert dict(brought.values_list("file_name", "state")) == {"policy.pdf": "ready", "locked.pdf": "failed"}


def test_what_is_kept_can_be_exported_and_checked_as_it_is(base: KnowledgeBase, archive: Path, heads: Path) -> None:
    bring(archive, name="Brought")
    code, told = check(path_of(CarriedArchive.objects.get()), "--head", heads)
    assert code == OK and "The originals are not in it" in told
    with pytest.raises(CommandError, match="its originals are not in it"):
        bring(path_of(CarriedArchive.objects.get()), name="Again")


# ---- a stranger checks


def test_a_stranger_checks_it_with_python_alone(archive: Path, heads: Path, tmp_path: Path) -> None:
    assert check(archive, "--head", heads)[0] == OK
    code, told = check(archive)
    assert code == CONSISTENT and "all of it may be invented" in told
    other = tmp_path / "other.jsonl"
    other.write_text(heads.read_text().replace(chain.head().hash, "0" * 64))
    code, told = check(archive, "--head", other)
    assert code == BAD and "the chain was rewritten" in told
    assert check(tmp_path / "none.zip")[0] == UNREADABLE
    assert check(archive, "--head", archive)[0] == UNREADABLE


def test_the_stamps_alone_vouch_for_it_unless_they_come_too_late(
    archive: Path, stamped: StampAuthority, go_to: GoTo, settings: Settings
) -> None:
    given = ("--stamps", settings.LEDGER_HEADS, "--authority", stamped.root)
    go_to(0)
    add_head(settings.LEDGER_HEADS, chain.head())
    code, told = check(archive, *given)
    assert code == CONSISTENT and "no stamp is at or after entry" in told, told
    go_to(30)
    tasks.export_head()
    code, told = check(archive, *given)
    assert code == BAD and "was first stamped at" in told, told
    assert check(archive, *given, "--within", "48")[0] == OK
    code, told = check(archive, *given, "--stamped-since", "2126-01-01")
    assert code == CONSISTENT and "from before the day you gave" in told, told
    settings.LEDGER_HEADS.unlink()
    go_to(0)
    tasks.export_head()
    code, told = check(archive, *given)
    assert code == OK and "The stamp of entry" in told, told
    code, told = check(archive, *given, programs="/nowhere")
    assert code == CONSISTENT and "no openssl of version 1.1" in told, told
    assert check(archive, *given[:2])[0] == UNREADABLE


def test_a_record_dated_back_is_found_by_the_stamps(
    base: KnowledgeBase,
    owner: User,
    stamped: StampAuthority,
    go_to: GoTo,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    earlier = timezone.now() - timedelta(hours=30)
    with monkeypatch.context() as patch:
        patch.setattr(timezone, "now", lambda: earlier)
        review(RetrievalRun.objects.get(question=ABSENT), None, owner, Opinion("agree"))
    call_command("export_base", base.name, tmp_path / "base.zip", stdout=StringIO())
    tasks.export_head()
    code, told = check(tmp_path / "base.zip", "--stamps", settings.LEDGER_HEADS, "--authority", stamped.root)
    assert code == BAD and "the review " in told and "long before its ledger entry" in told, told


def test_erased_words_are_not_in_it_and_it_still_fits(
    base: KnowledgeBase, asker: User, owner: User, tmp_path: Path
) -> None:
    erase_person(asker, Erasing("Olga", "asked for it"), base)
    call_command("export_base", base.name, tmp_path / "base.zip", stdout=StringIO())
    add_head(tmp_path / "heads.jsonl", chain.head())
    code, told = check(tmp_path / "base.zip", "--head", tmp_path / "heads.jsonl")
    assert code == OK, told
    with zipfile.ZipFile(tmp_path / "base.zip") as file:
        assert not any(QUESTION.encode() in file.read(name) for name in file.namelist())
    bring(tmp_path / "base.zip", name="Brought")
    assert list(CarriedRun.objects.values_list("question", flat=True)) == ["", ""]


# ---- what is refused


def another_answer(content: bytes) -> bytes:
    changed = content.replace(b"seven years", b"eight years")
    assert changed != content
    return changed


def test_a_tampered_archive_is_refused_and_leaves_nothing(packed: Path, rewrite: Rewrite) -> None:
    changed = rewrite(run_file(packed), another_answer)
    with pytest.raises(CommandError, match="was changed: its SHA-256 is not the one in the manifest"):
        bring(changed, name="Brought")
    assert_nothing_came()


def test_a_manifest_made_to_fit_is_refused_too(packed: Path, tmp_path: Path) -> None:
    """Whoever alters a record can also alter the manifest; the ledger's entries of both cannot be made to fit."""
    name, path = run_file(packed), tmp_path / "changed.zip"
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(path, "w") as new:
        files = {each: old.read(each) for each in old.namelist()}
        files[name] = another_answer(files[name])
        manifest = json.loads(files["manifest.json"])
        manifest["files"][name] = chain.digest_of(files[name])
        files["manifest.json"] = json.dumps(manifest).encode()
        for each, content in files.items():
            new.writestr(each, content)
    with pytest.raises(CommandError, match="is not what ledger entry"):
        bring(path, name="Brought")
    assert_nothing_came()


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        (
            "manifest.json",
            lambda old: old.replace(b"docintel-base-1", b"docintel-base-9"),
            "known are docintel-base-1 and",
        ),
        ("manifest.json", lambda old: old.replace(b'"Suppliers"', b'"Customers"'), "altered or replaced"),
        ("manifest.json", lambda _: b"[" * 100_000, "is not JSON"),
        ("manifest.json", lambda _: b"{}", "format"),
        ("ledger.jsonl", lambda old: old.replace(b'"kind": "run"', b'"kind": "nur"', 1), "was changed"),
        ("ledger.jsonl", lambda old: old.split(b"\n", 1)[1], "which a record names, is not in it"),
        ("ledger.jsonl", lambda old: old[:-20], "does not end"),
        ("export.json", lambda old: old.replace(b"Suppliers", b"Customers") + b" ", "no ledger entry vouches for"),
    ],
)
def test_what_does_not_fit_is_refused(
    packed: Path, rewrite: Rewrite, name: str, change: Callable[[bytes], bytes], why: str
) -> None:
    with pytest.raises(CommandError, match=why):
        bring(rewrite(name, change), name="Brought")
    assert_nothing_came()


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "files/../../evil", "files/evil", "records/"])
def test_a_name_that_leads_elsewhere_is_refused(packed: Path, name: str) -> None:
    with zipfile.ZipFile(packed, "a") as file:
        file.writestr(name, b"evil")
    with pytest.raises(CommandError, match="is no name of a file of such an archive"):
        bring(packed, name="Brought")
    assert_nothing_came()


def test_an_added_a_missing_and_a_double_file_are_refused(packed: Path, tmp_path: Path) -> None:
    for number, add in enumerate([f"files/{uuid4()}", "base.json"]):
        path = Path(shutil.copy(packed, tmp_path / f"{number}.zip"))
        with zipfile.ZipFile(path, "a") as file, warnings.catch_warnings(action="ignore", category=UserWarning):
            file.writestr(add, b"{}")  # zipfile warns of a second file of the same name
        with pytest.raises(CommandError, match="it was added|is in it twice"):
            bring(path, name="Brought")
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(tmp_path / "less.zip", "w") as new:
        for name in old.namelist():
            if name != "documents.jsonl":
                new.writestr(name, old.read(name))
    with pytest.raises(CommandError, match=r"documents\.jsonl is missing"):
        bring(tmp_path / "less.zip", name="Brought")
    assert_nothing_came()


def test_a_bomb_is_refused_before_it_is_unpacked(packed: Path) -> None:
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr(f"files/{uuid4()}", bytes(40_000_000))
    with pytest.raises(CommandError, match="unpacks to 40,000,000 bytes from"):
        bring(packed, name="Brought")
    assert_nothing_came()


def test_more_than_may_be_read_is_refused(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_archive, "__defaults__", (1_000, None))
    with pytest.raises(CommandError, match="at most 1,000 are read"):
        bring(packed, name="Brought")
    assert_nothing_came()


def test_what_is_no_archive_at_all(tmp_path: Path, transactional_db: None) -> None:
    path = tmp_path / "notes.zip"
    path.write_bytes(b"not a zip")
    for given, why in ((path, "refused, and nothing was imported"), (tmp_path / "absent.zip", "No such file")):
        with pytest.raises(CommandError, match=why):
            bring(given)
    with pytest.raises(CommandError, match=r"There is no user nobody@example\.org"):
        bring(path, owner="nobody@example.org")


def test_settings_that_are_none_of_ours_leave_nothing(
    base: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive whose ledger vouches for it may still say what cannot be taken over."""
    odd = describe_base(base) | {"settings": {"ranking": "by taste"}}
    monkeypatch.setattr(packing, "describe_base", lambda _: odd)
    call_command("export_base", base.name, tmp_path / "odd.zip", stdout=StringIO())
    with pytest.raises(CommandError, match="Nothing was imported: .*ranking must be one of"):
        bring(tmp_path / "odd.zip", name="Brought")
    monkeypatch.setattr(packing, "describe_base", lambda _: [])
    call_command("export_base", base.name, tmp_path / "odder.zip", stdout=StringIO())
    with pytest.raises(CommandError, match=r"base\.json does not have the form"):
        bring(tmp_path / "odder.zip", name="Brought")
    odd = describe_base(base) | {"fields": [["Region", "choice", ["North"]]]}
    monkeypatch.setattr(packing, "describe_base", lambda _: odd)
    call_command("export_base", base.name, tmp_path / "oddest.zip", stdout=StringIO())
    with pytest.raises(CommandError, match="Nothing was imported: What it says of a document"):
        bring(tmp_path / "oddest.zip", name="Brought")
    assert_nothing_came()


def assert_nothing_came() -> None:
    assert not KnowledgeBase.objects.filter(name="Brought").exists()
    assert not CarriedArchive.objects.exists() and not Event.objects.filter(kind="base_imported").exists()
    assert [*Path(settings.CARRIED_ROOT).glob("*")] == []


# ---- what cannot be exported


def test_a_base_with_an_altered_record_or_a_lost_file_is_not_exported(base: KnowledgeBase, tmp_path: Path) -> None:
    with suppress(Undone), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("UPDATE chat_answer SET text = 'Eight years.'")
        with pytest.raises(CommandError, match=r"Ledger entry \d+ \(answer .*\) is bad"):
            call_command("export_base", base.name, tmp_path / "base.zip")
        raise Undone
    document = Document.objects.living().get(base=base)
    content = Path(document.file.path).read_bytes()
    Path(document.file.path).write_bytes(content[:-1] + b"?")
    with pytest.raises(CommandError, match="is not the one that was stored"):
        call_command("export_base", base.name, tmp_path / "base.zip")
    Path(document.file.path).unlink()
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        call_command("export_base", base.name, tmp_path / "base.zip")
    with pytest.raises(CommandError, match="There is no base named Nobody's"):
        call_command("export_base", "Nobody's", tmp_path / "base.zip")
    assert [*tmp_path.glob("base.zip*")] == [] and not Event.objects.filter(kind="base_exported").exists()


# ---- what was kept, later


def test_a_file_that_was_changed_since_is_not_handed_out(base: KnowledgeBase, archive: Path) -> None:
    bring(archive, name="Brought")
    kept, run = CarriedArchive.objects.get(), RetrievalRun.objects.get(question=QUESTION)
    path = path_of(kept)
    with zipfile.ZipFile(path) as old:
        files = {name: old.read(name) for name in old.namelist()}
    name = f"records/{run.pk}.jsonl"
    files[name] = another_answer(files[name])
    with zipfile.ZipFile(path, "w") as new:
        for each, content in files.items():
            new.writestr(each, content)
    with pytest.raises(NotKept, match="not the one that was brought along"):
        read_record(kept, run.pk)
    with pytest.raises(NotKept, match="cannot be read"):
        read_record(kept, uuid4())


def test_an_owner_removes_what_was_kept(base: KnowledgeBase, archive: Path, owner: User) -> None:
    bring(archive, name="Brought", owner=owner.email)
    kept = CarriedArchive.objects.get()
    holds.place(f"base:{kept.base_id}", "Olga", "A court asked for it.")
    with pytest.raises(Held):
        remove_records(kept, owner, "They asked us to.")
    assert path_of(kept).exists() and kept.runs.count() == 2
    holds.release(f"base:{kept.base_id}", "Olga", "The court is done.")
    remove_records(kept, owner, "They asked us to.")
    assert not path_of(kept).exists() and not kept.runs.exists()
    assert Event.objects.get(kind="carried_removed").details["reason"] == "They asked us to."
    assert Document.objects.living().filter(base=kept.base).exists() and verify().ok
