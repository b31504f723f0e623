"""How the API shows a card (R15)."""

from typing import Any, ClassVar

from rest_framework import serializers

from documents.cards.types import DATES, FIELDS, TYPES
from documents.models import DocumentCard


class NamedSerializer(serializers.Serializer[Any]):
    """A date or a value under its name."""

    name = serializers.CharField()
    value = serializers.CharField()


class CardPlaceSerializer(serializers.Serializer[Any]):
    """Where a party, a date, the period or a value was read: the literal words, from the character `start` on."""

    part = serializers.ChoiceField(["party", "date", "period", "value"])
    name = serializers.CharField(help_text="That of the date or value, of a party its own; empty for the period.")
    page = serializers.IntegerField()
    first_line = serializers.IntegerField()
    last_line = serializers.IntegerField()
    start = serializers.IntegerField()
    words = serializers.CharField()


class CardSerializer(serializers.ModelSerializer[DocumentCard]):
    """One version of a card. `values` are those of the fields typical of the type; `author` is a person's name."""

    type = serializers.ChoiceField(list(TYPES), source="content.type")
    parties = serializers.ListField(child=serializers.CharField(), source="content.parties")
    dates = NamedSerializer(many=True, source="content.dates", help_text=f"Names: {', '.join(DATES)}.")
    period = serializers.CharField(source="content.period")
    summary = serializers.CharField(source="content.summary")
    values = NamedSerializer(many=True, source="content.fields", help_text=f"Names: {', '.join(FIELDS)}.")

    class Meta:
        model = DocumentCard
        fields: ClassVar = [
            *("number", "made_by", "author", "created_at"),
            *("type", "parties", "dates", "period", "summary", "values"),
        ]
        read_only_fields = fields
