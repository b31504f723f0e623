"""Suggested questions are tried by the rules once a document is ready, in a worker: what is offered is answered.

A trial asks no model and is no run: nobody asked. Its outcome is kept for the parse it was made of.
"""

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils import translation

from chat.models import SuggestedQuestions
from chat.page.suggestions import questions_of
from documents.base_settings import BaseSettings
from documents.models import Document, DocumentQuerySet
from retrieval.corpus import retrieve_among
from retrieval.dictionary.load import ensure_dictionary
from retrieval.reading_rules.editing import reading_rules_of

AT_ONCE = 5  # documents of one task, a few seconds each on a slow machine
KEPT_MAX = 8  # questions of one document in one language: the first are suggested, the others follow an answer
TRIED_MAX = 12


def documents_untried() -> DocumentQuerySet:
    """The documents that are ready and whose questions were not tried in every language, the newest first."""
    tried = SuggestedQuestions.objects.filter(parse=OuterRef("current_parse"))
    in_every = [Exists(tried.filter(language=language)) for language, _ in settings.LANGUAGES]
    ready = Document.objects.answering().filter(state=Document.State.READY, base__deleted_at=None)
    return (
        ready.exclude(*in_every).select_related("base", "card", "current_parse").order_by("-current_parse__created_at")
    )


def try_questions(first: str = "") -> int:
    """Try the questions of a few documents, in the language that somebody waits for `first`; returns of how many."""
    documents = list(documents_untried()[:AT_ONCE])
    languages = sorted((language for language, _ in settings.LANGUAGES), key=lambda language: language != first)
    for language in languages:
        for document in documents:
            store_answered(document, language)
    return len(documents)


def store_answered(document: Document, language: str) -> None:
    """Keep the questions that the document answers, as soon as those of one language are known."""
    if SuggestedQuestions.objects.filter(parse=document.current_parse, language=language).exists():
        return
    row = SuggestedQuestions(parse=document.current_parse, language=language)
    row.questions = answered_questions(document, language)
    SuggestedQuestions.objects.bulk_create([row], ignore_conflicts=True)  # two workers may try the same


def answered_questions(document: Document, language: str) -> list[str]:
    """The first questions of the document, in a language of the interface, that the rules answer from it."""
    answered: list[str] = []
    with translation.override(language):
        questions = questions_of(document)[:TRIED_MAX]
    for question in questions:
        if len(answered) < KEPT_MAX and is_answered(question, document):
            answered.append(question)
    return answered


def is_answered(question: str, document: Document) -> bool:
    result = retrieve_among(
        question,
        [document],
        settings=BaseSettings(),  # its vectors are the bundled ones: a trial costs nothing
        arbiter="rules",
        dictionary=ensure_dictionary(document.base),
        rules=reading_rules_of(document.base),
    )
    return result.status == "found"
