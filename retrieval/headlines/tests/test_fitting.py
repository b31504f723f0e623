"""Whether a sentence has the date that was asked for, though it is one that may be read in two ways."""

import pytest

from retrieval.headlines.fitting import has_date_asked
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("The lease is effective 7/1/98 (six months after it was signed).", False),
        ("The lease is effective 7/1/98 – 6/30/03.", True),
        ("The lease is effective 7/1/98, section 1.2/3.", False),
    ],
)
def test_of_two_dates_that_are_not_read_one_may_be_the_end(text: str, *, is_asked: bool) -> None:
    question = parse_question("When does the lease end?", [content_of_lines([text])])
    assert has_date_asked(text, question) is is_asked
