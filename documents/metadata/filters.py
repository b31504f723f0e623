"""Filters of the list of documents that are kept under a name, for oneself or for everybody in the base."""

from collections.abc import Mapping
from urllib.parse import urlencode

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext

from accounts.models import User
from documents import access
from documents.models import KnowledgeBase, SavedFilter
from reading.characters import clean_name, clean_words

NAME_MAX, FILTERS_MAX = 60, 50  # characters; of one person in one base
PARTS = ("q", "state", "toc", "tag", "type", "field", "value")  # what the list can be narrowed by
PART_MAX = 200


class FilterError(ValueError):
    """A filter that cannot be kept; the message is for people."""


def visible_filters(base: KnowledgeBase, user: User) -> "QuerySet[SavedFilter]":
    """One's own and those shared with the base."""
    return base.saved_filters.filter(Q(user=user) | Q(is_shared=True)).select_related("user").order_by("name", "pk")


def save_filter(
    base: KnowledgeBase, user: User, name: str, parts: Mapping[str, str], *, is_shared: bool = False
) -> SavedFilter:
    """Keep a filter; one of the same name that the person saved is replaced. Raises FilterError."""
    name = clean_name(name)
    if not name or len(name) > NAME_MAX:
        raise FilterError(gettext("A filter needs a name of at most %(count)s characters.") % {"count": NAME_MAX})
    query = {part: clean_words(parts[part])[:PART_MAX] for part in PARTS if parts.get(part)}
    if not query:
        raise FilterError(gettext("Narrow the list first, then keep the filter."))
    if is_shared and access.role_in(user, base) not in access.WRITE:
        raise FilterError(gettext("Editors and owners share filters with the base."))
    with transaction.atomic():
        KnowledgeBase.objects.select_for_update().get(pk=base.pk)
        own = base.saved_filters.filter(user=user)
        if own.exclude(name=name).count() >= FILTERS_MAX:
            words = gettext("You keep %(count)s filters here, the most there can be.")
            raise FilterError(words % {"count": FILTERS_MAX})
        defaults = {"query": query, "is_shared": is_shared}
        return SavedFilter.objects.update_or_create(base=base, user=user, name=name, defaults=defaults)[0]


def removable_filters(base: KnowledgeBase, user: User) -> "QuerySet[SavedFilter]":
    """One's own; owners of the base remove any that is shared."""
    own = Q(user=user)
    return base.saved_filters.filter(own | Q(is_shared=True) if access.role_in(user, base) in access.OWN else own)


def filter_address(kept: SavedFilter) -> str:
    return urlencode(kept.query)
