"""The alerts of a base: what is watched, what has left its range, and the limits, which its owners change."""

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import user_of
from audit.access_log import record_list
from audit.alerts.measures import MEASURES
from audit.alerts.watching import AlarmLimit, describe_alert, limits_of, set_limits, watch_measures
from audit.models import Alert
from documents.access import OWN, get_base, get_or_404, role_in
from documents.models import KnowledgeBase

SHOWN = 50
PERCENT_MAX, AMOUNT_MAX, LEAST_MAX = 100, 1_000_000_000, 1_000_000


class LimitsForm(forms.Form):
    """A limit and a minimum count for each measure; an empty limit never alarms."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for name, measure in MEASURES.items():
            self.fields[f"{name}_limit"] = forms.DecimalField(
                min_value=0,
                max_value=PERCENT_MAX if measure.is_rate else AMOUNT_MAX,
                decimal_places=2,
                required=False,
                localize=True,
                label=_("More than"),
            )
            self.fields[f"{name}_least"] = forms.IntegerField(min_value=1, max_value=LEAST_MAX, label=_("of at least"))
        for field in self.fields.values():
            field.widget.attrs["class"] = "field short"

    @classmethod
    def of_base(cls, base: KnowledgeBase) -> "LimitsForm":
        limits = limits_of(base)
        initial = {f"{name}_{part}": value for name, limit in limits.items() for part, value in limit._asdict().items()}
        return cls(initial=initial)

    def limits(self) -> dict[str, AlarmLimit]:
        cleaned = self.cleaned_data
        return {name: AlarmLimit(cleaned[f"{name}_limit"], cleaned[f"{name}_least"]) for name in MEASURES}


@require_safe
def alerts(request: HttpRequest, base_id: UUID) -> HttpResponse:
    base = get_or_404(KnowledgeBase.objects.with_role(request.user, "auditor", "owner"), base_id)
    record_list(request.user, "alerts", base=str(base.pk))
    return alerts_page(request, base, LimitsForm.of_base(base))


@require_POST
def change_limits(request: HttpRequest, base_id: UUID) -> HttpResponse:
    base = get_base(request.user, base_id, *OWN)
    form = LimitsForm(request.POST)
    if not form.is_valid():
        return alerts_page(request, base, form, status=400)
    set_limits(base, form.limits(), user_of(request))
    messages.success(request, gettext("The limits are changed. They apply from the next hour on."))
    return redirect("audit:alerts", base.pk)


def alerts_page(request: HttpRequest, base: KnowledgeBase, form: LimitsForm, status: int = 200) -> HttpResponse:
    past = Alert.objects.filter(base=base).select_related("base")[:SHOWN]
    shown = {
        "base": base,
        "form": form,
        "may_own": role_in(request.user, base) == "owner",
        "rows": [(each, form[f"{each.name}_limit"], form[f"{each.name}_least"]) for each in watch_measures(base)],
        "is_mailed": settings.MAIL_CONFIGURED,
        "past": [(alert, describe_alert(alert)) for alert in past],
    }
    return render(request, "audit/alerts.html", shown, status=status)
