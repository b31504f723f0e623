"""Pages that belong to no app: the status page, and the icon's conventional address."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from docintel_site.status import checks, stuck_work, worst

DAY_S = 86_400


@require_safe
@never_cache
def status(request: HttpRequest) -> HttpResponse:
    """Every part with its state and advice, for anyone signed in; stuck work only as far as they may see it."""
    found = checks()
    return render(request, "status.html", {"checks": found, "worst": worst(found), "stuck": stuck_work(request.user)})


@require_safe
@cache_control(public=True, max_age=DAY_S)
def favicon(request: HttpRequest) -> HttpResponse:
    """Redirect to the icon."""
    return redirect(static("icon.svg"))
