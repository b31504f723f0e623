"""Which sentences may be said first: their dates, the headings before them, and numbers that only point."""

import pytest

from retrieval.headlines.fitting import has_date_asked, is_fitting, without_heading, without_references
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
    assert has_date_asked(text, question, content_of_lines([text])) is is_asked


def test_a_printed_question_is_no_answer() -> None:
    content = content_of_lines(["# Animals", "**Q: May I keep a dog?**", "A: You may keep a dog of small size."])
    question = parse_question("May I keep a dog?", [content])
    fitting = [line.text for line in content.lines if is_fitting(line.text, "Animals", content, question)]
    assert fitting == ["A: You may keep a dog of small size."]


NDA = "The parties have entered into that certain secrecy agreement dated as of 18 January 2018."


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("This supply agreement is made on 1 March 2018 between Acme Ltd and Globex GmbH.", True),
        (NDA, False),
        ("Filed on 12 May 2018, the parties have signed this agreement.", False),
        ("The first term concludes on the last day of the month.", False),
    ],
)
def test_the_day_of_an_agreement_is_that_of_no_other(text: str, *, is_asked: bool) -> None:
    question = parse_question("On what date was the agreement entered into?", [content_of_lines([text])])
    assert has_date_asked(text, question, content_of_lines([text])) is is_asked


def test_the_day_of_an_agreement_is_that_of_its_preamble() -> None:
    made = "THIS AGREEMENT is made on 1 March 2018 by and between Acme Ltd and Globex GmbH."
    later = "This agreement was signed anew on 3 May 2019."
    content = content_of_lines(["# Agreement", made, later])
    question = parse_question("When was this agreement signed?", [content])
    assert [has_date_asked(each, question, content) for each in (made, later)] == [True, False]


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("The lease ends when the house is sold.", True),
        ("If the lease ends, the tenant hands over the keys.", False),
        ("In the event this lease is terminated, the keys are handed over.", False),
        ("The lease may be terminated by giving notice.", False),
    ],
)
def test_an_end_that_is_only_supposed_or_possible_is_none(text: str, *, is_asked: bool) -> None:
    question = parse_question("When does the lease end?", [content_of_lines([text])])
    assert has_date_asked(text, question, content_of_lines([text])) is is_asked


def test_a_heading_before_a_sentence_names_nothing_that_the_sentence_says() -> None:
    headed = "Entire Agreement; Governing Law This lease contains all that the parties agreed."
    ruled = "Governing Law This lease is governed by the laws of Ruritania."
    content = content_of_lines([headed, ruled])
    question = parse_question("Which law governs the lease?", [content])
    assert [is_fitting(each, "", content, question) for each in (headed, ruled)] == [False, True]
    assert without_heading(headed, "en") == headed[32:] and without_heading(ruled.upper(), "en") == ruled.upper()


def test_a_title_is_no_yes_or_no() -> None:
    title, ruled = "Counterparts; Third Party Beneficiaries.", "There are no third party beneficiaries."
    content = content_of_lines([title, ruled])
    question = parse_question("Are there third party beneficiaries?", [content])
    assert [is_fitting(each, "", content, question) for each in (title, ruled)] == [False, True]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Sections 8.2 (Cap), 9 (Loss), 12.2 (Force), and no more", " (Force), and no more"),
        ("Articles 3, 4 and 5.", "."),
        ("under Section 5, 30 days later", "under  , 30 days later"),
        ("under Section 5, $ 500 are due", "under  , $ 500 are due"),
    ],
)
def test_a_list_of_sections_has_no_numbers(text: str, left: str) -> None:
    assert without_references(text).split() == left.replace("Sections", "").split()
