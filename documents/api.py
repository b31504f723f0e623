"""API of bases and documents: the functions of the pages, as JSON and CSV."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from itertools import chain
from typing import Any, ClassVar, NamedTuple, cast
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Model
from django.http import FileResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_field,
    extend_schema_view,
)
from rest_framework import exceptions, serializers
from rest_framework.generics import GenericAPIView
from rest_framework.parsers import MultiPartParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.requests import user_of
from documents import access, naming
from documents.base_settings import MODEL_MAX, BaseSettings, SettingsError
from documents.cards.serializers import CardSerializer
from documents.cards.types import TYPES
from documents.idempotency import made_before, make_keyed, one_at_a_time, remember
from documents.ingestion import trash
from documents.ingestion.tasks import start
from documents.ingestion.unlocking import unlock
from documents.metadata.fields import VALUE_MAX, MetadataError, set_values
from documents.models import (
    CrossReference,
    Document,
    Image,
    KnowledgeBase,
    Line,
    Membership,
    NamedObject,
    Page,
    Parse,
    Passage,
    Role,
    TocEntry,
)
from documents.pages import listing
from documents.pages.contents_source import SourceError, choose_source
from documents.pages.listing import DocumentRow
from documents.spreadsheet import write_csv
from documents.storage import passwords
from documents.storage.upload_quota import oversized_files
from documents.storage.uploads import TITLE_MAX, QuotaReached, StorageFull
from documents.taking import status_of_refusals, take_files
from reading.rows import CONTENTS_SOURCES, ImageRow, LineRow, ObjectRow, PageRow, PassageRow, ReferenceRow, TocRow

NUMBER_MAX = 2_147_483_647  # of an integer column
STATES = ("ready", "busy", "needs")
STRENGTHS = ("strong", "weak")
UNKNOWN_TOLD_MAX = 20  # names reported per object; the reply must not grow with the request
UNKNOWN_CHARACTERS_MAX = 80

Outcome = dict[str, str | None]  # of one file of an upload, as OutcomeSerializer has it


class NotRead(exceptions.APIException):
    status_code = HTTPStatus.CONFLICT
    default_detail = "This document has not been read yet, or could not be; its state says which."
    default_code = "not_read"


class Outdated(exceptions.APIException):
    """Somebody else changed it first."""

    status_code = HTTPStatus.CONFLICT
    default_code = "outdated"


class Unavailable(exceptions.APIException):
    status_code = HTTPStatus.SERVICE_UNAVAILABLE
    default_code = "unavailable"
    wait = passwords.NotHandedOn.RETRY_AFTER_S


class NothingTaken(exceptions.APIException):
    """No file of an upload was accepted; `outcomes` has the reason for each."""

    default_code = "upload"

    def __init__(self, outcomes: list[Outcome]) -> None:
        self.more = {"outcomes": outcomes}
        codes = {str(outcome["code"]) for outcome in outcomes}
        self.status_code, wait = status_of_refusals(codes)
        code = None
        if wait:
            self.wait = wait
            code = StorageFull.CODE if StorageFull.CODE in codes else QuotaReached.CODE
        super().__init__(" ".join(f"{outcome['file_name']}: {outcome['detail']}" for outcome in outcomes), code)


class TextField(serializers.CharField):
    """A string only; the framework's own field also accepts a number."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Body(serializers.Serializer[Any]):
    """A request body. Unknown fields are rejected by name, in nested objects too.

    If they were ignored, a misspelt `document_id` would ask the whole base.
    """

    def to_internal_value(self, data: Any) -> Any:
        known = [name for name, field in self.fields.items() if not field.read_only]
        wrong = unknown_fields(data, known) if isinstance(data, Mapping) else {}
        try:
            value = super().to_internal_value(data)
        except exceptions.ValidationError as error:
            raise exceptions.ValidationError({**cast("dict[str, Any]", error.detail), **wrong}) from error
        if wrong:
            raise exceptions.ValidationError(wrong)
        return value


def read_sent(form: type[serializers.Serializer[Any]], sent: Any) -> Any:
    """The values that were sent, as `form` reads them. Raises ValidationError."""
    read = form(data=sent)
    read.is_valid(raise_exception=True)
    return read.validated_data


