"""A printed question that is the one asked has the answer; one about something else has none (R54)."""

import pytest

from reading.rows import LineKind
from retrieval.candidates.sentences import questions_over
from retrieval.headlines.choosing import find_headlines
from retrieval.headlines.printed_questions import asks_other, asks_the_same
from retrieval.headlines.tests.test_choosing import headlines_of, place_at
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines

ZIP, CAPITAL_Z = "Not by itself, no.", "No. Open them with another program."
FAQ = content_of_lines(
    [
        "# Questions about Packer",
        "1. Can Packer open .zip archives?",
        ZIP,
        "2. Can Packer open .Z files?",
        CAPITAL_Z,
        "The program that opens .Z files is free.",
        "3. How do I install Packer on a server?",
        "After that, then:",
        "Q: How many archives can",
        "Packer open at once?",
        "A: As many as the memory holds.",
        "The second is opened before the first is closed, and 12 of them are shown.",
        "# Does Packer need a licence for schools?",
        "Ask the office.",
        "# Prices",
        "A licence for firms costs 40 euros.",
    ],
    title="Packer",
)
ALL = (3, 5, 6, 8, 11, 14, 16)


@pytest.mark.parametrize(
    ("printed", "question", "expected"),
    [
        ("12. Can Packer open .Z files?", "Can Packer open .Z files?", True),
        ("Q: Can Packer open the .Z files?", "can packer open .z files", True),
        ("It is slow. Can Packer be tuned?", "Can Packer be tuned?", True),
        ("11. Can Packer open .zip files?", "Can Packer open .Z files?", False),
        ("Can Packer turn .zip into .tar?", "Can Packer turn .tar into .zip?", False),
        ("Must I name the server?", "Can I name the server?", False),
        ("How can I tune Packer?", "How do you tune Packer?", True),
        ("Does Packer read C++?", "Does Packer read C?", False),
        ("Why does Packer not open it?", "Why does Packer open it?", False),
    ],
)
def test_a_printed_question_is_the_one_asked_word_for_word(printed: str, question: str, *, expected: bool) -> None:
    assert asks_the_same(printed, parse_question(question, [FAQ])) is expected


@pytest.mark.parametrize(
    ("printed", "text", "question", "expected"),
    [
        ("Can Packer open .zip archives?", ZIP, "Can Packer open .Z files?", True),
        ("Can Packer open .zip archives?", ZIP, "Can Packer open .rar archives?", True),
        ("Can Packer open large archives?", "Yes.", "Can Packer open broken archives?", True),
        ("Can Packer open large archives?", "Yes, broken ones too.", "Can Packer open broken archives?", False),
        ("Does Packer run on Windows?", "No, nor on OpenVMS.", "Does Packer run on OpenVMS?", False),
        ("Does Packer run on Windows?", "No.", "Does Packer run on a 64-bit Windows?", True),
        ("Does Packer run on Windows?", "No.", "Will it run on Windows?", False),
        ("Who wrote it, and why?", "Ann did.", "Does Packer run on servers?", False),
        ("Who wrote it, and why?", "Ann did.", "Does Packer run on OpenVMS?", True),
        ("Is 7z read?", "No. Use 7-Zip for 7z.", "Is .zip read?", True),
        ("What does R stand for?", "Nothing.", "What does C stand for?", True),
    ],
)
def test_another_question_asks_something_else(printed: str, text: str, question: str, *, expected: bool) -> None:
    assert asks_other(printed, text, parse_question(question, [FAQ])) is expected


def test_a_line_stands_under_the_last_printed_question_of_its_section() -> None:
    over = questions_over(FAQ)
    assert over[12].text == "Q: How many archives can Packer open at once?" and over[12].answer == 11
    assert over[14].text == "Does Packer need a licence for schools?"
    assert 16 not in over


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Can Packer open .Z files?", [CAPITAL_Z]),
        ("Can Packer open .zip archives?", [ZIP]),
        ("Does Packer need a licence for schools?", ["Ask the office."]),
        ("How do I install Packer on a server?", []),  # what is said first announces what follows
        ("How many archives can Packer open at once?", []),  # no number
        ("Can Packer open .rar archives?", []),
        ("Is the program free that Packer opens .Z files with?", []),  # a later sentence tells no yes or no
        ("Does Packer need a licence for churches?", []),
    ],
)
def test_the_first_sentence_under_the_question_asked_leads(question: str, expected: list[str]) -> None:
    assert headlines_of(question, *ALL, content=FAQ) == expected


def test_of_two_answers_to_one_printed_question_none_leads() -> None:
    other = content_of_lines(["# Packer 2", "Can Packer open .Z files?", "Yes, since version 2."], title="Packer 2")
    question = parse_question("Can Packer open .Z files?", [FAQ, other])
    places = [place_at(5, FAQ), place_at(3, other)]
    assert not find_headlines(question, places).spoken
    assert find_headlines(question, places[:1]).spoken


@pytest.mark.parametrize(("question", "said"), [("When would I split an archive?", False), ("When can I split?", True)])
def test_where_the_question_asked_has_no_sentence_under_it_that_of_another_does_not_lead(
    question: str, *, said: bool
) -> None:
    answer = "Since May 2008 I can split an archive like any other file."
    rule: tuple[str, LineKind] = ("~~~~", "furniture")
    lines: list[str | tuple[str, LineKind]] = [
        "# When would I split an archive?",
        rule,
        "As Ann told us:",
        "# When can I split?",
        rule,
        answer,
    ]
    content = content_of_lines(lines, title="Packer")
    assert headlines_of(question, 3, 6, content=content) == ([answer] if said else [])
