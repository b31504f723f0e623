"""Reasons as people read them: each can be filled, says what to do, and writes page numbers as people do."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.reasons import REASONS, WARNINGS, ReadingError, number_ranges, refusal

VALUES = {"limit_mb": 50, "pages": 7, "limit": 6, "seconds": 30, "passages": 9, "memory_mb": 1024}


def placeholders(words: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(words) if name}


@pytest.mark.parametrize("code", REASONS)
def test_each_reason_is_one_filled_sentence_or_more(code: str) -> None:
    error = refusal(code, "detail", **{name: VALUES[name] for name in placeholders(REASONS[code])})
    assert error.code == code and error.detail == "detail" and str(error) == f"{code}: detail"
    assert "{" not in error.message and error.message[0].isupper() and error.message.endswith(".")
    assert re.fullmatch(r"[a-z_]+", code) and len(code) <= 30, "the width of its column"


@pytest.mark.parametrize("code", WARNINGS)
def test_a_warning_is_filled_with_its_value_and_nothing_else(code: str) -> None:
    assert placeholders(WARNINGS[code]) <= {"value"} and WARNINGS[code].endswith(".")


LIMITED = ["too_large", "too_many_pages", "parse_timeout", "parse_memory", "text_too_large", "too_many_passages"]


@pytest.mark.parametrize("code", LIMITED)
def test_a_reason_that_names_a_limit_cannot_be_given_without_it(code: str) -> None:
    with pytest.raises(KeyError):
        refusal(code)


def test_a_code_nobody_knows_is_a_fault_of_ours() -> None:
    with pytest.raises(KeyError, match="no_such_code"):
        refusal("no_such_code")


def test_values_from_a_file_are_text_and_never_a_form() -> None:
    assert "{seconds}" in refusal("parse_timeout", seconds="{seconds}").message
    assert refusal("no_text", "{limit}").detail == "{limit}"


@pytest.mark.parametrize(("detail", "words"), [("", "no_text: No page"), ("page 7", "no_text: page 7")])
def test_an_error_tells_administrators_the_detail_or_else_the_sentence(detail: str, words: str) -> None:
    assert str(refusal("no_text", detail)).startswith(words)
    assert isinstance(refusal("no_text", detail), ReadingError)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([], ""),
        ([7], "7"),
        ([1, 2], "1-2"),
        ([1, 2, 3, 7], "1-3, 7"),
        ([1, 3, 5], "1, 3, 5"),
        ([5, 6, 7, 9, 10, 12], "5-7, 9-10, 12"),
        ([2, 2], "2, 2"),
        ([3, 2, 1], "3, 2, 1"),
        ((998, 999, 1000), "998-1000"),
        (range(1, 2001), "1-2000"),
    ],
)
def test_pages_are_named_in_ranges(numbers: list[int], words: str) -> None:
    assert number_ranges(numbers) == words


@given(numbers=st.sets(st.integers(1, 300)))
def test_ranges_say_every_page_and_no_other(numbers: set[int]) -> None:
    words = number_ranges(sorted(numbers))
    told: list[int] = []
    for part in filter(None, words.split(", ")):
        first, _, last = part.partition("-")
        told += range(int(first), int(last or first) + 1)
    assert told == sorted(numbers)
    assert len(words.split(", ")) <= max(1, len(numbers))
