"""Parts of a year in words, in the languages that are read."""

import pytest

from chat.figures.year_parts import part_words, parts_named
from reading.wording import Wording


@pytest.mark.parametrize("wording", part_words().alternatives, ids=lambda each: f"{each.language} {each.section}")
def test_each_alternative_is_found_in_its_examples_only(wording: Wording) -> None:
    alone = part_words().alone(wording)
    assert [text for text in wording.examples if not alone.search(text)] == []
    assert [text for text in wording.counter_examples if alone.search(text)] == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What were the sales in the second half of 2024?", {"second_half"}),
        ("Umsatz im zweiten Halbjahr 2024", {"second_half", "months"}),
        ("Ventes du troisième trimestre", {"third_quarter", "months"}),
        ("Full year", {"whole"}),
        ("Year ended 31 December 2025", set()),
    ],
)
def test_the_parts_of_a_year_that_a_text_names(text: str, named: set[str]) -> None:
    assert parts_named(text) == named
