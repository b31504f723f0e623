"""The page that belongs to no app: the status of the parts."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from docintel_site.status import checks, worst


@require_safe
@never_cache
def status(request: HttpRequest) -> HttpResponse:
    """Every part with its state and what to do, for anyone signed in."""
    found = checks()
    return render(request, "status.html", {"checks": found, "worst": worst(found)})
