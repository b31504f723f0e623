"""Words: how text is split into them, which are stop words, and which forms count as one word."""

import re
import threading
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

import snowballstemmer

from reading.language import UNKNOWN
from reading.matching import RUN, RUN_OR_WORD, UNSPACED, match_form, match_map, pairs_of
from reading.wording import read_form_lists, read_word_lists, read_words

WORD = re.compile(r"[^\W_]+")
POSSESSIVE = re.compile(r"'s\b")
ALGORITHMS = {"en": "english", "fr": "french", "de": "german", "es": "spanish"}
# Of these there are no lists of words beside: a stem finds a form more, and its absence proves nothing.
STEMMED_ONLY = {
    "ca": "catalan", "cs": "czech", "da": "danish", "el": "greek", "et": "estonian", "fi": "finnish", "hu": "hungarian",
    "it": "italian", "lt": "lithuanian", "nb": "norwegian", "nl": "dutch", "nn": "norwegian", "no": "norwegian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish",
    "tr": "turkish",
}  # fmt: skip
STEMMERS_OF = ALGORITHMS | STEMMED_ONLY
SPELLINGS = (
    (re.compile(r"is(?=(?:e|ed|es|er|ers|ing|ation|ations)$)"), "iz"),
    (re.compile(r"our(?=s|ed|ing|$)"), "or"),
    (re.compile(r"yz(?=(?:e[drs]?|ers|ing)$)"), "ys"),
    (re.compile(r"(?:(?<=licen)|(?<=offen)|(?<=defen)|(?<=^preten))c(?=e|ing)"), "s"),
    (re.compile(r"(?:(?<=cent)|(?<=theat)|(?<=met)|(?<=lit)|(?<=fib)|(?<=calib))re(?=s?$)"), "er"),
    (re.compile(r"(?<=alog)ue(?=s?$)|(?<=^program)me(?=s?$)|(?<=dg)e(?=ments?$)"), ""),
    (re.compile(r"(?:(?<=^fulfi)|(?<=^enro)|(?<=^insta))l(?=ments?$)|(?:(?<=^wi)|(?<=^ski))l(?=ful)"), "ll"),
)
PARTICIPLE = "ge"  # between what is parted from a German verb and its root
SPELLING_MIN = 6  # "regularisation" is "regularization"; shorter words ("rise", "hour") are left alone
CORRECTED_MIN = 6  # shorter words have too many neighbours to recognise a misspelling
COGNATE_PREFIX = 7  # "vocabulaire" and "vocabulary" share eight letters; six would join "contract" and "contrast"
COGNATE_ENDING, COGNATE_MIN = 2, 5  # "période" and "period" differ by an ending
COGNATE_SHARE = 0.7
VOWELS = frozenset("aeiouy")
KEPT_CHARS = 400  # of a text whose words are kept; a longer one is seldom asked for twice
STOP_SHARE = 0.4  # of the words of a question, in a language of its own


@cache
def word_lists(name: str) -> dict[str, frozenset[str]]:
    """By language, the words of a list beside this module."""
    return read_word_lists(Path(__file__).parent, name)


@cache
def words_anywhere(name: str) -> frozenset[str]:
    """The words of such a list in every language."""
    return frozenset().union(*word_lists(name).values())


def stop_words() -> dict[str, frozenset[str]]:
    """By language, the words without meaning for a topic."""
    return word_lists("stop_words")


@cache
def shared_words() -> frozenset[str]:
    """Stop words that are words of other languages as well."""
    return read_words(Path(__file__).with_name("shared_words.txt"))


def generic_words() -> dict[str, frozenset[str]]:
    """By language, words that only frame a question: searched, but they never prove a topic present (A10)."""
    return word_lists("generic_words")


def split_words(match: str) -> list[str]:
    """The words of a text in match form, without possessive endings; the pairs of a run of a script without spaces."""
    words = WORD.findall(POSSESSIVE.sub("", match) if "'s" in match else match)
    if match.isascii() or not UNSPACED.search(match):
        return words
    return [each for word in words for part in RUN_OR_WORD.findall(word) for each in words_of_run(part)]


