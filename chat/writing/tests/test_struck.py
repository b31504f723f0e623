"""What is struck through on the page is no answer."""

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pymupdf
import pytest

from chat.drafts import Quoted
from chat.figures.inputs import numbers_in_text
from chat.figures.typed import headlines_of
from chat.writing.excerpt_rows import excerpts_of
from chat.writing.excerpts import Excerpt, excerpt_block, only_rows, sentences_with
from chat.writing.writer import check_sentences
from documents.storage.content import DocumentContent
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.plain_text import read_markdown, read_plain_text
from reading.rows import STRUCK_TOLD, LineRow
from reading.tests.pdfs import with_struck
from retrieval.amendments.sentences import amendments_in
from retrieval.arbiter.brief import candidate_block
from retrieval.candidates.calibration import calibrate
from retrieval.candidates.units import units_of
from retrieval.headlines.choosing import sentences_of_unit
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import SETTINGS, content_of_lines, content_of_reading
from retrieval.types import LineRange
from retrieval.words.lexicon import lexicon_of
from tests.scripted_llm import ScriptedLLM

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


def test_a_model_reads_which_words_are_struck(tmp_path: Path, serve: Callable[..., ScriptedLLM]) -> None:
    """Who judges and who writes; a quote is found with the marks and without, and no sentence stands on such words."""
    content = struck_content(tmp_path)
    server = serve("good")
    result = retrieve("What does the Supplier do after the order?", [content], settings=SETTINGS, arbiter="model")
    marked = "The Supplier delivers within ~~thirty days~~ after the order."
    assert marked in str(server.requests[0].body) and STRUCK_TOLD in str(server.requests[0].body)
    candidate = next(each for each in result.candidates if "Supplier delivers" in each.anchor_text)
    assert marked in candidate.snippet and "within thirty days after" in candidate.context.text
    line = next(line for line in content.lines if "thirty" in line.text)
    for said in (marked, marked.replace("~~", "")):
        quote = calibrate(said, content, LineRange(line.number, line.number), LineRange(1, len(content.lines)))
        assert (quote.repair.status, quote.text) == ("exact", marked.replace("~~", ""))
    stored = RunCandidate(
        parse_id=content.parse_id, context_text=line.text, context_first_page=1, context_last_page=1, anchor_pieces=[]
    )
    stored.context_first_line = stored.context_last_line = stored.anchor_first_line = stored.anchor_last_line = (
        line.number
    )
    (excerpt,) = excerpts_of([Quoted(1, stored, line.text)], {content.parse_id: content})
    assert marked in excerpt_block(excerpt) and STRUCK_TOLD in excerpt_block(excerpt)
    sentences = ("It delivers within 30 days or thirty days [1].", "The Supplier delivers after the order [1].")
    problems = [check["problems"] for check in check_sentences(" ".join(sentences), [excerpt])]
    assert problems == [["number_not_cited"], []]


SIGNS = ["Fees\n~~~~~~\nThe fee is 20 EUR.\nTerm\n~~~~~~", "- Dogs cost 5~~6 and ~~more. The fee is 20 EUR.",
         "The fee is 20 EUR; write `~~this~~`."]  # fmt: skip


@pytest.mark.parametrize("text", SIGNS)
def test_of_signs_that_strike_nothing_nothing_is_told(text: str, tmp_path: Path) -> None:
    content = content_of_text(text, tmp_path / ("fees.txt" if text.startswith("Fees") else "fees.md"))
    result = retrieve("What is the fee?", [content], settings=SETTINGS, arbiter="rules")
    assert result.candidates and not any(STRUCK_TOLD in candidate_block(each.brief) for each in result.candidates)
    line = next(line for line in content.lines if "20" in line.text)
    (excerpt,) = excerpts_of([quoted_of(line, content)], {content.parse_id: content})
    assert excerpt.rows and STRUCK_TOLD not in excerpt_block(excerpt) and "~~" in excerpt.text_in_force
    assert problems_of("The fee is 20 EUR [1].", excerpt) == [[]]


