"""The scope of a question (R101): a whole base or chosen documents of it, and who may ask them.

The picker's values: `base:<id>`, `document:<id>`, and `documents:<id>,<id>…` for several chosen in a list.
"""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, Window
from django.db.models.functions import RowNumber
from django.utils.translation import gettext

from chat.models import ExtractionField, Retrieval, Turn
from documents.access import AUDIT, WRITE
from documents.models import Document, DocumentQuerySet, KnowledgeBase, Viewer
from documents.storage.replacement import newest
from retrieval.filters import UNFILTERED, Filters

CHOSEN_MAX = 50  # documents of one question; for more, ask the base
# Documents in the picker, per base and in all; others are reached through the base or the document's page.
OFFERED_OF_EACH_MAX, OFFERED_OF_EACH_MIN, OFFERED_MAX = 200, 3, 500

Choice = tuple[str, str]


class ScopeError(Exception):
    """The scope cannot be asked; the message for people says why."""


class UnreadError(ScopeError):
    """Nothing of the scope was read."""


@dataclass(frozen=True)
class QuestionScope:
    """A base and, unless all of it is meant, some of its documents; `filters` narrow what is searched of them."""

    base: KnowledgeBase
    documents: tuple[Document, ...] = ()
    filters: Filters = UNFILTERED

    @property
    def name(self) -> str:
        if not self.documents:
            return whole_words(self.base.name)[:300]
        return ", ".join(document.title for document in self.documents)[:300]

    @property
    def document_ids(self) -> list[str]:
        return [str(document.pk) for document in self.documents]


def askable(user: Viewer, base: KnowledgeBase | None = None) -> DocumentQuerySet:
    """The documents a person may ask: in a base open to them, read, and not in the trash."""
    documents = Document.objects.visible_to(user).answering()
    return documents.filter(base=base) if base else documents


def choose(user: Viewer, value: str) -> QuestionScope:
    """The scope of a picker's value. Raises ScopeError if it is not open to the person, or spans several bases."""
    kind, ids = parse_picker_value(value)
    if not ids:
        raise ScopeError(gettext("Choose a base or a document to ask."))
    documents = askable(user).select_related("base")
    if kind == "base" and (of_base := documents.filter(base=ids[0]).first()):
        return QuestionScope(of_base.base)
    living = Document.objects.visible_to(user).living().select_related("base")
    chosen = tuple(living.filter(pk__in=newest(ids)).order_by("title", "pk")) if kind != "base" else ()
    is_one_base = len({document.base_id for document in chosen}) == 1
    is_askable = any(document.current_parse_id for document in chosen)  # what the others hold, nobody can tell: resolve
    if is_askable and is_one_base and len(chosen) == len(set(newest(ids))):
        return QuestionScope(chosen[0].base, chosen)
    raise ScopeError(
        gettext("This base or document cannot be asked: it is not there, not open to you, or not read yet.")
    )


def parse_picker_value(value: str) -> tuple[str, list[uuid.UUID]]:
    """The kind and ids of a picker's value; no ids if it is malformed."""
    kind, _, text = value.partition(":")
    try:
        ids = [uuid.UUID(part) for part in text.split(",")]
    except ValueError:
        return "", []
    is_one = len(ids) == 1
    allowed = kind in ("base", "document") if is_one else kind == "documents" and len(ids) <= CHOSEN_MAX
    return (kind, ids) if allowed else ("", [])


def write_picker_value(document_ids: Iterable[uuid.UUID | str]) -> str:
    """The picker's value for documents; "" for none."""
    ids = [str(pk) for pk in document_ids]
    return (f"document:{ids[0]}" if len(ids) == 1 else f"documents:{','.join(ids)}") if ids else ""


def current_value(value: str) -> str:
    """The value with each document replaced by its newest version."""
    kind, ids = parse_picker_value(value)
    return write_picker_value(dict.fromkeys(newest(ids))) if kind.startswith("document") else value


def may_tune(user: Viewer, base: KnowledgeBase | None = None) -> bool:
    """Whether a person may say how much of a base is judged, and how near: whoever does more there than ask."""
    bases = KnowledgeBase.objects.living().filter(pk=base.pk) if base else KnowledgeBase.objects.living()
    roles = {*WRITE, *AUDIT}
    return user.is_authenticated and bases.filter(membership__user_id=user.pk, membership__role__in=roles).exists()


def whole_words(base_name: str) -> str:
    return gettext("Whole base: %(name)s") % {"name": base_name}


def scope_words(turn: Turn) -> str:
    """What was asked of, by its name of that time, in the reader's language, whoever asked."""
    if turn.document_ids:
        return turn.scope_name
    return whole_words(turn.scope_name.partition(":")[2].strip() or turn.scope_name)


