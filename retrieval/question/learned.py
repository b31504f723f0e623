"""Words that a model missed once and that helped (R83): which a question asks with, and which a result teaches.

A word is learned for the concept of the dictionary that the question names, else for the words of its topic. It is a
further keyword of lower weight: it finds places, and says nothing of what is absent or how well a place fits.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from retrieval.types import ConceptTerms, Keyword, Question, RetrievalResult
from retrieval.words.concepts import concepts_named
from retrieval.words.counts import read_count
from retrieval.words.lexicon import Lexicon, inflect_word
from retrieval.words.tokens import is_generic, is_stop_word, normalise_words, stem

LEARNED_MAX = 5  # of one question; with those of a model at most twelve are added (R84), see by_model
LEARNED_WEIGHT = 0.5  # no word of the question, and nobody has looked at it yet
WORDS_MAX = 4  # of one phrase: longer ones are sentences
WORD_CHARS = 60


class About(NamedTuple):
    """What a word is learned for: the name of a concept, or the stems of a topic; and that as it was asked."""

    concept: str = ""
    topic: str = ""
    asked: str = ""


class Learned(NamedTuple):
    """A word that counts; `stems` are those of its telling words."""

    concept: str
    topic: str
    word: str
    stems: str
    language: str


def about_question(question: Question, dictionary: Sequence[ConceptTerms]) -> About:
    """What a word of this question is learned for: the concept named by most of its words, else its own topic."""
    named = concepts_named(question.topic, dictionary)
    if named:
        best = max(named, key=lambda each: len(each.words))  # of equals the first, as the dictionary has them
        return About(concept=best.concept.name, asked=best.concept.name)
    own = topic_keywords(question.keywords)
    return About(topic=" ".join(sorted(topic_stems(own, question.language))), asked=" ".join(each.text for each in own))


def topic_keywords(keywords: Sequence[Keyword]) -> list[Keyword]:
    """The question's own words that name its topic."""
    return [each for each in keywords if each.priority == "primary" and each.source in ("direct", "identifier")]


def topic_stems(keywords: Sequence[Keyword], language: str) -> set[str]:
    return {stem(word, language) for each in keywords for word in normalise_words(each.text)}


def stems_in(text: str, language: str) -> str:
    """The stems of the telling words of a text, by which two inflections of it are the same."""
    return " ".join(stem(word, language) for word in normalise_words(text) if not is_stop_word(word, language))


def learned_keywords(
    learned: Sequence[Learned],
    named: Sequence[str],
    keywords: Sequence[Keyword],
    lexicons: Sequence[Lexicon],
    language: str,
) -> list[Keyword]:
    """The learned words of the concepts that a question names, and of topics that it has all words of."""
    own = topic_stems(topic_keywords(keywords), language)
    known = {stems_in(each.text, language) for each in keywords}
    found: dict[str, Keyword] = {}
    for each in learned:
        is_meant = each.concept in named if each.concept else each.language == language and own >= {*each.topic.split()}
        if is_meant and each.stems not in known | found.keys() and len(found) < LEARNED_MAX:
            forms = (each.word,) if " " in each.word else inflect_word(each.word, lexicons)
            found[each.stems] = Keyword(
                each.word, forms, "learned", "secondary", LEARNED_WEIGHT, each.word, each.language
            )
    return list(found.values())


def lessons_of(result: RetrievalResult) -> Iterator[tuple[str, str]]:
    """The words, each with its stems, that a model asked for and whose places it then found primary.

    Not words of the question, nor such as only frame one, nor figures.
    """
    question = result.question
    language = question.language
    known = {stems_in(each.text, language) for each in question.keywords}
    own = {word for stems in known for word in stems.split()}
    for wanted in wanted_words(result):
        words = normalise_words(wanted)
        text, stems = " ".join(words), stems_in(wanted, language)
        is_telling = any(word.isalpha() and not read_count(word) and not is_generic(word, language) for word in words)
        if not stems or not is_telling or len(words) > WORDS_MAX or len(text) > WORD_CHARS:
            continue
        if stems not in known and not own >= {*stems.split()}:
            known.add(stems)
            yield text, stems


def wanted_words(result: RetrievalResult) -> list[str]:
    """The words that a model asked for and that led to a place which it judged primary."""
    primary = [each for each in result.candidates if each.verdict.role == "primary" and "requested" in each.methods]
    return list(
        dict.fromkeys(
            word
            for hit in result.hits
            for word in hit.wanted_words
            if any(each.document_id == hit.document_id and each.anchor.overlaps(hit.lines) for each in primary)
        )
    )


def helpful_words(result: RetrievalResult) -> list[str]:
    """The learned words of the question that stand in a place judged primary."""
    primary = {word for each in result.candidates if each.verdict.role == "primary" for word in each.matched_keywords}
    return [each.text for each in result.question.learned if each.text in primary]
