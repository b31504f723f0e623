"""What the people of a base note of its documents beside title and tags: fields of their own, each of one kind."""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, DecimalField, F, Field, Func, JSONField, Q, TextField, Value
from django.db.models.functions import Cast
from django.utils.translation import gettext

from accounts.models import User
from documents.access import actor_of
from documents.models import Document, DocumentQuerySet, KnowledgeBase, MetadataField
from ledger.events import record
from reading.characters import clean_name

FIELDS_MAX = 20  # of one base
NAME_MAX, VALUE_MAX, CHOICE_MAX, CHOICES_MAX = 60, 200, 60, 50  # characters, and choices of one field
DIGITS_MAX, PLACES_MAX = 18, 6
RANGE = ".."

Kind = MetadataField.Kind


class MetadataError(ValueError):
    """An invalid field or value; the message is for people."""


class ChoicesError(MetadataError):
    """What is wrong are the values of a choice."""


def add_field(base: KnowledgeBase, name: str, kind: str, choices: Iterable[str] = (), by: User | None = None) -> None:
    """Give the documents of a base one more field. Raises MetadataError."""
    name = check_name(name)
    named = list(dict.fromkeys(filter(None, map(clean_name, choices)))) if kind == Kind.CHOICE else []
    if kind not in Kind.values:
        raise MetadataError(gettext("There is no such kind of field."))
    if kind == Kind.CHOICE and not (named and len(named) <= CHOICES_MAX and max(map(len, named)) <= CHOICE_MAX):
        told = {"count": CHOICES_MAX, "characters": CHOICE_MAX}
        raise ChoicesError(
            gettext("A choice needs one to %(count)s values of at most %(characters)s characters.") % told
        )
    with transaction.atomic():
        KnowledgeBase.objects.select_for_update().get(pk=base.pk)  # two people may add the last one
        if base.metadata_fields.count() >= FIELDS_MAX:
            raise MetadataError(gettext("A base has at most %(count)s fields.") % {"count": FIELDS_MAX})
        save_named(MetadataField(base=base, name=name, kind=kind, choices=named))
        record("field_added", actor_of(by), f"base:{base.pk}", {"name": name, "what": kind})


def rename_field(field: MetadataField, name: str, by: User | None) -> None:
    """Give a field another name; its values stay. Raises MetadataError."""
    before, field.name = field.name, check_name(name)
    if field.name == before:
        return
    with transaction.atomic():
        save_named(field)
        record("field_renamed", actor_of(by), f"base:{field.base_id}", {"name": field.name, "before": before})


def check_name(name: str) -> str:
    name = clean_name(name)
    if not name or len(name) > NAME_MAX:
        raise MetadataError(gettext("A field needs a name of at most %(count)s characters.") % {"count": NAME_MAX})
    return name


def save_named(field: MetadataField) -> None:
    try:
        with transaction.atomic():
            field.save()
    except IntegrityError:
        raise MetadataError(gettext("The base has a field of this name already.")) from None


def count_values(base: KnowledgeBase) -> list[tuple[MetadataField, int]]:
    """The fields of a base, each with the number of documents that have a value of it."""
    fields = list(base.metadata_fields.all())
    noted = {str(field.pk): Count("pk", filter=Q(metadata__has_key=str(field.pk))) for field in fields}
    counts = Document.objects.filter(base=base).aggregate(**{f"of_{key}": count for key, count in noted.items()})
    return [(field, counts[f"of_{field.pk}"]) for field in fields]


def remove_field(field: MetadataField, by: User | None) -> None:
    """Remove a field with its values in all documents of the base."""
    key = str(field.pk)
    with transaction.atomic():
        documents = Document.objects.filter(base_id=field.base_id, metadata__has_key=key)
        count = documents.update(metadata=metadata_at(key, " - ", JSONField()))
        field.delete()
        record("field_removed", actor_of(by), f"base:{field.base_id}", {"name": field.name, "documents": count})


def metadata_at(key: str, operator: str, kind: "Field[Any, Any]") -> Func:
    """An operator of JSON with a key. Django's own takes a key of digits for the place in a list."""
    named = Cast(Value(key), TextField())
    return Func(F("metadata"), named, template="(%(expressions)s)", arg_joiner=operator, output_field=kind)


def read_value(field: MetadataField, text: str) -> str:
    """A value as it is stored; "" for none. Raises MetadataError."""
    text = clean_name(text)
    if not text:
        return ""
    told = {"name": field.name}
    if field.kind == Kind.NUMBER:
        return read_number(text) or refuse(gettext("“%(name)s” takes a number such as 1200.50.") % told)
    if field.kind == Kind.DATE:
        return read_date(text) or refuse(gettext("“%(name)s” takes a date such as 2026-11-23.") % told)
    if field.kind == Kind.CHOICE and text not in field.choices:
        refuse(gettext("“%(name)s” takes one of its values only.") % told)
    if len(text) > VALUE_MAX:
        refuse(gettext("A value has at most %(count)s characters.") % {"count": VALUE_MAX})
    return text


def refuse(words: str) -> str:
    raise MetadataError(words)


def read_number(text: str) -> str:
    """A number with a point, written shortly; "" for anything else."""
    try:
        number = Decimal(text) if len(text) <= 2 * DIGITS_MAX and text.isascii() else Decimal("NaN")
    except InvalidOperation:
        return ""
    if not number.is_finite() or abs(number) >= Decimal(10) ** (DIGITS_MAX - PLACES_MAX):
        return ""
    shown = f"{number:.{PLACES_MAX}f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def read_date(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return ""


def set_values(document: Document, texts: Mapping[int, str]) -> None:
    """Note values in a document, by field; an empty one is taken out. All or, with MetadataError, none are noted."""
    fields = {field.pk: field for field in document.base.metadata_fields.filter(pk__in=list(texts))}
    read = {str(pk): read_value(field, texts[pk]) for pk, field in fields.items()}
    with transaction.atomic():
        current = Document.objects.select_for_update().get(pk=document.pk)
        document.metadata = {key: value for key, value in (current.metadata | read).items() if value}
        Document.objects.filter(pk=document.pk).update(metadata=document.metadata)


def noted_in(document: Document) -> list[tuple[MetadataField, str]]:
    """Every field of a document's base with its value there, "" for none."""
    return [(field, document.metadata.get(str(field.pk), "")) for field in document.base.metadata_fields.all()]


# ---- the list


def narrow(documents: DocumentQuerySet, field: MetadataField, text: str) -> DocumentQuerySet:
    """The documents with a value: number, date or from..to, a choice, words; any if empty. Raises MetadataError."""
    key, text = str(field.pk), clean_name(text)
    documents = documents.filter(base_id=field.base_id, metadata__has_key=key)
    if not text:
        return documents
    stored: Any = metadata_at(key, " ->> ", TextField())
    if field.kind == Kind.TEXT:
        return documents.annotate(noted=stored).filter(noted__icontains=text)
    if field.kind == Kind.CHOICE:
        return documents.filter(metadata__contains={key: read_value(field, text)})
    first, is_range, last = text.partition(RANGE)
    low, high = read_value(field, first), read_value(field, last if is_range else first)
    number = DecimalField(max_digits=DIGITS_MAX, decimal_places=PLACES_MAX)
    documents = documents.annotate(noted=Cast(stored, number) if field.kind == Kind.NUMBER else stored)
    limits = {"noted__gte": low, "noted__lte": high}
    return documents.filter(**{name: limit for name, limit in limits.items() if limit})
