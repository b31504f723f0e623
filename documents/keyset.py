"""Pages of a list by key: what comes after a row costs the same however many rows lie before it."""

from collections.abc import Sequence
from typing import Any, TypeVar

from django.db.models import Q, QuerySet

AnyRows = TypeVar("AnyRows", bound="QuerySet[Any]")


def rows_after(rows: AnyRows, keys: Sequence[str], values: Sequence[Any]) -> AnyRows:
    """The rows behind one with these values, in the order of `keys`; "-" is falling, and the last key is unique."""
    (first, falls), value = column_of(keys[0]), values[0]
    bound = {f"{first}__{'lte' if falls else 'gte'}": value}  # says nothing new, but in a form an index serves
    return rows.filter(is_behind(keys, values), **bound).order_by(*keys)


def is_behind(keys: Sequence[str], values: Sequence[Any]) -> Q:
    (name, falls), value = column_of(keys[0]), values[0]
    beyond = Q(**{f"{name}__{'lt' if falls else 'gt'}": value})
    return beyond | (Q(**{name: value}) & is_behind(keys[1:], values[1:])) if keys[1:] else beyond


def column_of(key: str) -> tuple[str, bool]:
    """The column of a key, and whether it falls."""
    return key.lstrip("-"), key.startswith("-")
