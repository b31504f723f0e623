"""Where the words of a document stand."""

import gc
import weakref
from dataclasses import replace

import pytest

from documents.models import KnowledgeBase
from documents.storage.content import DocumentContent, read_content
from documents.tests.readings import make_document, store_rows
from reading.plain_text import read_markdown
from retrieval.tests.builders import content_of_lines
from retrieval.words.lexicon import lexicon_of


def test_it_is_built_once_and_dropped_with_its_content() -> None:
    content = content_of_lines(["one line"])
    assert lexicon_of(content) is lexicon_of(content)
    built = weakref.ref(lexicon_of(content))
    assert built() is not None
    del content
    gc.collect()
    assert built() is None


def test_furniture_and_contents_lines_hold_no_word() -> None:
    """R9."""
    content = content_of_lines([("Framework", "furniture"), ("Framework .... 3", "contents"), "The framework is here."])
    assert lexicon_of(content).lines_with("framework").tolist() == [3]


def test_a_word_split_over_a_line_end_stands_where_it_begins() -> None:
    lexicon = lexicon_of(content_of_lines(["the more compat-", "ible one", "---", "compatible"]))
    assert lexicon.lines_with("compatible").tolist() == [1, 3]


def test_a_phrase_may_run_over_a_line_end() -> None:
    lexicon = lexicon_of(content_of_lines(["the total current", "liabilities, and current total liabilities"]))
    assert lexicon.lines_with("total current liabilities").tolist() == [1]
    assert lexicon.lines_with("current total").tolist() == [2]
    assert lexicon.lines_with("liabilities total").tolist() == []


def test_words_are_whole() -> None:
    lexicon = lexicon_of(content_of_lines(["the capacity of the cap"]))
    assert lexicon.lines_with("cap").tolist() == [1]
    assert lexicon.lines_with("capa").tolist() == []


def test_rarity_falls_with_the_number_of_lines(policy: DocumentContent) -> None:
    lexicon = lexicon_of(policy)
    assert lexicon.rarity(0) == lexicon.rarity(1) == 1.0
    assert lexicon.rarity(2) > lexicon.rarity(5) > lexicon.rarity(lexicon.searched_count) == 0.0


def test_the_top_of_a_page_is_known_without_furniture(policy: DocumentContent) -> None:
    lexicon = lexicon_of(policy)
    tops = [policy.lines[number - 1].text for number in lexicon.page_headings[2]]
    assert tops[0] == "Termination"
    assert lexicon.is_page_top[lexicon.page_headings[2][0]]


def test_forms_on_one_line_stand_in_its_order() -> None:
    """Not in that of a set, which differs from process to process: the same question asks for the same forms."""
    forms = "borrowings borrow borrows borrowing borrower borrowed"
    lexicon = lexicon_of(content_of_lines([f"All {forms} are listed."]))
    assert " ".join(lexicon.inflections("borrow")) == forms


STORED = """# Rules of Bezirksverwaltungen

The borrower's obliga-
tions, and those of borrowers.

# 2 規則

東京都の規則は、毎年見直される。
"""


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "de", "ja", "und"])
def test_it_is_stored_with_the_reading_as_it_would_be_built(language: str) -> None:
    base = KnowledgeBase.objects.create(name="Rules")
    reading = replace(read_markdown(STORED), language=language)
    head = reading.lines[0]._replace(kind="furniture", method="text")
    reading = replace(reading, lines=(head, *reading.lines[1:]))
    content = read_content(store_rows(make_document(base), reading))
    assert "words" in (content.derived or {})
    stored, built = lexicon_of(content), lexicon_of(replace(content))
    assert repr(dict(stored.lines)) == repr(dict(built.lines)) and "rule" not in stored.lines
    for own in ("stems", "titles", "language", "line_count", "searched_count"):
        assert repr(getattr(stored, own)) == repr(getattr(built, own)), own
    assert replace(content, lines=content.lines[:1]).derived is None, "a copy with other lines"
    assert stored.heads.tolist() == built.heads.tolist() == [1] and stored.rows is content.lines
