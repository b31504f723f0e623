"""Which form of a word searched stands in a place, and what a word nobody asked for stands for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from retrieval.types import Candidate, Keyword
from retrieval.words.tokens import normalise_words, split_words

ASKED = ("direct", "identifier")  # sources of a keyword that the question has itself


@dataclass(frozen=True)
class FormsMet:
    """By keyword, where it is not the word itself: the form that stands there, and what it was searched for."""

    form: dict[str, str] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)

    def once(self, words: Sequence[str]) -> list[str]:
        """The words, without those that stand there as the same printed form as one before."""
        printed: dict[str, str] = {}
        for word in words:
            printed.setdefault(self.form.get(word, word), word)
        return list(printed.values())

    def facts(self) -> dict[str, dict[str, str]]:
        return {name: told for name, told in (("form", self.form), ("asked", self.asked)) if told}


def find_forms(candidate: Candidate, keywords: Sequence[Keyword]) -> FormsMet:
    """What stands in the matched lines for each keyword of a candidate."""
    text = f" {' '.join(normalise_words(candidate.anchor_text))} "
    by_text = {keyword.text: keyword for keyword in reversed(keywords)}  # what was asked stands first
    met = FormsMet()
    for word in candidate.matched_keywords:
        keyword = by_text.get(word)
        if keyword is None:
            continue
        same = (form for each in keywords if each.group and each.group == keyword.group for form in each.forms)
        form = first_in(text, (word, *keyword.forms, *same))  # a hit of a dictionary's word may have its concept's name
        if form and form != word:
            met.form[word] = form
        if keyword.source not in ASKED and keyword.group not in ("", word):
            met.asked[word] = keyword.group
    return met


def first_in(text: str, forms: Iterable[str]) -> str:
    """The first form whose words stand in a row in the text, or ""."""
    return next((form for form in forms if f" {as_words(form)} " in text), "")


def as_words(form: str) -> str:
    return form if form.isascii() and form.isalnum() else " ".join(split_words(form))
