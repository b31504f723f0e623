"""Markdown and plain text at their edges: headings and levels, figures of the report, hostile or foreign text."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.limits import Limits
from reading.markdown import WRAP_CHARS
from reading.plain_text import check_plain_text, read_markdown, read_plain_text, starts_of_headings
from reading.reasons import ReadingError
from reading.rows import FRONT_INDEX, Reading


def levels(*marks: int) -> list[int]:
    """The levels of the contents made of headings of these levels."""
    reading = read_markdown("\n\n".join(f"{'#' * mark} Heading {place}\n\ntext" for place, mark in enumerate(marks)))
    return [entry.level for entry in reading.toc if entry.origin == "markdown"]


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ((1, 2, 3), [1, 2, 3]),
        ((1, 3, 6), [1, 2, 3]),
        ((3, 2, 1), [1, 1, 1]),
        ((2, 2, 3, 2), [1, 1, 2, 1]),
        ((1, 4, 2, 4), [1, 2, 2, 3]),
        ((6,), [1]),
        ((1, 2, 1, 6), [1, 2, 1, 2]),
    ],
)
def test_a_skipped_level_opens_no_gap(marks: tuple[int, ...], expected: list[int]) -> None:
    assert levels(*marks) == expected


@given(marks=st.lists(st.integers(1, 6), min_size=1, max_size=12))
def test_no_level_is_more_than_one_below_the_last(marks: list[int]) -> None:
    made = levels(*marks)
    assert made[0] == 1 and len(made) == len(marks)
    assert all(1 <= after <= before + 1 for before, after in pairwise(made))


def test_headings_carry_the_number_they_print() -> None:
    reading = read_markdown("# 1 Scope\n\na\n\n## 1.2 Terms\n\nb\n\n# Scope\n\nc\n\n# 2024\n\nd\n")
    assert [(one.number, one.title) for one in reading.toc] == [
        ("1", "1 Scope"),
        ("1.2", "1.2 Terms"),
        ("", "Scope"),
        ("", "2024"),
    ]
    assert starts_of_headings([], [], {}) == []


@pytest.mark.parametrize(
    ("text", "limit", "code"),
    [
        ("", 10, "empty_file"),
        (" \t\r\n\u00a0\u2003", 10, "empty_file"),
        ("a" * 11, 10, "text_too_large"),
        ("漢" * 11, 10, "text_too_large"),
        ("a" * 10, 10, None),
        (" " * 5 + "a", 10, None),
    ],
)
@pytest.mark.parametrize("read", [read_markdown, read_plain_text])
def test_a_text_is_refused_by_its_characters(
    read: Callable[..., Reading], text: str, limit: int, code: str | None
) -> None:
    if code is None:
        assert read(text, Limits(document_chars=limit)).lines
        return
    with pytest.raises(ReadingError) as caught:
        read(text, Limits(document_chars=limit))
    assert caught.value.code == code and (code == "empty_file" or "10 characters" in caught.value.message)


def test_the_text_itself_is_not_changed_by_its_check() -> None:
    assert check_plain_text("  a\r\n", Limits()) == "  a\r\n"


@pytest.mark.parametrize("text", ["\x00", "\x00\x01\x02", "\u200b", "\ufeff", "\ud800", "\u202e"])
@pytest.mark.parametrize("read", [read_markdown, read_plain_text])
def test_a_file_of_signs_nobody_sees_is_empty_or_read(read: Callable[..., Reading], text: str) -> None:
    try:
        reading = read(text)
    except ReadingError as error:
        assert error.code == "empty_file"
    else:
        assert reading.lines and all(line.text for line in reading.lines)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Le contrat prend fin après un préavis de trois mois adressé par écrit.", "fr"),
        ("Der Vertrag endet mit einer Frist von drei Monaten zum Ende des Monats.", "de"),
        ("The contract ends with a notice of three months in writing.", "en"),
        ("12 34 56", "und"),
    ],
)
def test_its_language_is_named(text: str, language: str) -> None:
    assert read_plain_text(text).language == language == read_markdown(f"# {text}\n\n{text}").language


UNDERLINED = """Changes
=======