@contextmanager
def blame_field(name: str, *kinds: type[Exception]) -> Iterator[None]:
    """Answer an error of one of these kinds in the block as one of this field of the request."""
    try:
        yield
    except kinds as error:
        raise exceptions.ValidationError({name: str(error)}) from error


def unknown_fields(sent: Iterable[str], known: Iterable[str]) -> dict[str, list[exceptions.ErrorDetail]]:
    """Errors for unknown names; only the first ones if there are many."""
    names = ", ".join(known)
    unknown = sorted(set(sent).difference(known))[:UNKNOWN_TOLD_MAX]
    shown = [name[:UNKNOWN_CHARACTERS_MAX] for name in unknown]
    return {
        name: [exceptions.ErrorDetail(f"There is no field “{name}” here; the fields are: {names}.", code="unknown")]
        for name in shown
    }


# ---- repeatable requests

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.UUID,
    OpenApiParameter.HEADER,
    description="Made by the caller for this request. Sent again with the same key, it does nothing twice and is "
    "answered as the first time; another request with the same key is refused with 422.",
)


def read_idempotency_key(request: Request) -> UUID | None:
    text = request.headers.get("Idempotency-Key", "")
    try:
        return UUID(text) if text else None
    except ValueError:
        raise exceptions.ValidationError({"Idempotency-Key": "A UUID, made by you for this request."}) from None


# ---- bases


MODEL_HELP = "One of those the operator allows (DOCINTEL_MODELS); empty is the model of the installation."


def settings_serializer(name: str, **options: Any) -> type[Body]:
    """One field per setting, derived from BaseSettings."""
    choices = {key: serializers.ChoiceField(list(allowed), **options) for key, allowed in BaseSettings.CHOICES.items()}
    ranges = BaseSettings.RANGES.items()
    numbers = {key: serializers.IntegerField(min_value=low, max_value=high, **options) for key, (low, high) in ranges}
    return type(name, (Body,), {**choices, **numbers, "__doc__": "How a base is read and searched."})


class SettingsSerializer(settings_serializer("SettingsInForms")):  # type: ignore[misc]
    """How a base is read and searched; `tiers` are changed at their own address."""

    tiers = serializers.DictField(child=serializers.CharField())
    model = serializers.CharField(help_text=MODEL_HELP)


class SettingsChangeSerializer(settings_serializer("SettingsChangeInForms", required=False)):  # type: ignore[misc]
    """How a base is to be read and searched."""

    model = TextField(max_length=MODEL_MAX, required=False, allow_blank=True, help_text=MODEL_HELP)


class BaseSerializer(serializers.Serializer[KnowledgeBase]):
    """A base as the caller sees it."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    role = serializers.SerializerMethodField()
    settings = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()

    @extend_schema_field(serializers.ChoiceField(Role.choices))
    def get_role(self, base: KnowledgeBase) -> str:
        return str(self.context["roles"][base.pk])

    @extend_schema_field(SettingsSerializer(allow_null=True, help_text="null for viewers"))
    def get_settings(self, base: KnowledgeBase) -> dict[str, object] | None:
        if self.context["roles"][base.pk] not in access.SETTINGS_SHOWN:
            return None
        return BaseSettings.from_json(base.settings).to_json()


class NewBaseSerializer(Body):
    """A base to create."""

    name = TextField(max_length=120)


class BaseChangeSerializer(Body):
    """Omitted fields stay unchanged."""

    name = TextField(max_length=120, required=False)
    settings = SettingsChangeSerializer(required=False)


class SummarySerializer(serializers.Serializer[listing.Summary]):
    """How many documents a base has, and how many are ready, being read, or need a person."""

    documents = serializers.IntegerField()
    pages = serializers.IntegerField()
    askable = serializers.IntegerField()
    ready = serializers.IntegerField()
    busy = serializers.IntegerField()
    needs = serializers.IntegerField()


class BaseInFullSerializer(BaseSerializer):
    summary = SummarySerializer(source="*")

    def to_representation(self, instance: KnowledgeBase) -> dict[str, object]:
        shown = BaseSerializer(instance, context=self.context).data
        return {**shown, "summary": SummarySerializer(listing.summary_of(instance)).data}


def roles_in(bases: Iterable[KnowledgeBase], user: User) -> dict[str, dict[UUID, str]]:
    """The serializer context: the caller's role in each base."""
    memberships = Membership.objects.filter(user=user, base__in=bases)
    return {"roles": dict(memberships.values_list("base_id", "role"))}


