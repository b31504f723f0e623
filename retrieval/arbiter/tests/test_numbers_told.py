"""A question for a number is answered by a number of what it asks for, not by one that stands beside its words."""

import pytest

from retrieval.arbiter.numbers_told import asks_for_time
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import SETTINGS, content_of_lines

RULES = content_of_lines(
    [
        "# Members",
        "Any person aged fourteen or over may become a member of the club.",
        "Two members together represent the club before the courts.",
        "The yearly fee is £48. A lost badge is replaced for £12.",
        "# Boats",
        "The club lends its boats to members on weekdays.",
        "A family may borrow three kayaks at a time.",
        "No trailers are lent to visitors.",
        "# Camp",
        "The summer camp takes place in August and the parking is by the lake.",
        "The camp lasts nine days.",
    ],
    title="Rules of the rowing club",
)
REGELN = content_of_lines(
    [
        "# Verleih",
        "Der Verein verleiht seine Boote an Werktagen an Mitglieder.",
        "Eine Familie darf drei Kajaks zugleich ausleihen.",
    ],
    title="Regeln des Rudervereins",
    language="de",
)


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("How many kayaks may a family borrow?", "found"),
        ("How many boats does the club lend to members?", "weak"),
        ("How many trailers are lent to visitors?", "found"),
        ("How much is charged for a lost badge?", "found"),
        ("From what age may a person become a member?", "found"),
        ("Does the club lend its boats to members?", "found"),
    ],
)
def test_a_number_is_of_what_was_asked_for(question: str, status: str) -> None:
    result = retrieve(question, [RULES], settings=SETTINGS, arbiter="rules")
    assert (question, result.status) == (question, status)


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("Wie viele Kajaks darf eine Familie ausleihen?", "found"),
        ("Wie viele Boote verleiht der Verein an Mitglieder?", "weak"),
    ],
)
def test_german_articles_are_no_numbers(question: str, status: str) -> None:
    result = retrieve(question, [REGELN], settings=SETTINGS, arbiter="rules")
    assert (question, result.status) == (question, status)


COVER = content_of_lines(
    [
        "# Insurance",
        "The Vendor shall maintain insurance of at least $5,000,000 for each claim.",
        "# Works",
        "Works are carried out on weekdays. Records are held by the Vendor, and units are ordered by letter.",
    ],
    title="Services agreement",
)


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("How much insurance must be carried?", "found"),
        ("How much insurance is held?", "found"),
        ("How many units must be ordered?", "weak"),
    ],
)
def test_what_is_done_to_a_thing_is_said_in_other_words(question: str, status: str) -> None:
    result = retrieve(question, [COVER], settings=SETTINGS, arbiter="rules")
    assert (question, result.status) == (question, status), result.not_found_reason


MACHINE = content_of_lines(
    [
        *("# Memory", "The program needs at least 8GB of memory.", "It frees the memory when a job ends."),
        *("# Notice", "The notice period is 90days."),
        *("# Disk", "The program needs disk space for its results."),
    ],
    title="Manual",
)


@pytest.mark.parametrize(
    ("question", "status", "why"),
    [
        ("How much memory does the program need?", "found", ""),
        ("How long is the notice period?", "found", ""),
        (
            "How much disk space does the program need?",
            "weak",
            "no number that was found is said of “disk” and “space”",
        ),
        ("How much disk space is needed for its results?", "not_found", "no value of the kind asked for (number)"),
        ("How many days is the notice period?", "weak", "no value of the kind asked for (number)"),
    ],
)
def test_a_quantity_is_a_number_also_as_one_with_its_unit(question: str, status: str, why: str) -> None:
    result = retrieve(question, [MACHINE], settings=SETTINGS, arbiter="rules")
    assert (result.status, why in result.not_found_reason) == (status, True), result.not_found_reason


def test_the_reason_names_what_no_number_is_said_of() -> None:
    result = retrieve("How many boats does the club lend to members?", [RULES], settings=SETTINGS, arbiter="rules")
    assert result.not_found_reason.count("“boats”") == 1, result.not_found_reason


@pytest.mark.parametrize(
    ("question", "is_time"),
    [
        ("How many working days does it take?", True),
        ("Wie viele Tage darf ich bleiben?", True),
        ("How many guests may stay?", False),
        ("How long does it take?", False),
    ],
)
def test_days_are_asked_for_by_their_number(question: str, *, is_time: bool) -> None:
    assert asks_for_time(parse_question(question, [])) is is_time
