"""API of a base's own fields and of the filters kept of its list."""

from http import HTTPStatus
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.requests import user_of
from documents import access
from documents.api import Body, TextField, blame_field, read_sent
from documents.metadata import fields, filters
from documents.metadata.fields import MetadataError
from documents.metadata.filters import FilterError
from documents.models import MetadataField, SavedFilter


class MetadataFieldSerializer(serializers.ModelSerializer[MetadataField]):
    """A field that the people of a base note of its documents."""

    class Meta:
        model = MetadataField
        fields: ClassVar = ["id", "name", "kind", "choices"]
        read_only_fields = fields

    choices = serializers.ListField(child=serializers.CharField())


class NewMetadataFieldSerializer(Body):
    """A field to add; `choices` with the kind `choice` only."""

    name = TextField(max_length=fields.NAME_MAX)
    kind = serializers.ChoiceField(MetadataField.Kind.choices)
    choices = serializers.ListField(
        child=TextField(max_length=fields.CHOICE_MAX), required=False, max_length=fields.CHOICES_MAX
    )


class FieldNameSerializer(Body):
    """The new name of a field."""

    name = TextField(max_length=fields.NAME_MAX)


class MetadataFieldsView(GenericAPIView[MetadataField]):
    """The fields of a base."""

    scopes: ClassVar = {"GET": "read", "POST": "write"}
    pagination_class = None

    @extend_schema(operation_id="list_metadata_fields", responses=MetadataFieldSerializer(many=True))
    def get(self, request: Request, base_id: UUID) -> Response:
        found = access.get_base(request.user, base_id)
        return Response(MetadataFieldSerializer(found.metadata_fields.all(), many=True).data)

    @extend_schema(
        operation_id="add_metadata_field",
        request=NewMetadataFieldSerializer,
        responses={201: MetadataFieldSerializer(many=True)},
    )
    def post(self, request: Request, base_id: UUID) -> Response:
        """Add a field; for owners."""
        found = access.get_base(request.user, base_id, *access.OWN)
        asked = read_sent(NewMetadataFieldSerializer, request.data)
        with blame_field("name", MetadataError):
            fields.add_field(found, **{"choices": ()} | asked, by=user_of(request))
        shown = MetadataFieldSerializer(found.metadata_fields.all(), many=True)
        return Response(shown.data, status=HTTPStatus.CREATED)


class MetadataFieldView(GenericAPIView[MetadataField]):
    scopes: ClassVar = {"PATCH": "write", "DELETE": "write"}

    @extend_schema(operation_id="rename_metadata_field", request=FieldNameSerializer, responses=MetadataFieldSerializer)
    def patch(self, request: Request, base_id: UUID, field_id: int) -> Response:
        """Give a field another name; its values stay. For owners."""
        asked = read_sent(FieldNameSerializer, request.data)
        field = own_field(request, base_id, field_id)
        with blame_field("name", MetadataError):
            fields.rename_field(field, asked["name"], user_of(request))
        return Response(MetadataFieldSerializer(field).data)

    @extend_schema(operation_id="remove_metadata_field", responses={204: None})
    def delete(self, request: Request, base_id: UUID, field_id: int) -> Response:
        """Remove a field with its values in all documents; for owners."""
        fields.remove_field(own_field(request, base_id, field_id), user_of(request))
        return Response(status=HTTPStatus.NO_CONTENT)


def own_field(request: Request, base_id: UUID, field_id: int) -> MetadataField:
    """A field of a base the caller owns. Raises NotFound."""
    found = access.get_base(request.user, base_id, *access.OWN).metadata_fields.filter(pk=field_id).first()
    if found is None:
        raise exceptions.NotFound
    return found


class SavedFilterSerializer(serializers.ModelSerializer[SavedFilter]):
    """A kept filter; `query` has the parameters of the list of documents."""

    class Meta:
        model = SavedFilter
        fields: ClassVar = ["id", "name", "query", "is_shared"]
        read_only_fields = fields

    query = serializers.DictField(child=serializers.CharField())


class FilterPartsSerializer(Body):
    """What the list is narrowed by."""

    def get_fields(self) -> "dict[str, serializers.Field[Any, Any, Any, Any]]":
        return {part: TextField(max_length=filters.PART_MAX, required=False) for part in filters.PARTS}


class NewSavedFilterSerializer(Body):
    """A filter to keep; one's own of the same name is replaced."""

    name = TextField(max_length=filters.NAME_MAX)
    query = FilterPartsSerializer()
    is_shared = serializers.BooleanField(required=False, default=False)


class SavedFiltersView(GenericAPIView[SavedFilter]):
    """One's own filters of a base, and those shared with it."""

    scopes: ClassVar = {"GET": "read", "POST": "write"}
    pagination_class = None

    @extend_schema(operation_id="list_saved_filters", responses=SavedFilterSerializer(many=True))
    def get(self, request: Request, base_id: UUID) -> Response:
        found = access.get_base(request.user, base_id)
        kept = filters.visible_filters(found, user_of(request))
        return Response(SavedFilterSerializer(kept, many=True).data)

    @extend_schema(operation_id="save_filter", request=NewSavedFilterSerializer, responses={201: SavedFilterSerializer})
    def post(self, request: Request, base_id: UUID) -> Response:
        """Keep a filter for oneself; editors and owners also for the base."""
        found = access.get_base(request.user, base_id)
        wanted = read_sent(NewSavedFilterSerializer, request.data)
        with blame_field("name", FilterError):
            kept = filters.save_filter(
                found, user_of(request), wanted["name"], wanted["query"], is_shared=wanted["is_shared"]
            )
        return Response(SavedFilterSerializer(kept).data, status=HTTPStatus.CREATED)


class SavedFilterView(GenericAPIView[SavedFilter]):
    scopes: ClassVar = {"DELETE": "write"}

    @extend_schema(operation_id="remove_saved_filter", responses={204: None})
    def delete(self, request: Request, base_id: UUID, filter_id: int) -> Response:
        """Remove one's own filter; owners remove shared ones."""
        found = access.get_base(request.user, base_id)
        removed, _ = filters.removable_filters(found, user_of(request)).filter(pk=filter_id).delete()
        if not removed:
            raise exceptions.NotFound
        return Response(status=HTTPStatus.NO_CONTENT)
