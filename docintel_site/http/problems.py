"""All API errors in one format, application/problem+json (RFC 9457), whoever raised them."""

import sys
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.template.loader import render_to_string
from django.views import defaults
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler as describe

from accounts.tokens import TooManyTokens
from audit.proof.evidence import NotRecorded
from audit.proof.witnessing import HeadRefused
from audit.review.reviewing import ReviewConflict, ReviewRefused
from chat.asking import QuestionError
from chat.followers import BUSY_RETRY_S, TooManyStreams
from chat.scope import ScopeError
from chat.turns.conductor import AnsweringFailed
from docintel_site.http.outage import is_database_away, is_disk_full
from docintel_site.http.request_id import current_request_id
from documents.access import LastOwner
from documents.base_settings import SettingsError
from documents.guarding.guard import ChangeProposed, ProposalRefused
from documents.idempotency import KeyReused
from documents.ingestion.trash import CopyExists
from documents.storage.passwords import NotLocked
from documents.storage.uploads import UploadRefused
from documents.storage.whole import RETRY_AFTER_S as ROOM_RETRY_AFTER_S
from retrieval.dictionary.csv_format import WordlistError

MEDIA_TYPE = "application/problem+json"
TYPE = "urn:docintel:problem:"
API = "/api/"
ABSENT = "There is nothing here for you."
RETRY_AFTER_S = 5  # an embedded PostgreSQL is back after about two seconds, a managed one after a few more


class Problem(NamedTuple):
    """How API clients see one of our errors: the status and a stable code."""

    status: HTTPStatus
    code: str


class Outage(NamedTuple):
    """How what is temporary is told: to API clients, whose question may have been kept before, and on a page."""

    problem: Problem
    detail: str
    detail_if_kept: str
    template: str
    retry_after_s: int


DATABASE_AWAY = Outage(
    Problem(HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"),
    "The database cannot be reached at the moment. Send the same request again after the time in Retry-After.",
    "The question was kept and will be answered, but the database cannot be reached at the moment. "
    "Read its turn or retrieval after the time in Retry-After; do not ask again.",
    "503.html",
    RETRY_AFTER_S,
)
DISK_FULL = Outage(
    Problem(HTTPStatus.INSUFFICIENT_STORAGE, "storage_full"),
    "There is no disk space left. Nothing was stored; send the same request again when an administrator has made room.",
    "The question was kept, but there is no disk space left. "
    "Read its turn or retrieval when an administrator has made room; do not ask again.",
    "507.html",
    ROOM_RETRY_AFTER_S,
)

# Errors that reach the site's edges; their messages are for people.
OURS: dict[type[Exception], Problem] = {
    QuestionError: Problem(HTTPStatus.BAD_REQUEST, "question"),
    SettingsError: Problem(HTTPStatus.BAD_REQUEST, "settings"),
    WordlistError: Problem(HTTPStatus.BAD_REQUEST, "dictionary"),
    UploadRefused: Problem(HTTPStatus.BAD_REQUEST, "upload"),
    BadRequest: Problem(HTTPStatus.BAD_REQUEST, "bad_request"),
    ReviewRefused: Problem(HTTPStatus.FORBIDDEN, "review_refused"),
    # Absent, forbidden and unread are deliberately indistinguishable.
    ScopeError: Problem(HTTPStatus.NOT_FOUND, "not_found"),
    LastOwner: Problem(HTTPStatus.CONFLICT, "last_owner"),
    ProposalRefused: Problem(HTTPStatus.CONFLICT, "proposal_refused"),
    CopyExists: Problem(HTTPStatus.CONFLICT, "copy_exists"),
    NotLocked: Problem(HTTPStatus.CONFLICT, "not_locked"),
    ReviewConflict: Problem(HTTPStatus.CONFLICT, "review_conflict"),
    HeadRefused: Problem(HTTPStatus.CONFLICT, "head_refused"),
    NotRecorded: Problem(HTTPStatus.CONFLICT, "not_recorded"),
    TooManyTokens: Problem(HTTPStatus.CONFLICT, "too_many_tokens"),
    KeyReused: Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "key_reused"),
    AnsweringFailed: Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "answering_failed"),
    RequestDataTooBig: Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large"),
    SuspiciousOperation: Problem(HTTPStatus.BAD_REQUEST, "bad_request"),
}


def handle(error: Exception, context: dict[str, Any]) -> HttpResponseBase | None:
    """The problem for an error of an API view; None for unexpected ones, which Django records as failures."""
    if outage := outage_in(error):
        return report_outage(outage, context.get("request"))
    if isinstance(error, TooManyStreams):
        told = problem(HTTPStatus.TOO_MANY_REQUESTS, "too_many_streams", str(error))
        told["Retry-After"] = str(BUSY_RETRY_S)
        return told
    if isinstance(error, Http404):
        return problem(HTTPStatus.NOT_FOUND, "not_found", str(error) or ABSENT)
    if isinstance(error, PermissionDenied):
        return problem(HTTPStatus.FORBIDDEN, "permission_denied", str(error))
    if isinstance(error, exceptions.APIException):
        return problem_of(error, context)
    if isinstance(error, ChangeProposed):
        return tell_proposed(error)
    for kind, known in OURS.items():
        if isinstance(error, kind):
            return problem(known.status, str(getattr(error, "code", known.code)), str(error))
    return None


