"""What is struck through on the page is no answer."""

from pathlib import Path

import pymupdf

from chat.writing.headline import sentences_of_unit
from documents.storage.content import DocumentContent
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from retrieval.candidates.units import units_of
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, content_of_reading
from retrieval.words.lexicon import lexicon_of

LINES = ["Supply Agreement", "4. Delivery", "4.1 The Supplier delivers within thirty days after the order.",
         "5. Exclusivity", "5.1 The Buyer purchases dyes only from the Supplier."]  # fmt: skip


def struck_content(tmp_path: Path) -> DocumentContent:
    document = pymupdf.open()
    page = document.new_page()
    for number, text in enumerate(LINES):
        size = 11 if text[1:2] == "." and text[2:3].isdigit() else 15
        page.insert_text((72, 100 + 30 * number), text, fontsize=size)
    for words in ("thirty days", LINES[4]):
        page.add_strikeout_annot(page.search_for(words)[0])
    document.save(tmp_path / "struck.pdf")
    return content_of_reading(read_pdf(tmp_path / "struck.pdf", Limits()), tmp_path / "struck.pdf")


def test_a_clause_that_is_struck_answers_nothing(tmp_path: Path) -> None:
    content = struck_content(tmp_path)
    assert not {"thirty", "dyes"} & set(lexicon_of(content).lines)
    for question in ("From whom does the Buyer purchase dyes?", "What does the agreement say of exclusivity?"):
        assert retrieve(question, [content], settings=SETTINGS, arbiter="rules").status != "found", question


def test_a_sentence_with_struck_words_is_quoted_and_no_headline(tmp_path: Path) -> None:
    content = struck_content(tmp_path)
    result = retrieve("What does the Supplier do after the order?", [content], settings=SETTINGS, arbiter="rules")
    assert any("thirty days" in each.quote.text for each in result.kept())
    number = next(line.number for line in content.lines if "thirty" in line.text)
    assert not list(sentences_of_unit(units_of(content).around(number), content))
