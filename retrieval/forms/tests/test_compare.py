"""Every side of a comparison is searched by itself; what has nothing is told beside what has."""

from dataclasses import replace
from typing import Any

import pytest

from llm.conftest import Serve
from retrieval.forms.compare import lower_faint, merge_words
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.record.storing import result_row
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.told.clauses import recorded_facts
from retrieval.types import KEPT_ROLES, RetrievalResult, SearchedWord, Settled
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import weigh_terms

LEASE = content_of_lines(
    [
        "# Term",
        "The lease runs for five years.",
        "# Liability",
        "The landlord's liability is limited to the rent of a year.",
        "# Governing law",
        "This lease is governed by the law of Ireland.",
    ],
    title="Lease, Acme Sheds",
)
LICENCE = content_of_lines(
    [
        "# Duration",
        "The licence is granted for one year.",
        "# Governing law",
        "The law of France governs this licence.",
        "# Use",
        "The licensee may install the program on ten machines.",
    ],
    title="Software Licence, Globex",
    number=2,
)
BOTH = (LEASE, LICENCE)


def compare(question: str, contents: Any = BOTH, **options: Any) -> RetrievalResult:
    return retrieve(question, contents, settings=SETTINGS, **{"arbiter": "rules"} | options)


def quotes(result: RetrievalResult, side: int) -> list[str]:
    by_id: dict[str, Settled] = {each.candidate_id: each for each in result.candidates}
    return [by_id[key].quote.text for key in result.parts[side].candidate_ids]


def test_each_document_answers_with_its_own_quote() -> None:
    result = compare("Compare the governing law of the lease and the licence")
    assert (result.status, result_row(result).is_partial) == ("found", False)
    assert [(part.subject, part.outcome) for part in result.parts] == [
        ("Lease, Acme Sheds", "found"),
        ("Software Licence, Globex", "found"),
    ]
    assert quotes(result, 0)[0] == "This lease is governed by the law of Ireland."
    assert quotes(result, 1)[0] == "The law of France governs this licence."
    owners = [{result_of(result, key) for key in part.candidate_ids} for part in result.parts]
    assert owners == [{LEASE.document_id}, {LICENCE.document_id}]
    assert len({each.rrf_rank for each in result.candidates}) == len(result.candidates)


def result_of(result: RetrievalResult, key: str) -> str:
    return next(each.document_id for each in result.candidates if each.candidate_id == key)


def test_a_side_without_an_answer_makes_it_partial_and_is_named() -> None:
    result = compare("Compare the liability of the lease and the licence")
    assert (result.status, result_row(result).is_partial) == ("found", True)
    assert result.ranking.answerable_reason == "nothing was found in Software Licence, Globex"
    lacking = result.parts[1]
    assert (lacking.outcome, lacking.missing, lacking.candidate_ids) == ("not_found", ("liability",), ())


def test_nothing_on_any_side_is_not_found() -> None:
    result = compare("Compare the lease and the licence on helicopters")
    assert (result.status, result.kept()) == ("not_found", ())
    assert {part.outcome for part in result.parts} == {"not_found"}
    assert "Lease, Acme Sheds: “helicopters” stands nowhere" in result.not_found_reason
    assert {word.text: word.count for word in result.searched} == {"helicopters": 0}


def test_a_line_that_two_sides_read_counts_once() -> None:
    lease, licence, both = (
        replace(compare("Who pays the rent?", contents), searched=(SearchedWord("rent", ("rent",), count),))
        for contents, count in (((LEASE,), 1), ((LICENCE,), 1), (BOTH, 3))
    )
    assert [word.count for word in merge_words([lease, both], BOTH)] == [3]
    assert [word.count for word in merge_words([both, lease], BOTH)] == [3]
    assert [word.count for word in merge_words([lease, licence], BOTH)] == [2]


def test_of_sides_that_overlap_the_documents_of_each_count_once() -> None:
    law = content_of_lines(["# Law", "The law of Spain governs.", "No other law does."], title="Law", number=3)
    pairs = [compare("Which law governs?", contents) for contents in ((LEASE, LICENCE), (LICENCE, law))]
    counted = [{word.text: word.count for word in each.searched}["law"] for each in pairs]
    every = {word.text: word.count for word in compare("Which law governs?", (*BOTH, law)).searched}["law"]
    merged = {word.text: word.count for word in merge_words(pairs, (*BOTH, law))}
    assert max(counted) < merged["law"] == every < sum(counted)


