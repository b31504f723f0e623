"""What a base has besides files and records, as values for its archive: settings, words, rules, documents, talks."""

from collections.abc import Iterator
from typing import Any, TypedDict

from audit.keeping.retention import days_kept
from chat.models import Answer, Conversation
from chat.prompts.guidance import guidance_of
from documents.base_settings import BaseSettings
from documents.metadata.fields import noted_in
from documents.models import Document, KnowledgeBase
from ledger.chain import time_text
from retrieval.dictionary.load import ensure_dictionary
from retrieval.models import Concept, Pack, Term
from retrieval.reading_rules.editing import newest_of, stored_rows


class ToldBase(TypedDict):
    """What base.json says of a base."""

    name: str
    settings: dict[str, Any]  # see documents.base_settings
    days_kept: int
    packs: dict[str, bool]  # by name whether it is on
    concepts: list[list[str]]  # name and pack
    terms: list[list[Any]]  # concept, language, text, priority, weight and pack
    rules: list[list[Any]]  # see retrieval.reading_rules.editing
    guidance: dict[str, str]  # by the name of the prompt
    fields: list[list[Any]]  # name, kind and choices


def describe_base(base: KnowledgeBase) -> ToldBase:
    """The base without its documents and members. What it learned of words is not in it: that is of its runs."""
    ensure_dictionary(base)
    rules = newest_of(base)
    return {
        "name": base.name,
        "settings": BaseSettings.from_json(base.settings).to_json(),
        "days_kept": days_kept(base),
        "packs": dict(Pack.objects.filter(base=base).values_list("name", "is_on")),
        "concepts": [list(row) for row in Concept.objects.filter(base=base).values_list("name", "pack")],
        "terms": [
            list(row)
            for row in Term.objects.filter(concept__base=base)
            .order_by("concept__name", "language", "text")
            .values_list("concept__name", "language", "text", "priority", "weight", "pack")
        ],
        "rules": [list(row) for row in stored_rows(rules)] if rules else [],
        "guidance": {name: each.text for name, each in guidance_of(base).items()},
        "fields": [[field.name, field.kind, field.choices] for field in base.metadata_fields.all()],
    }


def carried_documents(base: KnowledgeBase) -> list[Document]:
    """The documents that are not in the trash, earlier versions before those that replaced them."""
    rows = Document.objects.filter(base=base, trashed_at=None).select_related("card", "base")
    return list(rows.order_by("created_at", "pk"))


def describe_document(document: Document) -> dict[str, object]:
    card = document.card
    same = ("file_name", "sha256", "size_bytes", "title", "is_title_given", "tags", "cutting", "contents_source")
    return {name: getattr(document, name) for name in same} | {
        "id": str(document.pk),
        "noted": {field.name: value for field, value in noted_in(document) if value},
        "card": card and {"made_by": card.made_by, "author": card.author, "content": card.content},
        "replaces": str(document.replaces_id) if document.replaces_id else None,
        "is_replaced": document.replaced_at is not None,
    }


def describe_conversations(base: KnowledgeBase) -> Iterator[dict[str, object]]:
    """The conversations nobody deleted; what was retrieved and answered in them is among the records."""
    rows = Conversation.objects.filter(base=base, deleted_at=None).select_related("user").order_by("created_at", "pk")
    for conversation in rows.iterator():
        turns = list(conversation.turns.order_by("number"))
        answers = dict(Answer.objects.filter(turn__in=turns).values_list("turn_id", "pk"))
        yield {
            "id": str(conversation.pk),
            "title": conversation.title,
            "by": str(conversation.user),
            "created_at": time_text(conversation.created_at),
            "turns": [
                {
                    "id": str(turn.pk),
                    "number": turn.number,
                    "question": turn.question,
                    "scope": turn.scope_name,
                    "state": turn.state,
                    "asked_at": time_text(turn.created_at),
                    "run": str(turn.run_id) if turn.run_id else None,
                    "answer": str(answers[turn.pk]) if turn.pk in answers else None,
                }
                for turn in turns
            ],
        }
