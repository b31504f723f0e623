"""What carries a question to documents of another language: the base's dictionary, else the list `everyday.csv`."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from os.path import commonprefix
from pathlib import Path

from reading.language import language_by_script
from reading.matching import match_form
from retrieval.types import ConceptTerm, ConceptTerms, Keyword
from retrieval.words.compounds import split_word
from retrieval.words.concepts import Named, Names, index_names, matches_in, said_words, searched_terms
from retrieval.words.forms import verb_forms
from retrieval.words.lexicon import FORMS_MAX, Lexicon, is_foreign_to
from retrieval.words.tokens import (
    ALGORITHMS,
    base_form,
    is_stop_word,
    language_told,
    normalise_words,
    plurals_of,
    stem,
    word_lists,
)

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


def tell_language(topic: str, lexicons: Sequence[Lexicon]) -> tuple[str, str]:
    """The language that the script of a question or its small words tell; where these tell no single one and no
    document has a word of it, the one language whose everyday words name most of it ("Laufzeit?"); or "". And the one
    it is read in.
    """
    default = lexicons[0].language if lexicons else "en"
    words = normalise_words(topic)
    told = language_by_script(topic, default) or language_told(words, default)
    said = [word for word in words if word.isalpha() and not any(is_stop_word(word, one.language) for one in lexicons)]
    if language_told(words, "") or any(word in one.lines or one.inflections(word) for one in lexicons for word in said):
        return told, told or default
    tied = [each for each in ALGORITHMS if language_told(words, each) == each]
    apart = {each: written_apart(" ".join(said), (), each) for each in tied or ALGORITHMS}
    named = {language: len(everyday_named(text, language)) for language, text in apart.items()}
    leaders = [language for language, count in named.items() if count == max(named.values())]
    told = leaders[0] if len(leaders) == 1 or (tied and not told) else told
    return told, told or default


def carry_across(
    topic: str, keywords: Sequence[Keyword], named: Sequence[Named], lexicons: Sequence[Lexicon], language: str
) -> tuple[list[Keyword], list[Named]]:
    """The keywords of a question, several as one where they are carried together, and what carries its topic: what it
    names in the dictionary, and everyday ideas for words of which that finds nothing. A word that is carried counts as
    it is spelt only where it stands for the same in a language of the documents.
    """
    if not is_foreign_to(lexicons, language):
        return [*keywords], [*named]
    topical = {each.text for each in keywords if each.priority == "primary"}
    every = [each for each in everyday_named(topic, language) if not topical.isdisjoint(each.words)]
    found = [each._replace(words=tuple(word for word in each.words if word in topical)) for each in every]
    terms = {each: [*carried_terms(each.concept, lexicons)] for each in (*named, *found)}
    near = {each for each in terms if letters_apart(each.concept, each.words, language) <= PLURAL_MAX}
    met = [
        each
        for each in named
        if each in near and any(len(one.lines_with_any(forms)) for one in lexicons for *_, forms in terms[each])
    ]
    ideas = [each for each in found if terms[each] and naming_words(met).isdisjoint(each.words)]
    named = [each for each in named if each in near or naming_words(ideas).isdisjoint(each.words)]
    carried = (each for each in (*ideas, *named) if each in near and terms[each])
    forms: dict[str, tuple[str, ...]] = dict.fromkeys(naming_words(carried), ())
    for each in (*found, *named):
        for word, (_, phrase, others) in product(each.words, terms[each]):
            if phrase in (word, *plurals_of(word, language)):
                forms[word] = (word, *others)
    groups = {word: " ".join(each.words) for each in (*named, *ideas) for word in each.words}
    own = (replace(each, group=groups.get(each.text, each.group)) for each in keywords)
    return [replace(each, forms=forms.get(each.text, each.forms)) for each in own], [*named, *ideas]


def naming_words(named: Iterable[Named]) -> set[str]:
    return {word for each in named for word in each.words}


def carried_terms(
    concept: ConceptTerms, lexicons: Sequence[Lexicon], *, is_foreign: bool = True
) -> Iterator[tuple[ConceptTerm, str, tuple[str, ...]]]:
    """The terms of a concept, each as a phrase and in the forms the documents have; across languages only terms in
    those of the documents, in their inflections.
    """
    for term, phrase in searched_terms(concept):
        spoken = [one for one in lexicons if not is_foreign or term.language in ("", one.language)]
        single = spoken if " " not in phrase else []
        met = [(form, one.language) for one in single for form in one.inflections(phrase)[:FORMS_MAX]]
        forms = (form for form, language in met if not is_foreign or is_inflected(form, phrase, language))
        if spoken or not is_foreign:
            yield term, phrase, tuple(dict.fromkeys((phrase, *forms)))


def is_inflected(form: str, word: str, language: str) -> bool:
    """Whether a word of the same stem differs in listed endings alone: "customer" is none of "customs"."""
    if stem(form, language) != stem(word, language):
        return True  # a word written as one, or a form of a verb
    form, word = base_form(form, language), base_form(word, language)
    endings, start = {"", *word_lists("inflections").get(language, ())}, len(commonprefix([form, word]))
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
            named += [Named(ideas[each], tuple(words[at] for at in places), "everyday") for each in nearest]
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