def test_a_quote_without_the_word_that_matters_is_no_side() -> None:
    other = content_of_lines(["# Machines", "The rent of ten machines is paid each year."], title="Manual", number=2)
    result = compare("Compare the lease and the manual on liability for rent", (LEASE, other))
    assert [(part.outcome, part.missing) for part in result.parts] == [("found", ()), ("not_found", ("liability",))]
    assert result_row(result).is_partial and {each.document_id for each in result.kept()} == {LEASE.document_id}


def test_what_is_too_faint_for_a_side_is_never_said_to_support_it() -> None:
    other = content_of_lines(["# Machines", "The rent of ten machines is paid each year."], title="Manual", number=2)
    result = compare("Compare the lease and the manual on liability for rent", (LEASE, other))
    faint = [each.verdict for each in result.candidates if each.document_id == other.document_id]
    assert faint and {each.role for each in faint} <= {"tangential", "discarded"}
    told = [str(each.reason) for each in faint if each.role == "tangential"]
    assert told and all(each.endswith("It has too little of what is asked of this side.") for each in told)
    assert not any("enough to support" in each or "No passage says more" in each for each in told)
    assert all(
        recorded_facts(each.reason)["weight"] == {"code": "faint"} for each in faint if each.role == "tangential"
    )


def test_two_things_of_one_document_are_searched_each() -> None:
    content = content_of_lines(
        [
            "# Signs",
            "A precursor is a sign that an incident may occur.",
            "An indication is a sign that an incident has occurred.",
            "# Other",
            "Nothing else is said here of it.",
        ]
    )
    result = compare("What is the difference between a precursor and an indication?", (content,))
    assert [part.subject for part in result.parts] == ["precursor", "indication"]
    assert quotes(result, 0) == ["A precursor is a sign that an incident may occur."]
    assert quotes(result, 1) == ["An indication is a sign that an incident has occurred."]


def test_documents_compared_as_a_whole_are_outlined() -> None:
    result = compare("Compare the lease and the licence")
    assert [part.outcome for part in result.parts] == ["found", "found"]
    assert {method for each in result.candidates for method in each.methods} == {"outline"}
    assert quotes(result, 1)[:1] == ["The licence is granted for one year."]


def test_what_does_not_name_the_thing_is_no_quote_of_it() -> None:
    """Much of what is asked of the other side alone would stand under its name."""
    lease = content_of_lines(["# Notice", "The notice period is six weeks, and notice is written."], title="Lease")
    found = compare("What is the notice period?", (lease,)).candidates
    asked = parse_question("dividend of Acme notice period", [lease])
    terms = {lease.document_id: weigh_terms(asked, lexicon_of(lease))}
    kept = {
        thing: any(each.verdict.role in KEPT_ROLES for each in lower_faint(found, terms, 0.1, thing))
        for thing in ("", "notice period", "dividend of Acme")
    }
    assert kept == {"": True, "notice period": True, "dividend of Acme": False}


def test_the_record_says_that_each_side_was_searched_by_itself() -> None:
    result = compare("Compare the governing law of the lease and the licence")
    first = result.plan.flags[0]
    assert (first.name, first.on) == ("compare", True)
    assert first.reason.startswith("2 things are compared, each is searched by itself: “Lease, Acme Sheds”")
    assert {hit.part for hit in result.hits} == {1, 2} and result.plan.is_on("keywords")
    assert result.question.parts == ("Lease, Acme Sheds: governing law", "Software Licence, Globex: governing law")


def test_a_model_judges_the_places_of_all_sides_in_one_call(serve: Serve) -> None:
    server = serve("good")
    result = compare("Compare the governing law of the lease and the licence", arbiter="model")
    assert len(server.requests) == 1 and result.ranking.arbiter == "model" and result.toc_shown
    assert [part.outcome for part in result.parts] == ["found", "found"]


@pytest.mark.parametrize(
    "question", ["Compare the lease and the licence on the term", "Compare lease and licence on law"]
)
def test_a_vague_respect_is_searched_and_not_asked_back(question: str) -> None:
    assert compare(question).status != "clarify"
