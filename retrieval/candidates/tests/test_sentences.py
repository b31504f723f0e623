"""What the rules quote: whole sentences that hold the words of the question, as they stand."""

from dataclasses import replace

import pytest

from documents.storage.content import DocumentContent
from reading.rows import LineKind
from retrieval.candidates.sentences import LIST_LINES, QUOTE_CHARS, SENTENCE_CHARS, sentences_at
from retrieval.tests.builders import content_of_lines
from retrieval.types import LineRange

LICENCE: list[str | tuple[str, LineKind]] = [
    "# Termination",
    "You may keep a copy. Moreover, your license from a particular",
    "holder is reinstated permanently if the holder notifies you of the",
    "violation and you cure it within thirty days. Each",
    "later notice gives you ten days. Fees",
    "are not repaid.",
    "# Rates",
    ("Rate Amount", "table_row"),
    ("Basic rate 12", "table_row"),
]


@pytest.fixture(scope="module")
def licence() -> DocumentContent:
    return content_of_lines(LICENCE)


def quote(content: DocumentContent, anchor: tuple[int, int], best: int, *words: str) -> str:
    return " ".join(sentences_at(LineRange(*anchor), best, words, content).text.split())


CURED = (
    "Moreover, your license from a particular holder is reinstated permanently if the holder notifies you of the "
    "violation and you cure it within thirty days."
)


@pytest.mark.parametrize(
    ("anchor", "best", "words", "expected"),
    [
        ((3, 4), 3, ("reinstated",), CURED),
        ((4, 4), 4, ("cure",), CURED),
        ((4, 5), 5, ("notice",), "Each later notice gives you ten days."),
        ((4, 5), 4, ("cure", "notice"), f"{CURED} Each later notice gives you ten days."),
        ((2, 2), 2, ("copy",), "You may keep a copy."),
        ((1, 2), 1, ("termination",), f"You may keep a copy. {CURED}"),
        ((4, 4), 4, (), f"{CURED} Each later notice gives you ten days."),
    ],
    ids=["begins above", "ends the sentence", "ends below", "two of them", "first", "below a heading", "by meaning"],
)
def test_it_begins_and_ends_with_a_sentence(
    licence: DocumentContent, anchor: tuple[int, int], best: int, words: tuple[str, ...], expected: str
) -> None:
    assert quote(licence, anchor, best, *words) == expected


def test_its_lines_are_where_it_stands(licence: DocumentContent) -> None:
    found = sentences_at(LineRange(4, 4), 4, ("cure",), licence)
    assert found.lines == (2, 4)
    assert found.text.splitlines()[1] == LICENCE[2], "line by line, as calibration and the page have it"


def test_it_goes_over_a_page_only_in_the_middle_of_a_sentence() -> None:
    lines = [
        "# A",
        "The fee is computed as a weighted",
        "---",
        "sum of the parts.",
        "# B",
        "The rate is computed as",
        "---",
    ]
    content = content_of_lines([*lines, "Scaled Part Multi Part", "and more."])
    assert quote(content, (2, 2), 2, "fee") == "The fee is computed as a weighted sum of the parts."
    assert quote(content, (5, 5), 5, "rate") == "The rate is computed as", "what follows is the label of a figure"


def test_it_goes_over_a_page_within_a_number() -> None:
    content = content_of_lines(["# A", "They survive for a period of six", "---", "(6) years from that date."])
    assert quote(content, (2, 2), 2, "survive") == "They survive for a period of six (6) years from that date."


def test_of_a_table_there_are_none(licence: DocumentContent) -> None:
    assert quote(licence, (8, 9), 9, "rate") == ""


def test_several_sentences_are_no_longer_than_a_clause_may_be() -> None:
    lines = [f"Fee {number} is due when the visit of that number has been made and signed." for number in range(20)]
    content = content_of_lines(["# Fees", *lines])
    assert quote(content, (2, 21), 6, "fee") == lines[4]
    assert len(" ".join(lines)) > QUOTE_CHARS


def test_of_an_endless_sentence_only_whole_clauses_are_quoted() -> None:
    lines = [f"the supplier repairs the part of kind {number} after it is told of the fault;" for number in range(40)]
    content = content_of_lines(["# Repairs", *lines])
    found = quote(content, (20, 20), 20, "part")
    assert lines[18] in found and len(found) <= SENTENCE_CHARS
    assert found.startswith("the supplier repairs") and found.endswith(";")


NOTICE: list[str | tuple[str, LineKind]] = [
    "# Term",
    "2.1 The employment goes on until either party gives the following written notice:",
    "2.1.1 6 weeks’ notice, which is given in",
    "writing;",
    "2.1.2 in the cases of the law:",
    "(a) at once; or",
    "(b) within a day.",
    "2.2 The employment began in May.",
    "# Fees",
    "The fees are named here:",
    "They are not repaid, in no case and to nobody, and they are not lowered either.",
]


