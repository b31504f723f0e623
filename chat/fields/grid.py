"""The same fields asked of each of several documents (R87): an extraction for each document, under the id of one grid.

A review grid has a row for each document and a column for each field; a cell is what one extraction has of one field.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.http import Http404
from django.utils.translation import gettext

from accounts.models import User
from chat.asking import asked_before
from chat.fields.extracting import id_of_asking, keep_extraction
from chat.fields.reading import FieldsError
from chat.fields.values import extraction_json, fields_with_answers
from chat.models import Extraction, ExtractionField
from chat.scope import CHOSEN_MAX, QuestionScope, resolve
from chat.turns.waiting import ENDED
from documents.idempotency import Keyed
from documents.models import Document, Viewer
from documents.spreadsheet import write_csv
from retrieval.forms.fields import Field

CELLS_MAX = 500  # documents times fields: each cell is a search of its own, and others wait for the same workers
ROW_COLUMNS = ("document", "state")
EARLIER_SHOWN = 20
WAITING_MAX = 2 * CELLS_MAX  # of one person: the queue takes what came first, whoever asked
CELL_COLUMNS = ("value", "outcome", "page", "caveat")


def documents_of_grid(user: User, scope: QuestionScope, fields: Sequence[Field]) -> list[Document]:
    """The documents of a scope, each of which is to be a row.

    Raises FieldsError where the grid would be too large, or too much of the person's is waiting.
    """
    documents = resolve(user, scope.base, scope.document_ids)
    given = {"documents": len(documents), "fields": len(fields), "most": CHOSEN_MAX, "cells": CELLS_MAX}
    if len(documents) > CHOSEN_MAX:
        words = gettext("These are %(documents)s documents; a value of each can be asked of at most %(most)s at once.")
        raise FieldsError({0: words % given})
    if len(documents) * len(fields) > CELLS_MAX:
        words = gettext(
            "%(documents)s documents with %(fields)s fields each are too many values; at most %(cells)s can be asked "
            "for at once. Choose fewer documents or fields."
        )
        raise FieldsError({0: words % given})
    own = ExtractionField.objects.filter(extraction__user=user, extraction__grid__isnull=False)
    waiting = own.exclude(extraction__state__in=ENDED).count()
    if waiting + len(documents) * len(fields) > WAITING_MAX:
        words = gettext(
            "%(waiting)s values you asked for are still to come; at most %(most)s can wait at once. Ask again later, "
            "or stop what you need no longer."
        )
        raise FieldsError({0: words % {"waiting": waiting, "most": WAITING_MAX}})
    return documents


def keep_grid(
    user: User,
    scope: QuestionScope,
    fields: Sequence[Field],
    mode: str,
    *,
    request: Keyed | None = None,
    form_id: uuid.UUID | None = None,
) -> list[Extraction]:
    """Store the fields once for each document of the scope; a request or form that is sent twice makes one grid.

    Raises FieldsError where it would be too large, ScopeError and KeyReused.
    """
    if first := asked_before(Extraction, request):
        return rows_of_grid(user, first.grid)
    grid = id_of_asking(form_id, user, scope, fields, mode)
    if Extraction.objects.visible_to(user).filter(grid=grid).exists():  # before its own values count as waiting
        return rows_of_grid(user, grid)
    documents = documents_of_grid(user, scope, fields)
    rows: list[Extraction] = []
    with transaction.atomic():
        for document in documents:
            key = request if not rows else None  # the first row vouches for all of them
            alone = replace(scope, documents=(document,))
            row = keep_extraction(user, alone, fields, mode, request=key, form_id=grid, grid=grid)
            if row.grid != grid:  # made by an earlier request with this key
                return rows_of_grid(user, row.grid)
            rows.append(row)
    return rows


def rows_of_grid(user: Viewer, grid: uuid.UUID | None) -> list[Extraction]:
    """The extractions of a person's own grid, in the order of its documents. Raises Http404 if it has none."""
    rows = list(Extraction.objects.visible_to(user).filter(grid=grid).select_related("base").order_by("created_at"))
    if grid is None or not rows:
        raise Http404("There is no such grid.")
    return rows


def asked_lately(user: Viewer) -> list[Extraction]:
    """What a person asked last, a grid by the first of its documents."""
    own = Extraction.objects.visible_to(user)
    before = own.filter(grid=OuterRef("grid"), created_at__lt=OuterRef("created_at"))
    return list(own.filter(~Exists(before)).prefetch_related("fields").order_by("-created_at")[:EARLIER_SHOWN])


def all_ended(rows: Iterable[Extraction]) -> bool:
    return all(row.state in ENDED for row in rows)


def states_of(rows: Iterable[Extraction]) -> str:
    """The state of each row as a letter, a capital one where its stop was asked for: all that a page of them follows.

    The values of a row come with its end.
    """
    return "".join(row.state[0].upper() if row.stop_requested else row.state[0] for row in rows)


def rows_changed(rows: Sequence[Extraction], seen: str) -> list[Extraction]:
    """The rows whose state is another than a page has `seen`; all where it has seen other rows."""
    states = states_of(rows)
    if len(states) != len(seen):
        return list(rows)
    return [row for row, now, before in zip(rows, states, seen, strict=True) if now != before]


def cells_of(rows: Sequence[Extraction]) -> dict[uuid.UUID, list[ExtractionField]]:
    """The fields of each row with their answers, by the id of the row."""
    cells: dict[uuid.UUID, list[ExtractionField]] = {row.pk: [] for row in rows}
    for field in fields_with_answers(rows):
        cells[field.extraction_id].append(field)
    return cells


def grid_json(rows: Sequence[Extraction]) -> dict[str, Any]:
    cells = cells_of(rows)
    return {
        "grid_id": str(rows[0].grid),
        "knowledge_base_id": str(rows[0].base_id),
        "is_ended": all_ended(rows),
        "documents": [{"document": row.scope_name} | extraction_json(row, cells[row.pk]) for row in rows],
    }


def write_grid_csv(told: Mapping[str, Any]) -> str:
    """A grid as CSV, a document a line, with cells that no spreadsheet takes for formulas."""
    rows = told["documents"]
    names = list(dict.fromkeys(field["name"] for row in rows for field in row["fields"]))
    lines = [[*ROW_COLUMNS, *(head_of_cells(name, column) for name in names for column in CELL_COLUMNS)]]
    for row in rows:
        fields = {
            field["name"]: [field["value"], field["outcome"], field["page_label"], " ".join(field["caveats"])]
            for field in row["fields"]
        }
        blank = [""] * len(CELL_COLUMNS)
        lines.append([row["document"], row["state"], *(cell for name in names for cell in fields.get(name, blank))])
    return write_csv(lines)


def head_of_cells(name: str, column: str) -> str:
    """The head of a column: that of the value has the field's name, but where a column of the row has it."""
    return name if column == "value" and name not in ROW_COLUMNS else f"{name} ({column})"
