"""The acceptance questions of lists A and N (docs/requirements.md) on the shared documents, judged by the rules."""

import pytest

from llm.embeddings.bundled import is_available
from retrieval.candidates.calibration import calibrate
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, shared_content
from retrieval.types import ABSENT, LineRange, Mode, RetrievalResult, Settled

PAPER, CSF, ADOBE = "papers/1706.03762v7.pdf", "papers/NIST.CSWP.29.pdf", "financebench/ADOBE_2015_10K.pdf"


def ask(name: str, question: str, mode: Mode = "balanced") -> RetrievalResult:
    return retrieve(question, [shared_content(name)], settings=SETTINGS, mode=mode, arbiter="rules")


def primaries(result: RetrievalResult) -> list[Settled]:
    return [candidate for candidate in result.candidates if candidate.verdict.role == "primary"]


@pytest.mark.parametrize(
    ("question", "page", "section"),
    [
        pytest.param("How is attention computed?", 4, "Scaled Dot-Product Attention", id="A1"),
        pytest.param("What positional encoding does the paper use?", 6, "Positional Encoding", id="A2"),
        pytest.param("Label smoothing value?", 8, "Regularization", id="A9"),
        pytest.param("How many warmup steps?", 7, "Optimizer", id="A9, the warmup steps"),
    ],
)
def test_it_finds_the_section_of_the_paper(question: str, page: int, section: str) -> None:
    first = primaries(ask(PAPER, question))[0]
    assert (first.anchor_pages[0], first.section_title) == (page, section)


def test_it_prefers_the_section_to_the_best_single_line() -> None:
    """A2: the best line by words stands on page 9."""
    assert {
        candidate.anchor_pages[0] for candidate in primaries(ask(PAPER, "What positional encoding does the paper use?"))
    } == {6}


def test_it_quotes_the_source_literally() -> None:
    content = shared_content(PAPER)
    pages = {
        page.number: "\n".join(line.text for line in content.lines if line.page_number == page.number)
        for page in content.pages
    }
    for candidate in ask(PAPER, "How is attention computed?").kept():
        assert candidate.quote.text
        assert candidate.quote.text in pages[candidate.anchor_pages[0]]


def test_it_finds_an_identifier_set_without_its_underscore() -> None:
    """A7: "d_model" never occurs in the text."""
    result = ask(PAPER, "What is the value of d_model in the base model?")
    assert any("512" in candidate.quote.text for candidate in primaries(result))


@pytest.mark.parametrize(
    ("name", "question", "places"),
    [
        pytest.param(
            PAPER,
            "How does the Transformer handle long-range dependencies between words?",
            {(6, "Why Self-Attention")},
            id="A4",
        ),
        pytest.param(
            PAPER,
            "Which regularization techniques, and where is the impact on BLEU shown?",
            {(7, "Regularization")},
            id="A5, its first half",
        ),
        pytest.param(
            PAPER,
            "How do learned and sinusoidal positional embeddings compare?",
            {(6, "Positional Encoding"), (9, "Model Variations")},
            id="A6",
        ),
        pytest.param(CSF, "What are the Tiers?", {(12, "3.2. CSF Tiers")}, id="N5"),
    ],
)
def test_what_is_asked_for_is_among_the_primaries(name: str, question: str, places: set[tuple[int, str]]) -> None:
    found = {(candidate.anchor_pages[0], candidate.section_title) for candidate in primaries(ask(name, question))}
    assert places <= found


REGULARIZATION = "Which regularization techniques, and where is the impact on BLEU shown?"


def test_a_listing_with_a_second_half_is_two_questions() -> None:
    """A5: the flags that need no model."""
    result = ask(PAPER, REGULARIZATION, mode="thorough")
    assert all(result.plan.is_on(name) for name in ("titles", "keywords", "parts", "cross_references"))


def test_it_follows_the_text_to_the_table_that_shows_it() -> None:
    """A5, its second half: the table on page 9, with the rows the text is about."""
    kept = ask(PAPER, REGULARIZATION, mode="thorough").kept()
    table = next(candidate for candidate in kept if candidate.referred.startswith("Table 3"))
    assert table.anchor_pages == (9, 9)
    assert "(E) positional embedding" in table.context.text and "(D)" in table.context.text


def test_it_follows_the_text_to_the_row_of_a_table() -> None:
    """A6: "see Table 3 row (E)" on page 6."""
    kept = ask(PAPER, "How do learned positional embeddings do instead of sinusoidal ones?", mode="thorough").kept()
    row = next(candidate for candidate in kept if candidate.referred == "Table 3 row (E), named on p. 6")
    assert row.anchor_pages == (9, 9)
    assert "4.92 25.7" in row.quote.text


