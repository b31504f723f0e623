"""Pages that belong to no app: the status, the requirements, and the icon's conventional address."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from docintel_site.requirements import PAGE, STATES, read_rules
from docintel_site.requirements_page import count_states, group_by_family, narrow, show_rules
from docintel_site.status import UNTRIED, checks, stuck_work, unread_by_base, unread_files, unread_rows, worst

DAY_S = 86_400
SEARCH_MAX = 120  # characters


@require_safe
def status(request: HttpRequest) -> HttpResponse:
    """Every part with its state for anyone signed in; details and advice for administrators."""
    found, unread_bases = checks(), unread_by_base(request.user)
    shown = {
        "checks": found,
        "worst": worst(found),
        "stuck": stuck_work(request.user),
        "has_gaps": any(check.state in UNTRIED for check in found),
        "has_unread": unread_files().exists(),
        "unread": unread_rows(request.user),
        "unread_bases": unread_bases,
        "unread_count": sum(each["count"] for each in unread_bases),
    }
    return render(request, "status.html", shown)


@require_safe
def requirements(request: HttpRequest) -> HttpResponse:
    """Every rule with its state and tests, for anyone signed in; 404 with the reason where the file is not there."""
    try:
        rules = show_rules(read_rules(PAGE))
    except FileNotFoundError:
        return render(request, "requirements_missing.html", status=404)
    q = request.GET.get("q", "").replace("\x00", "").strip()[:SEARCH_MAX]
    state = request.GET.get("state", "")
    state = state if state in STATES else ""
    found = narrow(rules, q)
    shown = [rule for rule in found if state in ("", rule.state)]
    has_tests = any(rule.tests for rule in rules)
    context = {"families": group_by_family(shown), "count": len(shown), "has_tests": has_tests, "q": q, "state": state}
    return render(request, "requirements.html", {**context, "states": count_states(found), "all": len(found)})


@require_safe
@cache_control(public=True, max_age=DAY_S)
def favicon(request: HttpRequest) -> HttpResponse:
    return redirect(static("icon.svg"))