def test_a_quote_that_announces_a_list_goes_on_over_its_items() -> None:
    """R65: what a sentence with a colon announces is part of the one unbroken stretch that is quoted."""
    content = content_of_lines(NOTICE)
    found = sentences_at(LineRange(2, 2), 2, ("notice",), content)
    assert found.text.splitlines() == NOTICE[1:7] and found.lines == (2, 7)


def test_a_quote_does_not_go_on_over_what_is_no_item() -> None:
    assert quote(content_of_lines(NOTICE), (10, 10), 10, "fees") == NOTICE[9]


@pytest.mark.parametrize(("left", "is_quoted"), [(90.0, True), (72.0, False)])
def test_a_quote_that_ends_with_a_colon_goes_on_over_the_block_set_in_below_it(left: float, is_quoted: bool) -> None:
    block = ["serverctl restart --wait 30", "serverctl status"]
    before = [f"Server {number} runs all night." for number in range(4)]
    content = content_of_lines(["# Restart", *before, "To restart it, run this:", *block, "It takes a minute."])
    moved = [line._replace(x0=left, y0=line.y0 + 14) for line in content.lines[6:8]]
    after = content.lines[8]._replace(y0=content.lines[8].y0 + 28)
    content = replace(content, lines=(*content.lines[:6], *moved, after))
    found = sentences_at(LineRange(6, 6), 6, ("restart",), content).text.splitlines()
    assert found == ["To restart it, run this:", *(block if is_quoted else [])]


def test_a_list_that_is_too_long_is_quoted_up_to_a_whole_item() -> None:
    items = [line for number in range(1, 9) for line in (f"{number}. the part of kind {number} that", "is repaired;")]
    content = content_of_lines(["# Parts", "The supplier repairs these:", *items])
    found = sentences_at(LineRange(2, 2), 2, ("repairs",), content)
    assert found.text.splitlines() == ["The supplier repairs these:", *items[:LIST_LINES]]


def test_an_endless_item_is_not_quoted() -> None:
    long = [f"line {number} of the one item that is too long" for number in range(LIST_LINES)]
    content = content_of_lines(["# Parts", "The supplier repairs these:", "(a) first,", *long])
    assert quote(content, (2, 2), 2, "repairs") == "The supplier repairs these:"


ASKED: list[str | tuple[str, LineKind]] = [
    "# How do I freeze my membership?",
    "Write to the desk. A freeze lasts three months.",
    "# Guests",
    "**Q: May a guest use",
    "the pool?**",
    "A: On Mondays only. The visitors’ book is signed first.",
    "2. Is the pool heated?",
    "From May on. Each",
    "degree costs a fortune.",
    "Is it cleaned?",
    "Is it guarded?",
    "The pool lies behind the hall.",
    "Is it open?",
    "[x] Yes",
    "The pool has two lanes.",
    "Which lanes are free?",
    ("Lane 2 Monday", "table_row"),
    "# Who sweeps it?",
    ("~~~~~~~~~~~~~~~", "furniture"),
    "The keeper sweeps it.",
]


@pytest.mark.parametrize(
    ("best", "word", "expected"),
    [
        (1, "freeze", ASKED[1]),
        (2, "three", ASKED[1]),
        (4, "guest", " ".join(map(str, ASKED[3:6]))),
        (5, "pool", " ".join(map(str, ASKED[3:6]))),
        (6, "book", " ".join(map(str, ASKED[3:6]))),
        (7, "heated", " ".join(map(str, ASKED[6:9]))),
        (8, "degree", " ".join(map(str, ASKED[6:9]))),
        (10, "cleaned", "Is it cleaned?"),
        (12, "lies", "Is it guarded? The pool lies behind the hall."),
        (13, "open", "Is it open?"),
        (16, "lanes", "Which lanes are free?"),
        (20, "keeper", "The keeper sweeps it."),  # a rule is below the title
    ],
)
def test_a_printed_question_is_quoted_with_its_answer(best: int, word: str, expected: str) -> None:
    """As in a FAQ: of a heading the answer alone, and no other question, option or row is an answer."""
    assert quote(content_of_lines(ASKED), (best, best + (best == 1)), best, word) == expected


def test_far_below_a_printed_question_only_what_was_found_is_quoted() -> None:
    told = [f"Rule {number} of the house is read out to those who move in." for number in range(1, 30)]
    content = content_of_lines(["# House", "Which rules hold?", *told])
    assert quote(content, (2, 2), 2, "rules") == " ".join(["Which rules hold?", *told[:12]])
    assert quote(content, (30, 30), 30, "28") == told[27]
