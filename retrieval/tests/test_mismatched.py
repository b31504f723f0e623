"""Where the one sentence that has what was asked for is about another thing, the outcome is weak and says why."""

from dataclasses import replace

import pytest

from documents.storage.content import DocumentContent
from retrieval.arbiter.evidence import limit_for
from retrieval.headlines.choosing import is_running_text
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.types import RetrievalResult

MINUTES = content_of_lines(
    [
        "# Minutes of 2025",
        "The roof of block D is renewed between 1 May and 31 July 2025.",
        "The lift of block C was repaired in March 2024.",
        "# Cycle lane",
        "Mr Jonas Weber voted against the cycle lane.",
        "# Storage",
        "The plan costs 2.50 euros a month for 100 GB of cloud storage.",
        "# Chair",
        "The board has a chair, who signs the minutes.",
        "# Rooms",
        "The club keeps its rooms open on working days.",
        "Members pay by transfer and receive a receipt.",
    ]
)


def ask(question: str, content: DocumentContent = MINUTES) -> RetrievalResult:
    return retrieve(question, [content], settings=SETTINGS, arbiter="rules")


@pytest.mark.parametrize(
    ("question", "status", "said"),
    [
        ("When is the roof of block D renewed?", "found", MINUTES.lines[1].text),
        ("When is the roof of block C renewed?", "weak", "“block C”"),
        ("Who voted against the cycle lane?", "found", MINUTES.lines[4].text),
        ("Who voted for the cycle lane?", "weak", "“for the cycle”"),
        ("What do 100 GB of cloud storage cost a month?", "found", MINUTES.lines[6].text),
        ("What do 500 GB of cloud storage cost a month?", "weak", "“500 GB”"),
    ],
)
def test_another_thing_is_weak_and_its_words_are_told(question: str, status: str, said: str) -> None:
    """(R54)"""
    result = ask(question)
    assert result.status == status
    if status == "found":
        assert [each.text for each in result.headlines] == [said] and not result.not_found_reason
        return
    assert not result.headlines and said in result.not_found_reason
    assert 0 < result.confidence < limit_for(SETTINGS.risk_max, is_read=True)


def test_what_was_found_in_a_table_a_form_or_a_statement_is_no_prose() -> None:
    place = ask("When is the roof of block D renewed?").candidates[0]
    row, stated = replace(place, sentences=None), replace(place, statement="balance sheet")
    option = replace(place, anchor_text="☐ Roof")
    assert [is_running_text(each) for each in (place, row, stated, option)] == [True, False, False, False]


COVER = content_of_lines(
    [
        "# Cover",
        "The policy covers damage by fire, hail and storm.",
        "Damage to tyres and loss of fuel are not covered.",
        "# Plan",
        "The plan includes theft and breakage of the equipment.",
        "# Excluded from the bond",
        "The bond leaves aside jewels and coins.",
        "# Duties",
        "The tenant reports every fault to the landlord.",
        "Keys are handed over on the last day.",
    ]
)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What damage is not covered?", COVER.lines[2].text),
        ("What damage is covered by the policy?", COVER.lines[1].text),
        ("What is excluded from the bond?", COVER.lines[6].text),  # its section denies it
    ],
)
def test_what_denies_something_comes_first_where_it_is_asked_what_is_not_so(question: str, first: str) -> None:
    """(R54)"""
    result = ask(question, COVER)
    assert result.status == "found"
    assert result.candidates[0].own_text == first


def test_what_is_so_is_weak_where_it_is_asked_what_is_not() -> None:
    """(R54)"""
    result = ask("What does the plan not include?", COVER)
    assert result.status == "weak" and not result.headlines
    assert "“not”" in result.not_found_reason
    assert ask("What does the plan include?", COVER).status == "found"
