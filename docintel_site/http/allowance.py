"""How much a request may carry: forms and JSON little; files as much as the settings say, from somebody signed in."""

import io
from importlib import import_module
from typing import cast

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections
from django.urls import Resolver404, resolve
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.authentication import BearerAuthentication
from docintel_site.http.asgi_types import Scope
from docintel_site.http.body_limit import Allowance

UPLOADS = {"documents:upload", "documents:replace", "api:documents"}  # the routes that take files
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
    """What a request may carry that carries more than every form may; asks the database only where files are taken."""
    if not takes_files(scope):
        return Allowance(settings.BODY_MAX_BYTES, FORM_WORDS)
    # Not one after the other with the pages: a view may take long.
    if not await sync_to_async(is_signed_in, thread_sensitive=False)(scope):
        return Allowance(settings.BODY_MAX_BYTES, STRANGER_WORDS)
    return Allowance(settings.REQUEST_MAX_BYTES, FILES_WORDS)


def takes_files(scope: Scope) -> bool:
    """Whether a request goes where files are uploaded."""
    try:
        return scope["method"] == "POST" and resolve(scope["path"]).view_name in UPLOADS
    except Resolver404:
        return False


def is_signed_in(scope: Scope) -> bool:
    """Whether the token of a request, or without one its session, is somebody's. What they may do, the view decides."""
    request = ASGIRequest({**scope, "query_string": b""}, io.BytesIO())
    store = import_module(settings.SESSION_ENGINE).SessionStore
    request.session = store(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    try:
        return bool(BearerAuthentication().authenticate(cast(Request, request)) or get_user(request).is_authenticated)
    except AuthenticationFailed:
        return False
    finally:
        close_old_connections()
