"""Find the concepts of the expert dictionary a question names: whole words, inflected or not (R18)."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from retrieval.types import ConceptTerm, ConceptTerms
from retrieval.words.tokens import language_of, normalise_words, stem, stop_words, word_lists

JOINING_WORDS = frozenset(["and", "or", "et", "ou", "und", "oder"])
APART = "+"  # beside the stem of a name in the list `apart_from_verbs`

Stems = tuple[str, ...]


class Names(dict[Stems, tuple[int, ...]]):
    """By the stems of a term, the indexes of the concepts it names."""

    longest = 0  # of the terms, in words


class Named(NamedTuple):
    """A concept and the words of the question that name it, in match form."""

    concept: ConceptTerms
    words: tuple[str, ...]
    source: Literal["dictionary", "everyday"] = "dictionary"


class ConceptMatch(NamedTuple):
    places: tuple[int, ...]  # indexes of the words in the text
    numbers: tuple[int, ...]  # indexes of the concepts in the dictionary


def concepts_named(text: str, dictionary: Sequence[ConceptTerms]) -> list[Named]:
    """Each concept a text names, once, in the dictionary's order.

    The longest name wins: "cost of sales" does not name sales. A term of several words names its concept in a text of
    any language; a single word only in its own, since "prime" and "charges" mean other things in French. Some verbs do
    not name the thing of their stem: the "receiving party" has no receivables.
    """
    if not dictionary:
        return []
    words = said_words(text)
    spoken = language_of(words, default="")
    matches = [
        match
        for language, names in index_names(tuple(dictionary)).items()
        for match in matches_in(words, language, names)
        if len(match.places) > 1 or not spoken or language in ("", spoken)
    ]
    found: dict[int, tuple[str, ...]] = {}
    chosen: set[tuple[int, ...]] = set()
    for match in sorted(matches, key=lambda match: -len(match.places)):
        if match.places in chosen or all(set(places).isdisjoint(match.places) for places in chosen):
            chosen.add(match.places)
            for number in match.numbers:
                found.setdefault(number, tuple(words[place] for place in match.places))
    return [Named(dictionary[number], found[number]) for number in sorted(found)]


def matches_in(words: Sequence[str], language: str, names: Names) -> Iterator[ConceptMatch]:
    """Every run of the text's words, with its stop words or without, that is a term of the language."""
    longest = names.longest
    for places in (telling_places(words, language), list(range(len(words)))):
        stems = [stem(words[place], language) for place in places]
        for start in range(len(stems)):
            for end in range(start + 1, min(start + longest, len(stems)) + 1):
                run = tuple(stems[start:end])
                numbers = names.get(run, ())
                if len(run) == 1 and is_apart_from_verb(words[places[start]], language):
                    numbers += names.get((*run, APART), ())
                if numbers:
                    yield ConceptMatch(tuple(places[start:end]), numbers)


def telling_places(words: Sequence[str], language: str) -> list[int]:
    return [place for place, word in enumerate(words) if not is_small(word, language)]


@lru_cache(maxsize=16)
def index_names(dictionary: tuple[ConceptTerms, ...]) -> dict[str, Names]:
    """By language, the terms that name a concept; not those pulled in from another concept.

    Of several words of which one is no stop word all count: "pay" is not "we will not pay".
    """
    names: dict[str, Names] = {}
    for number, concept in enumerate(dictionary):
        for term in concept.terms:
            words = said_words(term.text)
            telling = [words[place] for place in telling_places(words, term.language)]
            stems = tuple(stem(word, term.language) for word in (words if len(telling) == 1 else telling))
            if len(stems) == 1 and is_apart_from_verb(words[-1], term.language):
                stems = (*stems, APART)
            if stems and not term.pulled_from:
                same = names.setdefault(term.language, Names())
                same.longest = max(same.longest, len(stems))
                same[stems] = tuple(dict.fromkeys((*same.get(stems, ()), number)))
    return names


@lru_cache(maxsize=4096)
def searched_terms(concept: ConceptTerms) -> tuple[tuple[ConceptTerm, str], ...]:
    """The terms of a concept to search for, each as a phrase in match form.

    With "current assets", searching "total current assets" finds nothing more, so it is left out.
    """
    phrases = [" ".join(normalise_words(term.text)) for term in concept.terms]
    pairs = list(zip(concept.terms, phrases, strict=True))
    return tuple((term, phrase) for term, phrase in pairs if not any(covers(*pair, term, phrase) for pair in pairs))


def covers(other: ConceptTerm, shorter: str, term: ConceptTerm, phrase: str) -> bool:
    """Whether every line with the term also contains the other one, which weighs as much."""
    is_same = other.pulled_from == term.pulled_from and other.priority == term.priority
    return is_same and other.weight >= term.weight and shorter != phrase and f" {shorter} " in f" {phrase} "


def is_apart_from_verb(word: str, language: str) -> bool:
    """Whether a word is a thing or a person whose stem is that of a verb with another meaning."""
    return word in word_lists("apart_from_verbs").get(language, ())


def said_words(text: str) -> list[str]:
    return normalise_words(text.replace("&", " and "))


def is_small(word: str, language: str) -> bool:
    """Whether it is a stop word, except "and" ("costs and sales" is not "cost of sales") and letters, as in R&D."""
    return len(word) > 1 and word not in JOINING_WORDS and word in stop_words().get(language, ())
