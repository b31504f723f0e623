"""Patterns that people write are searched in linear time, or refused with the reason (R103)."""

import time

import pytest

from retrieval.question.linear import PATTERN_MAX, PatternRefused, check_pattern, compile_linear


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (r"(?<=No\.)\d+", "look-around|Look-around"),
        (r"(\d)\1", "back-references"),
        (r"[a-", "cannot be used"),
        ("", "is empty"),
        ("x" * (PATTERN_MAX + 1), f"at most {PATTERN_MAX}"),
        (r"(?:[a-z0-9]{1,100}){1,9}", "too large"),
        (r"\d*", "in every line"),
        (r"a{1,2000}", "cannot be used"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(text: str, told: str) -> None:
    with pytest.raises(PatternRefused, match=told):
        check_pattern(text)


@pytest.mark.parametrize("text", [r"(a+)+$", r"(a|aa)+$", r"(?:a?){30}a{30}$", r"(.*a){12}$", r"^(\w+\s?)*$"])
def test_what_takes_other_engines_ages_takes_no_time(text: str) -> None:
    """(R103) All of these are exponential or worse for `re`; a line of 60,000 signs is longer than any."""
    pattern = compile_linear(check_pattern(text) if compile_linear(text).search("") is None else text)
    began = time.thread_time()
    pattern.search("a" * 60_000 + "!")
    assert time.thread_time() - began < 1.0
