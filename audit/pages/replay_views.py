"""The page that judges a stored brief again, in a worker, and shows how far it is."""

from uuid import UUID

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import user_of
from audit.access_log import is_auditor, record_read
from audit.models import Rejudgement
from audit.pages.forms import ReplayForm
from audit.pages.golden_views import redirect_to_checks
from audit.pages.views import get_run_with_charge
from audit.review import tasks
from audit.review.rejudging import ask_for_replay
from audit.review.replay import rebuild
from documents.access import get_or_404


@require_POST
def replay(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Have a run's brief judged again by the rules or a model, once or repeatedly."""
    run = get_run_with_charge(request, run_id)
    if not is_auditor(request.user, run.base_id):
        raise Http404("There is nothing here for you.")
    form = ReplayForm(request.POST)
    if not form.is_valid():
        raise BadRequest("A brief is judged by the rules or by a model, up to ten times.")
    job = ask_for_replay(user_of(request), run, form.judge(), form.times())
    tasks.start(job)
    return redirect("audit:rejudgement", job.pk)


@require_safe
def rejudgement(request: HttpRequest, rejudgement_id: UUID) -> HttpResponse:
    """How far judging again is, then which roles change. A golden check is shown on its own page."""
    job = get_or_404(Rejudgement.objects.visible_to(request.user), rejudgement_id)
    if request.headers.get("HX-Request"):
        if not job.is_pending:
            return HttpResponse(headers={"HX-Refresh": "true"})
        response = render(request, "audit/_rejudging.html", {"job": job})
    elif job.kind == Rejudgement.Kind.CHANGE:
        response = redirect("audit:proposals", job.base_id)
    elif job.run_id is None:
        response = redirect_to_checks(job.base_id)
    else:
        response = show_replay(request, job, job.run_id)
    patch_vary_headers(response, ["HX-Request"])
    return response


def show_replay(request: HttpRequest, job: Rejudgement, run_id: UUID) -> HttpResponse:
    run = get_run_with_charge(request, run_id)
    shown = {"run": run, "job": job, "form": ReplayForm(job.parameters)}
    if not job.is_pending:
        record_read(request.user, "replay_read", run)
        shown |= {"rebuilt": rebuild(run), "found": job.result, "error": job.error}
    return render(request, "audit/replay.html", shown)
