"""The limits of `limits.py` for pages: forms and API requests of a person share one count."""

import math
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import ngettext

from docintel_site.http.limits import CostlyLimit, Limit, RequestLimit
from docintel_site.http.problems import is_api, problem, wants_json

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
# Costly requests, by method and route. Every other submitted form counts as a request.
COSTLY = {
    "POST chat:home",
    "POST chat:conversation",
    "POST chat:retry",
    "POST chat:search_rest",
    "GET chat:export",
    "POST audit:replay",
    "POST audit:golden_check",
    "GET audit:golden_questions",
    "GET audit:csv",
    "GET audit:jsonl",
    "GET audit:html",
    "GET audit:evidence",
}


class PageLimits(MiddlewareMixin):
    """Refuse requests of pages beyond the limits of a minute, before the view runs."""

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        if is_api(request) or not request.user.is_authenticated:
            return None  # the API counts by itself, and sign-in attempts have their own limits
        reached = [limit for limit in limits_of_request(request) if not limit.passes(request.user.pk)]
        return refuse_request(request, reached[-1]) if reached else None


def limits_of_request(request: HttpRequest) -> list[Limit]:
    """The limits that apply to a request."""
    if is_costly(request):
        return [RequestLimit(), CostlyLimit()]
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


def keep_request(request: HttpRequest) -> dict[str, Any]:
    """What the page can resend: the address, or a form whose values may be shown."""
    address = request.get_full_path()
    if request.method in SAFE:
        return {"opened": address}
    if not is_costly(request):
        return {}  # it may contain a password or a file
    values = [(name, value) for name, values in request.POST.lists() for value in values]
    sent = [(name, value) for name, value in values if name != "csrfmiddlewaretoken"]
    return {"sent_to": address, "sent": sent, "question": request.POST.get("question", "")}
