"""A model's verdict is held against what it quotes: without the kind of value asked for the outcome is at most weak."""

from collections.abc import Callable

import pytest

from retrieval.arbiter.quoted_kinds import is_table_head
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, Written, content_of_lines
from tests.scripted_llm import ScriptedLLM

Serve = Callable[..., ScriptedLLM]
AMOUNT = "no value of the kind asked for (amount)"


@pytest.mark.parametrize(
    ("question", "line", "reason"),
    [
        ("How much is the late fee?", "7.2 A late fee is charged where the premium is paid too late.", AMOUNT),
        ("How much is the late fee?", "The late fee is charged as set out in Section 4.", AMOUNT),
        ("What is the date of the handover?", "The handover is recorded by both sides.", "no value of the kind asked"),
        ("Is subsidence insured?", "Subsidence", "only name it"),
        ("Quel est le montant de la pénalité ?", "La pénalité est due par le locataire en retard.", AMOUNT),
        ("How much is the late fee?", "(2) The late fee is charged for all parcels on the same day.", AMOUNT),
        ("How much is the late fee?", "The late fee is due as Table 3 row (A) and (B) say.", AMOUNT),
        (
            "Which rate of interest is charged?",
            "The rate of interest is charged on what is late.",
            "no value of the kind",
        ),
        ("Which yearly rate increase percentage applies?", "The rate increase applies yearly.", "no value of the kind"),
        ("How did the rate of interest change in percent?", "The rate of interest did change.", "no value of the kind"),
        ("What is the date of the handover?", "The handover may be recorded by both sides.", "no value of the kind"),
    ],
)
def test_a_quote_that_cannot_hold_the_answer_makes_it_weak(question: str, line: str, reason: str, serve: Serve) -> None:
    serve("good")
    result = retrieve(question, [content_of_lines(["# Terms", line])], settings=SETTINGS, arbiter="model")
    assert result.ranking.arbiter == "model" and result.candidates[0].verdict.role == "primary"
    assert result.status == "weak" and reason in result.not_found_reason


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("How much is the late fee?", "The late fee is twelve euros."),
        ("How much is the late fee?", "No late fee is charged."),
        ("How much is the late fee?", "The late fee is 2 % of the price."),
        ("How much is the late fee?", "Die Gebühr, late fee, beträgt zwölf Euro."),
        ("How much did the fees grow from 2022 to 2023?", "The fees were 410 in 2022 and 455 in 2023."),
        ("By how much may the rent rise?", "The rent may not rise at all."),
        ("How much is the late fee?", "The late fee is half the premium."),
        ("How many keys does the tenant get?", "The tenant gets three keys."),
        ("How many heirs did the founder have?", "The heirs of the founder were Ada, Carl and Enid."),
        ("When does the agreement end?", "The agreement ends once the works are done."),
        ("On what day is the rent due?", "The rent is due on the last day of each month."),
        ("How much is the late fee?", "1.500 EUR as late fee"),
        ("How much is the late fee?", "12.50 per parcel as late fee"),
        ("How much is the late fee?", "5.00 € late fee"),
        ("How much is the late fee?", "5.00 EUR late fee"),
        ("How much is the late fee?", "The late fee is included in the purchase price."),
        ("How much is the late fee?", "The late fee is waived."),
        ("How much is the late fee?", "The late fee is charged at cost."),
        ("How much is the late fee?", "The late fee is all the costs of the delay."),
        ("How much is the late fee?", "The late fee is one tenth of it."),
        ("What is the date of the handover?", "31.12.2024 is that of the handover"),
        ("What is the date of the handover?", "The handover is upon signature."),
        ("What is the date of the handover?", "The handover is at the end of the quarter."),
        ("What is the date of the handover?", "The handover is in May."),
        ("What is the date of the handover?", "The handover is on 3 May 2024."),
        ("Is subsidence insured?", "Subsidence is covered."),
        ("Which model gives the value of the shares?", "A model of options gives the value of the shares."),
        ("How does the company estimate the value of the shares?", "The company estimates the value by a model."),
        ("Welches Verfahren bestimmt die Höhe der Miete?", "Das Verfahren bestimmt die Miete nach dem Index."),
        ("Which fees are charged?", "The tenant pays for keys and for cleaning, as fees are charged."),
    ],
)
def test_what_a_model_may_have_read_there_stays_found(question: str, line: str, serve: Serve) -> None:
    serve("good")
    result = retrieve(question, [content_of_lines(["# Terms", line])], settings=SETTINGS, arbiter="model")
    assert (result.status, result.not_found_reason) == ("found", "")


def test_a_name_in_a_list_says_what_its_heading_says(serve: Serve) -> None:
    serve("good")
    content = content_of_lines(["# Perils insured", ("1. Subsidence", "list_item"), ("2. Flood", "list_item")])
    result = retrieve("Is subsidence insured?", [content], settings=SETTINGS, arbiter="model")
    assert result.status == "found"


def test_a_title_with_another_word_for_it_says_it_as_well(serve: Serve) -> None:
    serve("good")
    content = content_of_lines(["# Perils covered", ("1. Subsidence", "list_item"), ("2. Flood", "list_item")])
    result = retrieve("Is subsidence insured?", [content], settings=SETTINGS, arbiter="model")
    assert result.status == "found"


def test_a_name_in_a_list_says_what_leads_it_in(serve: Serve) -> None:
    serve("good")
    content = content_of_lines(
        ["# Loss", "We pay for loss caused by:", ("– Theft", "list_item"), ("– Flood", "list_item")]
    )
    result = retrieve("Is theft insured?", [content], settings=SETTINGS, arbiter="model")
    assert result.status == "found"


def test_the_title_of_a_table_may_hold_the_value_and_its_headings_do_not() -> None:
    rows: list[Written] = [(f"| {row} |", "table_row") for row in ("Item | Price", "Drill | 36", "Saw | 48")]
    content = content_of_lines(["# Invoice of 12 May 2024", *rows])
    assert [is_table_head(number, content) for number in (1, 2, 3)] == [False, True, False]
