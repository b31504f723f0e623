"""What carries a question to documents of another language: the base's dictionary, else the list `everyday.csv`."""

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from os.path import commonprefix
from pathlib import Path

from reading.matching import match_form
from retrieval.types import ConceptTerm, ConceptTerms, Keyword
from retrieval.words.compounds import split_word
from retrieval.words.concepts import Named, Names, index_names, matches_in, said_words, searched_terms
from retrieval.words.lexicon import Lexicon, inflect_word
from retrieval.words.terms import is_akin
from retrieval.words.tokens import normalise_words, stem

PLURAL_MAX, FORM_MAX = 2, 3  # letters apart; with more of them a word of the same stem is another


@cache
def everyday_ideas() -> tuple[ConceptTerms, ...]:
    """Ideas with their everyday words in four languages, the usual one first; a word of two senses is in two."""
    rows = csv.DictReader(Path(__file__).with_name("everyday.csv").read_text(encoding="utf-8").splitlines())
    words = [[(word.strip(), key) for key, cell in row.items() for word in cell.split(";")] for row in rows]
    return tuple(ConceptTerms(each[0][0], tuple(ConceptTerm(*word) for word in each)) for each in words)


def written_apart(topic: str, dictionary: Sequence[ConceptTerms], language: str) -> str:
    """A topic with each word that is two known ones as those: "Vertragspflicht" is "Vertrag" and "Pflicht"."""
    known = set().union(*(index_names(tuple(each)).get(language, ()) for each in (dictionary, everyday_ideas())))

    def apart(found: re.Match[str]) -> str:
        word = match_form(found[0])
        parts = split_word(word, language, lambda part: (stem(part, language),) in known)
        if parts is None or not parts.is_known or (stem(word, language),) in known:
            return found[0]
        return f"{parts.front.title()} {parts.back.title()}"

    return re.sub(r"[^\W\d_]+", apart, topic)


def carry_across(
    topic: str, keywords: Sequence[Keyword], named: Sequence[Named], lexicons: Sequence[Lexicon], language: str
) -> tuple[list[Keyword], list[Keyword], list[Named]]:
    """The keywords of a question, several as one where they are carried together; everyday words for them; and what it
    names in the dictionary, which overrules the list where it has the word in a language of the documents.
    """
    languages = {"", *(one.language for one in lexicons)}
    listed = [each for each in named if letters_apart(*each, language) <= PLURAL_MAX]
    reached = {word for one, words in listed if languages & {term.language for term in one.terms} for word in words}
    ideas = [each for each in everyday_named(topic, language) if reached.isdisjoint(each.words)]
    carried = {word for each in ideas for word in each.words}
    named = [each for each in named if each in listed or carried.isdisjoint(each.words)]
    together = {word: one.name for one, words in named for word in words if words[1:]}
    own = {each.text: replace(each, group=together.get(each.text, each.group)) for each in keywords}
    added: dict[tuple[str, str], Keyword] = {}
    for idea, words in ideas:
        said = [own[word] for word in words if word in own]
        own |= {each.text: replace(each, group=said[0].group) for each in said}
        terms = [each for each in searched_terms(idea) if each[0].language in languages] if said else []
        for (_, spoken, *_), phrase in terms:
            met = inflect_word(phrase, [each for each in lexicons if each.language == spoken])
            forms = tuple(form for form in met if not is_akin(form, phrase, spoken))  # "informal" is no "information"
            if phrase in own:  # the word is the same in both languages
                own[phrase] = replace(own[phrase], forms=tuple(dict.fromkeys((*own[phrase].forms, *forms))))
            else:
                word = replace(said[0], text=phrase, forms=forms, source="everyday", language=spoken)
                added[word.group, phrase] = word
    return [*own.values()], [*added.values()], named


def everyday_named(topic: str, language: str) -> list[Named]:
    """The everyday ideas a topic names, each as often as it does; of those that share a stem the nearest words'."""
    ideas, words = everyday_ideas(), said_words(topic)
    found: dict[tuple[int, ...], list[Named]] = {}
    matches = matches_in(words, language, index_names(ideas).get(language, Names()))
    for places, numbers in sorted(matches, key=lambda match: -len(match.places)):
        if all(set(places).isdisjoint(taken) for taken in found):
            named = [Named(ideas[number], tuple(words[place] for place in places)) for number in numbers]
            apart = [letters_apart(*each, language) for each in named]
            least = min(FORM_MAX, *apart)
            found[places] = [each for each, letters in zip(named, apart, strict=True) if letters == least]
    return [each for several in found.values() for each in several]


def letters_apart(concept: ConceptTerms, said: Sequence[str], language: str) -> int:
    """By how many letters the words that name a concept differ from its own: "licence" is no "licencié"."""
    names = [normalise_words(term.text) for term in concept.terms if term.language in ("", language)]
    return min((max(min(differ(word, each) for each in name) for word in said) for name in names), default=FORM_MAX + 1)


def differ(word: str, other: str) -> int:
    same, shorter, longer = len(commonprefix([word, other])), *sorted((len(word), len(other)))
    return longer - same + (same < shorter)
