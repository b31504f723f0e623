"""Judging a stored brief again, from the trail."""

from uuid import UUID

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from audit.events import is_auditor, record_event
from audit.replay import CannotReplay, rebuild, rejudge, summary
from audit.views import visible_run
from llm.models import LLMCall


@require_POST
def replay(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Judge a run's brief again, once, by the rules or the model, and show which roles flip."""
    run = visible_run(request, run_id)
    if not is_auditor(request.user, run.base_id):
        raise Http404("There is nothing here for you.")
    arbiter = request.POST.get("arbiter", "")
    if arbiter not in ("rules", "model"):
        raise BadRequest("A brief is judged by the rules or by the model.")
    shown = {"run": run, "rebuilt": rebuild(run)}
    try:
        found = rejudge(run, arbiter)
    except CannotReplay as error:
        record_event(request.user, "replay", run.pk, arbiter=arbiter, error=str(error))
        return render(request, "audit/replay.html", shown | {"error": error}, status=409)
    for exchange in found.exchanges:
        LLMCall.objects.record(exchange)
    record_event(request.user, "replay", run.pk, **summary(found))
    return render(request, "audit/replay.html", shown | {"found": found})