class BaseListView(GenericAPIView[KnowledgeBase]):
    """The caller's bases."""

    scopes: ClassVar = {"GET": "read", "POST": "write"}

    @extend_schema(operation_id="list_bases", responses=BaseSerializer(many=True))
    def get(self, request: Request) -> Response:
        bases = self.paginate_queryset(KnowledgeBase.objects.visible_to(request.user).order_by("name", "id"))
        assert bases is not None
        roles = roles_in(bases, user_of(request))
        return self.get_paginated_response([BaseSerializer(base, context=roles).data for base in bases])

    @extend_schema(operation_id="make_base", request=NewBaseSerializer, responses={201: BaseSerializer})
    def post(self, request: Request) -> Response:
        """Create a base owned by the caller."""
        asked = read_sent(NewBaseSerializer, request.data)
        made = access.create_base(user_of(request), asked["name"])
        shown = BaseSerializer(made, context=roles_in([made], user_of(request)))
        return Response(shown.data, status=HTTPStatus.CREATED)


class BaseView(GenericAPIView[KnowledgeBase]):
    """One base."""

    scopes: ClassVar = {"GET": "read", "PATCH": "write"}
    serializer_class = BaseInFullSerializer

    @extend_schema(operation_id="read_base")
    def get(self, request: Request, base_id: UUID) -> Response:
        found = access.get_base(request.user, base_id)
        return Response(BaseInFullSerializer(found, context=roles_in([found], user_of(request))).data)

    @extend_schema(operation_id="change_base", request=BaseChangeSerializer)
    def patch(self, request: Request, base_id: UUID) -> Response:
        """Rename a base or change its settings; for owners."""
        found = access.get_base(request.user, base_id, *access.OWN)
        wanted = read_sent(BaseChangeSerializer, request.data)
        chosen = BaseSettings(**BaseSettings.from_json(found.settings).to_json() | wanted.get("settings", {}))
        access.change_settings(found, wanted.get("name", found.name), chosen, user_of(request))
        return self.get(request, base_id)


# ---- documents


class SituationSerializer(serializers.Serializer[listing.Situation]):
    """The state in words for people; `percent` is null if unknown."""

    kind = serializers.ChoiceField(["ok", "busy", "warn", "fail"])
    words = serializers.CharField()
    note = serializers.CharField()
    percent = serializers.IntegerField(allow_null=True)
    asks_password = serializers.BooleanField(help_text="The file is locked: send its password to `unlock`.")


class ParseSerializer(serializers.ModelSerializer[Parse]):
    """The current parse of a document."""

    class Meta:
        model = Parse
        fields: ClassVar = [
            *("number", "parser_version", "language", "page_count", "line_count", "unreadable_pages"),
            *("toc_origin", "toc_strength", "profile", "warnings", "embedding_model", "created_at"),
        ]
        read_only_fields = fields

    profile = serializers.DictField(
        help_text="What kind of document it is: pages by kind, usable contents and their sources, scanned, tables, "
        "program, what the file declares; empty for a parse made before there were profiles."
    )

    unreadable_pages = serializers.ListField(child=serializers.IntegerField())
    warnings = serializers.ListField(child=serializers.CharField())


SOURCE_HELP = (
    "Where its contents are taken from; `profile.contents_sources` of its parse lists the usable ones. What is not "
    "usable in the file has no effect but a warning."
)


