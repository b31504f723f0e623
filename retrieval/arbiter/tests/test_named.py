"""A yes-or-no question is not answered by a line that only names what it asks about."""

import pytest

from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, content_of_lines

SCHEDULE = content_of_lines(
    [
        "# Extensions",
        ("1. Subsidence", "list_item"),
        ("2. Terrorism is covered", "list_item"),
        ("3. Flood: not covered", "list_item"),
        ("☐ Earthquake", "list_item"),
        "# Conditions",
        "The policyholder keeps every key of the building in a safe place at night.",
        "Dogs may be kept in the yard.",
    ]
)


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("Is subsidence insured?", "weak"),
        ("Is terrorism insured?", "found"),
        ("Is flood insured?", "found"),
        ("Is earthquake insured?", "found"),
        ("May dogs be kept?", "found"),
        ("What is said about subsidence?", "found"),
    ],
)
def test_a_name_alone_says_neither_yes_nor_no(question: str, status: str) -> None:
    result = retrieve(question, [SCHEDULE], settings=SETTINGS, arbiter="rules")
    assert (question, result.status) == (question, status)
    assert status != "weak" or "only name it" in result.not_found_reason
