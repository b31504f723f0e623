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
from retrieval.words.forms import verb_forms
from retrieval.words.lexicon import FORMS_MAX, Lexicon
from retrieval.words.tokens import base_form, normalise_words, plurals_of, stem, word_lists

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
    spoken, texts = {"", *(one.language for one in lexicons)}, {each.text for each in keywords}
    near = [each for each in named if letters_apart(*each, language) <= PLURAL_MAX]
    overruled = {word for one, words in near if spoken & {term.language for term in one.terms} for word in words}
    found = [each for each in everyday_named(topic, language) if overruled.isdisjoint(each.words)]
    ideas = [Named(one, said) for one, words in found if (said := tuple(word for word in words if word in texts))]
    listed = {word for each in ideas for word in each.words}
    named = [each for each in named if each in near or listed.isdisjoint(each.words)]
    phrases = {words: set[str]() for _, words in (*named, *ideas)}
    for one, words in (*named, *ideas):
        phrases[words].update(phrase for term, phrase in searched_terms(one) if term.language in spoken)
    carried = {word for words, others in phrases.items() if others for word in words}
    same = {word for word in carried if phrases.get((word,), set()) & {word, *plurals_of(word, language)}}
    groups = {word: one.name for one, words in named for word in words if words[1:]}
    groups |= {word: words[0] for _, words in ideas for word in words}
    own = {each.text: replace(each, group=groups.get(each.text, each.group)) for each in keywords}
    for word in carried & texts:
        own[word] = replace(own[word], forms=carried_forms(word, lexicons) if word in same else ())
    added: dict[tuple[str, str], Keyword] = {}
    for one, words in ideas:
        for term, phrase in searched_terms(one):
            if term.language in spoken and phrase not in texts:
                forms = carried_forms(phrase, [each for each in lexicons if each.language == term.language])
                word = replace(own[words[0]], text=term.text, forms=forms, source="everyday", language=term.language)
                added[word.group, phrase] = word
    return [*own.values()], [*added.values()], named


def carried_forms(phrase: str, lexicons: Sequence[Lexicon]) -> tuple[str, ...]:
    """A word of the documents' language as they have it: its inflections, no others of its stem."""
    met = [(form, one.language) for one in lexicons for form in one.inflections(phrase)[:FORMS_MAX]]
    return tuple(dict.fromkeys((phrase, *(form for form, language in met if is_inflected(form, phrase, language)))))


def is_inflected(form: str, word: str, language: str) -> bool:
    """Whether a word of the same stem differs in listed endings alone: "customer" is none of "customs"."""
    endings = {"", *word_lists("inflections").get(language, ())}
    if stem(form, language) != stem(word, language):
        return True  # a word written as one, or a form of a verb
    form, word = base_form(form, language), base_form(word, language)
    start = len(commonprefix([form, word]))
    return all({each, each.removeprefix(word[start - 1])} & endings for each in (form[start:], word[start:]))


def everyday_named(topic: str, language: str) -> list[Named]:
    """The everyday ideas a topic names, each as often as it does; of those that share a stem the nearest words'."""
    ideas, words = everyday_ideas(), said_words(topic)
    names = index_names(ideas).get(language, Names())
    sought, named, taken = [verb_of(word, language, names) for word in words], list[Named](), set[int]()
    for places, numbers in sorted(matches_in(sought, language, names), key=lambda match: -len(match.places)):
        if taken.isdisjoint(places):
            taken.update(places)
            apart = {each: letters_apart(ideas[each], [sought[at] for at in places], language) for each in numbers}
            nearest = [each for each, letters in apart.items() if letters == min(FORM_MAX, *apart.values())]
            named += [Named(ideas[each], tuple(words[at] for at in places)) for each in nearest]
    return named


def verb_of(word: str, language: str, names: Names) -> str:
    """The verb of a form that the stemmer does not bring to it ("notifiée", "zahlt"); any other word as it is."""
    verbs = (form for form in verb_forms(word, language) if word.endswith("t") and form.endswith("n"))
    tried = (word, *verbs, re.sub("ees?$", "er", word))
    return next((each for each in tried if (stem(each, language),) in names), word)


def letters_apart(concept: ConceptTerms, said: Sequence[str], language: str) -> int:
    """By how many letters the words that name a concept differ from its own: "licence" is no "licencié"."""
    names = [normalise_words(term.text) for term in concept.terms if term.language in ("", language)]
    return min((max(min(differ(word, each) for each in name) for word in said) for name in names), default=FORM_MAX + 1)


def differ(word: str, other: str) -> int:
    same, shorter, longer = len(commonprefix([word, other])), *sorted((len(word), len(other)))
    return longer - same + (same < shorter)
