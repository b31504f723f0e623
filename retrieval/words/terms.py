"""The words of a question as weighed in one document: where each stands and how much it says there."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from os.path import commonprefix

import numpy as np
from numpy.typing import NDArray

from reading.matching import match_form
from retrieval.types import Keyword, Question
from retrieval.words.lexicon import NO_LINES, Lexicon, Numbers
from retrieval.words.tokens import stem

PRIMARY_POINTS, SECONDARY_POINTS = 3, 1  # R29
YEAR_WEIGHT = 0.5  # a year stands on every page of a report: it tells two columns apart, not two pages
ENDING_MAX = 3  # letters: -s, -ed, -ing, -ies, -ion; "-ible", "-ance" and "-ment" make other words
RARITY_MIN = 0.1  # a word on most lines still says a little


@dataclass(frozen=True, eq=False)
class WeighedTerm:
    """The keywords of one group in one document: any of them counts, and they count once."""

    texts: tuple[str, ...]
    forms: tuple[str, ...]
    lines: Numbers
    akin: Numbers  # those of its lines that hold only another word of its family
    is_primary: bool
    points: int
    weight: float
    is_concept: bool = False  # the expert dictionary knows it
    is_computed: bool = False  # from the figures of other terms of the question

    @property
    def text(self) -> str:
        return self.texts[0]

    @cached_property
    def match_texts(self) -> tuple[str, ...]:
        return tuple(map(match_form, self.texts))


@lru_cache(maxsize=16)  # every detector and the aggregation ask for those of a question in each of its documents
def weigh_terms(question: Question, lexicon: Lexicon) -> tuple[WeighedTerm, ...]:
    """The terms of a question, years last. A word without a hit keeps its full weight: its absence counts.

    A concept's other names without a hit weigh nothing: the question did not say them, so nothing is missing.
    """
    groups: dict[str, list[Keyword]] = {}
    for keyword in question.keywords:
        groups.setdefault(keyword.group or keyword.text, []).append(keyword)
    terms = [term_of(keywords, lexicon) for keywords in groups.values()]
    for year in question.years:
        lines = lexicon.lines_with_any(year_forms(year))
        terms.append(WeighedTerm((year,), year_forms(year), lines, NO_LINES, False, 0, YEAR_WEIGHT))
    return tuple(terms)


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
    """Of one stem and more than an ending apart: "deducted" and "deductible" are two words.

    Other names, ways to write a code, cognates of another language and spellings are the word itself.
    """
    if stem(form, language) != stem(word, language):
        return False
    start = len(commonprefix([form, word]))
    end = len(commonprefix([form[start:][::-1], word[start:][::-1]]))
    return max(len(form), len(word)) - start - end > ENDING_MAX


def year_forms(year: str) -> tuple[str, ...]:
    return (year, f"fy{year}", f"fy{year[2:]}", f"fy {year[2:]}")


def presence(terms: Sequence[WeighedTerm], lexicon: Lexicon) -> NDArray[np.bool_]:
    """[terms, lines + 1]: does the term stand on the line with this number? Column 0 belongs to no line."""
    stands = np.zeros((len(terms), lexicon.line_count + 1), dtype=bool)
    for row, term in enumerate(terms):
        stands[row, term.lines] = True
    return stands


def matched_terms(terms: Sequence[WeighedTerm], stands: NDArray[np.bool_], number: int) -> list[WeighedTerm]:
    """The terms that stand on a line, in the question's order; none beyond the last line."""
    if number >= stands.shape[1]:
        return []
    return [terms[row] for row in np.flatnonzero(stands[:, number]).tolist()]