class DocumentSerializer(serializers.ModelSerializer[Document]):
    """A document, the progress of its reading, and what was read, with its card (null before)."""

    situation = serializers.SerializerMethodField()
    parse = ParseSerializer(source="current_parse", allow_null=True)
    card = CardSerializer(allow_null=True)

    class Meta:
        model = Document
        fields: ClassVar = [
            *("id", "base_id", "title", "file_name", "media_type", "size_bytes", "sha256", "state", "situation"),
            *("cutting", "contents_source", "metadata", "parse", "card", "created_at", "trashed_at"),
        ]
        read_only_fields = fields

    contents_source = serializers.ChoiceField(list(CONTENTS_SOURCES), help_text=SOURCE_HELP)
    base_id = serializers.UUIDField()
    metadata = serializers.SerializerMethodField()
    cutting = serializers.DictField(help_text="How its text is cut, where its upload chose otherwise than the base.")

    @extend_schema_field(serializers.ListField(child=serializers.DictField()))
    def get_metadata(self, document: Document) -> list[dict[str, int | str]]:
        return [{"field": int(key), "value": value} for key, value in document.metadata.items()]

    @extend_schema_field(SituationSerializer)
    def get_situation(self, document: Document) -> dict[str, object]:
        row: DocumentRow = self.context["rows"][document.pk]
        return SituationSerializer(row.situation).data


def shown_documents(documents: list[Document]) -> list[object]:
    rows = {row.document.pk: row for row in listing.build_rows(documents)}
    return list(DocumentSerializer(documents, many=True, context={"rows": rows}).data)


class NotedSerializer(Body):
    """What is noted of a document in a field of its base."""

    field = serializers.IntegerField(help_text="The id of the field.")
    value = TextField(max_length=VALUE_MAX, allow_blank=True)


class DocumentChangeSerializer(Body):
    """What of a document can be changed."""

    title = TextField(max_length=TITLE_MAX, required=False)
    metadata = NotedSerializer(
        many=True, required=False, help_text="An empty value is taken out; fields that are not named keep theirs."
    )
    contents_source = serializers.ChoiceField(list(CONTENTS_SOURCES), required=False, help_text=SOURCE_HELP)

    def validate(self, attrs: Mapping[str, object]) -> Mapping[str, object]:
        if not attrs:
            raise exceptions.ValidationError(
                {"title": "Give a title, metadata or contents_source: nothing is to change."}
            )
        return attrs


class DocumentQuery(serializers.Serializer[Any]):
    """Filters of the list of documents."""

    q = serializers.CharField(required=False, max_length=200, default="", help_text="Words of title, name or text.")
    state = serializers.ChoiceField(STATES, required=False, default="")
    toc = serializers.ChoiceField(STRENGTHS, required=False, default="", help_text="Strength of its contents.")
    tag = serializers.CharField(required=False, max_length=200, default="")
    type = serializers.ChoiceField(list(TYPES), required=False, default="", help_text="The type its card says.")
    field = serializers.CharField(required=False, max_length=9, default="", help_text="The id of a field of the base.")
    value = serializers.CharField(
        required=False, max_length=200, default="", help_text="Of that field; of numbers and dates also `from..to`."
    )


class OutcomeSerializer(serializers.Serializer[Any]):
    """The outcome for one file; `document_id` is the new document, or the existing one with the same bytes."""

    file_name = serializers.CharField()
    code = serializers.CharField(help_text="accepted, duplicate, or why it was refused")
    detail = serializers.CharField()
    document_id = serializers.UUIDField(allow_null=True)


class UploadSerializer(serializers.Serializer[Any]):
    outcomes = OutcomeSerializer(many=True)


class CuttingSerializer(serializers.Serializer[Any]):
    """How the text of an upload is cut; what is not sent is as the base says."""

    chunking = serializers.ChoiceField(list(BaseSettings.CHOICES["chunking"]), required=False)
    chunk_size = serializers.IntegerField(required=False, help_text="Characters, with `fixed` only.")
    chunk_overlap = serializers.IntegerField(required=False, help_text="Characters, with `fixed` only.")


class FilesSerializer(CuttingSerializer, Body):
    """The files of an upload, and how their text is cut if not as the base says."""

    files = serializers.ListField(child=serializers.FileField(), min_length=1)