Version 3.5
===========

Security fixes
--------------
A fault was mended.

Rate      Fee
-------------
one       2

The last line of a paragraph
that is followed by a rule:
---------------------------
1. Which level is best?
~~~~~~~~~~~~~~~~~~~~~~~
The first.

"""


def test_underlined_lines_of_plain_text_are_its_headings() -> None:
    reading = read_plain_text(UNDERLINED)
    assert [(entry.level, entry.number, entry.title) for entry in reading.toc if entry.origin == "markdown"] == [
        (1, "", "Changes"),
        (1, "", "Version 3.5"),
        (2, "", "Security fixes"),
        (3, "1", "1. Which level is best?"),
    ]
    rules = [line.text for line in reading.lines if line.kind == "furniture"]
    assert rules == ["=" * 7, "=" * 11, "-" * 14, "~" * 23]


FRAMED = """=============
Store of wool
=============

Wool that comes from
the hills of the north
----------------------

It is kept dry.

Washing
-------
It is washed twice.

Two lines of a paragraph that end
in a full stop over a rule of theirs.
-------------------------------------
"""


def test_a_title_may_have_two_lines_and_a_row_above() -> None:
    reading = read_plain_text(FRAMED)
    assert [(entry.level, entry.title) for entry in reading.toc if entry.origin == "markdown"] == [
        (1, "Store of wool"),
        (2, "Wool that comes from the hills of the north"),
        (2, "Washing"),
    ]
    assert [line.number for line in reading.lines if line.kind == "furniture"] == [1, 3, 6, 9]


@pytest.mark.parametrize(
    "text", ["Only a title\n============\n\ntext\n", "1,204\n-----\n\n2,400\n-----\n", "a\n-\n\nb\n-\n"]
)
def test_a_single_underlined_line_or_a_sum_makes_no_contents(text: str) -> None:
    reading = read_plain_text(text)
    assert not [entry for entry in reading.toc if entry.origin == "markdown"]
    assert "furniture" not in {line.kind for line in reading.lines}


def check_rows(reading: Reading) -> None:
    """What holds for every reading, whatever it was made of."""
    assert [line.number for line in reading.lines] == list(range(1, len(reading.lines) + 1))
    assert [page.number for page in reading.pages] == list(range(1, reading.lines[-1].page_number + 1))
    indexes = {entry.index for entry in reading.toc}
    for line in reading.lines:
        assert len(line.text) <= WRAP_CHARS and line.toc_index in indexes and line.x0 < line.x1 and line.y0 < line.y1
        assert "\x00" not in line.text + line.match
    for entry in reading.toc:
        assert 1 <= entry.first_line <= entry.last_line <= len(reading.lines)
    kinds = reading.report["line_kinds"]
    assert sum(kinds.values()) == len(reading.lines)
    assert reading.report["chars"] == sum(len(line.text) for line in reading.lines)


TEXTS = st.text(
    alphabet=st.sampled_from([*"ab1 .#-*`>|[]()=~\n\r\t\\", "é", "漢", "🙂", "\x00", "\u2028", "\ufeff", "\ud800"]),
    max_size=200,
)


@pytest.mark.parametrize("read", [read_markdown, read_plain_text])
@given(text=TEXTS)
def test_every_text_is_read_or_empty(read: Callable[..., Reading], text: str) -> None:
    try:
        check_rows(read(text))
    except ReadingError as error:
        assert error.code == "empty_file"


@pytest.mark.parametrize(
    "text",
    ["word " * 50_000, "x" * 200_000, "\n".join(["line"] * 5_000), "# Heading\n\n" * 1_000, "漢" * 80_000],
)
def test_a_large_text_is_cut_into_lines_and_pages(text: str) -> None:
    reading = read_markdown(text)
    check_rows(reading)
    assert len(reading.pages) > 10 and sum(len(line.text) for line in reading.lines) > 5_000


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_system_are_line_ends(end: str) -> None:
    reading = read_plain_text(end.join(["First line", "", "Second line"]))
    assert [line.text for line in reading.lines] == ["First line", "Second line"]
    assert reading.warnings == () and reading.report["removed_chars"] == 0


def test_what_was_removed_is_counted_and_said() -> None:
    reading = read_markdown("# Ti\x00tle\n\nte\x01xt\x02\n")
    assert reading.warnings == ("characters_removed(3)",) and reading.report["removed_chars"] == 3
    assert [line.text for line in reading.lines] == ["Title", "text"]


def test_text_without_headings_is_one_section_that_is_searched_whole() -> None:
    reading = read_markdown("Just a paragraph.\n\nAnd another.")
    [entry] = reading.toc
    assert (entry.index, entry.first_line, entry.last_line) == (FRONT_INDEX, 1, len(reading.lines))
    assert (reading.report["toc_origin"], reading.report["toc_strength"]) == ("none", "none")
    assert {page.text_layer for page in reading.pages} == {"text"} and reading.timings_ms.keys() == {"rows"}


@pytest.mark.parametrize("text", ["# " + "word " * 400, "# " + "x" * 3_000, f"---\ntitle: {'y' * 3_000}\n---\n\ntext"])
def test_a_title_longer_than_its_column_is_cut_and_its_words_are_all_in_the_lines(text: str) -> None:
    reading = read_markdown(f"{text}\n\nend\n")
    assert max(len(entry.title) for entry in reading.toc) <= 500 >= len(reading.title)
    assert sum(len(line.text) for line in reading.lines) > 1_900


def test_a_number_is_printed_with_single_spaces() -> None:
    reading = read_markdown(f"# Section{' ' * 80}5. Terms\n\ntext\n")
    assert [entry.number for entry in reading.toc] == ["Section 5"]


TYPED = """LEASE OF A WORKSHOP