def tell_proposed(error: ChangeProposed) -> HttpResponse:
    """Nothing failed, and nothing has changed yet: where the proposal is."""
    proposal = error.proposal
    address = f"{API}v1/bases/{proposal.base_id}/proposals/{proposal.pk}"
    told = {"proposal_id": str(proposal.pk), "kind": proposal.kind, "address": address, "detail": str(error)}
    return JsonResponse(told, status=HTTPStatus.ACCEPTED.value, headers={"Location": address})


def problem_of(error: exceptions.APIException, context: dict[str, Any]) -> HttpResponse:
    """The problem for an error of the framework, with its headers (Retry-After, WWW-Authenticate)."""
    told = describe(error, context)
    assert isinstance(told, Response)
    status = HTTPStatus(told.status_code)
    if isinstance(error, exceptions.ValidationError):
        wrong = list(list_field_faults(error.detail))
        detail = " ".join(
            f"{fault['field']}: {fault['message']}" if fault["field"] else fault["message"] for fault in wrong
        )
        made = problem(status, "invalid", detail, errors=wrong)
    else:
        made = problem(status, str(error.get_codes()), str(error.detail), **getattr(error, "more", {}))
    for name, value in told.headers.items():
        if name != "Content-Type":
            made[name] = value
    return made


def list_field_faults(detail: Any, field: str = "") -> Iterator[dict[str, str]]:
    """The errors, one entry per sentence, each with the path of its field ("" for the whole)."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            within = field if name == "non_field_errors" else f"{field}.{name}".lstrip(".")
            yield from list_field_faults(inner, within)
    elif isinstance(detail, list):
        for place, inner in enumerate(detail):
            yield from list_field_faults(inner, field if isinstance(inner, str) else f"{field}.{place}".lstrip("."))
    else:
        yield {"field": field, "message": str(detail), "code": str(getattr(detail, "code", "invalid"))}


def problem(status: HTTPStatus, code: str, detail: str, **more: Any) -> HttpResponse:
    """One problem; `code` is stable, `detail` is for people, `request_id` finds it in the log."""
    told = {"type": TYPE + code, "title": status.phrase, "status": status.value, "detail": detail, "code": code}
    if request_id := current_request_id():
        told["request_id"] = request_id
    return JsonResponse(told | more, status=status.value, content_type=MEDIA_TYPE)


def outage_in(error: BaseException | None) -> Outage | None:
    if is_database_away(error):  # Django reports a session it could not save as deleted
        return DATABASE_AWAY
    return DISK_FULL if is_disk_full(error) else None


def report_outage(outage: Outage, request: Any) -> HttpResponse:
    """The problem for what is temporary: when to retry, and the id of a question stored before."""
    kept = kept_id(request)
    told = problem(outage.problem.status, outage.problem.code, outage.detail_if_kept if kept else outage.detail, **kept)
    told["Retry-After"] = str(outage.retry_after_s)
    return told


def kept_id(request: Any) -> dict[str, str]:
    """The id of the turn or retrieval a request has made, for a client that would otherwise ask again."""
    kept: dict[str, str] = getattr(request, "kept_id", {})
    return kept


# ---- Django's own error responses: pages for people, problems below /api/


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API)


def wants_json(request: HttpRequest) -> bool:
    """Whether a program reads the response: an API client, or a page's script."""
    is_script = request.headers.get("Accept") == "application/json" or "HX-Request" in request.headers
    return is_api(request) or is_script


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if outage := outage_in(exception):
        return show_outage(outage, request)
    if not is_api(request):
        return defaults.bad_request(request, exception)
    return handle(exception, {}) or problem(HTTPStatus.BAD_REQUEST, "bad_request", "This request cannot be read.")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if not is_api(request):
        return defaults.permission_denied(request, exception)
    return problem(HTTPStatus.FORBIDDEN, "permission_denied", str(exception))


def absent(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if not is_api(request):
        return defaults.page_not_found(request, exception)
    return problem(HTTPStatus.NOT_FOUND, "not_found", ABSENT)


def report_failure(request: HttpRequest) -> HttpResponseBase:
    """An unexpected error; Django calls this while handling it, and does not pass it."""
    if outage := outage_in(sys.exc_info()[1]):
        return show_outage(outage, request)
    if not is_api(request):
        return defaults.server_error(request)
    told = "Something failed on our side. It is in the log."
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "failed", told, **kept_id(request))


def show_outage(outage: Outage, request: HttpRequest) -> HttpResponseBase:
    if is_api(request):
        return report_outage(outage, request)
    # Without a request, since the parts around the content, such as who is signed in, need the database.
    page, headers = render_to_string(outage.template), {"Retry-After": str(outage.retry_after_s)}
    return HttpResponse(page, status=outage.problem.status.value, headers=headers)
