"""Tags of documents: short, spelled the same in the whole base, set on one document or many at once."""

from collections.abc import Iterable

from django.db.models import F, Func, QuerySet, Value
from django.utils.translation import gettext

from documents.models import Document, KnowledgeBase
from reading.characters import clean_name

TAG_MAX = 40  # characters, as in the column
TAGS_MAX = 20  # of one document


class TagError(ValueError):
    """An invalid tag; the message is for people."""


def tags_in(text: str, base: KnowledgeBase) -> list[str]:
    """The tags of a comma-separated text, in the base's existing spelling. Raises TagError."""
    known = {tag.casefold(): tag for tag, _ in tags_of(base)}
    tags: dict[str, str] = {}
    for part in text.split(","):
        if tag := clean(part):
            tags.setdefault(tag.casefold(), known.get(tag.casefold(), tag))
    if len(tags) > TAGS_MAX:
        raise TagError(gettext("A document has at most %(count)s tags.") % {"count": TAGS_MAX})
    return list(tags.values())


def clean(text: str) -> str:
    """A tag in storable form: NFC, no control characters, single spaces. Raises TagError."""
    tag = clean_name(text)
    if len(tag) > TAG_MAX:
        raise TagError(gettext("A tag has at most %(count)s characters.") % {"count": TAG_MAX})
    return tag


def tags_of(base: KnowledgeBase) -> list[tuple[str, int]]:
    """The tags of a base's living documents, with the number of documents of each, by name."""
    counts: dict[str, int] = {}
    for tags in base.documents.living().exclude(tags=[]).values_list("tags", flat=True):
        for tag in tags:
            counts[tag] = counts.get(tag, 0) + 1
    return sorted(counts.items(), key=lambda pair: pair[0].casefold())


def put_tags(documents: "QuerySet[Document]", tags: Iterable[str]) -> None:
    """Add tags to documents; one with TAGS_MAX of them gets no more."""
    for tag in tags:
        without = documents.exclude(tags__contains=[tag]).filter(tags__len__lt=TAGS_MAX)
        without.update(tags=Func(F("tags"), Value(tag), function="array_append"))


def take_tags(documents: "QuerySet[Document]", tags: Iterable[str]) -> None:
    """Remove tags from documents, whatever their spelling there."""
    for tag in tags:
        documents.filter(tags__contains=[tag]).update(tags=Func(F("tags"), Value(tag), function="array_remove"))
