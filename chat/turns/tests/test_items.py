"""An answer item by item: what was found with its values, what was not and why, and never a value nobody printed."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from chat.checks import TypedValue, literal_check
from chat.conftest import Ask, Serve
from chat.drafts import AnswerDraft, Quoted
from chat.models import Answer
from chat.turns.conductor import answer_turn
from chat.turns.items import items_of, prints_no
from chat.turns.replies import read_turn
from chat.writing.writer import RefusedPart
from retrieval.models import RetrievalRun, RunCandidate
from tests.pages import on_one_line

Kind = Answer.Kind


def a_run(**fields: Any) -> RetrievalRun:
    return RetrievalRun(**({"question": "What is the rent?", "parsed": {"answer_type": "amount"}, "plan": {}} | fields))


def quoted(marker: int, text: str, candidate_id: str = "p1-l1-1") -> Quoted:
    return Quoted(marker, RunCandidate(candidate_id=candidate_id), text)


def part(text: str, outcome: str = "found", **fields: Any) -> dict[str, Any]:
    told = {"text": f"What is {text}?", "subject": text, "kind": "independent", "outcome": outcome, "missing": []}
    return told | {"candidate_ids": [], "reason": ""} | fields


RENT = TypedValue(type="amount", value="12500", currency="EUR", printed="12,500 euros", lines=[3, 3])


def test_one_thing_asked_is_one_item_with_its_value() -> None:
    checks = [literal_check("x", [1], typed=typed) for typed in (TypedValue(type="sentence", text="x"), RENT)]
    draft = AnswerDraft(Kind.EXTRACTIVE, "x", quoted=(quoted(1, "The rent is 12,500 euros."),), checks=checks)
    [item] = items_of(a_run(), draft)
    assert (item["asked"], item["type"], item["outcome"], item["markers"]) == ("rent", "amount", "found", [1])
    assert item["values"] == [RENT | {"marker": 1}]


def test_a_type_that_was_asked_for_and_is_not_printed_is_empty_and_says_so() -> None:
    draft = AnswerDraft(Kind.EXTRACTIVE, "Rents are negotiable.", quoted=(quoted(1, "Rents are negotiable."),))
    [item] = items_of(a_run(), draft)
    assert (item["outcome"], item["values"], item["code"]) == ("weak", [], "no_value")
    assert item["reason"] == "what is cited prints no amount"


def test_an_answer_that_was_broken_off_is_not_said_to_lack_a_value() -> None:
    [item] = items_of(a_run(), AnswerDraft(Kind.GENERATED, "The rent", ended="stopped"))
    assert (item["outcome"], item["code"]) == ("found", "")


@pytest.mark.parametrize(
    ("text", "is_empty"),
    [
        ("Rents are negotiable.", True),
        ("The property and the liability of a party are insured.", True),
        ("The rent is 12,500.", False),  # no currency: not read as an amount, but not absent either
        ("It is paid for two years.", False),
        ("Notice must be given a month before.", False),
        ("Fifteen percent is due.", False),
        ("Twenty-five euros.", False),
    ],
)
def test_a_value_is_called_absent_only_without_any_number(text: str, is_empty: bool) -> None:
    assert prints_no("amount", [], [text]) is is_empty
    assert not prints_no("text", [], [text])


@pytest.mark.parametrize("kind", [Kind.WEAK, Kind.NOT_FOUND, Kind.CANNOT_TELL])
def test_an_absent_answer_is_an_empty_item_of_the_type_asked_for(kind: Answer.Kind) -> None:
    [item] = items_of(a_run(), AnswerDraft(kind, "No page mentions it."))
    assert (item["outcome"], item["type"], item["values"]) == (kind.value, "amount", [])
    assert item["reason"] == "No page mentions it."


def test_each_year_of_a_row_is_an_item(db: None) -> None:
    cell = TypedValue(type="cell", label="Revenue", value="512", period="2023", asked="2023")
    draft = AnswerDraft(Kind.EXTRACTIVE, "Revenue, 2023: 512", checks=[literal_check("512", [1], typed=cell)])
    run = a_run(
        question="What was the revenue in 2022 and 2023?", parsed={"answer_type": "amount", "years": ["2022", "2023"]}
    )
    found = {
        item["asked"].rpartition(" ")[2]: (item["outcome"], item["code"], len(item["values"]))
        for item in items_of(run, draft)
    }
    assert found == {"2022": ("weak", "no_column", 0), "2023": ("found", "", 1)}


def test_what_the_writer_refused_is_lacking_whoever_found_it(db: None) -> None:
    """R59."""
    run = a_run(plan={"parts": [part("the rent", candidate_ids=["p1-l1-1"]), part("the deposit")]})
    draft = AnswerDraft(
        Kind.GENERATED,
        "The rent is 12,500 euros [1].",
        quoted=(quoted(1, "The rent is 12,500 euros."),),
        refused=(RefusedPart(2, "the deposit, they only name the rent"), RefusedPart(0, "the currency")),
    )
    rent, deposit, other = items_of(run, draft)
    assert (rent["outcome"], rent["markers"]) == ("found", [1])
    assert (deposit["outcome"], deposit["values"], deposit["code"]) == ("not_found", [], "refused")
    assert deposit["reason"] == "The deposit, they only name the rent."
    assert (other["asked"], other["outcome"]) == ("", "not_found")


def test_parts_without_a_model_keep_their_outcomes(db: None) -> None:
    lost = part("the shoe size", "not_found", missing=["shoe"], reason="no page that was read mentions “shoe”")
    draft = AnswerDraft(Kind.EXTRACTIVE, "x", quoted=(quoted(1, "The rent is 12,500 euros."),))
    items = items_of(a_run(plan={"parts": [part("the rent"), lost]}), draft)
    assert [(item["outcome"], item["reason"]) for item in items] == [("found", ""), ("not_found", lost["reason"])]


def test_a_question_back_and_an_outline_have_no_items() -> None:
    assert items_of(a_run(), AnswerDraft(Kind.CLARIFICATION, "Which lease?")) == []
    assert items_of(a_run(parsed={"form": "outline"}), AnswerDraft(Kind.EXTRACTIVE, "x")) == []


def test_an_answer_without_one_of_its_parts_is_partial_everywhere(ask: Ask, serve: Serve, client: Client) -> None:
    server = serve()
    server.written = ["The rent is 12,500 euros a month [1].\nNOT FOUND 2: the colour of the door, they name the rent."]
    turn = ask("How much is the rent a month? What colour is the door?")
    answer_turn(turn.pk)
    answer = Answer.objects.select_related("run").get(turn=turn)
    assert answer.kind == "generated" and "NOT FOUND" not in answer.text and "door" not in answer.text
    assert [item["outcome"] for item in answer.items] == ["found", "not_found"]
    assert answer.is_partial and read_turn(turn.pk)["partly_answered"]
    assert answer.note.startswith("Only a part of the question is answered.")
    client.force_login(turn.conversation.user)
    page = on_one_line(client.get(reverse("chat:conversation", args=[turn.conversation_id])))
    assert "The colour of the door, they name the rent" in page and "Partly found" in page
