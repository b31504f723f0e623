"""Several named fields asked in one request (R87), as JSON and CSV."""

import uuid
from http import HTTPStatus
from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.generics import GenericAPIView
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.requests import user_of
from chat import api
from chat.fields.extracting import keep_extraction, read_extraction
from chat.fields.grid import CELLS_MAX, grid_json, keep_grid, rows_of_grid, write_grid_csv
from chat.fields.reading import (
    FIELDS_MAX,
    INSTRUCTION_CHARACTERS_MAX,
    NAME_CHARACTERS_MAX,
    TYPES,
    FieldsError,
    check_fields,
)
from chat.fields.values import write_extraction_csv
from chat.models import Extraction
from chat.turns import tasks
from chat.turns.stopping import request_stop
from documents.api import IDEMPOTENCY_KEY, Body, CsvRenderer, TextField, read_idempotency_key, read_sent
from documents.idempotency import make_keyed
from retrieval.api import STATUSES, BoxSerializer
from retrieval.forms.fields import Field
from retrieval.question.parse import QUESTION_MAX

OUTCOMES = [*STATUSES, "unjudged", "not_read", "stopped", "failed"]


class FieldSerializer(Body):
    """One thing to find out. Without a question its name is asked for."""

    name = TextField(max_length=NAME_CHARACTERS_MAX)
    question = TextField(required=False, default="", allow_blank=True, max_length=QUESTION_MAX)
    type = serializers.ChoiceField(TYPES, required=False, help_text="Of the value; without it, as the question tells.")
    instruction = TextField(
        required=False,
        default="",
        allow_blank=True,
        max_length=INSTRUCTION_CHARACTERS_MAX,
        help_text="How it is to be read; told to the model that judges, and never searched.",
    )


class ExtractSerializer(api.ScopedSerializer):
    """Named fields, and the documents they are asked of."""

    fields_ = serializers.ListField(child=FieldSerializer(), min_length=1, max_length=FIELDS_MAX)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """`fields` is an attribute of every serializer, so that its field cannot have the name."""
        return {name.rstrip("_"): field for name, field in super().get_fields().items()}


class FieldCitationSerializer(api.CitationSerializer):
    """A literal quote and its place in a document."""

    section = None  # type: ignore[assignment]


class FieldResultSerializer(serializers.Serializer[Any]):
    """What became of one field: its value as printed, the quote it stands in, and what to know before relying on it."""

    name = serializers.CharField()
    question = serializers.CharField()
    type = serializers.CharField(allow_null=True)
    instruction = serializers.CharField(allow_null=True)
    run_id = serializers.UUIDField(allow_null=True, help_text="Its record, with candidates and verdicts of its own.")
    outcome = serializers.ChoiceField(OUTCOMES, allow_null=True, help_text="Null until it has been asked.")
    value = serializers.CharField(allow_null=True, help_text="As printed; else the sentence that says it.")
    values = serializers.ListField(child=serializers.DictField(), help_text="Typed, each with its marker and lines.")
    quote = serializers.CharField(allow_null=True)
    document_id = serializers.UUIDField(allow_null=True)
    document = serializers.CharField(allow_null=True)
    page = serializers.IntegerField(allow_null=True)
    page_label = serializers.CharField(allow_null=True)
    lines = serializers.ListField(child=serializers.IntegerField(), allow_null=True)
    boxes = BoxSerializer(many=True)
    citations = FieldCitationSerializer(many=True)
    caveats = serializers.ListField(child=serializers.CharField())
    confidence = serializers.FloatField(allow_null=True)
    shared_call = serializers.UUIDField(allow_null=True, help_text="The exchange that judged several fields at once.")


