"""Names, and yes and no, are told by the words of each language (R82)."""

import pytest

from chat.figures.names import name_words
from chat.figures.yes_no import yes_no_words
from reading.wording import Wording, Wordings

ENTRIES = [(words(), each) for words in (yes_no_words, name_words) for each in words().alternatives]


@pytest.mark.parametrize(("words", "entry"), ENTRIES, ids=lambda each: str(getattr(each, "pattern", "")))
def test_each_entry_matches_its_examples_only(words: Wordings, entry: Wording) -> None:
    pattern = words.alone(entry)
    assert all(pattern.search(example) for example in entry.examples)
    assert entry.counter_examples and not any(pattern.fullmatch(each) for each in entry.counter_examples)
    if words is not name_words():
        assert not any(pattern.search(each) for each in entry.counter_examples)
