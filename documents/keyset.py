"""Keyset paging: the rows after a given one, at the same cost however many come before it."""

from collections.abc import Sequence
from typing import Any, TypeVar

from django.db.models import Q, QuerySet

AnyRows = TypeVar("AnyRows", bound="QuerySet[Any]")


def rows_after(rows: AnyRows, keys: Sequence[str], values: Sequence[Any]) -> AnyRows:
    """The rows after one with these values, ordered by `keys`; "-" is descending, and the last key is unique."""
    (first, falls), value = column_of(keys[0]), values[0]
    bound = {f"{first}__{'lte' if falls else 'gte'}": value}  # redundant, but in a form an index can use
    return rows.filter(is_behind(keys, values), **bound).order_by(*keys)


def is_behind(keys: Sequence[str], values: Sequence[Any]) -> Q:
    (name, falls), value = column_of(keys[0]), values[0]
    beyond = Q(**{f"{name}__{'lt' if falls else 'gt'}": value})
    return beyond | (Q(**{name: value}) & is_behind(keys[1:], values[1:])) if keys[1:] else beyond


def column_of(key: str) -> tuple[str, bool]:
    """The column of a key, and whether it is descending."""
    return key.lstrip("-"), key.startswith("-")
