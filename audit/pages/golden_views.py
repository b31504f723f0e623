"""The page of the golden set: its questions, their download, and what a change would break."""

import json
from collections.abc import Iterator
from uuid import UUID

from django import forms
from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import user_of
from audit.access_log import is_auditor, record_list
from audit.pages.forms import FormOfBases
from audit.review import tasks
from audit.review.golden import (
    Golden,
    checks_of,
    golden_of,
    has_changed_since_check,
    question_rows,
    reviewed_runs,
    say_check,
)
from audit.review.rejudging import CHECKED_ON_PAGE, ask_for_check, find_last_check
from audit.review.replay import Judge
from documents.downloads import named_file
from documents.models import KnowledgeBase
from ledger.models import Event
from retrieval.told.outcomes import Outcome

SHOWN = 50
JUDGES = {"rules": Judge("rules"), "model": Judge("model")}


class GoldenForm(FormOfBases):
    base = forms.ModelChoiceField(KnowledgeBase.objects.none(), empty_label=None, required=False, label=_("Base"))

    def chosen(self) -> KnowledgeBase:
        """The base asked for, else the first one. Raises Http404 if it is not open to the person."""
        if not self.is_valid():
            raise Http404("There is no such base for you.")
        base: KnowledgeBase | None = self.cleaned_data["base"] or self.fields["base"].queryset.first()  # type: ignore[attr-defined]
        if base is None:
            raise Http404("There is nothing here for you.")
        return base


@require_safe
def golden(request: HttpRequest) -> HttpResponse:
    """The reviewed questions of a base, and the results of the last checks."""
    if not is_auditor(request.user):
        raise Http404("There is nothing here for you.")
    form = GoldenForm(request.GET, user=request.user)
    base = form.chosen()
    runs = reviewed_runs(base)
    newest = list(runs[:SHOWN])
    found = list(filter(None, map(golden_of, newest)))
    asking = {each.run.pk for each in found}
    record_list(request.user, "golden", base=str(base.pk))
    shown = {
        "form": GoldenForm({"base": base.pk}, user=request.user),
        "base": base,
        "reviewed": runs.count(),
        "rows": found,
        "silent": [run for run in newest if run.pk not in asking],
        "limit": SHOWN,
        "checks": [(event, ending_of(event)) for event in checks_of(base.pk)],
        "is_outdated": has_changed_since_check(base.pk),
        "has_model": settings.LLM_CONFIGURED,
        "on_page": CHECKED_ON_PAGE,
        "job": find_last_check(base),
    }
    return render(request, "audit/golden.html", shown)


def ending_of(event: Event) -> Outcome:
    found = event.details
    return say_check(found["broken_count"] + found["still_wrong"], found["verdicts"], len(found["not_judged"]))


@require_safe
def questions(request: HttpRequest) -> StreamingHttpResponse:
    """Download the question file of a base's golden set."""
    base = GoldenForm(request.GET, user=request.user).chosen()
    record_list(request.user, "export_golden", base=str(base.pk))
    return StreamingHttpResponse(
        dump_questions(filter(None, map(golden_of, reviewed_runs(base).iterator(chunk_size=100)))),
        content_type="application/jsonl; charset=utf-8",
        headers=named_file("questions.jsonl"),
    )


def dump_questions(goldens: Iterator[Golden]) -> Iterator[str]:
    for row in question_rows(goldens):
        yield json.dumps(row, ensure_ascii=False) + "\n"


@require_POST
def check_golden_runs(request: HttpRequest) -> HttpResponse:
    """Have the newest golden runs judged again; what would break is recorded and shown on the page."""
    base = GoldenForm(request.POST, user=request.user).chosen()
    judge = JUDGES.get(request.POST.get("arbiter", ""))
    if judge is None:
        raise BadRequest("A brief is judged by the rules or by the model.")
    tasks.start(ask_for_check(user_of(request), base, judge))
    return redirect_to_checks(base.pk)


def redirect_to_checks(base_id: UUID) -> HttpResponse:
    return redirect(f"{reverse('audit:golden')}?base={base_id}#checks")