def chosen_names(run_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, str]:
    """By run, the names of the documents that were chosen for its question; none where a whole base was asked.

    A run that got nowhere lists no documents, though its question was asked of some.
    """
    asked, ids = Turn.objects.exclude(document_ids=[]), list(run_ids)
    fields = ExtractionField.objects.exclude(extraction__document_ids=[])
    names = dict(asked.filter(run__in=ids).values_list("run_id", "scope_name"))
    names |= dict(fields.filter(run__in=ids).values_list("run_id", "extraction__scope_name"))
    by_programs = dict(Retrieval.objects.filter(run__in=ids).values_list("run_id", "document_ids"))
    chosen = {pk for document_ids in by_programs.values() for pk in document_ids}
    titles = {str(pk): title for pk, title in Document.objects.filter(pk__in=chosen).values_list("pk", "title")}
    return names | {
        run_id: ", ".join(titles[pk] for pk in document_ids if pk in titles)
        for run_id, document_ids in by_programs.items()
    }


def choices(user: Viewer, base: KnowledgeBase | None = None, chosen: str = "") -> list[tuple[str, list[Choice]]]:
    """The picker: one group per base, the whole base first, then its documents by title; always includes `chosen`."""
    documents = askable(user, base)
    kind, ids = parse_picker_value(chosen)
    several = ids if kind == "documents" else []
    counts = dict(documents.order_by().values_list("base").annotate(Count("pk")))
    of_each = max(OFFERED_OF_EACH_MIN, min(OFFERED_OF_EACH_MAX, OFFERED_MAX // max(len(counts), 1)))
    place = Window(RowNumber(), partition_by="base", order_by=("title", "pk"))
    offered = documents.annotate(place=place).filter(Q(place__lte=of_each) | Q(pk__in=ids))
    groups: dict[uuid.UUID, tuple[KnowledgeBase, list[Document]]] = {}
    for document in offered.select_related("base").order_by("base__name", "base_id", "title", "pk"):
        groups.setdefault(document.base_id, (document.base, []))[1].append(document)
    picked = Document.objects.visible_to(user).living().filter(pk__in=several).order_by("title", "pk")
    titles: dict[uuid.UUID, list[str]] = {}
    for base_id, title in picked.values_list("base_id", "title"):
        titles.setdefault(base_id, []).append(title)
    return [group_of(base, members, counts[pk], chosen, titles.get(pk, [])) for pk, (base, members) in groups.items()]


def single_documents(groups: Iterable[Any]) -> list[tuple[str, list[Choice]]]:
    """The documents of the picker by base, each under its id; bases without a document are left out."""
    singles = [
        (name, [(value.removeprefix("document:"), title) for value, title in members if value.startswith("document:")])
        for name, members in groups
    ]
    return [(name, members) for name, members in singles if members]


def group_of(
    base: KnowledgeBase, offered: list[Document], count: int, chosen: str, named: list[str]
) -> tuple[str, list[Choice]]:
    """The choices of one base; `named` are the titles of the several documents that are chosen in it, read or not."""
    whole = (f"base:{base.pk}", f"{whole_words(base.name)} ({count})")
    words = gettext("%(count)s chosen: %(titles)s") % {"count": len(named), "titles": ", ".join(named)}
    marked = [(chosen, words)] if named else []
    return base.name, [whole, *marked, *((f"document:{document.pk}", document.title) for document in offered)]


def resolve(user: Viewer, base: KnowledgeBase, document_ids: Iterable[str]) -> list[Document]:
    """A stored question's documents as they are now, each with its current parse. Raises ScopeError if one is gone.

    Those not read yet, or unreadable, are among them: what they hold was not looked at, and a run must say so (R57).
    Between asking and answering a person may lose access, and a document may be deleted (W5).
    """
    if not KnowledgeBase.objects.visible_to(user).filter(pk=base.pk).exists():
        raise ScopeError(gettext("This base is no longer open to you."))
    chosen = list(dict.fromkeys(newest(document_ids)))
    living = Document.objects.visible_to(user).living().filter(base=base)
    documents = living.select_related("current_parse", "base").order_by("title", "pk")
    if chosen:
        documents = documents.filter(pk__in=chosen)
    found = list(documents)
    is_askable = any(document.current_parse for document in found)
    if len(found) < len(chosen):
        raise ScopeError(gettext("A document this question was asked of is no longer in this base."))
    if chosen and not is_askable:
        raise UnreadError(gettext("What this question was asked of was not read, so it cannot be answered."))
    if not is_askable:
        raise ScopeError(gettext("No document of this base has been read yet, so there is nothing to ask."))
    return found
