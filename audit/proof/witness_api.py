"""The witness for programs: other installations give the heads of their ledgers here, and nobody can take one back."""

from http import HTTPStatus
from typing import Any, ClassVar, cast

from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.requests import user_of
from audit.models import WitnessedHead
from audit.proof.witnessing import TooManyHeads, take_head
from documents.api import Body, TextField, read_sent
from ledger.chain import FORMAT
from ledger.heads import HeadFields

SEQUENCE_MAX = 2**63 - 1


class HexField(serializers.RegexField):
    """So many hexadecimal digits, and no white space around them."""

    def __init__(self, digits: int, **options: Any) -> None:
        super().__init__(rf"^[0-9a-f]{{{digits}}}$", max_length=digits, trim_whitespace=False, **options)


class HeadSerializer(Body):
    """A head, as it stands in a line of `ledger-heads.jsonl`."""

    format = serializers.ChoiceField([FORMAT])
    sequence = serializers.IntegerField(min_value=1, max_value=SEQUENCE_MAX)
    hash = HexField(64)
    exported_at = TextField(max_length=40, trim_whitespace=False)
    key = HexField(64, required=False)
    signature = HexField(128, required=False)
    stamp = TextField(
        max_length=50_000,
        required=False,
        trim_whitespace=False,
        help_text="Of a time-stamping authority (RFC 3161), in base64.",
    )


class WitnessedHeadSerializer(serializers.ModelSerializer[WitnessedHead]):
    """A head as it was given, by whom and when; a refused one contradicts an earlier one of the same sequence."""

    head = serializers.DictField(source="fields")

    class Meta:
        model = WitnessedHead
        fields: ClassVar = ["source_name", "sequence", "hash", "seen_at", "is_refused", "head"]


class WitnessedHeadsView(GenericAPIView[WitnessedHead]):
    scopes: ClassVar = {"GET": "witness", "POST": "witness"}

    @extend_schema(operation_id="list_witnessed_heads", responses=WitnessedHeadSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The heads that were given, newest first: one's own, and of everybody for administrators."""
        user, heads = user_of(request), WitnessedHead.objects.order_by("-seen_at", "-pk")
        page = self.paginate_queryset(heads if user.is_superuser else heads.filter(source=user))
        return self.get_paginated_response(WitnessedHeadSerializer(page or [], many=True).data)

    @extend_schema(
        operation_id="witness_head",
        request=HeadSerializer,
        responses={200: WitnessedHeadSerializer, 201: WitnessedHeadSerializer},
    )
    def post(self, request: Request) -> Response:
        """Keep a head; 200 if it was kept before, 409 if another hash of the same sequence was.

        An account stands for one installation: its heads are held against each other.
        """
        body = read_sent(HeadSerializer, request.data)
        try:
            head, is_new = take_head(user_of(request), cast(HeadFields, dict(body)))
        except TooManyHeads as error:
            raise exceptions.Throttled(wait=3600, detail=str(error)) from error
        status = HTTPStatus.CREATED if is_new else HTTPStatus.OK
        return Response(WitnessedHeadSerializer(head).data, status=status)
