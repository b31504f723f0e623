"""Size limits of requests: small for forms and JSON; for files, as configured, if the sender is signed in."""

import io
from typing import cast

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections
from django.urls import Resolver404, resolve
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.authentication import BearerAuthentication
from accounts.sessions import person_of
from docintel_site.http.asgi_types import Scope
from docintel_site.http.body_limit import Allowance

UPLOADS = {"documents:upload", "first_files", "documents:replace", "api:documents"}  # the routes that accept files
MEGABYTE = 1_000_000
FORM_MB, FILES_MB = settings.BODY_MAX_BYTES // MEGABYTE, settings.REQUEST_MAX_BYTES // MEGABYTE
FORM_WORDS = format_lazy(
    gettext_lazy("A request to this address may carry at most {limit_mb} MB. Nothing was stored; send less."),
    limit_mb=FORM_MB,
)
STRANGER_WORDS = format_lazy(
    gettext_lazy(
        "Nothing was stored: files of more than {limit_mb} MB are taken only from somebody who is signed in. "
        "Sign in, or check your token, and send them again."
    ),
    limit_mb=FORM_MB,
)
FILES_WORDS = format_lazy(
    gettext_lazy(
        "One request may carry at most {limit_mb} MB, all files together. Nothing was stored. "
        "Upload fewer files at a time."
    ),
    limit_mb=FILES_MB,
)


async def allowance(scope: Scope) -> Allowance:
    """The allowance of a request that exceeds the general limit; queries the database only for upload routes."""
    if not takes_files(scope):
        return Allowance(settings.BODY_MAX_BYTES, FORM_WORDS)
    # In a thread of its own, not behind the pages, since a view may take long.
    if not await sync_to_async(is_signed_in, thread_sensitive=False)(scope):
        return Allowance(settings.BODY_MAX_BYTES, STRANGER_WORDS)
    return Allowance(settings.REQUEST_MAX_BYTES, FILES_WORDS)


def takes_files(scope: Scope) -> bool:
    try:
        return scope["method"] == "POST" and resolve(scope["path"]).view_name in UPLOADS
    except Resolver404:
        return False


def is_signed_in(scope: Scope) -> bool:
    """Whether the request's token, or else its session, is valid. Permissions are checked by the view."""
    request = ASGIRequest({**scope, "query_string": b""}, io.BytesIO())
    try:
        with_token = BearerAuthentication().authenticate(cast(Request, request))
        return bool(with_token or person_of(request.COOKIES.get(settings.SESSION_COOKIE_NAME)))
    except AuthenticationFailed:
        return False
    finally:
        close_old_connections()
