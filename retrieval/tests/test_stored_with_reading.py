"""What is stored with a reading is what would be derived of it, to the order and the type, whichever value it is."""

import subprocess
import sys
from dataclasses import replace
from os import environ
from pathlib import Path
from typing import Any

import pytest

from documents.base_settings import BaseSettings
from documents.models import KnowledgeBase
from documents.storage.content import DERIVED, DocumentContent, read_content, stated_units_of
from documents.storage.packed import VERSION, deriving_files, version_of
from documents.tests.readings import make_document, store_rows
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.plain_text import read_markdown
from reading.rows import Reading
from retrieval.amendments.sentences import amendments_in
from retrieval.candidates.units import units_of
from retrieval.pipeline import retrieve
from retrieval.tests.builders import content_of_lines
from retrieval.words.lexicon import lexicon_of

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
FUNCTIONS: dict[str, Any] = {
    "words": lexicon_of,
    "units": units_of,
    "amendments": amendments_in,
    "stated units": stated_units_of,
}
AMENDING = """# First Amendment of 2 May 2024

With effect from 1 June 2024 clause 4.2 is replaced by: "The fee is EUR 500." Schedule 2 is deleted if both agree.

# Fees

All amounts are in thousands of euros.

| Year | Fee |
|---|---|
| 2023 | 400 |
| 2024 | 500 |
"""


def stored_content(reading: Reading) -> DocumentContent:
    base = KnowledgeBase.objects.create(name="Rules")
    return read_content(store_rows(make_document(base), reading))


def sample(name: str) -> Reading:
    path = SAMPLES / name
    return read_pdf(path, Limits()) if path.suffix == ".pdf" else read_markdown(path.read_text("utf-8"))


@pytest.mark.parametrize(
    "name", ["annual-report.pdf", "outsourcing-agreement.pdf", "information-security-policy.md", "", "amending"]
)
def test_every_value_is_as_it_would_be_derived(name: str) -> None:
    made = {"": Reading("", "en", (), (), ()), "amending": read_markdown(AMENDING)}
    content = stored_content(made[name] if name in made else sample(name))
    assert set(DERIVED) == set(FUNCTIONS) and set(content.derived or ()) == (set(DERIVED) if name else set())
    for key, function in FUNCTIONS.items() if name else ():
        stored, derived = function(content), function(replace(content))
        assert type(stored) is type(derived), key
        shown = [vars(each) | {"lines": dict(each.lines)} if key == "words" else each for each in (stored, derived)]
        assert repr(shown[0]) == repr(shown[1]), key
    if name == "amending":
        assert amendments_in(content) and stated_units_of(content)


def test_a_question_is_answered_the_same_of_what_is_stored_and_of_what_is_derived() -> None:
    content = stored_content(sample("outsourcing-agreement.pdf"))
    asked = "How much notice must be given to end the agreement?"
    results = [
        retrieve(asked, [each], settings=BaseSettings(), arbiter="rules") for each in (content, replace(content))
    ]
    stored, derived = (replace(each, timings_ms={}) for each in results)
    assert stored == derived and stored.candidates


def test_a_copy_with_other_lines_has_nothing_of_it() -> None:
    content = stored_content(sample("outsourcing-agreement.pdf"))
    cover = replace(content, lines=content.lines[:3])
    assert cover.derived is None and units_of(cover).lines == 3 and len(lexicon_of(cover).rows) == 3


def test_another_version_is_whatever_derives_what_is_stored() -> None:
    """Else a value that an earlier program stored would be read: that nothing amends a clause, or lacks a word."""
    files = deriving_files()
    run: set[str] = set()
    sys.setprofile(lambda frame, event, _: run.add(frame.f_code.co_filename) if event == "call" else None)
    try:
        for language in ("en", "de", "fr", "es", "ja"):
            made = content_of_lines(AMENDING.splitlines(), language=language)
            for derive in DERIVED.values():
                derive(made)
    finally:
        sys.setprofile(None)
    ours = {Path(name) for name in run if name.startswith(f"{ROOT}/") and "/tests/" not in name and ".venv" not in name}
    assert ours and not ours.difference(files)
    assert {"lexicon.py", "irregular_forms.en.txt", "amending.de.toml", "content.py"} <= {path.name for path in files}
    assert any(path.parent.name == "pages" and path.suffix == ".toml" for path in files)


def test_a_word_more_is_another_version(tmp_path: Path) -> None:
    word = tmp_path / "irregular_forms.en.txt"
    word.write_text("go went gone")
    before = version_of([word])
    word.write_text("go went gone\noverride overridden overrode")
    assert version_of([word]) != before and version_of(deriving_files()) == VERSION


def test_a_migration_more_is_another_version() -> None:
    """It may change rows: what was packed of them would be read with the old text."""
    files = deriving_files()
    migrations = set((ROOT / "documents" / "migrations").glob("0*.py"))
    assert migrations and migrations <= set(files)
    assert version_of([path for path in files if path != max(migrations)]) != VERSION


def test_a_worker_that_reads_documents_knows_all_that_is_derived_and_another_key_is_another_version() -> None:
    """Though nothing of `documents` names what it comes from: else values would be missing, and nobody told."""
    told = (
        "import django; django.setup(); import documents.ingestion.tasks; "
        "from documents.storage.content import DERIVED; from documents.storage.packed import VERSION; "
        "print(*sorted(DERIVED), VERSION, sep=', ')"
    )
    key = {"DJANGO_SETTINGS_MODULE": "docintel_site.settings", "DOCINTEL_SECRET_KEY": "another key, as long as one is"}
    command = [sys.executable, "-c", told]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=environ | key)
    *names, version = ran.stdout.strip().split(", ")
    assert names == sorted(FUNCTIONS)
    assert version != VERSION and len(version) == len(VERSION)
