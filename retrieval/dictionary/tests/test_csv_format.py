"""The dictionary as CSV: what is read, what is refused and where, and that a spreadsheet computes nothing."""

import csv
import io

import pytest

from retrieval.dictionary.csv_format import (
    BYTES_MAX,
    ERRORS_MAX,
    WordlistError,
    WordRow,
    read_bytes,
    read_text,
    write_words,
)
from retrieval.dictionary.packs import PACKS, pack_rows

HEADER = "concept,language,term,priority,weight\n"


def test_it_reads_rows_and_fills_what_is_left_out() -> None:
    rows, errors = read_text(HEADER + "premium,EN, monthly  charges ,Secondary,0.5\n\npremium,,premium,,\n")
    assert errors == []
    assert rows == [
        WordRow("premium", "en", "monthly charges", "secondary", 0.5),
        WordRow("premium", "", "premium", "primary", 1.0),
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"concept,term\nfranchise,d\xc3\xa9ductible\n",
        b"\xef\xbb\xbfTerm;Concept\r\nd\xc3\xa9ductible;franchise\r\n",
        b"concept\tterm\nfranchise\td\xc3\xa9ductible\n",
        "concept,term\nfranchise,de\u0301ductible\n".encode(),  # the accent as a character of its own
    ],
)
def test_it_reads_what_spreadsheets_write(content: bytes) -> None:
    assert read_bytes(content) == ([WordRow("franchise", "", "déductible")], [])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("premium,xx,prime,,", "The language must be"),
        ("premium,en,prime,first,", "The priority must be"),
        ("premium,en,prime,,heavy", "The weight must be"),
        ("premium,en,prime,,nan", "The weight must be"),
        ("premium,en,prime,,inf", "The weight must be"),
        ("premium,en,prime,,0", "The weight must be"),
        ("premium,en,prime,,99", "The weight must be"),
        (",en,prime,,", "The concept is missing"),
        ("premium,en,,,", "The term is missing"),
        ("premium,en,%%%,,", "no letter and no digit"),
        ("premium,en," + "x" * 121 + ",,", "longer than 120"),
        ('premium,en,"two\nlines",,', "a line break"),
        ("premium,en,nul\x00byte,,", "cannot be shown"),
        ("premium,en,prime,,,extra", "6 cells"),
        ("PREMIUM,en,Good,,", "stands on line 2 already"),
    ],
)
def test_it_says_which_line_is_wrong_and_why(line: str, message: str) -> None:
    rows, errors = read_text(f"{HEADER}premium,en,good,,\n{line}\nlast,en,fine,,\n")
    assert [row.term for row in rows] == ["good", "fine"]
    assert [error.line for error in errors] == [4 if "\n" in line else 3]
    assert message in errors[0].message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "must name the columns"),
        (b"a,b,c\n1,2,3\n", "must name the columns"),
        (b"concept,term,color\na,b,c\n", "must name the columns"),
        (b"concept,term,term\na,b,c\n", "must name the columns"),
        (b"concept,term\n\xff\xfe\n", "not UTF-8"),
        (b'concept,term\n"a"b,c\n', "Line 2 cannot be read"),
        (b'concept,term\n"never closed,c\n', "cannot be read"),
        (b"concept,term\n" + b"a" * 200_000 + b",b\n", "cannot be read"),
        (b"x" * (BYTES_MAX + 1), "larger than"),
        (b"concept,term\n" + b"".join(b"c,t%d\n" % n for n in range(10_001)), "more than 10,000 rows"),
        (b"PK\x03\x04\x14\x00\x06\x00\x08\x00", "must name the columns"),  # a spreadsheet's own format
    ],
)
def test_it_refuses_what_is_no_dictionary(content: bytes, message: str) -> None:
    with pytest.raises(WordlistError, match=message):
        read_bytes(content)


def test_it_stops_at_a_file_of_errors() -> None:
    _, errors = read_text("concept,term\n" + ",\x01\n" * 5000)
    assert len(errors) == ERRORS_MAX + 1


@pytest.mark.parametrize("cell", ["=1+1", "+1 sum", "-1 off", "@sum", "=cmd|'/c calc'!A1"])
def test_a_formula_is_written_as_text_and_read_back_as_it_was(cell: str) -> None:
    text = write_words([WordRow(cell, "en", cell, "secondary", 0.25)])
    for row in list(csv.reader(io.StringIO(text)))[1:]:
        assert not any(value.startswith(("=", "+", "-", "@")) for value in row)
    assert read_text(text) == ([WordRow(cell, "en", cell, "secondary", 0.25)], [])


@pytest.mark.parametrize("name", PACKS)
def test_the_packs_survive_the_way_out_and_in(name: str) -> None:
    assert read_text(write_words(pack_rows(name))) == (list(pack_rows(name)), [])
