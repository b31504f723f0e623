"""What a base has learned of words that a model missed (R83): rows, and what they add up to.

A word is stored once for its concept or topic, with the run it came from; each run it helped adds a row, and so does
each change by an owner, see `learned_editing`.

The next such question has it as a keyword of lower weight, at most five of them and twelve with those of a model (R84).
It finds places, and counts neither for absence nor for how well a place fits. Owners switch it off or take it into the
dictionary.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from django.utils import timezone

from documents.models import KnowledgeBase
from retrieval.models import ERASED_WORD, LearnedWord, RetrievalRun
from retrieval.question.learned import About, Learned, about_question, helpful_words, lessons_of, stems_in
from retrieval.types import ConceptTerms, RetrievalResult

Kind = LearnedWord.Kind
TOPIC_MAX = 300  # characters: a longer one is no topic that anybody asks of again


class WordStanding(NamedTuple):
    """What the rows say of one learned word; `row` is the one it was learned with."""

    row: LearnedWord
    helped: int
    is_on: bool
    is_taken: bool


def standings_of_words(base: KnowledgeBase) -> list[WordStanding]:
    """Every word that was learned, the latest first; none of those that were erased."""
    rows: dict[tuple[str, str, str], list[LearnedWord]] = defaultdict(list)
    for row in LearnedWord.objects.filter(base=base).exclude(word="").order_by("pk"):
        rows[(row.concept, row.topic, row.stems)].append(row)
    found = [add_up(of_word) for of_word in rows.values()]
    return sorted(found, key=lambda each: -each.row.pk)


def add_up(rows: Sequence[LearnedWord]) -> WordStanding:
    """The rows of one word, in the order they were stored."""
    first = next((row for row in rows if row.kind == Kind.LEARNED), rows[0])
    kinds = [row.kind for row in rows]
    switched = [kind for kind in kinds if kind in (Kind.OFF, Kind.ON)]
    is_on = not switched or switched[-1] == Kind.ON
    return WordStanding(first, kinds.count(Kind.HELPED), is_on, Kind.TAKEN in kinds)


def learned_of(base: KnowledgeBase) -> tuple[Learned, ...]:
    """The words that questions of a base are asked with, those that helped most first."""
    on = [each for each in standings_of_words(base) if each.is_on and not each.is_taken]
    best = [each.row for each in sorted(on, key=lambda each: -each.helped)]
    return tuple(Learned(row.concept, row.topic, row.word, row.stems, row.language) for row in best)


# ---- with a run, in the transaction that stores it


def store_lessons(run: RetrievalRun, result: RetrievalResult, dictionary: Sequence[ConceptTerms]) -> None:
    """Store what a run teaches: words that a model missed and that led to what it found, and learned ones that helped.

    A word is learned once, in whatever inflection, and not if the dictionary has it for that concept.
    """
    about = about_question(result.question, dictionary)
    language = result.question.language
    known = {stems_in(term.text, language) for each in dictionary if each.name == about.concept for term in each.terms}
    is_kept = bool(about.concept or about.topic) and len(about.topic) <= TOPIC_MAX
    fresh = [(word, stems) for word, stems in lessons_of(result) if stems not in known]
    rows = [build_row(run, about, word, stems, language) for word, stems in fresh if is_kept]
    helped = set(helpful_words(result))
    rows += [
        again(each.row, Kind.HELPED, run)
        for each in (standings_of_words(run.base) if helped else [])
        if each.row.word in helped and each.is_on and not each.is_taken
    ]
    LearnedWord.objects.bulk_create(rows, ignore_conflicts=True)


def build_row(run: RetrievalRun, about: About, word: str, stems: str, language: str) -> LearnedWord:
    return LearnedWord(
        base_id=run.base_id,
        concept=about.concept,
        topic=about.topic,
        asked=about.asked[:TOPIC_MAX],
        word=word,
        stems=stems,
        language=language,
        kind=Kind.LEARNED,
        run=run,
        created_at=timezone.now(),
    )


def again(row: LearnedWord, kind: LearnedWord.Kind, run: RetrievalRun | None = None) -> LearnedWord:
    """What happened to a word after that, as a further row that is not stored yet."""
    same = ("base_id", "concept", "topic", "asked", "word", "stems", "language")
    values = {name: getattr(row, name) for name in same}
    return LearnedWord(**values, kind=kind, run=run, created_at=timezone.now())


def follow_rename(base: KnowledgeBase, before: str, name: str) -> None:
    """What was learned for a concept is learned for it under its new name."""
    rows = list(LearnedWord.objects.filter(base=base, concept=before).exclude(word="").order_by("pk"))
    for row in rows:
        row.pk, row.concept, row.asked = None, name, name
    LearnedWord.objects.bulk_create(rows, ignore_conflicts=True)


def forget_lessons(run: RetrievalRun) -> None:
    """Blank what was learned for the topic of a run whose words are erased; words of concepts are nobody's question."""
    for row in LearnedWord.objects.filter(run=run, kind=Kind.LEARNED).exclude(topic=""):
        same = LearnedWord.objects.filter(base_id=row.base_id, topic=row.topic, stems=row.stems)
        same.update(**ERASED_WORD)
