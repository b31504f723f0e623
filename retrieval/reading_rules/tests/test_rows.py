"""Rows of a base's rules: what is refused, and CSV that reads back as it was written (R103)."""

import pytest

from retrieval.dictionary.csv_format import WordlistError
from retrieval.question.kinds import RuleRow, shipped_rows
from retrieval.reading_rules.rows import ROWS_MAX, RuleError, check_row, check_rows, read_rows, write_rows

ROWS = (
    RuleRow("asks", "policy_number", "en", "policy number"),
    RuleRow("printed", "policy_number", "", r"\b[A-Z]{2}-\d{6}\b"),
    RuleRow("shape", "listing", "fr", "donnez toutes"),
    RuleRow("vague", "", "en", "widget"),
    RuleRow("vague", "", "en", "cap", is_on=False),
)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (("verb", "x", "", "x"), "The kind must be one of"),
        (("asks", "Policy Number", "", "number"), "A type is named by"),
        (("asks", "text", "", "number"), "A type is named by"),
        (("asks", "x", "xx", "number"), "The language must be"),
        (("asks", "x", "", "?!"), "Write one or more words"),
        (("asks", "x", "", "how (much"), "belongs to a pattern"),
        (("shape", "circle", "", "round"), "The shape must be one of"),
        (("vague", "x", "", "thing"), "has no name"),
        (("vague", "", "", "two words"), "a single word"),
        (("vague", "", "en", "cap"), "ships already"),
        (("value", "x", "", "(a"), "cannot be used"),
        (("value", "x", "", "a*"), "in every line"),
        (("vague", "", "", "x", "perhaps"), "yes or no"),
        (("vague", "", "en", "giraffe", "no"), "No row that ships"),
    ],
)
def test_what_is_refused_and_why(row: tuple[str, ...], told: str) -> None:
    with pytest.raises(RuleError, match=told):
        check_row(*row)


def test_a_row_that_ships_can_be_switched_off() -> None:
    for each in shipped_rows():
        assert check_row(*each.row.key, "no") == each.row._replace(is_on=False)


def test_the_file_reads_back_as_it_was_written() -> None:
    assert read_rows(write_rows(ROWS).encode()) == check_rows(ROWS)


def test_a_wrong_line_is_named_and_nothing_is_read() -> None:
    with pytest.raises(RuleError, match="Line 3: .*cannot be used"):
        read_rows(b"kind,name,language,text,on\nvague,,en,widget,yes\nvalue,x,,(a,yes\n")
    with pytest.raises(WordlistError, match="first line must name"):
        read_rows(b"concept,term\na,b\n")


def test_there_is_a_limit_and_no_row_stands_twice() -> None:
    with pytest.raises(RuleError, match="twice"):
        check_rows([ROWS[0], ROWS[0]])
    with pytest.raises(RuleError, match="at most"):
        check_rows(RuleRow("vague", "", "", f"word{number}") for number in range(ROWS_MAX + 1))
