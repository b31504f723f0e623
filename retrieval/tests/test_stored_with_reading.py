"""What is stored with a reading is what would be derived of it, to the order and the type, whichever value it is."""

import ast
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from os import environ
from pathlib import Path
from typing import Any

import pytest

from documents.base_settings import BaseSettings
from documents.models import KnowledgeBase
from documents.storage.content import DERIVED, DocumentContent, read_content, stated_units_of
from documents.storage.packed import DERIVED_NUMBER, VERSION
from documents.tests.readings import make_document, store_rows
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.plain_text import read_markdown
from reading.rows import Reading
from retrieval.amendments.sentences import amending_words, amendments_in
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
SAMPLED = ["annual-report.pdf", "outsourcing-agreement.pdf", "information-security-policy.md"]
WRITTEN = {
    "en": [
        "First Amendment of 2 May 2024, with effect from 1 June 2024:",
        "In clause 6.2 the words “thirty (30) days” are replaced by “sixty (60) days”.",
        "Clause 9 shall be deleted unless clause 3 applies, and clause 10 is deleted from 1 May 2025.",
        "The definition of “Fee” is deleted; after clause 5.2 a new clause 5.3 is inserted.",
        "# Schedule 2 is replaced by: “None.”",
        "Clause 7.2 is deleted except for its last sentence, as the borrower's obliga-",
        "tions are those of borrowers. All amounts are in thousands of euros.",
    ],
    "de": [
        "Nachtrag vom 2. Mai 2024. Mit Wirkung vom 1. März 2024 wird § 4 gestrichen und ab dem 1. Juli 2024 § 8 neu",
        "gefasst. In § 6 Abs. 2 werden die Wörter „30 Tage“ durch die Wörter „45 Tage“ ersetzt.",
        "Die Anlage 3 wird wie folgt neu gefasst: „Keine.“",
        "Unter der Bedingung, dass er zahlt, wird § 7 der Bezirksverwaltungen aufgehoben.",
    ],
    "fr": [
        "Avenant du 2 mai 2024",
        "L’article 2 est supprimé et l’article 3 est remplacé par « Néant ».",
        "L’article 4 est modifié comme suit : « Néant. » et l’article 5 abrogé à compter du 1er juin 2024.",
    ],
    "es": [
        "Adenda de 2 de mayo de 2024",
        "La cláusula 2 queda suprimida y la cláusula 3 sustituida por «Nada».",
        "Se suprime la cláusula 4 y se sustituye la cláusula 5 por «Nada» a partir del 1 de junio de 2024.",
    ],
    "ja": ["# 2 規則", "東京都の規則は、毎年見直される。", "a) 第一", "b) 第二"],
}
DERIVING = ["retrieval.words.lexicon", "retrieval.candidates.units", "retrieval.amendments.sentences"]
DERIVING += ["reading.pages.stated_units", "reading.running_heads"]
# By `DERIVED_NUMBER`, digests of what is derived of the samples, and of the code that derives it.
HELD = {1: ("ac5c5f209f21caea", "8b30d23204f1c35a")}
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


@pytest.mark.parametrize("name", [*SAMPLED, "", "amending"])
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


def digest_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def test_the_number_is_raised_when_what_is_derived_changes() -> None:
    """Else a value that an earlier program stored would be read: that nothing amends a clause, say."""
    contents = [content_of_lines(lines, language=language) for language, lines in WRITTEN.items()]
    contents.append(stored_content(read_markdown(AMENDING)))  # no file, which another reader reads otherwise
    derived = [{name: DERIVED[name](each) for name in sorted(DERIVED)} for each in contents]
    assert all(len(amendments_in(each)) > 3 for each in contents[:4])
    words = [each.pattern for each in amending_words().alternatives]
    digest = digest_of(repr((derived, words)))
    assert HELD.get(DERIVED_NUMBER, [""])[0] == digest, (
        "raise DERIVED_NUMBER in documents/storage/packed.py, add an entry"
    )


def test_the_number_is_raised_when_other_documents_may_come_out_otherwise() -> None:
    """The samples do not have everything."""
    seen: dict[str, str] = {}
    for name in (waiting := [*DERIVING]):
        path = ROOT / f"{name.replace('.', '/')}.py"
        if name in seen or not path.exists():
            continue
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(("reading.", "retrieval.")):
                waiting += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
                del node.body[0]
        seen[name] = ast.unparse(tree)
    assert HELD[DERIVED_NUMBER][1] == digest_of(repr(sorted(seen.items()))), (
        "Code that derives what is stored was changed. Raise DERIVED_NUMBER in documents/storage/packed.py and add an "
        "entry; where no document can come out otherwise, put the digest in place of the one that is held"
    )


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
    assert version != VERSION and version.partition("-")[0] == VERSION.partition("-")[0]
