"""Whether a place only names what a yes-or-no question asks about: a title, a label, an option without its state."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from documents.storage.content import DocumentContent
from reading.layout.ticks import options_in
from reading.wording import read_word_lists
from retrieval.types import LineRange, Question
from retrieval.words.options import group_at
from retrieval.words.terms import WeighedTerm
from retrieval.words.tokens import is_stop_word, normalise_words, stem

WORDS_MAX = 8  # of a name; more words say something


@cache
def saying_words() -> dict[str, frozenset[str]]:
    """By language, the small words that make a few words a statement: "is", "not", "included"."""
    return read_word_lists(Path(__file__).parent, "saying_words")


def is_named_only(
    lines: LineRange, question: Question, terms: Sequence[WeighedTerm], content: DocumentContent, around: str = ""
) -> bool:
    """Whether lines have nothing but words of the question, no statement, and not all of them, nor the text `around`.

    "Subsidence" does not say whether subsidence is insured. An option that is or is not ticked does.
    """
    if question.answer_type != "boolean" or question.parts:
        return False
    words = normalise_words(" ".join(line.text_in_force for line in content.legible_lines(*lines)))
    if len(words) > WORDS_MAX or is_state_told(lines, content):
        return False
    language = content.language
    saying = saying_words().get(language, saying_words()["en"])
    asked = {form for term in terms for form in (*term.texts, *term.forms) for form in form.split()}
    if any(word in saying or word not in asked and not is_empty_word(word, language) for word in words):
        return False
    said = {stem(word, language) for word in (*words, *normalise_words(around))}
    return any(
        stem(word, language) not in said
        for word in normalise_words(question.topic)
        if not is_empty_word(word, language)
    )


def is_empty_word(word: str, language: str) -> bool:
    """Whether a word or a list's number says nothing of its own."""
    return is_stop_word(word, language) or (word.isdigit() and len(word) < 3)


def is_state_told(lines: LineRange, content: DocumentContent) -> bool:
    for line in content.legible_lines(*lines):
        if options_in(line.text_in_force) and (group := group_at(line.number, content)):
            return any(each.is_ticked is not None for each in group.options if each.line.number == line.number)
    return False
