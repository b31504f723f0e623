"""Which options of a form a question asks about: one that it names, or those that were chosen."""

from dataclasses import replace

import pytest

from reading.tests.pdfs import with_struck
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.types import LineRange
from retrieval.words.options import (
    asked_options,
    group_at,
    is_doubtful,
    is_unchosen,
    lines_for,
    option_groups_in,
    question_above,
)

FORM = content_of_lines(
    [
        "# 4. Extensions wanted",
        ("☑ Flood", "list_item"),
        ("☐ Loss of rent", "list_item"),
        ("☒ Escape of water", "list_item"),
        "# 5. Payment of the premium",
        ("○ Every month", "list_item"),
        ("◉ Every quarter", "list_item"),
        "# 6. Earlier cover",
        "Has another insurer ever refused cover? ☐ Yes ☒ No",
        "# 7. Ways to pay",
        ("○ by card", "list_item"),
        ("○ by transfer", "list_item"),
        "# 8. Remarks",
        "The proposer has no remarks.",
    ]
)


@pytest.mark.parametrize(
    ("question", "line", "answer"),
    [
        ("Is flood insured?", 2, ["☑ Flood"]),
        ("Is loss of rent insured?", 2, ["☐ Loss of rent"]),
        ("Is earthquake insured?", 2, []),
        ("Which extensions are wanted?", 1, ["☑ Flood", "☒ Escape of water"]),
        ("How often is the premium paid?", 5, ["◉ Every quarter"]),
        ("Has an insurer refused cover before?", 9, ["☒ No"]),
        ("Can one pay by card?", 11, []),
        ("Which ways to pay are there?", 11, []),
    ],
)
def test_a_question_is_answered_by_what_it_names_or_by_what_was_chosen(
    question: str, line: int, answer: list[str]
) -> None:
    parsed = parse_question(question, [FORM])
    group = group_at(line, FORM)
    assert group is not None
    assert [each.literal for each in asked_options(group, parsed, FORM)] == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Does the supplier hold ISO 14001?", ["☐ ISO 14001"]),
        ("Does the supplier hold ISO 9001?", ["☑ ISO 9001 quality"]),
        ("Does the supplier hold ISO 27001?", []),
    ],
)
def test_a_code_is_named_whole(question: str, answer: list[str]) -> None:
    held = content_of_lines(
        ["# Standards held by the supplier", ("☑ ISO 9001 quality", "list_item"), ("☐ ISO 14001", "list_item")]
    )
    group = group_at(2, held)
    assert group is not None
    assert [each.literal for each in asked_options(group, parse_question(question, [held]), held)] == answer


def test_a_place_among_options_stands_at_the_one_that_answers() -> None:
    often = parse_question("How often is the premium paid?", [FORM])
    assert [lines_for(line, often, FORM) for line in (5, 6, 7, 14)] == [[7], [7], [7], [14]]


ORDER = content_of_lines(
    [
        "Services ordered:",
        ("☑ Hull cleaning", "list_item"),
        ("☐ Engine service", "list_item"),
        ("☑ Winter storage", "list_item"),
        ("☐ Sail repair", "list_item"),
        "# Terms",
        "The yard confirms each order in writing.",
    ]
)


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        ("Which services were ordered?", ["☑ Hull cleaning", "☑ Winter storage"]),
        ("List the services ordered.", ["☑ Hull cleaning", "☑ Winter storage"]),
        ("Which services were not ordered?", ["☐ Engine service", "☐ Sail repair"]),
        ("Was engine service ordered?", ["☐ Engine service"]),
    ],
)
def test_each_option_that_answers_is_quoted_and_no_other(question: str, quotes: list[str]) -> None:
    result = retrieve(question, [ORDER], settings=SETTINGS, arbiter="rules")
    kept = [each.quote.text for each in result.kept() if each.verdict.role == "primary"]
    assert result.status == "found" and [each for each in kept if each[0] in "☑☐"] == quotes


def test_open_circles_are_not_chosen_only_beside_one_that_is() -> None:
    assert [is_unchosen(LineRange(line, line), FORM) for line in (2, 3, 6, 7, 9, 11, 14)] == [
        *(False, True, True, False, False, False, False)
    ]


def test_options_that_stand_together_are_one_group() -> None:
    assert [len(group.options) for group in option_groups_in(FORM)] == [3, 2, 2, 2]
    assert group_at(14, FORM) is None


def test_an_option_that_is_struck_is_none() -> None:
    lines = [with_struck(line, {2: "Flood"}.get(line.number, "")) for line in FORM.lines]
    [first, *_] = option_groups_in(replace(FORM, lines=tuple(lines)))
    assert [each.literal for each in first.options] == ["☐ Loss of rent", "☒ Escape of water"]


