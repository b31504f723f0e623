"""Downloads: the evidence pack of a run, and the filtered list as a file. Each one is recorded."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import IO
from uuid import UUID

from django.core.exceptions import BadRequest
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_POST, require_safe

from audit.access_log import record_list, record_read
from audit.keeping import exports
from audit.pages.forms import BasePeriodForm, RunFilters
from audit.pages.sign_views import FILE_ID, signed_page
from audit.pages.views import get_run_with_charge
from audit.proof.evidence import NotRecorded, write_evidence
from audit.proof.technical_file import write_technical_file
from audit.review.signing import of_period
from audit.runs.listing import filter_runs
from documents.downloads import attachment, named_file
from documents.models import Viewer
from documents.spreadsheet import write_csv
from documents.storage.temporary import spooled_file
from retrieval.models import RetrievalRun, RetrievalRunQuerySet

IN_MEMORY_MAX = 8_000_000  # bytes of a pack; a larger one is buffered on disk


@require_safe
def evidence(request: HttpRequest, run_id: UUID) -> HttpResponse | FileResponse:
    """The evidence pack of a run, recorded before the first byte is sent."""
    try:
        return hand_out_pack(get_run_with_charge(request, run_id), request.user)
    except NotRecorded as error:
        return HttpResponse(str(error), status=409, content_type="text/plain; charset=utf-8")


@require_POST
def technical_file(request: HttpRequest) -> HttpResponse | FileResponse:
    """What is recorded of a base in a period, for a regulator; recorded before the first byte is sent."""
    form = BasePeriodForm(request.POST, user=request.user, auto_id=FILE_ID)
    if not form.is_valid():
        if "base" in form.errors:
            raise Http404("There is no such base.")
        return signed_page(request, BasePeriodForm(user=request.user), status=400, file_form=form)
    base, since, until = (form.cleaned_data[name] for name in ("base", "since", "until"))
    subject = of_period(base, since, until)
    write = partial(write_technical_file, base, subject, by=request.user)
    return hand_out_zip(write, f"technical-file-{since}-{until}.zip")


def hand_out_pack(run: RetrievalRun, by: Viewer) -> FileResponse:
    """The evidence pack of a run as a file; making it is recorded. Raises NotRecorded."""
    return hand_out_zip(partial(write_evidence, run, by=by), f"evidence-{run.pk}.zip")


def hand_out_zip(write: Callable[[IO[bytes]], object], name: str) -> FileResponse:
    with ExitStack() as opened:
        file = opened.enter_context(spooled_file(IN_MEMORY_MAX))
        write(file)
        opened.pop_all()  # the response closes it
    file.seek(0)
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


@require_safe
def documents_csv(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Every document of a run's scope, what was done with it and why."""
    run = get_run_with_charge(request, run_id)
    record_read(request.user, "documents", run)
    return attachment(exports.write_documents(run), f"documents-{run.pk}.csv", "text/csv; charset=utf-8")


@require_safe
def runs_csv(request: HttpRequest) -> StreamingHttpResponse:
    return stream_export(
        request, write_csv, "csv", "text/csv; charset=utf-8", head=write_csv([exports.ExportedRun._fields])
    )


@require_safe
def runs_jsonl(request: HttpRequest) -> StreamingHttpResponse:
    return stream_export(request, exports.as_json_lines, "jsonl", "application/jsonl; charset=utf-8")


@require_safe
def runs_html(request: HttpRequest) -> StreamingHttpResponse:
    filters = {name: value for name, value in request.GET.dict().items() if value}
    return stream_export(
        request,
        exports.as_html,
        "html",
        "text/html; charset=utf-8",
        head=exports.html_head(filters),
        tail=exports.HTML_TAIL,
    )


def stream_export(
    request: HttpRequest, write: exports.Write, ending: str, media_type: str, *, head: str = "", tail: str = ""
) -> StreamingHttpResponse:
    """Stream the runs of the list under the same filters."""
    rows = exports.stream_runs(listed_runs(request, f"export_{ending}"), write, head, tail)
    return StreamingHttpResponse(rows, content_type=media_type, headers=named_file(f"runs.{ending}"))


@require_safe
def judged_jsonl(request: HttpRequest) -> StreamingHttpResponse:
    """What a model judged of the passages of the list's runs, of bases the person owns."""
    rows = exports.stream_judged(listed_runs(request, "export_judged"), request.user)
    headers = named_file("judged-passages.jsonl")
    return StreamingHttpResponse(rows, content_type="application/jsonl; charset=utf-8", headers=headers)


def listed_runs(request: HttpRequest, action: str) -> RetrievalRunQuerySet:
    """The runs of the list under the filters of the address; that they are handed out is recorded."""
    form = RunFilters(request.GET, user=request.user)
    if not form.is_valid():
        raise BadRequest("These filters are not ones of ours.")
    wanted = form.wanted()
    record_list(request.user, action, **{name: str(value) for name, value in wanted.items()})
    return filter_runs(RetrievalRun.objects.visible_to(request.user), wanted)
