"""What carries a question to documents of another language: the base's dictionary, else everyday words."""

import re
from collections.abc import Sequence
from dataclasses import replace

from reading.matching import match_form
from retrieval.types import ConceptTerms, Keyword
from retrieval.words.compounds import joins_words, split_word
from retrieval.words.concepts import Named, concepts_named, index_names, searched_terms
from retrieval.words.everyday import everyday_ideas
from retrieval.words.lexicon import Lexicon, inflect_word
from retrieval.words.terms import is_akin
from retrieval.words.tokens import is_generic, normalise_words, stem
from retrieval.words.verbs import is_asked_with

WORD = re.compile(r"[^\W\d_]+")
OTHER_WORD = 3
PLURAL_MAX = 2  # letters: -s, -es, -en, -er


def written_apart(topic: str, dictionary: Sequence[ConceptTerms], language: str) -> str:
    """A topic with each word that is two known ones as those: "Vertragslaufzeit" is "Vertrag" and "Laufzeit"."""
    if not joins_words(language):
        return topic
    listed = [index_names(tuple(each)).get(language, {}) for each in (dictionary, everyday_ideas())]

    def is_known(word: str) -> bool:
        return any((stem(word, language),) in names for names in listed)

    def part(found: re.Match[str]) -> str:
        word = match_form(found[0])
        parts = None if is_known(word) else split_word(word, language, is_known)
        return f"{parts.front.title()} {parts.back.title()}" if parts and parts.is_known else found[0]

    return WORD.sub(part, topic)


def carry_across(
    topic: str, keywords: Sequence[Keyword], named: Sequence[Named], lexicons: Sequence[Lexicon], language: str
) -> tuple[list[Keyword], list[Keyword], list[Named]]:
    """The keywords of a question, several as one where they are carried across together; everyday words for them; and
    the concepts of the dictionary it names, without those that are named by another word of the same stem.

    An everyday word counts in place of the asker's and as much. A word that the dictionary has, with a word in a
    language of the documents, has no other.
    """
    languages = {"", *(one.language for one in lexicons)}
    ideas = everyday_named(topic, language)
    reaching = [each for each in named if not languages.isdisjoint(term.language for term in each.concept.terms)]
    far = {word: farness(*each, language) for each in ideas for word in each.words}
    kept = [
        each
        for each in named
        if farness(*each, language) <= max(1, *(far.get(word, OTHER_WORD) for word in each.words))
    ]
    reached = {word for each in reaching if each in kept for word in each.words}
    ideas = [each for each in ideas if reached.isdisjoint(each.words)]
    together = {word: one.name for one, words in kept for word in words if words[1:]}
    own = {each.text: replace(each, group=together.get(each.text, each.group)) for each in keywords}
    added: list[tuple[int, Keyword]] = []
    for idea, words in ideas:
        said = [own[word] for word in words if word in own]
        own |= {each.text: replace(as_noun(each, language), group=said[0].group) for each in said}
        said = [own[each.text] for each in said]
        for place, (term, phrase) in enumerate(searched_terms(idea) if said else ()):
            spoken = [one for one in lexicons if one.language == term.language]
            forms = (phrase,) if " " in phrase else inflect_word(phrase, spoken)
            if phrase in own and spoken:  # the word is the same in both languages
                own[phrase] = replace(own[phrase], forms=tuple(dict.fromkeys((*own[phrase].forms, *forms))))
            elif spoken:
                word = Keyword(phrase, forms, "everyday", said[0].priority, 1.0, said[0].group, term.language)
                added.append((place, word))
    usual_first = {(each.group, each.text): each for _, each in sorted(added, key=lambda pair: pair[0])}
    return [*own.values()], [*usual_first.values()], kept


def as_noun(keyword: Keyword, language: str) -> Keyword:
    """A word of which the documents' words are known: a verb among them is looked for, and missed, as any other."""
    is_verb = is_asked_with(keyword.text, language) and not is_generic(keyword.text, language)
    return replace(keyword, priority="primary", weight=1.0) if is_verb else keyword


def everyday_named(topic: str, language: str) -> list[Named]:
    """The everyday ideas a topic names, again for each word; of several for one those that have it as it is said."""
    found: list[Named] = []
    while more := [each for each in concepts_named(topic, everyday_ideas()) if farness(*each, language) < OTHER_WORD]:
        found += more
        said = {word for each in more for word in each.words}
        topic = " ".join(word for word in normalise_words(topic) if word not in said)
    least: dict[tuple[str, ...], int] = {}
    for concept, words in found:
        least[words] = min(farness(concept, words, language), least.get(words, OTHER_WORD - 1))
    return [each for each in found if farness(*each, language) == least[each.words]]


def farness(concept: ConceptTerms, said: Sequence[str], language: str) -> int:
    """How far the words that name a concept are from its own: 0 is the same, 1 a plural, 2 another form.

    OTHER_WORD is one of the same stem that means something else: "licence" and "licenciement".
    """
    named = [normalise_words(term.text) for term in concept.terms if term.language in ("", language)]
    return min(
        (max(min(how_far(word, each, language) for each in words) for word in said) for words in named),
        default=OTHER_WORD,
    )


def how_far(word: str, other: str, language: str) -> int:
    if word == other:
        return 0
    if stem(word, language) != stem(other, language) or is_akin(word, other, language):
        return OTHER_WORD
    shorter, longer = sorted((word, other), key=len)
    return 1 if longer.startswith(shorter) and len(longer) - len(shorter) <= PLURAL_MAX else 2