class DocumentListView(GenericAPIView[Document]):
    """The documents of a base."""

    scopes: ClassVar = {"GET": "read", "POST": "write"}
    parser_classes = [MultiPartParser]

    @extend_schema(operation_id="list_documents", parameters=[DocumentQuery], responses=DocumentSerializer(many=True))
    def get(self, request: Request, base_id: UUID) -> Response:
        found = access.get_base(request.user, base_id)
        asked = read_sent(DocumentQuery, request.query_params)
        narrowed = listing.filter_documents(listing.list_documents(found), asked)
        documents = self.paginate_queryset(narrowed.order_by("-created_at", "-id"))
        assert documents is not None
        return self.get_paginated_response(shown_documents(documents))

    @extend_schema(
        operation_id="upload_documents",
        request={"multipart/form-data": FilesSerializer},
        parameters=[IDEMPOTENCY_KEY],
        responses={
            201: OpenApiResponse(UploadSerializer, "At least one file was taken; reading has begun."),
            200: OpenApiResponse(UploadSerializer, "Every file is in the base already."),
        },
    )
    def post(self, request: Request, base_id: UUID) -> Response:
        """Upload files in the part `files`; each is judged by itself. PDF, Markdown and UTF-8 text are accepted."""
        found = access.get_base(request.user, base_id, *access.WRITE)
        # A browser's session sends its form token along.
        fields = {*request.POST, *request.FILES} - {"csrfmiddlewaretoken"}
        if wrong := unknown_fields(fields, FilesSerializer().fields):
            raise exceptions.ValidationError(wrong)
        files = request.FILES.getlist("files")
        asked = read_sent(CuttingSerializer, request.POST.dict())
        with blame_field("chunking", SettingsError):
            cutting = BaseSettings.from_json(found.settings).cutting(asked)
        too_long, key = oversized_files(request._request), read_idempotency_key(request)
        said = [(file.name, file_digest(file)) for file in files] if key else []  # their bytes are read for a key only
        sent = make_keyed(user_of(request), found, key, upload=said, too_long=too_long, **cutting)
        with one_at_a_time(sent):
            made = made_before(sent)
            taken = () if made else take_files(found, user_of(request), files, too_long, cutting)
            outcomes: list[Outcome] = made["outcomes"] if made else [upload_as_json(*outcome) for outcome in taken]
            codes = {outcome["code"] for outcome in outcomes}
            if not outcomes:
                raise exceptions.ValidationError({"files": "Send at least one file."})
            if not codes & {"accepted", "duplicate"}:
                raise NothingTaken(outcomes)
            if not made:
                remember(sent, outcomes=outcomes)
        status = HTTPStatus.CREATED if "accepted" in codes else HTTPStatus.OK
        return Response({"outcomes": outcomes}, status=status)


def file_digest(file: "UploadedFile[Any]") -> str:
    digest = hashlib.sha256()
    for piece in file.chunks():
        digest.update(piece)
    return digest.hexdigest()


def upload_as_json(name: str, code: str, words: str, document: Document | None) -> Outcome:
    return {"file_name": name, "code": code, "detail": words, "document_id": str(document.pk) if document else None}


class DocumentView(GenericAPIView[Document]):
    """One document."""

    scopes: ClassVar = {"GET": "read", "PATCH": "write", "DELETE": "write"}
    serializer_class = DocumentSerializer

    @extend_schema(operation_id="read_document")
    def get(self, request: Request, document_id: UUID) -> Response:
        [shown] = shown_documents([access.get_document(request.user, document_id)])
        return Response(shown)

    @extend_schema(operation_id="change_document", request=DocumentChangeSerializer)
    def patch(self, request: Request, document_id: UUID) -> Response:
        """Rename a document, which no later reading undoes, note values in the base's fields, choose its contents.

        Another source of the contents has the document read again.
        """
        found = access.get_document(request.user, document_id, *access.WRITE)
        wanted = read_sent(DocumentChangeSerializer, request.data)
        with (
            blame_field("title", naming.TitleError),
            blame_field("metadata", MetadataError),
            blame_field("contents_source", SourceError),
            transaction.atomic(),
        ):
            set_values(found, read_noted(found, wanted.get("metadata", [])))
            if "title" in wanted:
                naming.rename_document(found, wanted["title"], user_of(request))
            job = choose_source(found, wanted.get("contents_source", found.contents_source), user_of(request))
        if job:
            start(job)
        return self.get(request, document_id)

    @extend_schema(operation_id="trash_document", responses={204: None})
    def delete(self, request: Request, document_id: UUID) -> Response:
        """Move a document to the trash of its base."""
        found = access.get_document(request.user, document_id, *access.WRITE)
        trash.move_to_trash(found, user_of(request))
        return Response(status=HTTPStatus.NO_CONTENT)


