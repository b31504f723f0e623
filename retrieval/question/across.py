"""What carries a question to documents of another language: the base's dictionary, else the list `everyday.csv`."""

import csv
import re
from collections.abc import Container, Sequence
from dataclasses import replace
from functools import cache
from os.path import commonprefix
from pathlib import Path

from reading.matching import match_form
from retrieval.types import ConceptTerm, ConceptTerms, Keyword
from retrieval.words.compounds import split_word
from retrieval.words.concepts import Named, Names, index_names, matches_in, said_words, searched_terms
from retrieval.words.lexicon import FORMS_MAX, Lexicon
from retrieval.words.tokens import base_form, normalise_words, plurals_of, stem, word_lists

PLURAL_MAX, FORM_MAX = 2, 3  # letters apart; with more of them a word of the same stem is another
FORM_ENDINGS, INFINITIVES = {"de": ("et", "t"), "fr": ("ees", "ee")}, {"de": "en", "fr": "er"}


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
    terms = {each: [term for term in searched_terms(each.concept) if term[0].language in languages] for each in ideas}
    spelt = {word for each in (*ideas, *named) for word in each.words if is_spelt_so(each, languages, language)}
    foreign = {word for each in (*ideas, *named) for word in each.words} - spelt
    own = {each.text: replace(each, group=together.get(each.text, each.group)) for each in keywords}
    own |= {text: replace(each, forms=()) for text, each in own.items() if text in foreign}
    added: dict[tuple[str, str], Keyword] = {}
    for each in ideas:
        said = [own[word] for word in each.words if word in own]
        own |= {word.text: replace(word, group=said[0].group) for word in said}
        for (_, spoken, *_), phrase in terms[each] if said else []:
            forms = carried_forms(phrase, [one for one in lexicons if one.language == spoken])
            if phrase == " ".join(each.words):
                first = own[said[0].text]
                own[first.text] = replace(first, forms=tuple(dict.fromkeys((*first.forms, *forms))))
            elif phrase not in own:
                word = replace(said[0], text=phrase, forms=forms, source="everyday", language=spoken)
                added[word.group, phrase] = word
    return [*own.values()], [*added.values()], named


def carried_forms(phrase: str, lexicons: Sequence[Lexicon]) -> tuple[str, ...]:
    """A word of the documents' language as they have it: its inflections, no others of its stem."""
    met = (form for one in lexicons for form in one.inflections(phrase)[:FORMS_MAX])
    return tuple(dict.fromkeys((phrase, *(form for form in met if is_inflected(form, phrase, lexicons[0].language)))))


def is_inflected(form: str, word: str, language: str) -> bool:
    """Whether a word of the same stem differs in listed endings alone: "customer" is none of "customs"."""
    endings = {"", *word_lists("inflections").get(language, ())}
    if stem(form, language) != stem(word, language):
        return True  # a word written as one, or a form of a verb
    form, word = base_form(form, language), base_form(word, language)
    start = len(commonprefix([form, word]))
    return all({each, each.removeprefix(word[start - 1])} & endings for each in (form[start:], word[start:]))


def is_spelt_so(named: Named, languages: Container[str], language: str) -> bool:
    """Whether the words that name a concept stand for it in other languages too, or in none: "service"."""
    terms = [phrase for term, phrase in searched_terms(named.concept) if term.language in languages]
    return not terms or (not named.words[1:] and not spellings(named.words, language).isdisjoint(terms))


def spellings(words: Sequence[str], language: str) -> set[str]:
    return {" ".join(words), *(plurals_of(words[0], language) if not words[1:] else ())}


def everyday_named(topic: str, language: str) -> list[Named]:
    """The everyday ideas a topic names, each as often as it does; of those that share a stem the nearest words'."""
    ideas, words = everyday_ideas(), said_words(topic)
    found: dict[tuple[int, ...], list[Named]] = {}
    names = index_names(ideas).get(language, Names())
    sought = [verb_of(word, language, names) for word in words]
    matches = matches_in(sought, language, names)
    for places, numbers in sorted(matches, key=lambda match: -len(match.places)):
        if all(set(places).isdisjoint(taken) for taken in found):
            named = [Named(ideas[number], tuple(words[place] for place in places)) for number in numbers]
            said = [sought[place] for place in places]
            apart = [letters_apart(each.concept, said, language) for each in named]
            least = min(FORM_MAX, *apart)
            found[places] = [each for each, letters in zip(named, apart, strict=True) if letters == least]
    return [each for several in found.values() for each in several]


def verb_of(word: str, language: str, names: Names) -> str:
    """The infinitive of a form that the stemmer does not bring to it ("notifiée", "zahlt"); any other word as it is."""
    for ending in FORM_ENDINGS.get(language, ()):
        verb = word.removesuffix(ending) + INFINITIVES[language]
        if word.endswith(ending) and (stem(verb, language),) in names and (stem(word, language),) not in names:
            return verb
    return word


def letters_apart(concept: ConceptTerms, said: Sequence[str], language: str) -> int:
    """By how many letters the words that name a concept differ from its own: "licence" is no "licencié"."""
    names = [normalise_words(term.text) for term in concept.terms if term.language in ("", language)]
    return min((max(min(differ(word, each) for each in name) for word in said) for name in names), default=FORM_MAX + 1)


def differ(word: str, other: str) -> int:
    same, shorter, longer = len(commonprefix([word, other])), *sorted((len(word), len(other)))
    return longer - same + (same < shorter)
