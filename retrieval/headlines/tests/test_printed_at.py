"""A value is taken for what is said of it, by its own sentence and near it: not by every passage with the words."""

import pytest

from retrieval.headlines.printed_at import apart_at, mismatch_at, other_value_at, said_at
from retrieval.question.kinds import SHIPPED
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import Expected, LineRange, Question

FILLING = ", and nothing that one of them says, writes, does or leaves undone in the meantime changes any of this" * 2
TERMS = content_of_lines(
    [
        "# Term",
        "The term renews for successive terms of six (6) months.",
        "# Handling",
        "During the period of ten (10) days after disclosure the information is kept safe.",
        "# Guarantee",
        "The roof has a guarantee period of four (4) years.",
        "# Secrecy",
        "Secrecy of what is said lasts for three (3) years.",
        "Secrecy of what is drawn lasts for five (5) years.",
        "# Books",
        f"All costs of an inspection{FILLING}, and the lawyer gets a sum of 5,000 euros.",
    ],
    title="Works",
)


def asked(name: str, kind: str) -> Question:
    return Expected(kind).of(parse_question(name, [TERMS]), SHIPPED.patterns_of)


@pytest.mark.parametrize(
    ("name", "line", "printed", "lacking"),
    [
        ("Guarantee period", 6, "four (4) years", ""),
        ("Exclusivity period", 4, "ten (10) days", "exclusivity"),  # which the document says nowhere
        ("Guarantee period", 4, "ten (10) days", "guarantee"),
    ],
)
def test_a_value_is_of_another_thing_without_the_words_of_the_field(
    name: str, line: int, printed: str, lacking: str
) -> None:
    """(R54)"""
    told = mismatch_at(LineRange(line, line), printed, TERMS, asked(name, "duration"))
    assert lacking.casefold() in told.casefold() and bool(told) == bool(lacking)


def test_words_far_off_in_a_long_sentence_are_not_said_of_a_value() -> None:
    """(R54)"""
    assert mismatch_at(LineRange(11, 11), "5,000 euros", TERMS, asked("Inspection costs", "amount"))
    assert not mismatch_at(LineRange(11, 11), "5,000 euros", TERMS, asked("Sum for the lawyer", "amount"))


def test_most_is_said_of_the_value_with_the_words_around_it() -> None:
    """(R87)"""
    question = asked("Guarantee period", "duration")
    said = [
        said_at(LineRange(line, line), value, TERMS, question).rank
        for line, value in ((4, "ten (10) days"), (6, "four (4) years"))
    ]
    assert said[0] < said[1]


@pytest.mark.parametrize(
    ("name", "line", "printed", "other"),
    [
        ("Secrecy period", 8, "three (3) years", "five (5) years"),
        ("Guarantee period", 6, "four (4) years", ""),
    ],
)
def test_a_value_is_doubtful_where_another_sentence_says_as_much_with_another(
    name: str, line: int, printed: str, other: str
) -> None:
    """(R54)"""
    assert other_value_at(LineRange(line, line), printed, TERMS, asked(name, "duration")) == other


def test_the_date_of_an_agreement_is_no_other_than_that_of_its_preamble() -> None:
    """(R87)"""
    lines = [
        "# SERVICE AGREEMENT",
        "This Service Agreement, dated as of 1 March 2024, is between Harbour Sheds Limited and Quay Foods GmbH.",
        "# Fee",
        "The fee under this agreement is due from the date of 5 May 2025.",
    ]
    content = content_of_lines(lines, title="Sheds")
    question = asked("Agreement date", "date")
    assert not mismatch_at(LineRange(2, 2), "1 March 2024", content, question)
    assert mismatch_at(LineRange(4, 4), "5 May 2025", content, question)


@pytest.mark.parametrize(
    ("said", "printed", "is_apart"),
    [
        ("The lease may be ended by a notice of six weeks in writing.", "six weeks", False),
        ("It may be ended by a notice, in writing, of six weeks.", "six weeks", False),  # a few words from it
        (
            "It may be ended by notice in writing, and where neither side does so, it ends after a term of two years.",
            "two years",
            True,
        ),
    ],
)
def test_a_period_in_another_clause_is_not_that_of_the_word_asked_for(said: str, printed: str, is_apart: bool) -> None:
    """(R87)"""
    content = content_of_lines(["# End of the lease", said], title="Lease")
    question = Expected("duration").of(parse_question("Notice period", [content]), SHIPPED.patterns_of)
    assert bool(apart_at(LineRange(2, 2), printed, content, question)) == is_apart


def test_a_value_is_beside_a_word_without_a_space_between_them() -> None:
    content = content_of_lines(["# 保管", "保管料は月額5,000円とする。"], title="保管", language="ja")
    assert not apart_at(LineRange(2, 2), "5,000円", content, asked("保管料", "amount"))


@pytest.mark.parametrize(("printed", "is_apart"), [("15 years", False), ("5 years", True)])
def test_a_value_is_no_part_of_a_longer_number(printed: str, is_apart: bool) -> None:
    """(R54)"""
    line = "The guarantee holds for 15 years, while the permit that the town gives for the works of it lasts 5 years."
    content = content_of_lines(["# Works", line], title="Works")
    assert bool(apart_at(LineRange(2, 2), printed, content, asked("Guarantee period", "duration"))) is is_apart
