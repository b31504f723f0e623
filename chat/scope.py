"""What a question is asked of: a whole base, or chosen documents of it, and who may ask them."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from documents.models import Document, DocumentQuerySet, KnowledgeBase, Viewer

OFFERED_DOCUMENTS_MAX = 200  # of one base in the picker; beyond that people ask the base or come from the document

Choice = tuple[str, str]


class ScopeError(Exception):
    """Nothing can be asked there; the message says why, in words for people."""


@dataclass(frozen=True)
class Scope:
    """A base and, unless the whole of it is meant, some of its documents."""

    base: KnowledgeBase
    documents: tuple[Document, ...] = ()

    @property
    def name(self) -> str:
        if not self.documents:
            return f"Whole base: {self.base.name}"[:300]
        return ", ".join(document.title for document in self.documents)[:300]

    @property
    def document_ids(self) -> list[str]:
        return [str(document.pk) for document in self.documents]


def askable(user: Viewer, base: KnowledgeBase | None = None) -> DocumentQuerySet:
    """The documents a person may ask: in a base open to them, read, and not in the trash."""
    documents = Document.objects.visible_to(user).answering()
    return documents.filter(base=base) if base else documents


def choose(user: Viewer, value: str) -> Scope:
    """The scope of a picker's value, `base:<id>` or `document:<id>`; ScopeError when it is not open to the person."""
    kind, _, text = value.partition(":")
    try:
        key = uuid.UUID(text)
    except ValueError:
        raise ScopeError("Choose a base or a document to ask.") from None
    documents = askable(user).select_related("base")
    if kind == "document" and (document := documents.filter(pk=key).first()):
        return Scope(document.base, (document,))
    if kind == "base" and (of_base := documents.filter(base=key).first()):
        return Scope(of_base.base)
    raise ScopeError("This base or document cannot be asked: it is not there, not open to you, or not read yet.")


def choices(user: Viewer, base: KnowledgeBase | None = None, chosen: str = "") -> list[tuple[str, list[Choice]]]:
    """The picker: one group a base, the whole base first, then its documents by title; `chosen` is always among them."""
    documents = askable(user, base).select_related("base").order_by("base__name", "base_id", "title", "pk")
    groups: dict[uuid.UUID, tuple[KnowledgeBase, list[Document]]] = {}
    for document in documents:
        groups.setdefault(document.base_id, (document.base, []))[1].append(document)
    return [group_of(base, members, chosen) for base, members in groups.values()]


def group_of(base: KnowledgeBase, documents: list[Document], chosen: str) -> tuple[str, list[Choice]]:
    offered = documents[:OFFERED_DOCUMENTS_MAX]
    offered += [document for document in documents[OFFERED_DOCUMENTS_MAX:] if f"document:{document.pk}" == chosen]
    whole = (f"base:{base.pk}", f"Whole base: {base.name} ({len(documents)})")
    return base.name, [whole, *((f"document:{document.pk}", document.title) for document in offered)]


def resolve(user: Viewer, base: KnowledgeBase, document_ids: Iterable[str]) -> list[Document]:
    """The documents of a kept question as they are now, each with its current parse; ScopeError says why there are none.

    Between asking and answering a person may lose access, and a document may be deleted (RELIABILITY W5).
    """
    if not KnowledgeBase.objects.visible_to(user).filter(pk=base.pk).exists():
        raise ScopeError("This base is no longer open to you.")
    chosen = list(document_ids)
    documents = askable(user, base).select_related("current_parse", "base").order_by("title", "pk")
    if chosen:
        documents = documents.filter(pk__in=chosen)
    found = list(documents)
    if len(found) < len(chosen):
        raise ScopeError("The document this question was asked of has been deleted or cannot be read any more.")
    if not found:
        raise ScopeError("No document of this base has been read yet, so there is nothing to ask.")
    return found