def words_of_run(part: str) -> list[str]:
    return pairs_of(part) if RUN.fullmatch(part) else [part]


def is_run(word: str) -> bool:
    """Whether a word is of a script without spaces."""
    return RUN.fullmatch(word) is not None


def pattern_of(words: Sequence[str]) -> str:
    """An expression for words in a row, in match form; pairs of one run, which overlap, are put together again."""
    runs: list[str] = []
    for word in words:
        if runs and is_run(word) and len(word) == 2 and runs[-1][-1] == word[0] and is_run(runs[-1]):
            runs[-1] += word[1]
        else:
            runs.append(word)
    written = [r"\s?".join(run) if is_run(run) else rf"(?<![^\W_]){re.escape(run)}(?![^\W_])" for run in runs]
    return r"[\W_]+".join(written)


def normalise_words(text: str) -> list[str]:
    """The words of a text as it is written, each in match form."""
    return [*words_kept(text)] if len(text) <= KEPT_CHARS else split_words(match_form(text))


@lru_cache(maxsize=4_096)  # titles, labels and the words of a question are asked for at every place
def words_kept(text: str) -> tuple[str, ...]:
    return tuple(split_words(match_form(text)))


def as_typed(word: str, asked: str) -> str:
    """Words in match form as somebody spelled them in a question, in a row or apart: with accents and capitals."""
    folded, offsets = map_asked(asked)
    found = re.search(pattern_of(split_words(word)), folded) if word else None
    words = word.split()
    if not found:
        return " ".join(as_typed(each, asked) for each in words) if len(words) > 1 else word
    end = offsets[found.end()] if found.end() < len(offsets) else len(asked)
    return asked[offsets[found.start()] : end].rstrip()


@lru_cache(maxsize=64)  # of the words of a question most are asked for
def map_asked(asked: str) -> tuple[str, list[int]]:
    return match_map(asked)


def is_stop_word(word: str, language: str) -> bool:
    stops = stop_words()
    return word in stops.get(language, stops["en"]) or (len(word) == 1 and not word.isdigit() and not is_run(word))


def is_generic(word: str, language: str) -> bool:
    """Whether the word, or an inflection of it, only frames a question."""
    return stem(word, language) in generic_stems(language)


@lru_cache(maxsize=8)
def generic_stems(language: str) -> frozenset[str]:
    generic = generic_words()
    return frozenset(stem(word, language) for word in generic.get(language, generic["en"]))


class Stemmers(threading.local):
    """The stemmers of one thread. A stemmer keeps the current word as state, so it cannot be shared."""

    def __init__(self) -> None:
        self._by_language: dict[str, snowballstemmer.stemmer] = {}

    def stem(self, word: str, language: str) -> str:
        """The stem of a word in a language of STEMMERS_OF."""
        if language not in self._by_language:
            self._by_language[language] = snowballstemmer.stemmer(STEMMERS_OF[language])
        return str(self._by_language[language].stemWord(word))


STEMMERS = Stemmers()


@lru_cache(maxsize=200_000)
def stem(word: str, language: str) -> str:
    """The stem of a word in match form; numbers, and words of languages without a stemmer, are unchanged."""
    if language not in STEMMERS_OF or not word.isalpha():
        return word
    word = base_form(word, language)
    if language == "en" and len(word) >= SPELLING_MIN:
        for pattern, spelling in SPELLINGS:
            word = pattern.sub(spelling, word)
    return STEMMERS.stem(word, language)


@cache
def irregular_forms() -> dict[str, dict[str, tuple[str, ...]]]:
    """By language, the forms of a word that no stemmer brings to it: "sold" of "sell"."""
    return read_form_lists(Path(__file__).parent, "irregular_forms")


@cache
def base_forms(language: str) -> dict[str, str]:
    """The word each irregular form of a language belongs to, German verbs also with what stands before them.

    What stays before a verb takes the place of the sign of its participle: "beschlossen" is of "schliessen".
    """
    listed = {form: word for word, forms in irregular_forms().get(language, {}).items() for form in forms}
    parted, staying = (sorted(word_lists(f"{kind}_prefixes").get(language, ())) for kind in ("verb", "inseparable"))
    shortened = {form.removeprefix(PARTICIPLE): word for form, word in listed.items()}
    joined = {prefix + form: prefix + word for prefix in staying for form, word in (shortened | listed).items()}
    joined |= {prefix + form: prefix + word for prefix in parted for form, word in listed.items()}
    return joined | listed


