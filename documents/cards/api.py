"""API of document cards (R15): what a card says, its versions, and changes by people."""

from dataclasses import replace
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.requests import user_of
from documents import access
from documents.api import Body, NotRead, TextField, read_sent
from documents.cards import types
from documents.cards.editing import clean_card
from documents.cards.serializers import CardPlaceSerializer, CardSerializer
from documents.cards.versions import card_of, card_places, edit_card, undo_edits
from documents.models import Document


class DateChangeSerializer(Body):
    name = serializers.ChoiceField(list(types.DATES))
    value = TextField(max_length=types.VALUE_CHARS)


class ValueChangeSerializer(Body):
    name = serializers.ChoiceField(list(types.FIELDS))
    value = TextField(max_length=types.VALUE_CHARS)


class CardChangeSerializer(Body):
    """Omitted fields stay as they are; lists are replaced whole."""

    type = serializers.ChoiceField(list(types.TYPES), required=False)
    parties = serializers.ListField(
        child=TextField(max_length=types.NAME_CHARS), required=False, max_length=types.PARTIES_MAX
    )
    dates = serializers.ListField(child=DateChangeSerializer(), required=False, max_length=types.DATES_MAX)
    period = TextField(max_length=types.VALUE_CHARS, required=False, allow_blank=True)
    summary = TextField(max_length=types.SUMMARY_CHARS, required=False, allow_blank=True)
    values = serializers.ListField(child=ValueChangeSerializer(), required=False, max_length=types.FIELDS_MAX)


class CardVersionsSerializer(serializers.Serializer[Document]):
    """The card that holds, null for a document read before there were cards, and every version, the newest first.

    `places` are where what it says was read, as far as that stands there in the current reading. What a person said
    otherwise has none, nor has what a model took from words that stand several times in what it read.
    """

    card = CardSerializer(allow_null=True)
    places = serializers.SerializerMethodField()
    versions = serializers.SerializerMethodField()

    @extend_schema_field(CardPlaceSerializer(many=True))
    def get_places(self, document: Document) -> Any:
        return [place._asdict() for place in card_places(document).values()]

    @extend_schema_field(CardSerializer(many=True))
    def get_versions(self, document: Document) -> Any:
        return CardSerializer(document.cards.order_by("-number"), many=True).data


class CardView(GenericAPIView[Any]):
    """The card of a document: type, parties, dates, summary. A card is a guess, and never evidence."""

    scopes: ClassVar = {"GET": "read", "PATCH": "write", "DELETE": "write"}
    serializer_class = CardVersionsSerializer

    @extend_schema(operation_id="read_card")
    def get(self, request: Request, document_id: UUID) -> Response:
        return Response(CardVersionsSerializer(access.get_document(request.user, document_id)).data)

    @extend_schema(operation_id="change_card", request=CardChangeSerializer)
    def patch(self, request: Request, document_id: UUID) -> Response:
        """Say what holds of a document from now on; no later reading changes it. The change is recorded."""
        found = access.get_document(request.user, document_id, *access.WRITE)
        asked = read_sent(CardChangeSerializer, request.data)
        if found.current_parse is None:
            raise NotRead
        wanted = dict(asked)
        if "values" in wanted:
            wanted["fields"] = wanted.pop("values")
        for name in {"dates", "fields"} & wanted.keys():
            wanted[name] = tuple(types.NamedValue(**each) for each in wanted[name])
        if "parties" in wanted:
            wanted["parties"] = tuple(wanted["parties"])
        edit_card(found, clean_card(replace(card_of(found), **wanted)), user_of(request))
        return self.get(request, document_id)

    @extend_schema(operation_id="undo_card_edits", responses={200: CardVersionsSerializer})
    def delete(self, request: Request, document_id: UUID) -> Response:
        """Let the card that was made without a person hold again; the edits stay among the versions."""
        found = access.get_document(request.user, document_id, *access.WRITE)
        undo_edits(found, user_of(request))
        return self.get(request, document_id)
