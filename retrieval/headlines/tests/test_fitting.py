"""Whether a sentence has the date that was asked for, though it is one that may be read in two ways."""

import pytest

from retrieval.headlines.fitting import has_date_asked, is_fitting
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


def test_a_printed_question_is_no_answer() -> None:
    content = content_of_lines(["# Animals", "**Q: May I keep a dog?**", "A: You may keep a dog of small size."])
    question = parse_question("May I keep a dog?", [content])
    fitting = [line.text for line in content.lines if is_fitting(line.text, "Animals", content, question)]
    assert fitting == ["A: You may keep a dog of small size."]
