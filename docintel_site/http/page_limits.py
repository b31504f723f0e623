"""The limits of `limits.py` for pages: forms and API requests of a person share one count."""

import math
from http import HTTPStatus
from typing import Any

from allauth.account.adapter import get_adapter
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext, ngettext

from chat.followers import TooManyStreams
from docintel_site.http.limits import CostlyLimit, Limit, LinkLimit, RequestLimit, StopLimit
from docintel_site.http.problems import handle, is_api, problem, wants_json
from ledger.chain import digest_of

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
# Costly requests, by method and route. Every other submitted form counts as a request.
COSTLY = {
    "POST chat:home",
    "POST chat:conversation",
    "POST chat:ask_fields",
    "POST chat:meaning",
    "POST chat:read_again",
    "POST chat:retry",
    "POST chat:search_rest",
    "GET chat:export",
    "POST audit:replay",
    "POST audit:golden_check",
    "POST audit:proposal_check",
    "GET audit:golden_questions",
    "GET audit:csv",
    "GET audit:jsonl",
    "GET audit:html",
    "GET audit:judged",
    "GET audit:evidence",
    "POST audit:technical_file",
}
# Requests that end work, of which none may wait for Redis.
ENDING_WORK = {"chat:stop", "chat:stop_fields", "chat:stop_grid", "documents:stop"}
# Addresses with a token, for people without an account.
TOKEN_LINKS = {"shared:outside", "shared:image", "accounts:invitation", "first_owner"}


class PageLimits(MiddlewareMixin):
    """Refuse requests of pages beyond the limits of a minute, before the view runs."""

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        match = request.resolver_match
        if match is not None and match.view_name in TOKEN_LINKS:
            opening, token = LinkLimit(), digest_of(str(match.kwargs["token"]).encode())
            is_open = opening.passes(f"from:{client_address(request)}", f"to:{token}")
            return None if is_open else refuse_opening(request, opening)
        if is_api(request) or not request.user.is_authenticated:
            return None  # the API counts by itself, and sign-in attempts have their own limits
        reached = [limit for limit in limits_of_request(request) if not limit.passes(request.user.pk)]
        return refuse_request(request, reached[-1]) if reached else None

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        """A page's stream beyond the number one may follow; the API's views answer by themselves."""
        return handle(exception, {}) if isinstance(exception, TooManyStreams) else None


def client_address(request: HttpRequest) -> str:
    address: str = get_adapter().get_client_ip(request)
    return address


def limits_of_request(request: HttpRequest) -> list[Limit]:
    if is_costly(request):
        return [RequestLimit(), CostlyLimit()]
    if request.resolver_match and request.resolver_match.view_name in ENDING_WORK:
        return [StopLimit()]
    return [] if request.method in SAFE else [RequestLimit()]


def is_costly(request: HttpRequest) -> bool:
    match = request.resolver_match
    method = "GET" if request.method == "HEAD" else request.method
    return match is not None and f"{method} {match.view_name}" in COSTLY


def refuse_request(request: HttpRequest, limit: Limit) -> HttpResponse:
    """Tell when to retry: a page that can resend the request, or a problem for a script."""
    wait_s = math.ceil(limit.wait())
    words = describe_limit(limit, wait_s)
    if wants_json(request):
        response = problem(HTTPStatus.TOO_MANY_REQUESTS, "throttled", words)
    else:
        response = render(
            request, "429.html", {"words": words, **keep_request(request)}, status=HTTPStatus.TOO_MANY_REQUESTS
        )
    return to_be_retried(response, wait_s)


def refuse_opening(request: HttpRequest, limit: LinkLimit) -> HttpResponse:
    """Tell somebody without an account when to come back; nothing of the address is said."""
    wait_s = math.ceil(limit.wait())
    words = ngettext(
        "This link was opened too often just now. Try again in %(seconds)s second.",
        "This link was opened too often just now. Try again in %(seconds)s seconds.",
        wait_s,
    )
    shown = {"heading": gettext("Too many requests"), "words": words % {"seconds": wait_s}}
    response = render(request, "refused.html", shown, status=HTTPStatus.TOO_MANY_REQUESTS)
    return to_be_retried(response, wait_s)


def to_be_retried(response: HttpResponse, wait_s: int) -> HttpResponse:
    response["Retry-After"] = str(wait_s)
    add_never_cache_headers(response)
    return response


def describe_limit(limit: Limit, wait_s: int) -> str:
    if isinstance(limit, CostlyLimit):
        words = ngettext(
            "One person may ask for %(most)s questions, replays, exports and evidence packs a minute. "
            "Nothing was done. Try again in %(seconds)s second.",
            "One person may ask for %(most)s questions, replays, exports and evidence packs a minute. "
            "Nothing was done. Try again in %(seconds)s seconds.",
            wait_s,
        )
    else:
        words = ngettext(
            "One person may send %(most)s requests a minute. Nothing was done. Try again in %(seconds)s second.",
            "One person may send %(most)s requests a minute. Nothing was done. Try again in %(seconds)s seconds.",
            wait_s,
        )
    return words % {"most": limit.most, "seconds": wait_s}


def keep_request(request: HttpRequest) -> dict[str, object]:
    """What the page can resend: the address, or a form whose values may be shown."""
    address = request.get_full_path()
    if request.method in SAFE:
        return {"opened": address}
    if not is_costly(request):
        return {}  # it may contain a password or a file
    values = [(name, value) for name, values in request.POST.lists() for value in values]
    sent = [(name, value) for name, value in values if name != "csrfmiddlewaretoken"]
    return {"sent_to": address, "sent": sent, "question": request.POST.get("question", "")}
