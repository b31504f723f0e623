"""A document of a page or two is judged whole (R36)."""

from documents.storage.content import DocumentContent
from llm.conftest import Serve
from retrieval import dispatch
from retrieval.candidates.aggregation import aggregate
from retrieval.candidates.settle import settle
from retrieval.detectors.run import detect
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.types import Briefed, Ranking, Verdict

LEASE = content_of_lines(
    [
        *("# Rent", "The rent is EUR 900 a month.", "It is payable on the first."),
        *("# Pets", "Dogs and cats may be kept.", "Other animals need consent in writing."),
        *("# Repairs", "The landlord repairs the roof."),
    ],
    title="Lease",
)
QUESTION = "May I keep a tortoise?"


def test_every_section_of_a_page_is_judged() -> None:
    """(R36)"""
    result = retrieve(QUESTION, [LEASE], settings=SETTINGS, arbiter="rules")
    flag = next(flag for flag in result.plan.flags if flag.name == "whole_document")
    assert (flag.on, flag.reason) == (True, "1 page: every passage is judged, with or without a hit")
    assert {each.section_title for each in result.candidates} == {"Rent", "Pets", "Repairs"}
    assert all(each.verdict.reason for each in result.candidates)


def test_what_no_word_speaks_for_proves_nothing() -> None:
    result = retrieve("Who insures helicopters?", [LEASE], settings=SETTINGS, arbiter="rules")
    assert result.status == "not_found"
    assert len(result.candidates) == 3 and {each.verdict.role for each in result.candidates} == {"discarded"}
    assert {each.verdict.rule for each in result.candidates} == {"no signal"}


def test_a_model_reads_the_whole_of_it(serve: Serve) -> None:
    server = serve("good")
    result = retrieve(QUESTION, [LEASE], settings=SETTINGS, arbiter="model")
    shown = server.requests[0].body["input"]
    assert all(line.text in shown for line in LEASE.lines)
    assert "methods: whole" in shown
    pets = next(each for each in result.candidates if each.section_title == "Pets")
    assert pets.context.lines.first <= 4 and pets.context.lines.last >= 6


def test_a_long_document_is_searched() -> None:
    """(R36)"""
    pages = [line for n in range(3) for line in (f"# Section {n}", "Nothing of note.", "---")]
    result = retrieve(QUESTION, [content_of_lines(["Keep it.", *pages])], settings=SETTINGS, arbiter="rules")
    flag = next(flag for flag in result.plan.flags if flag.name == "whole_document")
    assert (flag.on, flag.reason) == (False, "searched: it has 4 pages of 7 lines")
    assert not any("whole" in each.methods for each in result.candidates)


def test_a_text_without_pages_is_measured_by_its_lines() -> None:
    long = content_of_lines(["# Rent", *["The rent is due."] * 250])
    assert not retrieve(QUESTION, [long], settings=SETTINGS, arbiter="rules").plan.is_on("whole_document")


def test_a_quote_from_elsewhere_in_the_passage_is_literal_and_in_its_context() -> None:
    lines = ["The rent is EUR 900.", *(f"Rule {n} of the house." for n in range(30)), "A tortoise may be kept."]
    content = content_of_lines(["# House", *lines])
    (candidate,) = [each for each in aggregated(content) if each.anchor.first == 2]
    verdict = Verdict(candidate.candidate_id, "primary", "It says so.", "A tortoise may be kept.")
    ranking = Ranking("model", "ran", (verdict,))
    (settled,) = settle([candidate], ranking, parse_question("rent", [content]), [content])
    assert (settled.quote.text, settled.quote.repair.status) == ("A tortoise may be kept.", "exact")
    assert settled.context.lines.last == 33 and "tortoise" in settled.context.text


def aggregated(content: DocumentContent) -> tuple[Briefed, ...]:
    question = parse_question("What is the rent?", [content])
    hits, _ = detect(question, dispatch.plan(question, [content], SETTINGS, "balanced"), [content])
    return aggregate(hits, question, [content], pool_max=40).candidates