class ExtractionSerializer(serializers.Serializer[Any]):
    """Fields that were asked together, and how far they are."""

    extraction_id = serializers.UUIDField()
    knowledge_base_id = serializers.UUIDField()
    document_ids = serializers.ListField(child=serializers.UUIDField(), help_text="Empty: the whole base.")
    mode = serializers.CharField()
    state = serializers.ChoiceField(Extraction.State.choices)
    error = serializers.CharField(allow_null=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return super().get_fields() | {"fields": FieldResultSerializer(many=True)}


class ExtractView(GenericAPIView[Any]):
    scopes: ClassVar = {"POST": "ask"}
    is_costly = True

    @extend_schema(
        operation_id="extract",
        request=ExtractSerializer,
        parameters=[IDEMPOTENCY_KEY],
        responses={
            200: ExtractionSerializer,
            202: OpenApiResponse(
                ExtractionSerializer, "Not all asked in time; the work goes on. Ask the address in Location."
            ),
        },
    )
    def post(self, request: Request) -> Response:
        """Ask several named fields of the same documents; each is searched, judged and recorded by itself."""
        values = read_sent(ExtractSerializer, request.data)
        fields = fields_asked(values["fields"])
        chosen = api.chosen_scope(user_of(request), values)
        sent = make_keyed(
            user_of(request),
            chosen.base,
            read_idempotency_key(request),
            extract=values["fields"],
            **api.said_of(values),
        )
        extraction = keep_extraction(user_of(request), chosen, fields, values["mode"], request=sent)
        api.kept_by(request, extraction)
        tasks.start(extraction)
        return api.answer_in_time(request, extraction, read_extraction, read_extraction)


def fields_asked(sent: list[dict[str, Any]]) -> list[Field]:
    """The checked fields. Raises ValidationError that names each invalid one."""
    try:
        return check_fields(
            [(each["name"], each["question"], each.get("type", ""), each["instruction"]) for each in sent]
        )
    except FieldsError as error:
        raise faults_of(error) from error


def faults_of(error: FieldsError) -> exceptions.ValidationError:
    return exceptions.ValidationError(
        {f"fields.{number - 1}" if number else "fields": words for number, words in error.faults.items()}
    )


class ExtractionView(GenericAPIView[Extraction]):
    scopes: ClassVar = {"GET": "ask"}
    renderer_classes = [JSONRenderer, CsvRenderer]

    @extend_schema(
        operation_id="read_extraction",
        responses={(200, "application/json"): ExtractionSerializer, (200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request, extraction_id: uuid.UUID) -> Response:
        """Read how far they are, with what each field has; as CSV one field a line."""
        told = read_extraction(get_own_extraction(request, extraction_id).pk)
        is_csv = request.accepted_renderer.format == "csv"
        return Response(write_extraction_csv(told["fields"]) if is_csv else told)


class StopExtractionView(GenericAPIView[Extraction]):
    scopes: ClassVar = {"POST": "ask"}
    ends_work = True

    @extend_schema(operation_id="stop_extraction", request=None, responses={202: ExtractionSerializer})
    def post(self, request: Request, extraction_id: uuid.UUID) -> Response:
        """Ask the worker to stop: fields that have ended stay, and the others are not asked."""
        extraction = get_own_extraction(request, extraction_id)
        request_stop(extraction)
        return Response(read_extraction(extraction.pk), status=HTTPStatus.ACCEPTED)


class GridRowSerializer(ExtractionSerializer):
    """What was asked of one document; an extraction like any other."""

    document = serializers.CharField()


class GridSerializer(serializers.Serializer[Any]):
    """Fields that were asked of each of several documents."""

    grid_id = serializers.UUIDField()
    knowledge_base_id = serializers.UUIDField()
    is_ended = serializers.BooleanField(help_text="Whether every document has ended.")
    documents = GridRowSerializer(many=True)


class AskGridView(GenericAPIView[Any]):
    scopes: ClassVar = {"POST": "ask"}
    is_costly = True

    @extend_schema(
        operation_id="ask_grid",
        request=ExtractSerializer,
        parameters=[IDEMPOTENCY_KEY],
        responses={202: OpenApiResponse(GridSerializer, "It was begun. Ask the address in Location.")},
        description=f"Documents times fields are at most {CELLS_MAX}.",
    )
    def post(self, request: Request) -> Response:
        """Ask several named fields of each document by itself, so that each has a value of each."""
        values = read_sent(ExtractSerializer, request.data)
        fields = fields_asked(values["fields"])
        user, chosen = user_of(request), api.chosen_scope(user_of(request), values)
        key = read_idempotency_key(request)
        sent = make_keyed(user, chosen.base, key, grid=values["fields"], **api.said_of(values))
        try:
            rows = keep_grid(user, chosen, fields, values["mode"], request=sent)
        except FieldsError as error:
            raise faults_of(error) from error
        tasks.start(*rows)
        place = {"Location": reverse("api:grid", args=[rows[0].grid])}
        return Response(grid_json(rows), status=HTTPStatus.ACCEPTED, headers=place)


class GridView(GenericAPIView[Extraction]):
    scopes: ClassVar = {"GET": "ask"}
    renderer_classes = [JSONRenderer, CsvRenderer]

    @extend_schema(
        operation_id="read_grid",
        responses={(200, "application/json"): GridSerializer, (200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request, grid_id: uuid.UUID) -> Response:
        """Read how far they are, with what each field of each document has; as CSV one document a line."""
        told = grid_json(rows_of_grid(user_of(request), grid_id))
        return Response(write_grid_csv(told) if request.accepted_renderer.format == "csv" else told)


class StopGridView(GenericAPIView[Extraction]):
    scopes: ClassVar = {"POST": "ask"}
    ends_work = True

    @extend_schema(operation_id="stop_grid", request=None, responses={202: GridSerializer})
    def post(self, request: Request, grid_id: uuid.UUID) -> Response:
        """Ask the workers to stop: documents and fields that have ended stay, and the others are not asked."""
        for row in rows_of_grid(user_of(request), grid_id):
            request_stop(row)
        return Response(grid_json(rows_of_grid(user_of(request), grid_id)), status=HTTPStatus.ACCEPTED)


def get_own_extraction(request: Request, extraction_id: uuid.UUID) -> Extraction:
    return get_object_or_404(Extraction.objects.visible_to(user_of(request)), pk=extraction_id)
