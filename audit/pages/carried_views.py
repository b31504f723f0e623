"""Pages of records that came with a base from another installation: listed, handed out as they came, removed."""

from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import user_of
from audit.access_log import record_event, record_list
from audit.carrying.keeping import NotKept, list_carried_runs, path_of, read_record, remove_records, vouched_by
from audit.models import CarriedArchive
from audit.pages.forms import RemoveForm
from audit.runs.listing import RunKey
from documents.access import OWN, get_base, get_or_404, role_in
from documents.downloads import attachment
from documents.models import KnowledgeBase
from documents.views import tell_refusal
from ledger.holds import Held


@require_safe
def list_carried(request: HttpRequest, base_id: UUID) -> HttpResponse:
    """What a base brought along: each archive, and the questions of all, newest first."""
    base = get_or_404(KnowledgeBase.objects.audited_by(request.user), base_id)
    before = request.GET.get("before", "")
    rows, older = list_carried_runs(base, RunKey.read(before) if before else None)
    shown = {
        "base": base,
        "may_own": role_in(request.user, base) == "owner" and base.deleted_at is None,
        "archives": [(archive, vouched_by(archive)) for archive in CarriedArchive.objects.filter(base=base)],
        "rows": rows,
        "older": f"?{urlencode({'before': str(older)})}" if older else "",
        "form": RemoveForm(),
    }
    record_list(request.user, "carried", base=str(base.pk))
    return render(request, "audit/carried.html", shown)


@require_safe
def hand_out_record(request: HttpRequest, archive_id: UUID, run_id: UUID) -> HttpResponse:
    """All that was recorded of one question, byte for byte as it came."""
    archive = get_archive(request, archive_id)
    try:
        content = read_record(archive, run_id)
    except NotKept as error:
        return HttpResponse(str(error), status=409, content_type="text/plain; charset=utf-8")
    record_event(request.user, "carried_record", None, base=str(archive.base_id), run=str(run_id))
    return attachment(content, f"carried-{run_id}.jsonl", "application/jsonl; charset=utf-8")


@require_safe
def hand_out_archive(request: HttpRequest, archive_id: UUID) -> HttpResponse | FileResponse:
    """All that is kept of an archive, with the program that checks it."""
    archive = get_archive(request, archive_id)
    try:
        file = path_of(archive).open("rb")
    except OSError:
        return HttpResponse(
            _("The file with these records cannot be read."), status=409, content_type="text/plain; charset=utf-8"
        )
    record_event(request.user, "carried_archive", None, base=str(archive.base_id), archive=str(archive.pk))
    name = f"carried-{archive.pk}.zip"
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


@require_POST
def remove_carried(request: HttpRequest, archive_id: UUID) -> HttpResponse:
    """Delete what is kept of an archive; for owners, with a reason."""
    archive = get_archive(request, archive_id)
    get_base(request.user, archive.base_id, *OWN)
    form = RemoveForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Give a reason; it is kept with the record."))
        return redirect("audit:carried", archive.base_id)
    with tell_refusal(request, Held):
        remove_records(archive, user_of(request), form.cleaned_data["reason"])
        messages.success(request, _("The records of “%(name)s” are removed.") % {"name": archive.from_name})
    return redirect("audit:carried", archive.base_id)


def get_archive(request: HttpRequest, archive_id: UUID) -> CarriedArchive:
    """An archive whose records are there and that the person may audit; else the same 404 as for none."""
    archive = get_or_404(CarriedArchive.objects.visible_to(request.user), archive_id)
    if archive.removed_at:
        raise Http404("There is nothing here for you.")
    return archive
