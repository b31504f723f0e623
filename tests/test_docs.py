"""The documents say what the code has."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from documents.base_settings import BaseSettings
from retrieval.detectors import DETECTORS
from tests.citations import find_sources

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def test_every_detector_has_its_paragraph() -> None:
    paragraphs = (DOCS / "detectors.md").read_text(encoding="utf-8").split("\n## ")[1:]
    described = {title: text.strip() for title, _, text in (paragraph.partition("\n") for paragraph in paragraphs)}
    assert list(described) == [*DETECTORS, "What the evidence is worth", "Pointed at, not detected"]
    assert all(len(text) > 200 for text in described.values())


def test_the_configuration_reference_is_what_the_code_reads() -> None:
    reads = re.compile(r'["\'](DOCINTEL_[A-Z_]+|OPENAI_[A-Z_]+|VOYAGE_[A-Z_]+|DATABASE_URL|REDIS_URL)["\']')
    product = {name: path for name, path in find_sources().items() if path.suffix == ".py"}
    tried = re.compile(r"(?:.*/)?tests/|benchmarks/|conftest\.py")
    sources = [path for name, path in product.items() if not tried.match(name)]
    read = {name for source in sources for name in reads.findall(source.read_text(encoding="utf-8"))}
    told = set(re.findall(r"^\| `([A-Z_]+)` \|", (DOCS / "configuration.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert told == read


def test_the_configuration_reference_has_every_setting_of_a_base() -> None:
    told = re.findall(r"`(\w+)`", (DOCS / "configuration.md").read_text(encoding="utf-8"))
    assert {field.name for field in fields(BaseSettings)} - set(told) == set()


def test_the_list_of_commands_has_every_command() -> None:
    listed = (DOCS / "operations.md").read_text(encoding="utf-8").partition("\n## Commands\n")[2].partition("\n## ")[0]
    told = {name for row in re.findall(r"^\| (`.*?) \|", listed, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert told == {path.stem for path in ROOT.glob("*/management/commands/[a-z]*.py")}


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))], ids=lambda page: page.name)
def test_every_link_of_the_documents_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    own = [target for target in targets if not target.startswith(("http:", "https:", "mailto:"))]
    assert [target for target in own if not (page.parent / target).exists()] == []


def test_the_crosswalk_names_only_tests_that_exist() -> None:
    page = (DOCS / "crosswalk.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+/test_\w+\.py)::(\w+)`", page)
    rows = [line for line in page.splitlines() if line.startswith("| ")][1:]
    assert named and all("::" in row and row.count("|") == 5 for row in rows), "each row names a test"
    assert page.count("::") == len(named)
    sources = {path: (ROOT / path).read_text(encoding="utf-8") for path, _ in named}
    assert [f"{path}::{name}" for path, name in named if f"\ndef {name}(" not in sources[path]] == []
    assert "no conformity with any of these texts is claimed" in page
