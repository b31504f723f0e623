"""Whatever goes wrong below /api/ is told in one form; elsewhere people see their pages."""

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpResponseBase
from django.test import Client, RequestFactory
from rest_framework import exceptions

from accounts.models import User
from accounts.tokens import TooManyTokens
from audit.review.reviewing import ReviewConflict, ReviewRefused
from chat.asking import QuestionError
from chat.scope import ScopeError
from docintel_site.http import problems
from docintel_site.http.problems import handle
from documents.access import LastOwner
from documents.storage.uploads import UploadRefused

MEMBERS = {"type", "title", "status", "detail", "code"}


@pytest.fixture
def signed_in(db: None) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_user("ada@example.org", "quiet-harbour-91"))
    return client


def told(response: Any) -> dict[str, Any]:
    assert response.headers["Content-Type"] == "application/problem+json"
    problem: dict[str, Any] = json.loads(response.content)
    assert problem.keys() >= MEMBERS
    assert problem["status"] == response.status_code
    assert problem["type"] == f"urn:docintel:problem:{problem['code']}"
    return problem


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (QuestionError("x"), 400, "question"),
        (UploadRefused("not_pdf", "x"), 400, "not_pdf"),
        (SuspiciousOperation("x"), 400, "bad_request"),
        (RequestDataTooBig("x"), 413, "too_large"),
        (ReviewRefused("x"), 403, "review_refused"),
        (PermissionDenied("x"), 403, "permission_denied"),
        (Http404("x"), 404, "not_found"),
        (ScopeError("x"), 404, "not_found"),
        (LastOwner(), 409, "last_owner"),
        (ReviewConflict(None), 409, "review_conflict"),
        (TooManyTokens(), 409, "too_many_tokens"),
        (exceptions.NotAuthenticated(), 401, "not_authenticated"),
        (exceptions.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
        (exceptions.NotAcceptable(), 406, "not_acceptable"),
        (exceptions.UnsupportedMediaType("x/y"), 415, "unsupported_media_type"),
        (exceptions.Throttled(wait=7), 429, "throttled"),
    ],
)
def test_it_knows_each_error(error: Exception, status: int, code: str) -> None:
    problem = told(handle(error, {"request": None, "view": None}))
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["title"] == HTTPStatus(status).phrase and problem["detail"]


def test_it_leaves_what_nobody_foresaw_to_the_log() -> None:
    assert handle(ZeroDivisionError(), {}) is None


def test_it_names_every_wrong_value() -> None:
    wrong: Any = {"name": ["Too long."], "rows": [{}, {"term": ["Empty."]}], "non_field_errors": ["Neither."]}
    problem = told(handle(exceptions.ValidationError(wrong), {"request": None, "view": None}))
    assert [(fault["field"], fault["message"]) for fault in problem["errors"]] == [
        ("name", "Too long."),
        ("rows.1.term", "Empty."),
        ("", "Neither."),
    ]
    assert problem["detail"] == "name: Too long. rows.1.term: Empty. Neither."


@pytest.mark.parametrize(
    ("body", "media_type", "status", "code"),
    [
        (b"{", "application/json", 400, "parse_error"),
        (b"\xff\xfe", "application/json", 400, "parse_error"),
        (b"[" * 100_000, "application/json", 400, "parse_error"),
        (b'{"name": NaN}', "application/json", 400, "parse_error"),
        (b'{"name": "\\ud800"}', "application/json", 400, "invalid"),
        (b'{"name": "a\\u0000b"}', "application/json", 400, "invalid"),
        (b'{"name": {"a": 1}}', "application/json", 400, "invalid"),
        (b'["name"]', "application/json", 400, "invalid"),
        (b"null", "application/json", 400, "invalid"),
        (b"", "application/json", 400, "invalid"),
        (b"name=x", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
        (b'{"name": "x"}', "application/json; charset=bz2_codec", 400, "parse_error"),
        (b'{"name": "' + b"x" * 3_000_000 + b'"}', "application/json", 413, "too_large"),
    ],
)
def test_a_body_that_cannot_be_read_is_a_problem(
    signed_in: Client, body: bytes, media_type: str, status: int, code: str
) -> None:
    problem = told(signed_in.generic("POST", "/api/v1/bases", body, media_type))
    assert (problem["status"], problem["code"]) == (status, code)


@pytest.mark.parametrize(
    ("method", "address", "status"),
    [
        ("GET", "/api/v1/nothing", 404),
        ("GET", "/api/", 404),
        ("GET", "/api/v1/bases/no-id", 404),
        ("PUT", "/api/v1/bases", 405),
        ("OPTIONS", "/api/v1/bases", 405),
        ("GET", "/api/v1/bases?limit=0", 400),
        ("GET", "/api/v1/bases?format=xml", 404),
    ],
)
def test_an_address_or_method_that_is_not_there_is_a_problem(
    signed_in: Client, method: str, address: str, status: int
) -> None:
    assert told(signed_in.generic(method, address))["status"] == status


def test_a_form_the_api_does_not_offer_is_a_problem(signed_in: Client) -> None:
    assert told(signed_in.get("/api/v1/bases", headers={"Accept": "image/png"}))["status"] == 406


def test_a_session_without_the_token_of_a_form_is_refused(signed_in: Client) -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies = signed_in.cookies
    refused = told(client.post("/api/v1/bases", {"name": "x"}, content_type="application/json"))
    assert (refused["status"], refused["code"]) == (403, "permission_denied")


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (lambda request: problems.bad_request(request, SuspiciousOperation("x")), 400),
        (lambda request: problems.bad_request(request, ValueError("secret")), 400),
        (lambda request: problems.forbidden(request, PermissionDenied("x")), 403),
        (lambda request: problems.absent(request, Http404("x")), 404),
        (lambda request: problems.report_failure(request), 500),
    ],
)
def test_django_itself_answers_programs_with_problems_and_people_with_pages(
    answer: Callable[[Any], HttpResponseBase], status: int
) -> None:
    problem = told(answer(RequestFactory().get("/api/v1/x")))
    assert problem["status"] == status and "secret" not in problem["detail"]
    page = answer(RequestFactory().get("/x"))
    assert page.status_code == status and page.headers["Content-Type"].startswith("text/html")


def test_a_failure_of_ours_says_nothing_of_its_inside(signed_in: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("secret of the inside")

    monkeypatch.setattr("documents.access.create_base", broken)
    failed = signed_in.post("/api/v1/bases", {"name": "x"}, content_type="application/json")
    assert told(failed)["status"] == 500
    assert "secret" not in failed.content.decode()
