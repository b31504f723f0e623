"""The count of what every word and alternative of the rules fires on."""

import pytest

from benchmarks.fitted import leaves_of, run
from benchmarks.questions import GoldQuestion


def asked(text: str) -> GoldQuestion:
    return GoldQuestion("q", text, "a.pdf", "", "", False, (1,), (), (), ())


@pytest.mark.parametrize(
    ("pattern", "leaves"),
    [
        ("a|b", ["a", "b"]),
        (r"x(?:a|b)y|c", ["x(?:a)y", "x(?:b)y", "c"]),
        (r"a(?:b|c)?", ["a(?:b|c)?"]),
        (r"[|(]a\||b", [r"[|(]a\|", "b"]),
        (r"(?:a(?:b|c)|d)", ["(?:a(?:b))", "(?:a(?:c))", "(?:d)"]),
    ],
)
def test_an_expression_is_taken_apart_into_its_alternatives(pattern: str, leaves: list[str]) -> None:
    assert leaves_of(pattern) == leaves


def test_each_word_and_alternative_is_counted_by_set() -> None:
    sets = {
        "one": [asked("What is the annual fee? Round your answer to two decimals."), asked("Compare the fees.")],
        "other": [asked("Who signs, according to page 3?")],
    }
    counts = {(row.section, row.text): row.counts for row in run(sets)}
    assert counts["", "annual"] == {"one": 1, "other": 0}
    assert counts["order", "round"] == {"one": 1, "other": 0}
    assert counts["order", "quote"] == {"one": 0, "other": 0}
    assert counts["open", "compare"] == {"one": 1, "other": 0}
    assert counts["metric", "current ratio"] == {"one": 0, "other": 0}
