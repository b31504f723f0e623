"""The words of a question weighted for one document: where each occurs and how much that tells."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from os.path import commonprefix

import numpy as np
from numpy.typing import NDArray

from reading.matching import match_form
from retrieval.types import Keyword, Question
from retrieval.words.lexicon import NO_LINES, Lexicon, Numbers
from retrieval.words.tokens import as_typed, base_form, normalise_words, stem

PRIMARY_POINTS, SECONDARY_POINTS = 3, 1  # R29
YEAR_WEIGHT = 0.5  # a year is on every page of a report: it distinguishes columns, not pages
ENDING_MAX = 3  # letters: -s, -ed, -ing, -ies, -ion; "-ible", "-ance" and "-ment" make other words
RARITY_MIN = 0.1  # even a word on most lines says a little


@dataclass(frozen=True, eq=False)
class WeighedTerm:
    """The keywords of one group in one document: any of them counts, and only once."""

    texts: tuple[str, ...]
    forms: tuple[str, ...]
    lines: Numbers
    akin: Numbers  # those lines that contain only another word of its family
    is_primary: bool
    points: int
    weight: float
    is_concept: bool = False  # in the expert dictionary
    is_computed: bool = False  # computed from other terms of the question
    is_learned: bool = False  # a further keyword: it finds places, and is no part of the question

    @property
    def text(self) -> str:
        return self.texts[0]

    def is_in(self, words: Sequence[str]) -> bool:
        """Whether words, in match form, have it in any form."""
        said = f" {' '.join(words)} "
        return any(f" {form} " in said for form in self.forms)

    @cached_property
    def match_texts(self) -> tuple[str, ...]:
        return tuple(map(match_form, self.texts))


@lru_cache(maxsize=16)  # every detector and the aggregation need the terms of a question in each document
def weigh_terms(question: Question, lexicon: Lexicon) -> tuple[WeighedTerm, ...]:
    """The terms of a question, years last. A word without a hit keeps its full weight: its absence counts.

    A concept's other names without a hit weigh nothing: the question did not use them, so nothing is missing.
    """
    terms = [term_of(group, lexicon) for group in question.groups]
    for year in question.years:
        lines = lexicon.lines_with_any(year_forms(year))
        terms.append(WeighedTerm((year,), year_forms(year), lines, NO_LINES, False, 0, YEAR_WEIGHT))
    return tuple(terms)


def said_as(text: str, question: Question) -> str:
    """A word of a question as it was typed, with those that count as one with it, or that it was written in."""
    if not text[0].isalnum():
        return text  # an option, or an ending of files
    group = next((group for group in question.groups if group[0].text == text), ())
    said, texts = normalise_words(question.original), [each.text for each in group if each.is_own] or [text]
    whole = [next((word for word in said if each in word and each not in said), each) for each in texts]
    return " ".join(as_typed(each, question.original) for each in dict.fromkeys(whole))


@lru_cache(maxsize=16)
def weigh_searched(question: Question, lexicon: Lexicon) -> tuple[WeighedTerm, ...]:
    """The terms of a question, then what was learned for it and occurs in this document (R83)."""
    learned = [replace(term_of([each], lexicon), is_learned=True) for each in question.learned]
    return (*weigh_terms(question, lexicon), *(term for term in learned if len(term.lines)))


def terms_within(text: str, terms: Sequence[WeighedTerm]) -> tuple[WeighedTerm, ...]:
    """Those of a question's terms that a part of it has, in any of their forms."""
    said = f" {' '.join(normalise_words(text))} "
    return tuple(term for term in terms if any(f" {form} " in said for form in (*term.texts, *term.forms)))


def share_within(text: str, terms: Sequence[WeighedTerm]) -> float:
    """The share of all their weight that a text has; 0 where they have none."""
    total = sum(term.weight for term in terms)
    return sum(term.weight for term in terms_within(text, terms)) / total if total else 0.0


def term_of(keywords: Sequence[Keyword], lexicon: Lexicon) -> WeighedTerm:
    forms = tuple(dict.fromkeys(form for keyword in keywords for form in keyword.forms))
    lines = lexicon.lines_with_any(forms)
    close = {
        form for keyword in keywords for form in keyword.forms if not is_akin(form, keyword.text, lexicon.language)
    }
    akin = NO_LINES if len(close) == len(forms) else np.setdiff1d(lines, lexicon.lines_with_any(tuple(close)))
    is_primary = any(keyword.priority == "primary" for keyword in keywords)
    points = PRIMARY_POINTS if is_primary else SECONDARY_POINTS
    rarity = max(lexicon.rarity(len(lines)), RARITY_MIN)
    weight = points * max(keyword.weight for keyword in keywords) * rarity
    if not len(lines) and all(keyword.source == "dictionary" for keyword in keywords):
        weight = 0.0
    is_concept = any(keyword.source == "dictionary" for keyword in keywords)
    is_computed = any(keyword.computed for keyword in keywords)
    texts = tuple(keyword.text for keyword in keywords)
    return WeighedTerm(texts, forms, lines, akin, is_primary, points, weight, is_concept, is_computed)


def is_akin(form: str, word: str, language: str) -> bool:
    """Whether the stem is the same but the ending too different: "deducted" and "deductible" are two words.

    Other names, spellings of a code, cognates and spelling variants count as the word itself.
    """
    if form == word or stem(form, language) != stem(word, language):
        return False
    form, word = base_form(form, language), base_form(word, language)
    start = len(commonprefix([form, word]))
    end = len(commonprefix([form[start:][::-1], word[start:][::-1]]))
    return max(len(form), len(word)) - start - end > ENDING_MAX


def year_forms(year: str) -> tuple[str, ...]:
    return (year, f"fy{year}", f"fy{year[2:]}", f"fy {year[2:]}")


def presence(terms: Sequence[WeighedTerm], lexicon: Lexicon) -> NDArray[np.bool_]:
    """[terms, lines + 2]: whether the term is on the line of this number. The first and last columns are unused."""
    stands = np.zeros((len(terms), lexicon.line_count + 2), dtype=bool)
    for row, term in enumerate(terms):
        stands[row, term.lines] = True
    return stands


def terms_on(
    terms: Sequence[WeighedTerm], stands: NDArray[np.bool_], numbers: NDArray[np.integer]
) -> list[list[WeighedTerm]]:
    """The terms on each of some lines, in the question's order."""
    found: list[list[WeighedTerm]] = [[] for _ in numbers]
    for at, row in np.argwhere(stands[:, numbers].T).tolist():
        found[at].append(terms[row])
    return found