def test_words_are_struck_by_their_spans_whatever_signs_are_beside_or_in_them(tmp_path: Path) -> None:
    text = "- Dogs cost 5~~6 and ~~more.\n\nThe notice is ~~10~20 days~~ 30 days."
    content = content_of_text(text, tmp_path / "pets.md")
    result = retrieve("What is the notice?", [content], settings=SETTINGS, arbiter="rules")
    assert any(STRUCK_TOLD in candidate_block(each.brief) for each in result.candidates)
    (excerpt,) = excerpts_of([quoted_of(content.lines[-1], content)], {content.parse_id: content})
    assert STRUCK_TOLD in excerpt_block(excerpt)
    assert problems_of("Dogs cost 6 [1]. The notice is 30 days [1].", excerpt) == [[], []]
    assert problems_of("The notice is 20 days [1].", excerpt) == [["number_not_cited"]]
    (row,) = (row for row in excerpt.rows if "notice" in row.text)
    assert problems_of("The notice is 20 days [1].", only_rows(excerpt, [row])) == [["number_not_cited"]]


def test_of_a_long_row_what_is_cut_inside_struck_words_is_not_in_force(tmp_path: Path) -> None:
    said = [f"Clause {number} says that the deposit is {number}00 EUR and that it is paid." for number in range(1, 12)]
    text = f"{' '.join(said[:2])} ~~{' '.join(said[2:9])}~~ {' '.join(said[9:])}"
    content = content_of_text(text, tmp_path / "deed.md")
    (excerpt,) = excerpts_of([quoted_of(content.lines[0], content)], {content.parse_id: content})
    (row,) = excerpt.rows
    for number, is_right in ((2, True), *((struck, False) for struck in range(3, 10)), (10, True)):
        cut = sentences_with(said[number - 1], row)
        assert len(cut.text) < len(row.text) and f"{number}00" in cut.text
        (problems,) = problems_of(f"The deposit is {number}00 EUR [1].", only_rows(excerpt, [cut]))
        assert ("number_not_cited" not in problems) == is_right, number


def content_of_text(text: str, path: Path) -> DocumentContent:
    path.write_text(text, encoding="utf-8")
    return content_of_reading(read_markdown(text) if path.suffix == ".md" else read_plain_text(text), path)


def quoted_of(line: LineRow, content: DocumentContent) -> Quoted:
    """A line of a document, kept with the whole document as its context."""
    first, last = content.lines[0], content.lines[-1]
    stored = RunCandidate(
        parse_id=content.parse_id,
        context_text="\n".join(each.text for each in content.lines),
        context_first_page=1,
        context_last_page=1,
        context_first_line=first.number,
        context_last_line=last.number,
        anchor_first_line=line.number,
        anchor_last_line=line.number,
        anchor_pieces=[],
    )
    return Quoted(1, stored, line.text)


def problems_of(answer: str, excerpt: Excerpt) -> list[list[str]]:
    return [check["problems"] for check in check_sentences(answer, [excerpt])]


FORM = content_of_lines(["# Payment", ("☑ Every month", "list_item"), ("☐ Every quarter", "list_item")])


def headline_of_form(contradictions: list[dict[str, str]], struck: str = "") -> list[str]:
    content = replace(FORM, lines=tuple(with_struck(line, struck if line.number == 2 else "") for line in FORM.lines))
    parsed = asdict(parse_question("How often is the payment made?", [content]))
    candidate = RunCandidate(
        parse_id="form",
        role="primary",
        anchor_first_line=1,
        anchor_last_line=1,
        context_first_line=1,
        context_last_line=3,
    )
    run = RetrievalRun(parsed=parsed, contradictions=contradictions)
    return [each.text for each in headlines_of(run, [candidate], {"form": content})]


def test_an_option_is_no_headline_where_it_is_struck_or_passages_disagree() -> None:
    assert headline_of_form([]) == ["☑ Every month"]
    assert headline_of_form([{"reason": "they differ"}]) == []
    assert headline_of_form([], struck="month") == []


def test_a_number_that_is_struck_is_none() -> None:
    line = content_of_lines(["The notice is 40 or 50 days."]).lines[0]
    assert [each.text for each in numbers_in_text(with_struck(line, "40 or"), "en")] == ["50"]


def test_an_amending_sentence_that_is_struck_amends_nothing() -> None:
    content = content_of_lines(["# Deed", "Clause 4.1 is deleted.", "Clause 5.1 is deleted."])
    content = replace(content, lines=tuple(with_struck(each, each.text * (each.number == 2)) for each in content.lines))
    assert [each.clause for each in amendments_in(content)] == [("5.1",)]
