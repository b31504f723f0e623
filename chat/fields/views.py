"""The pages on which several things are asked at once. Other people's get the same 404 as absent ones."""

import json
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.requests import user_of
from chat.fields.extracting import keep_extraction
from chat.fields.forms import FieldsForm
from chat.fields.reading import COLUMNS, FIELDS_MAX, TYPES
from chat.fields.shown import ShownField
from chat.fields.values import extraction_json, fields_with_answers, write_extraction_csv
from chat.models import Extraction
from chat.page.last_used import last_scope
from chat.turns import tasks
from chat.turns.stopping import request_stop
from chat.turns.waiting import ENDED
from chat.views import read_preselection
from retrieval.models import RetrievalRun

EARLIER_SHOWN = 20


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def ask_fields(request: HttpRequest) -> HttpResponse:
    """A list of fields to ask."""
    user = user_of(request)
    sent = request.POST if request.method == "POST" else None
    form = FieldsForm(user, sent, chosen=read_preselection(request) or last_scope(user), files=request.FILES)
    if form.is_bound and form.is_valid() and form.chosen_scope:
        asked = form.cleaned_data
        extraction = keep_extraction(
            user,
            form.chosen_scope,
            form.asked,
            asked["mode"],
            filters=form.filters,
            form_id=asked["form_id"],
        )
        tasks.start(extraction)
        return redirect("chat:fields", extraction.pk)
    earlier = Extraction.objects.visible_to(user).prefetch_related("fields").order_by("-created_at")[:EARLIER_SHOWN]
    context = {
        "form": form,
        "earlier": earlier,
        "columns": COLUMNS,
        "types": TYPES,
        "most": FIELDS_MAX,
    }
    return render(request, "chat/fields/ask.html", context, status=400 if form.errors else 200)


@require_GET
@never_cache
def show_fields(request: HttpRequest, extraction_id: UUID) -> HttpResponse:
    """The fields that were asked together, with their values, as far as they are."""
    user = user_of(request)
    extraction = get_object_or_404(Extraction.objects.visible_to(user).select_related("base"), pk=extraction_id)
    rows = fields_with_answers(extraction)
    readable = RetrievalRun.objects.visible_to(user).filter(pk__in=[row.run_id for row in rows if row.run_id])
    context = {
        "extraction": extraction,
        "is_running": extraction.state not in ENDED,
        "is_of_several": is_of_several(extraction),
        "fields": [ShownField(row) for row in rows],
        "auditable": set(readable.values_list("pk", flat=True)),
    }
    is_part = "HX-Request" in request.headers
    return render(request, "chat/fields/_table.html" if is_part else "chat/fields/shown.html", context)


def is_of_several(extraction: Extraction) -> bool:
    """Whether its fields are asked of more than one document."""
    asked = extraction.document_ids
    return len(asked) > 1 or (not asked and extraction.base.documents.living().count() > 1)


@require_POST
def stop_fields(request: HttpRequest, extraction_id: UUID) -> HttpResponse:
    """Ask the worker to stop: fields that have ended stay, and the others are not asked."""
    extraction = get_object_or_404(Extraction.objects.visible_to(user_of(request)), pk=extraction_id)
    if not request_stop(extraction):
        messages.info(request, gettext("Every field had been asked already; what was found is kept."))
    return redirect("chat:fields", extraction_id)


@require_GET
@never_cache
def export_fields(request: HttpRequest, extraction_id: UUID, form: str) -> HttpResponse:
    """The fields with their values: CSV for spreadsheets, JSON for programs."""
    if form not in ("csv", "json"):
        raise Http404("Fields are exported as csv or json.")
    own = Extraction.objects.visible_to(user_of(request))
    told = extraction_json(get_object_or_404(own, pk=extraction_id))
    if form == "csv":
        response = HttpResponse(write_extraction_csv(told["fields"]), content_type="text/csv; charset=utf-8")
    else:
        written = json.dumps(told, ensure_ascii=False, indent=2)
        response = HttpResponse(written, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="fields-{str(extraction_id)[:8]}.{form}"'
    return response
