"""Hits become candidates: where they are, what they carry, how many there may be."""

import pytest

from documents.storage.content import DocumentContent
from reading.rows import LineKind
from retrieval.candidates import aggregation
from retrieval.candidates.aggregation import aggregate
from retrieval.detectors import DETECTORS
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import SETTINGS, Written, content_of_lines
from retrieval.types import Candidate, Hit, LineRange, Method


def candidates(text: str, *contents: DocumentContent, pool_max: int = 40) -> tuple[Candidate, ...]:
    question = parse_question(text, contents)
    hits = [hit for detect in DETECTORS.values() for content in contents for hit in detect(question, content)]
    return aggregate(hits, question, contents, pool_max=pool_max).candidates


def test_no_hit_no_candidate(policy: DocumentContent) -> None:
    assert candidates("earthquake", policy) == ()


def test_a_candidate_knows_its_place(policy: DocumentContent) -> None:
    """R41, R43."""
    found = candidates("What is the notice period?", policy)[0]
    assert found.anchor == LineRange(10, 10)
    assert (found.candidate_id, found.anchor_pages, found.section_title) == ("p2-l10-10", (2, 2), "Termination")
    assert found.anchor_text == policy.lines[9].text
    assert set(found.matched_keywords) == {"notice", "period"}
    assert found.co_occurrence and found.line_score == 6


def test_an_anchor_is_the_whole_sentence(policy: DocumentContent) -> None:
    found = candidates("learned choices", policy)[0]
    assert found.anchor == LineRange(6, 7)


def test_hits_of_one_place_are_one_candidate() -> None:
    """R41."""
    content = content_of_lines(["A fee.", "Another fee.", "A third fee."])
    assert len(candidates("fee", content)) == 1


def test_sections_on_one_page_are_apart(policy: DocumentContent) -> None:
    """R40."""
    sections = [found.section_title for found in candidates("premium notice fee", policy)]
    assert {"Summary of the contract", "Termination", "Schedule of fees"} <= set(sections)


def test_without_contents_hits_of_one_page_are_apart_from_those_of_another() -> None:
    """(R40) Else by page."""
    content = content_of_lines(["A fee is due.", "The fee is small.", "---", "No fee is due later."])
    assert len(content.toc) == 1 and not content.has_usable_toc
    assert sorted(found.anchor_pages for found in candidates("fee", content)) == [(1, 1), (2, 2)]


def test_a_long_section_is_several_candidates() -> None:
    content = content_of_lines(["# Fees", *["The fee is due.", *["x"] * 20, "---"] * 5])
    pages = [found.anchor_pages[0] for found in candidates("fee", content)]
    assert sorted(pages) == [1, 2, 3, 4, 5]


def test_consecutive_rows_are_one_candidate(policy: DocumentContent) -> None:
    found = next(found for found in candidates("fee", policy) if policy.lines[found.best_line - 1].kind == "table_row")
    assert found.anchor == LineRange(13, 15)


def test_one_row_that_leads_stands_alone(policy: DocumentContent) -> None:
    found = next(found for found in candidates("How much is the reminder fee?", policy))
    assert (found.anchor_text, found.type_match) == ("Reminder fee $ 12.50", True)


def test_a_row_that_is_pointed_at_stays_so_where_its_head_leads_to_it() -> None:
    row: LineKind = "table_row"
    rows = [
        "| State | Handgun checks | Long gun checks |",
        "| Alaska | 3,062 | 3,209 |",
        "| Arizona | 12,382 | 9,041 |",
    ]
    content = content_of_lines(["# Checks", *((text, row) for text in rows)])
    question = parse_question("How many long gun and handgun checks of each state, in Alaska?", [content])
    hits = [hit for detect in DETECTORS.values() for hit in detect(question, content)]
    hits.append(Hit("pinned", content.document_id, LineRange(3, 3), 1.0))
    found = aggregate(hits, question, [content], pool_max=40).candidates
    assert [("pinned" in each.methods) for each in found if each.anchor == LineRange(3, 3)] == [True]


def test_a_heading_is_not_the_anchor_when_text_stands_below(policy: DocumentContent) -> None:
    kinds = {policy.lines[found.best_line - 1].kind for found in candidates("termination notice", policy)}
    assert "heading" not in kinds


def test_a_title_alone_makes_a_candidate_of_its_section() -> None:
    content = content_of_lines(["# Penalties", "Nothing else is said.", "# Other", "x"])
    found = candidates("penalties", content)[0]
    assert found.exact_title
    assert "Nothing else is said." in found.anchor_text


def test_ids_name_the_document_when_there_are_several(policy: DocumentContent) -> None:
    other = content_of_lines(["The premium is low."], number=2)
    found = candidates("premium", policy, other)
    assert {each.candidate_id.split("-")[0] for each in found} == {policy.sha256[:6], other.sha256[:6]}
    assert len({each.candidate_id for each in found}) == len(found)


