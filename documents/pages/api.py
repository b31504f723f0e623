"""API of the search in a base."""

from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from documents import access
from documents.api import read_sent
from documents.models import Passage
from documents.pages.places import passages_in, show_places


class SearchQuerySerializer(serializers.Serializer[Any]):
    """The words of a search."""

    q = serializers.CharField(
        max_length=200, help_text="Words, “phrases” in quotation marks, `or`, and `-` before a word to leave out."
    )


class PlaceSerializer(serializers.Serializer[Any]):
    """A passage with the words; `marks` are the spans of `text` in which they stand, `line` has most of them."""

    document_id = serializers.UUIDField()
    title = serializers.CharField()
    section = serializers.CharField()
    page = serializers.IntegerField()
    line = serializers.IntegerField()
    first_line = serializers.IntegerField()
    last_line = serializers.IntegerField()
    text = serializers.CharField(help_text="A literal piece of the passage, its lines joined by spaces.")
    marks = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))


class SearchView(GenericAPIView[Passage]):
    scopes: ClassVar = {"GET": "read"}

    @extend_schema(operation_id="search_base", parameters=[SearchQuerySerializer], responses=PlaceSerializer(many=True))
    def get(self, request: Request, base_id: UUID) -> Response:
        """Where words stand in the documents of a base, best places first. No question is asked or recorded."""
        found = access.get_base(request.user, base_id)
        asked = read_sent(SearchQuerySerializer, request.query_params)
        q = asked["q"]
        passages = self.paginate_queryset(passages_in(found.documents.living(), q))
        assert passages is not None
        return self.get_paginated_response(PlaceSerializer(show_places(passages, q), many=True).data)
