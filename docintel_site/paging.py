"""Keyset paging of the API's lists: the next page begins after the last row, however many rows come before."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from rest_framework import exceptions
from rest_framework.exceptions import NotFound
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from documents.keyset import rows_after

LIMIT, LIMIT_MAX = 50, 500
CURSOR_MAX = 1000  # characters; the longest key is a name and an id
FOREIGN = "This cursor is not one of ours."


class KeysetPagination(BasePagination):
    """`?limit=` rows after `?cursor=`; the order must end in a unique column. The response links the next page."""

    def paginate_queryset(self, queryset: Any, request: Request, view: APIView | None = None) -> list[Any]:
        assert isinstance(queryset, QuerySet)
        self.request = request
        self.keys = [str(name) for name in queryset.query.order_by]
        limit = limit_of(request)
        cursor = request.query_params.get("cursor", "")
        if cursor:
            queryset = rows_after(queryset, self.keys, self.read(queryset, cursor))
        rows = list(queryset[: limit + 1])
        self.next = self.written(rows[limit - 1]) if len(rows) > limit else None
        return rows[:limit]

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next": self.address()})

    def address(self) -> str | None:
        """The address of the next page with the same filters; None at the end."""
        if self.next is None:
            return None
        kept = self.request.query_params.copy()
        kept["cursor"] = self.next
        return self.request.build_absolute_uri(f"{self.request.path}?{urlencode(list(kept.lists()), doseq=True)}")

    def written(self, row: Any) -> str:
        values = [str(getattr(row, key.lstrip("-"))) for key in self.keys]
        return urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")

    def read(self, queryset: "QuerySet[Any]", cursor: str) -> list[Any]:
        """The values of a cursor, typed like its columns. Raises NotFound for an invalid one."""
        try:
            texts = json.loads(urlsafe_b64decode((cursor[:CURSOR_MAX] + "==").encode()))
            fields = [sorted_field_of(queryset, key.lstrip("-")) for key in self.keys]
            values = [field.clean(text, None) for field, text in zip(fields, texts, strict=True) if is_text(text)]
        except (ValueError, TypeError, ValidationError):
            raise NotFound(FOREIGN) from None
        if len(values) != len(self.keys):
            raise NotFound(FOREIGN)
        return values

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, object]]:
        limit = {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT}
        return [
            parameter("cursor", {"type": "string"}, "From `next` of the page before."),
            parameter("limit", limit, "Rows of one page."),
        ]

    def get_paginated_response_schema(self, schema: dict[str, object]) -> dict[str, object]:
        following = {"type": "string", "format": "uri", "nullable": True, "description": "null on the last page"}
        properties = {"results": schema, "next": following}
        return {"type": "object", "required": ["results", "next"], "properties": properties}


def sorted_field_of(queryset: "QuerySet[Any]", name: str) -> Any:
    """The field of a column, or of what the query computes under that name."""
    computed = queryset.query.annotations.get(name)
    return computed.output_field if computed else queryset.model._meta.get_field(name)


def parameter(name: str, schema: dict[str, object], description: str) -> dict[str, object]:
    return {"name": name, "in": "query", "required": False, "schema": schema, "description": description}


def is_text(value: Any) -> bool:
    return isinstance(value, str) and "\x00" not in value


def limit_of(request: Request) -> int:
    """The number of rows asked for. Raises ValidationError if it is invalid."""
    text = request.query_params.get("limit", str(LIMIT))
    limit = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
    if not 1 <= limit <= LIMIT_MAX:
        raise exceptions.ValidationError({"limit": f"A whole number from 1 to {LIMIT_MAX}."})
    return limit