This lease is made on 9 February 2026 between Pemberton Wharf Ltd and Solvay Road LLP,
both of Wigan.

1. PREMISES

The Lessor lets Unit 7 to the Lessee.

1.1 The yard behind it is let as well.

2. TERM

The term is six years from 1 March 2026, and is not renewed
unless both agree.

3. Rent and Review

The rent is GBP 38,400 a year.

LAW

The law of England governs this lease.
"""


def test_headings_that_are_typed_are_the_contents_of_plain_text() -> None:
    reading = read_plain_text(TYPED)
    titles = [(entry.number, entry.title) for entry in reading.toc if entry.origin == "headings"]
    assert titles == [
        ("", "LEASE OF A WORKSHOP"),
        ("1", "1. PREMISES"),
        ("2", "2. TERM"),
        ("3", "3. Rent and Review"),
        ("", "LAW"),
    ]
    assert (reading.report["toc_origin"], reading.report["toc_strength"]) == ("headings", "medium")
    check_rows(reading)


def test_a_numbered_sentence_that_stands_alone_is_no_heading() -> None:
    asked = {
        "Q) Which requests does it refuse?": "A) The server does not support the TRACE method.",
        "Q) Which ones take long?": "A) Those that ask for large files.",
        "Q) Who reads the log?": "A) Every member of the group sees it.",
        "Q) Where does it stand?": "A) It stands on the disk of the server.",
    }
    reading = read_plain_text("\n\n".join(f"{question}\n\n{answer}" for question, answer in asked.items()))
    assert [line.text for line in reading.lines if line.kind == "heading"] == list(asked)


@pytest.mark.parametrize(
    "text", ["NOTE\n\nIt is late.\n\n1. Fees\n\nNone.", "AB-1 CD\n\nEF-2 GH\n\nIJ-3 KL\n\nMN-4 OP"]
)
def test_a_few_headings_or_a_text_all_in_capitals_make_no_contents(text: str) -> None:
    reading = read_plain_text(text)
    assert {line.kind for line in reading.lines} == {"body"} and reading.report["toc_origin"] == "none"
