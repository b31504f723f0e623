"""The statistics page, the strip of a base, and the coverage map of a document."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from audit.access_log import is_auditor, record_list
from audit.alerts.watching import open_alerts
from audit.pages.forms import FormOfBases
from audit.runs.glossary import terms_in_order
from audit.statistics.coverage import SECTIONS_SHOWN, STATES, CoverageUse, coverage_by_section, coverage_of
from audit.statistics.drawings import draw
from audit.statistics.period import ROLES, compute_figures
from audit.statistics.quality import DEFAULT_DAYS, PERIODS, quality_over
from documents.access import get_document, get_or_404
from documents.models import Document, KnowledgeBase, Viewer
from retrieval.models import RetrievalRun, RetrievalRunQuerySet

DOCUMENTS_SHOWN = 50
TERMS_USED = ("arbiter", "candidate", "detector", "prompt", "quote", "review", "role", "tokens", "verdict")


class PeriodForm(FormOfBases):
    """The base and the period; invalid values fall back to every base and a month."""

    base = forms.ModelChoiceField(
        KnowledgeBase.objects.none(), required=False, empty_label=_("Every base"), label=_("Base")
    )
    days = forms.TypedChoiceField(
        choices=list(PERIODS.items()), coerce=int, required=False, initial=DEFAULT_DAYS, label=_("Period")
    )

    def bases_of(self, user: Viewer) -> QuerySet[KnowledgeBase]:
        return KnowledgeBase.objects.visible_to(user)


class CoverageForm(forms.Form):
    """The period of a coverage; without one, everything that was ever asked."""

    days = forms.TypedChoiceField(
        choices=[("", _("all time")), *PERIODS.items()],
        coerce=int,
        empty_value=None,
        required=False,
        label=_("Period"),
        widget=forms.Select({"class": "field"}),
    )


@require_safe
def figures(request: HttpRequest) -> HttpResponse:
    """Statistics over the runs a person may read."""
    form = PeriodForm({"days": DEFAULT_DAYS} | request.GET.dict(), user=request.user)
    is_valid = form.is_valid()
    days = form.cleaned_data.get("days") or DEFAULT_DAYS
    base = form.cleaned_data.get("base")
    visible = RetrievalRun.objects.visible_to(request.user)
    visible = visible.filter(base=base) if base else visible
    runs = filter_recent(visible, days)
    documents = Document.objects.visible_to(request.user).living().exclude(current_parse=None).order_by("title")
    audited = KnowledgeBase.objects.with_role(request.user, "auditor", "owner").order_by("name")
    record_list(request.user, "figures", days=days, base=str(base.pk) if base else "")
    shown = {
        "form": form,
        "queue": reverse("audit:queue") + (f"?base={base.pk}&" if base else "?"),
        "days": PERIODS[days],
        "figures": draw(compute_figures(runs, days, request.user if audited else None)),
        "quality": quality_over(visible, days),
        "alerts": open_alerts(request.user, base),
        "audited": [each for each in audited if base in (None, each)],
        "roles": ROLES,
        "is_auditor": is_auditor(request.user),
        "terms": terms_in_order(*TERMS_USED),
        "documents": (documents.filter(base=base) if base else documents)[:DOCUMENTS_SHOWN],
    }
    return render(request, "audit/figures.html", shown, status=200 if is_valid else 400)


def filter_recent(runs: RetrievalRunQuerySet, days: int) -> RetrievalRunQuerySet:
    return runs.filter(created_at__gte=timezone.now() - timedelta(days=days))


@require_safe
def coverage(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """Which pages and sections of a document were never proposed, proposed, kept or cited, in a period or ever."""
    document = get_document(request.user, document_id)
    form = CoverageForm(request.GET)
    days = form.cleaned_data["days"] if form.is_valid() else None
    visible = RetrievalRun.objects.visible_to(request.user)
    runs = filter_recent(visible, days) if days else visible
    pages, sections = coverage_of(document, runs), coverage_by_section(document, runs)
    record_list(request.user, "coverage", document=str(document.pk), days=days)
    shown = {
        "document": document,
        "pages": pages,
        "counts": Counter(page.state for page in pages),
        "keys": count_states(pages),
        "form": form,
        "days": PERIODS[days] if days else "",
        "sections": sections[:SECTIONS_SHOWN],
        "is_cut": len(sections) > SECTIONS_SHOWN,
        "section_keys": count_states(sections),
    }
    return render(request, "audit/coverage.html", shown, status=200 if form.is_valid() else 400)


def count_states(uses: Sequence[CoverageUse[Any]]) -> list[tuple[str, Promise, int]]:
    return [(state, words, sum(each.state == state for each in uses)) for state, words in STATES.items()]


@require_safe
def quality(request: HttpRequest, base_id: UUID) -> HttpResponse:
    """The strip of a base's page: its open alerts, and how many of its answers were reviewed and are wrong."""
    base = get_or_404(KnowledgeBase.objects.with_role(request.user, "auditor", "owner"), base_id)
    runs = RetrievalRun.objects.filter(base=base)
    shown = {"base": base, "alerts": open_alerts(request.user, base), "quality": quality_over(runs, DEFAULT_DAYS)}
    return render(request, "audit/_base_quality.html", shown)
