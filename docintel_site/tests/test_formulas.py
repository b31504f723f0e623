"""No export of the site computes anything in a spreadsheet, whichever separator that takes."""

import csv
import io
import uuid
from typing import cast

import pytest
from asgiref.sync import async_to_sync
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from chat.asking import keep_question
from chat.fields.extracting import keep_extraction
from chat.scope import QuestionScope as Asked
from chat.turns.conductor import answer_turn
from docintel_site.tests.test_access import TABLE, Site, site
from documents.models import Document, Line
from documents.tests.test_spreadsheet import FORMULAS, SEPARATORS, cells_of, is_computed
from retrieval.forms.fields import Field
from retrieval.models import Term

__all__ = ["site"]  # the fixture

HOSTILE = "=1+1;" + ";".join(FORMULAS)
TABLES = ("lines", "toc", "passages", "pages", "images", "objects", "references")


@pytest.fixture
def hostile(site: Site) -> Site:
    """The site with formulas wherever somebody can write them: titles, lines, words, fields and questions."""
    Document.objects.filter(pk=site.document.pk).update(title=HOSTILE)
    for line in Line.objects.filter(parse__document=site.document):
        Line.objects.filter(pk=line.pk).update(text=FORMULAS[line.number % len(FORMULAS)] + "\n" + HOSTILE)
    for number, formula in enumerate(FORMULAS):
        Term.objects.create(
            concept=site.concept, language="en", text=f"{formula};{number}", priority="secondary", weight=0.5
        )
    viewer, scope = site.people["viewer"], Asked(site.base)
    turn = keep_question(viewer, scope, HOSTILE, "fast", form_id=uuid.uuid4())
    answer_turn(turn.pk)
    turn.refresh_from_db()
    assert turn.run is not None
    site.run = turn.run
    site.extraction = keep_extraction(viewer, scope, [Field("=1+1", "@SUM(A1) of the records;=1+1?")], "fast")
    return site


def exports(site: Site) -> dict[str, str]:
    """Every answer that is CSV, by its address."""
    found = {}
    rows = {
        row: who[-1] for row, (who, status, *_) in TABLE.items() if row.startswith("GET ") and who and status == 200
    }
    for row, caller in rows.items():
        client, headers = site.client(caller)
        address = "/" + site.address(row, caller=caller)
        for asked in (address, f"{address}?format=csv") if " api/" in row else (address,):
            answered = client.get(asked, headers=headers)
            if answered.headers["Content-Type"].startswith("text/csv"):
                found[asked] = content_of(answered).decode("utf-8-sig")
            answered.close()
    return found


def content_of(answered: HttpResponseBase) -> bytes:
    if not isinstance(answered, StreamingHttpResponse):
        return cast(HttpResponse, answered).content
    if not answered.is_async:
        return b"".join(answered)

    async def parts() -> list[bytes]:
        return [part async for part in answered]

    return b"".join(async_to_sync(parts)())


def is_number(cell: str) -> bool:
    try:
        return bool(float(cell)) or True
    except ValueError:
        return False


def test_no_export_computes(hostile: Site) -> None:
    found = exports(hostile)
    kinds = ["export.csv", "documents.csv", "dictionary.csv", "reading-rules.csv", "dictionary?format=csv"]
    kinds += [f"{table}?format=csv" for table in TABLES]
    assert [kind for kind in kinds if not any(address.endswith(kind) for address in found)] == []
    assert any("ask/fields/" in address for address in found)
    wrong = [
        (address, separator, cell)
        for address, text in found.items()
        for separator in SEPARATORS
        for cell in cells_of(text, separator)
        if is_computed(cell) and not is_number(cell)
    ]
    assert wrong == []
    together = "\n".join(found.values())
    assert together.count("'=1+1") > 20, "the formulas are there, as text"
    for text in found.values():
        assert len({len(row) for row in csv.reader(io.StringIO(text, newline=""), strict=True)}) == 1