def read_noted(document: Document, noted: Iterable[Mapping[str, Any]]) -> dict[int, str]:
    known = set(document.base.metadata_fields.values_list("pk", flat=True))
    for each in noted:
        if each["field"] not in known:
            raise exceptions.ValidationError({"metadata": f"The base has no field {each['field']}."})
    return {each["field"]: each["value"] for each in noted}


class PasswordSerializer(Body):
    """The password of a locked PDF."""

    password = TextField(max_length=passwords.PASSWORD_MAX, trim_whitespace=False, write_only=True)


class UnlockView(GenericAPIView[Document]):
    scopes: ClassVar = {"POST": "write"}

    @extend_schema(operation_id="unlock_document", request=PasswordSerializer, responses={202: DocumentSerializer})
    def post(self, request: Request, document_id: UUID) -> Response:
        """Read a locked PDF with its password, which is used once and not kept; a copy without it is."""
        found = access.get_document(request.user, document_id, *access.WRITE)
        asked = read_sent(PasswordSerializer, request.data)
        try:
            start(unlock(found, asked["password"], user_of(request)))
        except passwords.NotLocked:
            raise
        except passwords.TooManyMisses as error:
            raise exceptions.Throttled(passwords.MISSES_WITHIN.total_seconds(), str(error)) from error
        except passwords.NotHandedOn as error:
            raise Unavailable(str(error)) from error
        except passwords.PasswordRefused as error:
            raise exceptions.ValidationError({"password": str(error)}) from error
        [shown] = shown_documents([access.get_document(request.user, document_id)])
        return Response(shown, status=HTTPStatus.ACCEPTED)


class OctetRenderer(BaseRenderer):
    """For the schema only: a file is returned as it is."""

    media_type = "application/octet-stream"
    format = "bytes"


class OriginalView(GenericAPIView[Document]):
    """The uploaded file, byte for byte."""

    scopes: ClassVar = {"GET": "read"}
    renderer_classes = [OctetRenderer]

    @extend_schema(operation_id="read_original", responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    def get(self, request: Request, document_id: UUID) -> HttpResponseBase:
        found = access.get_document(request.user, document_id)
        file = found.file.open("rb")
        return FileResponse(file, as_attachment=True, filename=found.file_name, content_type="application/octet-stream")


# ---- lines (R2), contents (R5) and passages (R91), with the columns of DocumentContent


def meta_of_rows(model: type[Model], row: type[NamedTuple]) -> Any:
    """The `Meta` of a serializer of rows that gives the columns of a row's type."""
    return type("Meta", (), {"model": model, "fields": list(row._fields)})


class LineSerializer(serializers.ModelSerializer[Line]):
    """One visual line; the box is in PDF points from the top left, `spans` are [start, end, x0, x1]."""

    spans = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))

    Meta = meta_of_rows(Line, LineRow)


class TocEntrySerializer(serializers.ModelSerializer[TocEntry]):
    """One section with its inclusive ranges, sub-sections included; index 0 is the text before the first section."""

    Meta = meta_of_rows(TocEntry, TocRow)


class PassageSerializer(serializers.ModelSerializer[Passage]):
    """The unit of search: consecutive lines of one section; `context` is searched and never quoted."""

    Meta = meta_of_rows(Passage, PassageRow)


class PageSerializer(serializers.ModelSerializer[Page]):
    """One page: size in PDF points, what kind it is, and in `flags` why it was probably not read well."""

    flags = serializers.ListField(child=serializers.CharField())

    Meta = meta_of_rows(Page, PageRow)


class ImageSerializer(serializers.ModelSerializer[Image]):
    """One picture: its box in PDF points from the top left of its page."""

    Meta = meta_of_rows(Image, ImageRow)


class NamedObjectSerializer(serializers.ModelSerializer[NamedObject]):
    """A figure, table, equation, appendix, exhibit, schedule or note, with the line of its caption or heading."""

    Meta = meta_of_rows(NamedObject, ObjectRow)


class CrossReferenceSerializer(serializers.ModelSerializer[CrossReference]):
    """Where a line names such a thing or a section; `target_line` is 0 if the document has none."""

    Meta = meta_of_rows(CrossReference, ReferenceRow)


