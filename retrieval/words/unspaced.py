"""Keywords of scripts written without spaces: what stands between function words is cut by what the documents have."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from reading.matching import pairs_of
from retrieval.words.lexicon import Lexicon
from retrieval.words.tokens import is_generic, is_stop_word, stop_words

RUN_MAX = 60  # characters of one run that are cut; a clause of a question has fewer


def form_of_run(text: str) -> str:
    """The form a run is searched in: its pairs, which stand in a row where the run stands."""
    return " ".join(pairs_of(text))


def cut_run(run: str, lexicons: Sequence[Lexicon], language: str) -> list[str]:
    """The words of a run: its longest parts that stand in the documents, and what is left between them.

    Function words are left out; a single character that is left over counts as a word.
    """
    rest = function_words(language)
    found: dict[str, None] = {}
    for part, is_known in parts_of_run(run[:RUN_MAX], lexicons):
        found.update(dict.fromkeys([part] if is_known else rest.split(part)))
    return [part for part in found if part and not is_stop_word(part, language)]


def parts_of_run(run: str, lexicons: Sequence[Lexicon]) -> Iterator[tuple[str, bool]]:
    """The parts of a run in order, each with whether it stands in the documents."""
    for length in range(len(run), 1, -1):
        for at in range(len(run) - length + 1):
            part = run[at : at + length]
            if any(stands_in_lexicon(part, lexicon) for lexicon in lexicons):
                yield from parts_of_run(run[:at], lexicons)
                yield part, True
                yield from parts_of_run(run[at + length :], lexicons)
                return
    if run:
        yield run, False


def stands_in_lexicon(part: str, lexicon: Lexicon) -> bool:
    form = form_of_run(part)
    is_possible = all(pair in lexicon.lines or pair in lexicon.titles for pair in pairs_of(part))
    return is_possible and bool(len(lexicon.lines_with(form)) or lexicon.titles_with(form))


@cache
def function_words(language: str) -> re.Pattern[str]:
    """The function words of a language of such a script, the longest first; of another language none."""
    words = sorted(stop_words().get(language, ()), key=lambda word: (-len(word), word))
    return re.compile("|".join(map(re.escape, words)) or r"(?!)")


def is_filler(part: str, language: str) -> bool:
    """Whether a part only frames a question, or is too short to say much."""
    return len(part) == 1 or is_generic(part, language)
