"""Which pieces of the prompt a question gets (R79)."""

from dataclasses import asdict
from typing import Any, cast

import pytest

from chat.writing.fragments import FRAGMENTS, choose_fragments, is_single_fact
from chat.writing.writer import INSTRUCTIONS, build_instructions
from retrieval.question.parse import parse_question
from retrieval.told.columns import StoredQuestion


def parsed(question: str) -> StoredQuestion:
    return cast("StoredQuestion", asdict(parse_question(question, [])))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is the purpose of the system?", ()),
        ("How much is the rent?", ("one fact", "amount")),
        ("When does the lease end?", ("one fact", "date")),
        ("How long is the notice period?", ("one fact", "duration")),
        ("Who signs the lease?", ("one fact", "person")),
        ("Is the tenant allowed to sublet?", ("yes or no",)),
        ("What was the revenue in 2023?", ("one fact", "amount", "periods")),
        ("What was the revenue in 2022 and 2023?", ("amount", "periods")),
        ("List the obligations of the supplier.", ("list",)),
        ("How many functions are there?", ("count",)),
        ("What is the rent, and when does the lease end?", ("parts",)),
    ],
)
def test_a_question_gets_what_concerns_it(question: str, names: tuple[str, ...]) -> None:
    """(R79)"""
    chosen = choose_fragments(parsed(question))
    assert set(names) <= set(chosen) and len(chosen) <= len(names) + 1


@pytest.mark.parametrize(
    ("fields", "told", "names"),
    [
        ({}, {}, ()),
        ({"form": "outline", "answer_type": "amount"}, {"documents": 3}, ("outline",)),
        ({"form": "compare", "years": ["2022"]}, {}, ("compare",)),
        ({"condition": "the tenant dies", "exclusions": ["the deposit"]}, {}, ("case", "left out")),
        ({}, {"documents": 2, "has_conflict": True, "is_copied": True}, ("documents", "conflict", "copied")),
        ({"shape": "table"}, {}, ("table",)),
        ({"answer_type": "boolean"}, {"mode": "fast"}, ("yes or no", "fast")),
        ({}, {"mode": "thorough"}, ("thorough",)),
        ({"form": "outline"}, {"mode": "fast"}, ("outline",)),
        ({"shape": "nested"}, {}, ("list",)),
    ],
)
def test_what_was_stored_of_a_question_decides(
    fields: StoredQuestion, told: dict[str, Any], names: tuple[str, ...]
) -> None:
    """(R98)"""
    assert choose_fragments(fields, **told) == names


def test_the_fixed_part_comes_first_and_is_the_same_for_every_question() -> None:
    """(R79)"""
    plain, whole = build_instructions(()), build_instructions(tuple(FRAGMENTS))
    assert plain == INSTRUCTIONS and whole.startswith(f"{INSTRUCTIONS}\n\n")
    assert all(f"\n- {text}" in whole for text in FRAGMENTS.values())
    assert all(text not in INSTRUCTIONS for text in FRAGMENTS.values())


@pytest.mark.parametrize(
    ("question", "is_one"),
    [
        ("How much is the rent?", True),
        ("When does the lease end?", True),
        ("What was the revenue in 2022 and 2023?", False),
        ("What is the rent, and when does the lease end?", False),
        ("List the dates of payment.", False),
        ("What is the purpose of the system?", False),
        ("Is the tenant allowed to sublet?", False),
    ],
)
def test_one_value_may_be_looked_for_until_it_is_found(question: str, is_one: bool) -> None:
    assert is_single_fact(parsed(question)) is is_one
