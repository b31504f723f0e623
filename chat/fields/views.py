"""The pages on which several things are asked at once. Other people's get the same 404 as absent ones."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import User
from accounts.requests import user_of
from chat.fields import grid
from chat.fields.extracting import keep_extraction
from chat.fields.forms import FieldsForm
from chat.fields.reading import COLUMNS, FIELDS_MAX, TYPES, FieldsError
from chat.fields.shown import ShownField
from chat.fields.values import extraction_json, fields_with_answers, write_extraction_csv
from chat.models import Extraction, ExtractionField
from chat.page.last_used import last_scope
from chat.scope import ScopeError
from chat.turns import tasks
from chat.turns.stopping import request_stop
from chat.turns.waiting import ENDED
from chat.views import read_preselection
from documents.downloads import attachment
from retrieval.models import RetrievalRun


@require_http_methods(["GET", "HEAD", "POST"])
def ask_fields(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    sent = request.POST if request.method == "POST" else None
    form = FieldsForm(user, sent, chosen=read_preselection(request) or last_scope(user), files=request.FILES)
    if form.is_bound and form.is_valid() and form.chosen_scope:
        asked = form.cleaned_data
        wanted = (user, replace(form.chosen_scope, filters=form.filters), form.asked, asked["mode"])
        once = {"form_id": asked["form_id"]}
        try:
            rows = grid.keep_grid(*wanted, **once) if asked["is_grid"] else [keep_extraction(*wanted, **once)]
        except (FieldsError, ScopeError) as error:  # too much, or what the form was checked by has changed
            form.add_error(None, str(error))
        else:
            tasks.start(*rows)
            return redirect(page_of_extraction(rows[0]))
    context = {
        "form": form,
        "earlier": [(each, page_of_extraction(each)) for each in grid.asked_lately(user)],
        "columns": COLUMNS,
        "types": TYPES,
        "most": FIELDS_MAX,
        "most_cells": grid.CELLS_MAX,
    }
    return render(request, "chat/fields/ask.html", context, status=400 if form.errors else 200)


def page_of_extraction(extraction: Extraction) -> str:
    """The page of what was asked: of the grid, where it is a row of one."""
    if extraction.grid:
        return reverse("chat:grid", args=[extraction.grid])
    return reverse("chat:fields", args=[extraction.pk])


@require_GET
def show_fields(request: HttpRequest, extraction_id: UUID) -> HttpResponse:
    """The fields that were asked together, with their values, as far as they are; 204 where `seen` is how far."""
    user = user_of(request)
    extraction = get_object_or_404(Extraction.objects.visible_to(user).select_related("base"), pk=extraction_id)
    states = grid.states_of([extraction])
    if request.GET.get("seen") == states:
        return HttpResponse(status=204)
    rows = fields_with_answers([extraction])
    context = {
        "extraction": extraction,
        "states": states,
        "is_running": extraction.state not in ENDED,
        "is_stopping": extraction.stop_requested,
        "is_stopped": extraction.state == "stopped",
        "is_of_several": is_of_several(extraction),
        "fields": [ShownField(row) for row in rows],
        "auditable": auditable_of(user, rows),
    }
    is_part = "HX-Request" in request.headers
    return render(request, "chat/fields/_table.html" if is_part else "chat/fields/shown.html", context)


def auditable_of(user: User, fields: Iterable[ExtractionField]) -> set[UUID]:
    """The ids of the fields' runs whose trail a person may read."""
    runs = [field.run_id for field in fields if field.run_id]
    return set(RetrievalRun.objects.visible_to(user).filter(pk__in=runs).values_list("pk", flat=True))


def is_of_several(extraction: Extraction) -> bool:
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
def export_fields(request: HttpRequest, extraction_id: UUID, form: str) -> HttpResponse:
    """The fields with their values."""
    own = Extraction.objects.visible_to(user_of(request))
    told = extraction_json(get_object_or_404(own, pk=extraction_id))
    return download(told, lambda: write_extraction_csv(told["fields"]), form, f"fields-{str(extraction_id)[:8]}")


def download(told: Any, write_csv: Callable[[], str], form: str, name: str) -> HttpResponse:
    """What was asked as a file: CSV for spreadsheets, JSON for programs."""
    if form == "csv":
        return attachment(write_csv(), f"{name}.csv", "text/csv; charset=utf-8")
    if form == "json":
        as_text = json.dumps(told, ensure_ascii=False, indent=2)
        return attachment(as_text, f"{name}.json", "application/json; charset=utf-8")
    raise Http404("Fields are exported as csv or json.")


# ---- fields of each of several documents


@require_GET
def show_grid(request: HttpRequest, grid_id: UUID) -> HttpResponse:
    """A row for each document and a column for each field, as far as they are.

    A page that says what it has `seen` gets the rows that have changed since, or 204 where none has.
    """
    user, seen = user_of(request), request.GET.get("seen", "")
    rows = grid.rows_of_grid(user, grid_id)
    changed = grid.rows_changed(rows, seen)
    if not changed:
        return HttpResponse(status=204)
    cells = grid.cells_of(changed)
    names = list(dict.fromkeys(field.name for row in changed for field in cells[row.pk]))
    by_name = [(row, {field.name: ShownField(field) for field in cells[row.pk]}) for row in changed]
    context = {
        "grid_id": grid_id,
        "base": rows[0].base,
        "names": names,
        "rows": [(row, [shown.get(name) for name in names]) for row, shown in by_name],
        "total": len(rows),
        "states": grid.states_of(rows),
        "is_swapped": bool(seen),
        "is_running": not grid.all_ended(rows),
        "is_stopping": any(row.stop_requested for row in rows),
        "is_stopped": any(row.state == Extraction.State.STOPPED for row in rows),
        "ended": sum(row.state in ENDED for row in rows),
        "auditable": auditable_of(user, chain.from_iterable(cells.values())),
    }
    return render(request, f"chat/fields/{'_grid_changes' if seen else 'grid'}.html", context)


@require_POST
def stop_grid(request: HttpRequest, grid_id: UUID) -> HttpResponse:
    """Ask the workers to stop: what has ended stays, and the rest is not asked."""
    stopped = [request_stop(row) for row in grid.rows_of_grid(user_of(request), grid_id)]
    if not any(stopped):
        messages.info(request, gettext("Every field had been asked already; what was found is kept."))
    return redirect("chat:grid", grid_id)


@require_GET
def export_grid(request: HttpRequest, grid_id: UUID, form: str) -> HttpResponse:
    """The grid with its values."""
    told = grid.grid_json(grid.rows_of_grid(user_of(request), grid_id))
    return download(told, lambda: grid.write_grid_csv(told), form, f"grid-{str(grid_id)[:8]}")
