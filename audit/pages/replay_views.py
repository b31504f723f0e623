"""The page that judges a stored brief again."""

from uuid import UUID

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from audit.access_log import is_auditor, record_event
from audit.pages.forms import ReplayForm
from audit.pages.views import get_run_with_charge
from audit.review.replay import CannotReplay, rebuild, rejudge, summary
from llm.models import LLMCall


@require_POST
def replay(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Judge a run's brief again by the rules or a model, once or repeatedly, and show which roles change."""
    run = get_run_with_charge(request, run_id)
    if not is_auditor(request.user, run.base_id):
        raise Http404("There is nothing here for you.")
    form = ReplayForm(request.POST)
    if not form.is_valid():
        raise BadRequest("A brief is judged by the rules or by a model, up to ten times.")
    shown = {"run": run, "rebuilt": rebuild(run), "form": form}
    try:
        found = rejudge(run, form.judge(), repeats=form.times())
    except CannotReplay as error:
        record_event(request.user, "replay", run.pk, arbiter=form.judge().arbiter, error=str(error))
        return render(request, "audit/replay.html", shown | {"error": error}, status=409)
    calls = [str(LLMCall.objects.record(exchange).pk) for exchange in found.exchanges]
    record_event(request.user, "replay", run.pk, calls=calls, **summary(found))
    return render(request, "audit/replay.html", shown | {"found": found})