class TableQuery(serializers.Serializer[Any]):
    """Which parse, and how CSV is written."""

    parse = serializers.IntegerField(
        required=False, min_value=1, max_value=NUMBER_MAX, help_text="Number of a reading; the current one without it."
    )
    literal = serializers.BooleanField(
        required=False,
        default=False,
        help_text="CSV: leave cells as they are. Otherwise an apostrophe precedes text a spreadsheet would compute.",
    )


class LineQuery(TableQuery):
    page = serializers.IntegerField(
        required=False, min_value=1, max_value=NUMBER_MAX, help_text="Only lines of this page, counted from 1."
    )


class CsvRenderer(BaseRenderer):
    """Renders text that is CSV already."""

    media_type = "text/csv"
    format = "csv"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> Any:
        return data


def in_two_forms(rows: type[serializers.BaseSerializer[Any]]) -> dict[tuple[int, str], Any]:
    """The two response formats of a table, for the schema."""
    return {(200, "application/json"): rows(many=True), (200, "text/csv"): OpenApiTypes.STR}


class TableView(GenericAPIView[Any]):
    """The rows of a parse: pages of JSON, or the whole table as CSV."""

    scopes: ClassVar = {"GET": "read"}
    renderer_classes = [JSONRenderer, CsvRenderer]
    serializer_class: type[serializers.ModelSerializer[Any]]
    relation: ClassVar[str]
    key: ClassVar[str]
    query: ClassVar[type[TableQuery]] = TableQuery

    def __init_subclass__(cls, operation_id: str) -> None:
        forms = in_two_forms(cls.serializer_class)
        described = extend_schema(operation_id=operation_id, parameters=[cls.query], responses=forms)
        extend_schema_view(get=described)(cls)

    def get(self, request: Request, document_id: UUID) -> Response:
        found = access.get_document(request.user, document_id)
        asked = read_sent(self.query, request.query_params)
        rows = getattr(parse_of(found, asked.get("parse")), self.relation).order_by(self.key)
        if page := asked.get("page"):
            rows = rows.filter(page_number=page)
        if request.accepted_renderer.format == "csv":
            columns = self.serializer_class.Meta.fields
            cells = (
                [json.dumps(cell) if isinstance(cell, list) else cell for cell in row]
                for row in rows.values_list(*columns)
            )
            return Response(write_csv(chain([columns], cells), is_literal=asked["literal"]))
        shown = self.get_serializer(self.paginate_queryset(rows), many=True)
        return self.get_paginated_response(shown.data)


def parse_of(document: Document, number: int | None) -> Parse:
    """The parse with a number, else the current one. Raises NotRead, or NotFound for an unknown number."""
    parse = document.parses.filter(number=number).first() if number else document.current_parse
    if parse is None:
        raise exceptions.NotFound("The document has no such parse.") if number else NotRead
    return parse


class LinesView(TableView, operation_id="list_lines"):
    """Every line in order: text, place on the page, section, kind."""

    serializer_class = LineSerializer
    relation, key, query = "lines", "number", LineQuery


class TocView(TableView, operation_id="list_toc"):
    """The table of contents."""

    serializer_class = TocEntrySerializer
    relation, key = "toc_entries", "index"


class PassagesView(TableView, operation_id="list_passages"):
    """The passages that search uses."""

    serializer_class = PassageSerializer
    relation, key = "passages", "index"


class PagesView(TableView, operation_id="list_pages"):
    """Every page: size, printed label, kind, and why it was probably not read well."""

    serializer_class = PageSerializer
    relation, key = "pages", "number"


class ImagesView(TableView, operation_id="list_images"):
    """The pictures on the pages, by their boxes."""

    serializer_class = ImageSerializer
    relation, key, query = "images", "pk", LineQuery


class NamedObjectsView(TableView, operation_id="list_objects"):
    """The figures, tables, equations, appendices and notes with the names that text has for them."""

    serializer_class = NamedObjectSerializer
    relation, key, query = "named_objects", "index", LineQuery


class CrossReferencesView(TableView, operation_id="list_references"):
    """The places where text names one of them or a section, and the line each leads to."""

    serializer_class = CrossReferenceSerializer
    relation, key = "cross_references", "pk"
