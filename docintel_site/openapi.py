"""The OpenAPI schema: the possible responses of every operation, and a page for it without inline code."""

import re
from typing import Any, TypedDict

from csp.decorators import csp_update
from django.utils.decorators import method_decorator
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.views import SpectacularSwaggerSplitView

from docintel_site.http.problems import MEDIA_TYPE

PROBLEMS = {
    "400": "The request cannot be read, or a value in it is not allowed; `errors` names each.",
    "401": "Nobody is signed in, or the token is wrong, expired or revoked.",
    "403": "The token lacks the scope, or a form's token is missing.",
    "404": "There is nothing here for you: absent and forbidden are answered alike.",
    "405": "This address does not know the method.",
    "406": "None of the forms the request accepts is offered.",
    "408": "The body arrived too slowly.",
    "409": "It does not fit the state of things as they are now.",
    "413": "More was sent than one request may carry.",
    "415": "The body is not in a form this address reads.",
    "422": "The Idempotency-Key belongs to another request.",
    "429": "Too many requests; Retry-After says when to come back.",
    "507": "There is no disk space left; Retry-After says when to try again.",
    "503": "The database or Redis cannot be reached at the moment; Retry-After says when to come back.",
}
FAULT = {
    "type": "object",
    "required": ["field", "message", "code"],
    "properties": {
        "field": {"type": "string", "description": "Path of the value, empty for the whole."},
        "message": {"type": "string"},
        "code": {"type": "string"},
    },
}
PROBLEM = {
    "type": "object",
    "description": "An error (RFC 9457). `code` never changes; `detail` is for people.",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "errors": {"type": "array", "items": FAULT},
        "outcomes": {
            "type": "array",
            "description": "The files of an upload of which none was taken.",
            "items": {"$ref": "#/components/schemas/Outcome"},
        },
        "request_id": {"type": "string", "description": "Finds the request in the log; also the header X-Request-ID."},
        "turn_id": {"type": "string", "format": "uuid", "description": "The turn of a question that was kept."},
        "retrieval_id": {"type": "string", "format": "uuid", "description": "A retrieval that was kept."},
    },
}

# Operations that may make a proposal in place of a change, see documents.guarding.
GUARDED = {
    *("change_base", "add_terms", "delete_concept", "change_guidance", "change_reading_rules", "change_tiers"),
}
PROPOSED = {
    "type": "object",
    "description": "A change that waits for a golden check, see the operation `read_proposal`.",
    "required": ["proposal_id", "kind", "address", "detail"],
    "properties": {
        "proposal_id": {"type": "string", "format": "uuid"},
        "kind": {"type": "string"},
        "address": {"type": "string", "description": "Where it is read, also in the header Location."},
        "detail": {"type": "string"},
    },
}


class Operation(TypedDict):
    operationId: str
    description: str
    summary: str
    responses: dict[str, object]


class Components(TypedDict):
    schemas: dict[str, Any]


class Described(TypedDict):
    """As much of the schema as the hooks change."""

    paths: dict[str, dict[str, Operation]]
    components: Components


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # it registers itself
    target_class = "accounts.authentication.BearerAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token of yours: menu behind your name, Tokens."}


def of_version_1(endpoints: list[tuple[str, str, str, Any]], **_: Any) -> list[tuple[str, str, str, Any]]:
    """The endpoints to describe: /api/chat is an alias."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith("/api/v1/")]


def with_summaries(result: Described, **_: Any) -> Described:
    """Set every operation's summary to the first sentence of its description."""
    for operations in result["paths"].values():
        for operation in operations.values():
            operation["summary"] = re.split(r"[.:;](?:\s|$)", operation["description"], maxsplit=1)[0]
    return result


def with_closed_bodies(result: Described, **_: Any) -> Described:
    """Bodies accept no fields but those described; components used only in bodies are named so."""
    for name, schema in result["components"]["schemas"].items():
        if name.endswith("Request") and schema.get("type") == "object":
            schema["additionalProperties"] = False
    return result


def with_proposals(result: Described, **_: Any) -> Described:
    """Add to every operation whose change may have to wait for a golden check what it then answers."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Proposed"}}}
    result["components"]["schemas"]["Proposed"] = PROPOSED
    for operations in result["paths"].values():
        for operation in operations.values():
            if operation["operationId"] in GUARDED:
                told = "Nothing has changed yet: the base requires a golden check first."
                operation["responses"]["202"] = {"description": told, "content": content}
    return result


def with_problems(result: Described, **_: Any) -> Described:
    """Add the problem response to every operation."""
    result["components"]["schemas"]["Problem"] = PROBLEM
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for operations in result["paths"].values():
        for operation in operations.values():
            for status, description in PROBLEMS.items():
                operation["responses"][status] = {"description": description, "content": content}
    return result


@method_decorator(csp_update({"img-src": ["data:"]}), name="dispatch")  # for the icons of its style sheet
class SwaggerView(SpectacularSwaggerSplitView):
    """The page to read and try the API, with our own files and frame."""

    template_name = "api_docs.html"
