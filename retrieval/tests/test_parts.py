"""Every part of a question has its own outcome (R22): found, weak, not found, and which of its words occur nowhere."""

import pytest

from documents.storage.content import DocumentContent
from llm.conftest import Serve
from retrieval.pipeline import retrieve
from retrieval.record.as_json import result_json
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.types import ArbiterName, RetrievalResult

HALF = "What is the notice period, and the shoe size of the chairman?"
AGREEMENT = content_of_lines(
    [
        *(
            "# Notice",
            "The notice period is thirty days before the end of a year.",
            "Notice is given in writing.",
            "---",
        ),
        *("# Fees", "The cleaning fee is EUR 40 a month and is paid by the tenant.", "---"),
        *("# Board", "The chairman of the tenants' association is elected each spring.", "---"),
        *("# Law", "This agreement is governed by the law of Norway."),
    ],
    title="Agreement",
)


def ask(text: str, content: DocumentContent = AGREEMENT, arbiter: ArbiterName = "rules") -> RetrievalResult:
    return retrieve(text, [content], settings=SETTINGS, arbiter=arbiter)


def outcomes(result: RetrievalResult) -> dict[str, str]:
    return {part.subject: part.outcome for part in result.parts}


def test_the_half_that_is_not_there_is_told() -> None:
    """(R22)"""
    result = ask(HALF)
    assert result.status == "found"
    assert outcomes(result) == {"notice period": "found", "shoe size of the chairman": "not_found"}
    period, shoe = result.parts
    quoted = {each.candidate_id: each.quote.text for each in result.kept()}
    assert "thirty days" in quoted[period.candidate_ids[0]]
    assert shoe.candidate_ids == () and "shoe" in shoe.missing
    assert shoe.reason.startswith("no page that was read mentions “shoe”")


def test_no_passage_is_an_answer_because_of_the_half_that_is_not_there() -> None:
    assert [each.section_title for each in ask(HALF).candidates if each.verdict.role == "primary"] == ["Notice"]


def test_both_halves_are_found() -> None:
    result = ask("What is the notice period, and who pays the cleaning fee?")
    assert outcomes(result) == {"notice period": "found", "who pays the cleaning fee": "found"}
    assert {each.section_title for each in result.candidates if each.verdict.role == "primary"} == {"Notice", "Fees"}


def test_neither_half_is_found() -> None:
    result = ask("Who owns the helicopter, and what is the shoe size?")
    assert result.status != "found"
    assert set(outcomes(result).values()) == {"not_found"}


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("First, what is the notice period, then who pays the cleaning fee?", ("independent", "sequential")),
        ("What is the cleaning fee, and who pays it by the month?", ("independent", "sequential")),
        ("If the tenant buys a helicopter, what is the notice period?", ("independent", "conditional")),
    ],
)
def test_the_kind_of_a_part_is_told(question: str, kinds: tuple[str, ...]) -> None:
    """(R22)"""
    assert tuple(part.kind for part in ask(question).parts) == kinds


def test_the_case_that_is_nowhere_is_told() -> None:
    """(R22)"""
    asked, case = ask("If the tenant buys a helicopter, which law governs the agreement?").parts
    assert asked.kind == "independent"
    assert (case.outcome, case.missing) == ("not_found", ("buys", "helicopter"))


@pytest.mark.parametrize(
    ("case", "kinds"),
    [
        ("it is late", []),
        ("it is late by a helicopter", ["independent", "conditional"]),
        ("goods are late", ["independent", "conditional"]),
    ],
)
def test_a_case_of_what_is_asked_is_no_part_unless_it_is_nowhere(case: str, kinds: list[str]) -> None:
    late = "If goods of this agreement come late, its supplier pays one per cent of the price."
    content = content_of_lines(["# Damages", late, "---", "# Term", "It ends in May."], title="Supply")
    assert [part.kind for part in ask(f"What does the supplier pay if {case}?", content).parts] == kinds


def test_a_question_that_asks_one_thing_has_no_parts() -> None:
    assert ask("What is the notice period?").parts == ()


def test_a_part_is_not_called_absent_where_pages_have_no_text() -> None:
    blind = content_of_lines(["# Notice", "The notice period is thirty days.", "---", "# Other", "x"], blind_pages=1)
    shoe = next(part for part in ask(HALF, blind).parts if "shoe" in part.missing)
    assert shoe.outcome == "cannot_tell" and shoe.reason.startswith("no page that was read mentions")
    assert "; but " in shoe.reason


def test_a_model_is_asked_once_and_its_verdicts_tell(serve: Serve) -> None:
    server = serve("good")
    result = ask(HALF, arbiter="model")
    assert len(server.requests) == 1 and result.ranking.arbiter == "model"
    assert outcomes(result)["shoe size of the chairman"] == "not_found"
    found = [part for part in result.parts if part.outcome == "found"]
    kept = {each.candidate_id for each in result.kept()}
    assert all(set(part.candidate_ids) <= kept for part in found)


def test_a_program_is_told() -> None:
    told = result_json(ask(HALF))["parts"]
    assert [(part["subject"], part["outcome"]) for part in told] == [
        ("notice period", "found"),
        ("shoe size of the chairman", "not_found"),
    ]
