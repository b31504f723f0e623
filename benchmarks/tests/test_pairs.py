"""Pairs become documents and questions that `cases` can ask."""

from pathlib import Path

import pytest

from benchmarks.cases import is_in, load_cases
from benchmarks.pairs import aid_of, documents_in, markdown_of, run

TABLE = {"title": "Terms, Harbour Pool - 2. Fees", "text": "Fees in euros:\nGuest | Fee\nChild | 4\nPaid at the gate."}


def test_a_document_has_its_passages_as_sections_and_tables() -> None:
    assert markdown_of([TABLE]) == (
        "# Terms, Harbour Pool\n\n## 2. Fees\n\nFees in euros:\n\n"
        "| Guest | Fee |\n|---|---|\n| Child | 4 |\n\nPaid at the gate.\n"
    )


def test_the_first_words_of_a_span_are_looked_for_however_they_are_set() -> None:
    assert is_in(aid_of("Child | 4"), "| Child | 4 |") and not is_in(aid_of("Child | 4"), "Child | 5")
    assert is_in(aid_of("He (the tenant) pays."), "what he owes: He (the tenant) pays")


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_every_span_stands_in_its_document(language: str, tmp_path: Path) -> None:
    documents = documents_in(language)
    figures = run(tmp_path, language, 0, len(documents))
    questions = load_cases(tmp_path)
    assert figures["documents"] == len(documents) and figures["near misses"] > 0
    texts = {path.name: path.read_text() for path in tmp_path.glob("*.md")}
    unsaid = [each.id for each in questions if not each.is_absent and not is_in(each.expect, texts[each.files[0]])]
    assert unsaid == []