def test_the_pool_has_an_end_and_takes_every_page_first() -> None:
    content = content_of_lines(["# Fees", *["A fee.", *["x"] * 9, "A fee.", "---"] * 6])
    found = candidates("fee", content, pool_max=6)
    assert sorted(each.anchor_pages[0] for each in found) == [1, 2, 3, 4, 5, 6]


def test_rrf_ranks_are_logged_in_order(policy: DocumentContent) -> None:
    ranks = [found.rrf_rank for found in candidates("premium notice fee", policy)]
    assert ranks == sorted(ranks) and ranks[0] == 1


def test_furniture_is_in_no_snippet(policy: DocumentContent) -> None:
    snippets = [found.snippet for found in candidates("floods premium notice", policy)]
    assert snippets and not any("Example Company  page 2" in snippet for snippet in snippets)


def test_a_pinned_page_is_a_candidate_without_words(policy: DocumentContent) -> None:
    pin = Hit("pinned", policy.document_id, LineRange(9, 16), 1.0)
    found = aggregate([pin], parse_question("page 2", [policy]), [policy], pool_max=5).candidates
    assert [(each.methods, each.anchor_pages) for each in found] == [(("pinned",), (2, 2))]


@pytest.mark.parametrize("method", ["pinned", "titles", "whole"])
def test_pages_that_are_pictures_are_no_place(method: Method) -> None:
    """They have page numbers alone, and contents that name them."""
    content = content_of_lines([("1", "furniture"), "---", ("2", "furniture")])
    hit = Hit(method, content.document_id, LineRange(1, 2), 1.0)
    found = aggregate([hit], parse_question("page 2", [content]), [content], pool_max=5)
    assert found.candidates == () and found.left_out == ()


def test_a_part_is_remembered(policy: DocumentContent) -> None:
    hit = Hit("keywords", policy.document_id, LineRange(3, 3), 1.0, ("premium",), 1, part=2)
    assert aggregate([hit], parse_question("premium", [policy]), [policy], pool_max=5).candidates[0].parts == (2,)


@pytest.mark.parametrize(
    ("share", "word", "faint"),
    [(0.2, "agreement", True), (0.2, "deductible", False), (0.4, "agreement", False), (0.2, "unknown", False)],
)
def test_a_word_that_stands_everywhere_says_little(share: float, word: str, faint: bool) -> None:
    content = content_of_lines(["The agreement."])
    hit = Hit("keywords", content.document_id, LineRange(1, 1), share, (word,))
    cluster = aggregation.HitCluster(content, 1, [hit])
    assert aggregation.is_faint(cluster, {"agreement": 0.4, "deductible": 0.9}) is faint


def test_the_table_a_question_names_counts() -> None:
    """R21: "in the table" changed nothing in balanced mode."""
    row: Written = ("The reminder fee is 5.", "table_row")
    content = content_of_lines(["# Prose", "The reminder fee is 5.", "---", "# Schedule", row])

    def lead_of_row(text: str) -> float:
        strength = {each.section_title: each.strength for each in candidates(text, content)}
        return strength["Schedule"] - strength["Prose"]

    assert lead_of_row("What is the reminder fee?") == 0
    assert lead_of_row("What is the reminder fee in the table?") == pytest.approx(aggregation.TYPE_WEIGHT)


@pytest.mark.parametrize(
    ("kind", "text", "layout", "laid_out"),
    [
        ("table_row", "Fee 5", "table", True),
        ("table_row", "Fee 5", "figure", False),
        ("table_row", "Fee 5", "", False),
        ("caption", "Table 2: fees", "table", True),
        ("caption", "Figure 2: fees", "table", False),
        ("caption", "Figure 2: fees", "figure", True),
        ("body", "The table shows fees", "table", False),
    ],
)
def test_what_is_in_a_table_or_figure(kind: LineKind, text: str, layout: str, laid_out: bool) -> None:
    assert aggregation.is_laid_out(content_of_lines([(text, kind)]).lines[0], layout) is laid_out


@pytest.mark.parametrize("is_last", [False, True])
@pytest.mark.parametrize(
    ("language", "question", "value", "other"),
    [
        ("en", "How much is the rent?", "The rent is EUR 1,200 a month.", "The monthly rent is payable in advance."),
        ("en", "How long is the term?", "The term is five years.", "The term may be prolonged by either party."),
        ("fr", "Quel est le montant du loyer ?", "Le loyer est de 1 200 EUR.", "Le loyer est payable d'avance."),
        ("es", "¿Cuánto es la renta?", "La renta es de 1.200 EUR.", "La renta se paga por adelantado."),
    ],
)
def test_of_lines_that_say_as_much_the_one_with_a_value_is_quoted(
    language: str, question: str, value: str, other: str, is_last: bool
) -> None:
    """R30."""
    content = content_of_lines(["# 1", *((other, value) if is_last else (value, other))], language=language)
    result = retrieve(question, [content], settings=SETTINGS, arbiter="rules")
    assert result.status == "found" and result.kept()[0].quote.text == value