BELOW = content_of_lines(
    [
        "# Application",
        "Have you ever been refused",
        "a fishing licence?",
        ("☐ Yes", "list_item"),
        ("☑ No", "list_item"),
        "Do you own a boat?",
        ("☑ Yes ☐ No", "list_item"),
        "Extras wanted:",
        ("☑ Life jackets", "list_item"),
        ("☐ Oars", "list_item"),
    ]
)


@pytest.mark.parametrize(
    ("question", "asked_from", "answer"),
    [
        ("Was a fishing licence refused?", 2, ["☑ No"]),
        ("Does the applicant own a boat?", 6, ["☑ Yes"]),
        ("Does the applicant own an engine shed in Norway?", 6, []),
    ],
)
def test_a_yes_or_no_below_a_question_answers_that_one(question: str, asked_from: int, answer: list[str]) -> None:
    parsed = parse_question(question, [BELOW])
    (group,) = [each for each in option_groups_in(BELOW) if each.asked_from == asked_from]
    assert [each.literal for each in asked_options(group, parsed, BELOW)] == answer


def test_only_a_yes_or_no_is_read_with_the_question_above_it() -> None:
    assert [question_above(number, BELOW) for number in range(2, 11)] == [0, 0, 2, 2, 0, 6, 0, 0, 0]


def test_a_ticked_yes_or_no_is_quoted_with_its_question() -> None:
    result = retrieve("Was a fishing licence refused?", [BELOW], settings=SETTINGS, arbiter="rules")
    (best, *_) = [each for each in result.candidates if each.verdict.role == "primary"]
    assert result.status == "found"
    assert best.quote.text == "Have you ever been refused\na fishing licence?\n☐ Yes\n☑ No"


SIGN_UP = content_of_lines(
    [
        "# Membership form of the rowing club",
        "# 1. Way of payment",
        ("❏ Bank order", "list_item"),
        ("✔ Cheque", "list_item"),
        "# 2. Consents",
        ("✘ The member agrees to the club rules", "list_item"),
        ("❏ The member agrees to be photographed", "list_item"),
        "# 3. Statements",
        ("✘ The member can swim", "list_item"),
        ("✘ The member owns a boat", "list_item"),
        "# 4. To bring along",
        ("○ Members must wear a life jacket", "list_item"),
    ]
)


@pytest.mark.parametrize(
    ("question", "line", "answer"),
    [
        ("Does the member agree to be photographed?", 7, ["❏ The member agrees to be photographed"]),
        ("Does the member agree to the club rules?", 7, ["✘ The member agrees to the club rules"]),
        ("Does the member own a boat?", 10, []),
        ("Which payment was ticked?", 3, ["✔ Cheque"]),
        ("Which payment was chosen, selected and marked?", 3, ["✔ Cheque"]),
        ("Which trailer was ticked?", 3, []),
    ],
)
def test_crosses_are_choices_beside_empty_squares(question: str, line: int, answer: list[str]) -> None:
    group = group_at(line, SIGN_UP)
    assert group is not None
    assert [each.literal for each in asked_options(group, parse_question(question, [SIGN_UP]), SIGN_UP)] == answer


@pytest.mark.parametrize(
    ("question", "doubtful"),
    [("Does the member own a boat?", {3, 7, 9, 10}), ("Who owns a boat?", {3, 7})],
)
def test_an_option_that_may_not_be_chosen_is_doubtful(question: str, doubtful: set[int]) -> None:
    parsed = parse_question(question, [SIGN_UP])
    assert {line for line in range(1, 13) if is_doubtful(LineRange(line, line), parsed, SIGN_UP)} == doubtful


UNREAD_FORM = content_of_lines(
    [
        "# Order form of the garden centre",
        "# 1. Way of delivery",
        ("☑ Collection at the gate", "list_item"),
        ("[?] Delivery by van", "list_item"),
        ("☐ Delivery by rail", "list_item"),
        "# 2. Remarks",
        "The customer has two gates and a large dog.",
    ]
)


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("Which way of delivery was chosen?", "cannot_tell"),
        ("Which delivery was ticked?", "cannot_tell"),
        ("Is delivery by van ordered?", "cannot_tell"),
        ("Is delivery by rail ordered?", "found"),
        ("How many gates does the customer have?", "found"),
    ],
)
def test_a_choice_whose_boxes_could_not_all_be_read_answers_nothing(question: str, status: str) -> None:
    result = retrieve(question, [UNREAD_FORM], settings=SETTINGS, arbiter="rules")
    assert result.status == status, result
    if status == "cannot_tell":
        assert result.coverage.gaps == ("whether boxes are ticked could not be read: p. 1",)