def base_form(word: str, language: str) -> str:
    """The word an irregular form belongs to; any other word as it is."""
    return base_forms(language).get(word, word)


def irregular_siblings(word: str, language: str) -> tuple[str, ...]:
    """The irregular forms of the word that this one is or belongs to, and that word."""
    base = base_form(word, language)
    forms = irregular_forms().get(language, {}).get(base, ())
    return (base, *forms) if forms else ()


def language_of(words: Iterable[str], default: str) -> str:
    """The language whose stop words a question uses most; the default if there is no clear winner."""
    return language_told(words, default) or default


def language_told(words: Iterable[str], default: str) -> str:
    """The language whose stop words a question uses most, the default if it is one of several; "" if none is told.

    Over a text in a language that has no such words here, a few tell nothing where all of them may be its own: "do" is
    a word of Polish too.
    """
    words = list(words)
    counts = dict.fromkeys(stop_words(), 0)
    for word in words:
        for language, stops in stop_words().items():
            counts[language] += word in stops
    best = max(counts.values())
    leaders = [language for language, count in counts.items() if count == best]
    is_unlisted = default not in ("", UNKNOWN) and default not in counts
    told = {word for word in words for language in leaders if word in stop_words()[language]}
    if not best or (is_unlisted and best < STOP_SHARE * len(words) and told <= shared_words()):
        return ""
    return leaders[0] if len(leaders) == 1 else default if default in leaders else ""


def is_slip(typed: str, word: str) -> bool:
    """Whether `typed` is one slip away: two letters swapped, one vowel for another, a vowel or double letter lost or
    added.
    Other changes give another word ("turned", "tuned"), and mistaking one for the other would hide an absence.
    """
    if len(typed) == len(word):
        wrong = [index for index in range(len(word)) if typed[index] != word[index]]
        if len(wrong) == 1:
            return typed[wrong[0]] in VOWELS and word[wrong[0]] in VOWELS
        swapped = len(wrong) == 2 and wrong[1] == wrong[0] + 1
        return swapped and typed[wrong[0]] == word[wrong[1]] and typed[wrong[1]] == word[wrong[0]]
    longer, shorter = (typed, word) if len(typed) > len(word) else (word, typed)
    return len(longer) == len(shorter) + 1 and any(
        (letter in VOWELS or letter == longer[index - 1]) and longer[:index] + longer[index + 1 :] == shorter
        for index, letter in enumerate(longer)
        if index
    )


def is_cognate(word: str, other: str) -> bool:
    """Whether two words of different languages share most of their beginning."""
    shared = next((index for index, pair in enumerate(zip(word, other, strict=False)) if pair[0] != pair[1]), None)
    length = min(len(word), len(other)) if shared is None else shared
    longer, shorter = max(len(word), len(other)), min(len(word), len(other))
    if length == shorter >= COGNATE_MIN and longer - shorter <= COGNATE_ENDING:
        return True
    return length >= COGNATE_PREFIX and length >= COGNATE_SHARE * longer


def plurals_of(word: str, language: str) -> list[str]:
    """What a word may be in another number or case where a text is in another language; not "fine" of "fin"."""
    return [
        other
        for ending in sorted(word_lists("plural_endings").get(language, ()))
        for other in (word + ending, word.removesuffix(ending))
        if min(len(word), len(other)) >= COGNATE_MIN - (ending == "s") and stem(other, language) == stem(word, language)
    ]


def compounds(words: list[str]) -> list[tuple[str, str, str]]:
    """Pairs of adjacent words with the word they form: "d model" may be "dmodel" in the text."""
    return [(first, second, first + second) for first, second in pairwise(words)]


@lru_cache(maxsize=4_096)  # the labels of a table are asked for at every place in it
def telling_stems(text: str, language: str) -> frozenset[str]:
    return frozenset(stem(word, language) for word in normalise_words(text) if not is_stop_word(word, language))
