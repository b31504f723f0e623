"""What becomes of candidates: the order of the verdicts, the boxes of what was quoted, the context handed on."""

import pytest

from documents.storage.content import DocumentContent
from retrieval.briefs import share_room
from retrieval.candidates.aggregation import aggregate
from retrieval.candidates.settle import settle
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import Briefed, Hit, LineRange, Question, Ranking, Verdict

NOTICE, FEE = 10, 15  # lines of the policy


@pytest.fixture
def question(policy: DocumentContent) -> Question:
    return parse_question("What is the notice period?", [policy])


@pytest.fixture
def found(policy: DocumentContent, question: Question) -> tuple[Briefed, ...]:
    hits = [
        Hit("keywords", policy.document_id, LineRange(number, number), 1.0, ("notice",)) for number in (NOTICE, FEE)
    ]
    return aggregate(hits, question, [policy], pool_max=2).candidates


def ranked(*verdicts: Verdict) -> Ranking:
    return Ranking("model", "ran", verdicts)


def test_candidates_come_in_the_order_of_their_verdicts(
    policy: DocumentContent, question: Question, found: tuple[Briefed, ...]
) -> None:
    """R44, R61."""
    first, second = found
    ranking = ranked(Verdict(second.candidate_id, "primary", "b"), Verdict(first.candidate_id, "discarded", "a"))
    settled = settle(found, ranking, question, [policy])
    assert [(one.candidate_id, one.verdict.role) for one in settled] == [
        (second.candidate_id, "primary"),
        (first.candidate_id, "discarded"),
    ]
    assert all(one.anchor.first >= one.context.lines.first and one.context.text for one in settled)


def test_boxes_are_those_of_the_quote_else_of_the_anchor(
    policy: DocumentContent, question: Question, found: tuple[Briefed, ...]
) -> None:
    name = found[0].candidate_id
    quote = "The notice period is thirty days"
    (quoted,) = settle(found, ranked(Verdict(name, "primary", "", quote)), question, [policy])
    (unquoted,) = settle(found, ranked(Verdict(name, "tangential", "")), question, [policy])
    assert (quoted.quote.text, quoted.quote.repair.status) == (quote, "exact")
    assert (unquoted.quote.text, unquoted.quote.repair.status) == ("", "none")
    (narrow,), (whole,) = quoted.boxes, unquoted.boxes
    assert narrow.page_number == whole.page_number == 2 and narrow.x0 == whole.x0 and narrow.x1 < whole.x1


def test_the_section_is_that_of_what_is_quoted(
    policy: DocumentContent, question: Question, found: tuple[Briefed, ...]
) -> None:
    name = found[0].candidate_id
    (own,) = settle(found, ranked(Verdict(name, "primary", "", "The notice period")), question, [policy])
    (below,) = settle(found, ranked(Verdict(name, "primary", "", "Reminder fee $ 12.50")), question, [policy])
    assert (own.section_title, below.section_title) == ("Termination", "Schedule of fees")
    assert below.breadcrumb == policy.toc_by_index[below.toc_index].breadcrumb != own.breadcrumb
    assert below.candidate_id == own.candidate_id


def test_what_the_page_does_not_say_has_no_quote(
    policy: DocumentContent, question: Question, found: tuple[Briefed, ...]
) -> None:
    invented = Verdict(found[0].candidate_id, "primary", "", "The notice period is one whole year")
    (settled,) = settle(found, ranked(invented), question, [policy])
    assert settled.quote.text in policy.lines[NOTICE - 1].text and "year" not in settled.quote.text


def test_what_a_model_was_shown_can_be_quoted_and_is_handed_on() -> None:
    content = content_of_lines(["# Notice", *(f"Rule {number} of the notice is kept." for number in range(1, 40))])
    asked = parse_question("notice", [content])
    hit = Hit("keywords", content.document_id, LineRange(5, 5), 1.0, ("notice",))
    (found,) = share_room(aggregate([hit], asked, [content], pool_max=1).candidates, "", [content])
    assert "Rule 30 of" in found.brief.snippet
    verdict = Verdict(found.candidate_id, "primary", "", "Rule 30 of the notice is kept.")
    (settled,) = settle([found], ranked(verdict), asked, [content])
    assert settled.quote.repair.status == "exact" and settled.quote.pieces[0].line_number == 31
    assert all(line in settled.context.text for line in found.brief.snippet.splitlines())
