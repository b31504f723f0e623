"""What a cell says where there is no amount."""

import pytest

from reading.values.nothing import is_nothing, nothing_words, says_nothing


@pytest.mark.parametrize("text", ["nil", "None", "n/a", "Entfällt", "néant", "–", "no  aplica"])
def test_what_says_that_there_is_none_is_a_value(text: str) -> None:
    assert is_nothing(text)


@pytest.mark.parametrize("text", ["", "12", "none of the above", "Charge", "non"])
def test_anything_else_is_not(text: str) -> None:
    assert not is_nothing(text)


def test_the_words_are_in_lower_case_as_they_are_compared() -> None:
    assert all(word == " ".join(word.casefold().split()) for word in nothing_words())


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("Excess for each claim: nil.", True),
        ("Selbstbeteiligung je Schaden: entfällt", True),
        ("Excess: nil for the first claim.", False),
        ("There is nil to pay.", False),
        ("Fees: £12.", False),
    ],
)
def test_a_sentence_may_end_by_saying_so(text: str, is_said: bool) -> None:
    assert says_nothing(text) is is_said
