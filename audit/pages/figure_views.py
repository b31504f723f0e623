"""The statistics page, and the coverage map of a document."""

from datetime import timedelta
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from audit.access_log import is_auditor, record_list
from audit.runs.glossary import terms_in_order
from audit.statistics.drawings import draw
from audit.statistics.period import PAGE_STATES, ROLES, compute_figures, coverage_of
from documents.access import get_document
from documents.models import Document, KnowledgeBase, Viewer
from retrieval.models import RetrievalRun, RetrievalRunQuerySet

PERIODS = {7: _("7 days"), 30: _("30 days"), 90: _("90 days"), 365: _("a year")}
DEFAULT_DAYS = 30
DOCUMENTS_SHOWN = 50
TERMS_USED = ("arbiter", "candidate", "detector", "prompt", "quote", "review", "role", "tokens", "verdict")


class PeriodForm(forms.Form):
    """The base and the period; invalid values fall back to every base and a month."""

    base = forms.ModelChoiceField(
        KnowledgeBase.objects.none(), required=False, empty_label=_("Every base"), label=_("Base")
    )
    days = forms.TypedChoiceField(
        choices=list(PERIODS.items()), coerce=int, required=False, initial=DEFAULT_DAYS, label=_("Period")
    )

    def __init__(self, *arguments: object, user: Viewer, **named: object) -> None:
        super().__init__(*arguments, **named)  # type: ignore[arg-type]
        bases = self.fields["base"]
        assert isinstance(bases, forms.ModelChoiceField)
        bases.queryset = KnowledgeBase.objects.visible_to(user)
        for field in self.fields.values():
            field.widget.attrs["class"] = "field"


@require_safe
def figures(request: HttpRequest) -> HttpResponse:
    """Statistics over the runs a person may read."""
    form = PeriodForm(request.GET or {"days": DEFAULT_DAYS}, user=request.user)
    is_valid = form.is_valid()
    days = form.cleaned_data.get("days") or DEFAULT_DAYS
    base = form.cleaned_data.get("base")
    runs = filter_recent(RetrievalRun.objects.visible_to(request.user), days)
    runs = runs.filter(base=base) if base else runs
    documents = Document.objects.visible_to(request.user).living().exclude(current_parse=None).order_by("title")
    record_list(request.user, "figures", days=days, base=str(base.pk) if base else "")
    shown = {
        "form": form,
        "days": PERIODS[days],
        "figures": draw(compute_figures(runs, days)),
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
    """Which pages of a document were never proposed, proposed, kept or cited."""
    document = get_document(request.user, document_id)
    pages = coverage_of(document, RetrievalRun.objects.visible_to(request.user))
    record_list(request.user, "coverage", document=str(document.pk))
    shown = {
        "document": document,
        "pages": pages,
        "counts": {state: sum(page.state == state for page in pages) for state in PAGE_STATES},
        "keys": [(state, words, sum(page.state == state for page in pages)) for state, words in PAGE_STATES.items()],
    }
    return render(request, "audit/coverage.html", shown)
