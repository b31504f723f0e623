"""The page that verifies the record: the last results, and a button."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import user_of
from audit.access_log import is_auditor, record_list
from audit.keeping import selfcheck
from audit.keeping.tasks import start_check
from audit.proof.checking import ask_to_verify, can_sign, find_last, find_pending, newest_heads
from documents.downloads import named_file
from ledger.heads import BadHeadFile


@require_safe
def verify_page(request: HttpRequest) -> HttpResponse:
    """How far a verification is, and what the last ones found.

    The ledger is one for all bases, so auditors read where it differs, and only administrators of what.
    """
    refuse_others(request)
    pending = find_pending()
    if request.headers.get("HX-Request"):
        if pending is None:
            return HttpResponse(headers={"HX-Refresh": "true"})
        response = render(request, "audit/_verifying.html", {"job": pending})
    else:
        record_list(request.user, "verify_page")
        shown = {
            "job": pending,
            "whole": find_last(is_whole=True),
            "hourly": find_last(is_whole=False),
            "may_know_what": is_administrator(request),
            "is_late": is_late(),
            "can_sign": can_sign(),
            **nightly(request),
        }
        response = render(request, "audit/verify.html", shown)
    patch_vary_headers(response, ["HX-Request"])
    return response


def is_late() -> bool:
    """Whether the hourly task has left no result for two of its turns; before its first, since the record began."""
    hourly = find_last(is_whole=False)
    since = hourly.created_at if hourly else selfcheck.first_entry_at()
    return since is not None and since < timezone.now() - timedelta(seconds=2 * settings.HEAD_EVERY_S)


def nightly(request: HttpRequest) -> dict[str, object]:
    """The last check of the whole installation; what exactly it found is for administrators, as are its paths."""
    last = selfcheck.last_check()
    told = [selfcheck.describe_finding(fault) for fault in last.faults] if last and is_administrator(request) else []
    return {"nightly": last, "nightly_faults": told, "is_nightly_late": selfcheck.is_overdue(timezone.now())}


@require_safe
def heads_file(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Download the heads up to this moment, with which an evidence pack is confirmed, also one made just now."""
    refuse_others(request)
    record_list(request.user, "export_heads")
    try:
        newest = newest_heads()
    except BadHeadFile as error:
        return HttpResponse(str(error), status=409, content_type="text/plain; charset=utf-8")
    named = named_file(settings.LEDGER_HEADS.name)
    return StreamingHttpResponse(stream_heads(newest), content_type="application/jsonl", headers=named)


def stream_heads(newest: str) -> Iterator[bytes]:
    with suppress(FileNotFoundError), settings.LEDGER_HEADS.open("rb") as file:
        yield from file
    yield newest.encode()


@require_POST
def verify_now(request: HttpRequest) -> HttpResponse:
    """Have the whole record verified by a worker."""
    refuse_others(request)
    start_check(ask_to_verify(user_of(request)))
    return redirect("audit:verify")


def refuse_others(request: HttpRequest) -> None:
    if not is_auditor(request.user) and not is_administrator(request):
        raise Http404("There is nothing here for you.")


def is_administrator(request: HttpRequest) -> bool:
    return bool(getattr(request.user, "is_superuser", False))
