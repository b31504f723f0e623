"""What the owners of a base do with the words it learned (R83): off and on again, or into the dictionary.

A change is a further row of the word, with an entry of the ledger.
"""

from django.db import transaction
from django.utils.translation import gettext

from accounts.models import User
from documents.access import actor_of
from documents.models import KnowledgeBase
from ledger.events import record
from retrieval.dictionary.csv_format import LANGUAGES, WordlistError, WordRow, checked_text
from retrieval.dictionary.editing import add_concept, put_term
from retrieval.dictionary.guarded import DICTIONARY
from retrieval.dictionary.learned import WordStanding, again, standings_of_words
from retrieval.models import Concept, LearnedWord
from retrieval.question.learned import LEARNED_WEIGHT

Kind = LearnedWord.Kind


@DICTIONARY.change
def switch_word(base: KnowledgeBase, pk: int, by: User | None, *, on: bool) -> WordStanding:
    """Switch a word off, or on again; nothing if it is so already. Raises WordlistError if there is no such word."""
    with transaction.atomic():
        standing = lock_word(base, pk)
        if standing.is_on != on:
            store_change(base, standing, Kind.ON if on else Kind.OFF, by)
    return standing


@DICTIONARY.change
def take_word(base: KnowledgeBase, pk: int, concept_name: str, by: User | None) -> Concept:
    """Make a learned word a term of a concept, which is added if there is none of that name. Raises WordlistError."""
    with transaction.atomic():
        standing = lock_word(base, pk)
        name = checked_text(concept_name, "concept")
        found = Concept.objects.filter(base=base, name__iexact=name).select_related("base").first()
        language = standing.row.language if standing.row.language in LANGUAGES else ""
        concept = found or add_concept(base, WordRow(name, language, name))
        row = WordRow(concept.name, language, standing.row.word, "secondary", LEARNED_WEIGHT)
        if not concept.terms.filter(language=row.language, text__iexact=row.term).exists():
            put_term(concept, row)
        store_change(base, standing, Kind.TAKEN, by, concept.name)
    return concept


def lock_word(base: KnowledgeBase, pk: int) -> WordStanding:
    """One word as it stands, while nobody else changes it. Raises WordlistError if it is not there, or was taken."""
    KnowledgeBase.objects.select_for_update().get(pk=base.pk)
    for each in standings_of_words(base):
        if each.row.pk == pk and not each.is_taken:
            return each
    raise WordlistError(gettext("This word is not there any more."))


def store_change(
    base: KnowledgeBase, standing: WordStanding, kind: LearnedWord.Kind, by: User | None, into: str = ""
) -> None:
    again(standing.row, kind).save(force_insert=True)
    # Not the topic: it has words of a question, which may be erased.
    details = {"word": standing.row.word, "concept": into or standing.row.concept, "change": str(kind)}
    record("learned_word_changed", actor_of(by), f"base:{base.pk}", details)