def test_a_figure_is_its_caption_and_not_its_line_in_the_contents() -> None:
    """N5: "Fig. 4" on page 12 is page 13, not the list of figures on page 4."""
    result = ask(CSF, "How are the Tiers described and illustrated?", mode="thorough")
    figure = next(candidate for candidate in result.kept() if candidate.referred.startswith("Figure 4"))
    assert figure.anchor_pages == (13, 13)


def test_a_date_that_is_not_there_is_not_invented() -> None:
    """A11: the words occur, the date does not."""
    result = ask(PAPER, "On what date was 8-head attention first deployed at Google?")
    assert (result.status, result.question.answer_type) == ("not_found", "date")
    assert "(date) stands beside the words" in result.not_found_reason
    assert result.candidates and not result.kept()


def test_a_quote_spans_the_lines_it_stands_on() -> None:
    """A3."""
    content = shared_content(PAPER)
    said = "There are many choices of positional encodings, learned and fixed [9]."
    first = next(line.number for line in content.lines if "There are many choices" in line.text)
    quote = calibrate(said, content, LineRange(first, first + 2), LineRange(first, first + 2))
    assert " ".join(quote.text.split()) == said
    assert [piece.line_number for piece in quote.pieces] == [first, first + 1]
    assert calibrate(said, content, LineRange(first + 2, first + 2), LineRange(first + 2, first + 2)).text == ""


@pytest.mark.parametrize(
    "question", ["Why does this model train faster than RNNs?", "What is the intuition behind attention?"]
)
def test_a_conceptual_question_is_searched_by_meaning_too(question: str) -> None:
    """A12."""
    assert ask(PAPER, question).status == "found"
    if not is_available():
        pytest.skip("the encoder's weights are not installed")
    assert ask(PAPER, question).plan.is_on("vectors")


def test_it_serves_both_parts_of_a_compound_question() -> None:
    """A8."""
    result = ask(PAPER, "What is d_model and what is d_k?")
    assert len(result.question.parts) == 2
    assert {part for candidate in primaries(result) for part in candidate.parts} == {1, 2}


def test_a_year_does_not_save_a_topic_that_is_not_there() -> None:
    """A10."""
    result = ask(PAPER, "What was the company's annual revenue in 2024?")
    assert result.status in ABSENT
    assert "revenue" in result.not_found_reason
    assert {word.text: word.count for word in result.searched}["revenue"] == 0
    assert (result.candidates, result.confidence) == ((), 0.0)


def test_it_corrects_a_slip_before_it_searches() -> None:
    """A13."""
    result = ask(PAPER, "How does multi-head atention compare to self-atention?")
    assert "attention" in {keyword.text for keyword in result.question.keywords}
    assert result.question.corrected == "How does multi-head attention compare to self-attention?"


def test_a_named_page_is_kept_without_any_word() -> None:
    """A14."""
    result = ask(PAPER, "What does it say on page 3?")
    assert [candidate.anchor_pages for candidate in result.candidates] == [(3, 3)]
    assert result.candidates[0].verdict.role == "primary"


def test_a_vague_question_is_asked_back() -> None:
    """A15."""
    result = ask(PAPER, "What's the cap?")
    assert result.status == "clarify"
    assert "cap" in result.question.clarification
    assert not result.candidates


def test_it_finds_the_six_functions() -> None:
    """N1."""
    text = " ".join(candidate.context.text for candidate in primaries(ask(CSF, "What are the CSF Functions?")))
    assert all(name in text.upper() for name in ("GOVERN", "IDENTIFY", "PROTECT", "DETECT", "RESPOND", "RECOVER"))


@pytest.mark.parametrize(
    ("question", "page"),
    [
        pytest.param("All Categories under GOVERN, and which covers supply chain risk?", 20, id="N2"),
        pytest.param("What does ID.AM cover?", 23, id="N3"),
        pytest.param("Categories under Identify?", 20, id="N4"),
    ],
)
def test_it_finds_the_page_of_the_framework(question: str, page: int) -> None:
    assert page in {candidate.anchor_pages[0] for candidate in primaries(ask(CSF, question))}


def test_running_headers_are_no_hits() -> None:
    """N6."""
    content = shared_content(CSF)
    pages = {
        content.lines[hit.lines.first - 1].page_number for hit in ask(CSF, "framework").hits if hit.method == "keywords"
    }
    assert 0 < len(pages) < len(content.pages)


def test_it_cites_the_row_of_the_balance_sheet() -> None:
    first = primaries(ask(ADOBE, "What were the total current liabilities at the end of fiscal 2015?"))[0]
    assert first.quote.text.startswith("Total current liabilities")
    assert "2,213,556" in first.quote.text


def test_the_same_question_gives_the_same_result() -> None:
    def frozen() -> str:
        result = ask(PAPER, "How do learned and sinusoidal positional embeddings compare?")
        return repr((result.hits, result.candidates, result.ranking, result.gates, result.searched))

    assert frozen() == frozen()
