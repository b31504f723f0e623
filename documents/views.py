"""The pages of bases and documents. A view reads the request, calls one function and renders the result."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import user_of
from documents import access, bulk, naming, tagging
from documents.base_settings import BaseSettings
from documents.forms import BaseForm, FilterForm, SettingsForm
from documents.ingestion import page_images, queueing
from documents.ingestion import trash as trash_can
from documents.ingestion.improving import improvements
from documents.ingestion.page_images import DPI_OF_SIZE
from documents.ingestion.tasks import start, start_tidying
from documents.models import Document, DocumentQuerySet, IngestJob, KnowledgeBase, Membership, Parse, Role
from documents.pages import listing, panels
from documents.pages.address import find_page_target, number_of, page_named
from documents.pages.page_view import inspect_page
from documents.storage import replacement
from documents.storage.upload_quota import oversized_files
from documents.storage.uploads import (
    DuplicateDocument,
    UploadRefused,
    accept_all,
    clean_file_name,
    refusal_of_size,
)
from ledger.holds import Held
from reading.characters import clean_words

DOCUMENTS_A_PAGE = 100
ORDERS = {
    "-added": gettext_lazy("Newest first"),
    "title": gettext_lazy("By title"),
    "state": gettext_lazy("What needs you first"),
    "-pages": gettext_lazy("Longest first"),
    "-contents": gettext_lazy("Best contents first"),
}
FILTERS = ("q", "state", "toc", "tag")  # filters of the list
ASKED_MAX = 50  # documents a question may name; for more, ask the base
IMAGE_AGE_S = 365 * 24 * 3600  # an address names one page of one file, and neither ever changes
IMPROVEMENTS = {
    IngestJob.Stage.RECOGNISE: gettext_lazy("Recognise text"),
    IngestJob.Stage.ANNOTATE: gettext_lazy("Describe passages"),
}

LIVING = Q(base__documents__trashed_at=None, base__documents__replaced_at=None)

Outcome = dict[str, Any]


# ---- bases


@require_http_methods(["GET", "HEAD", "POST"])
def bases(request: HttpRequest) -> HttpResponse:
    """A person's bases, and the form to create one."""
    user = user_of(request)
    form = BaseForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return redirect("documents:base", access.create_base(user, form.cleaned_data["name"]).pk)
    memberships = (
        Membership.objects.filter(user=user, base__deleted_at=None)
        .select_related("base")
        .annotate(
            living=Count("base__documents", filter=LIVING),
            failed=Count("base__documents", filter=LIVING & Q(base__documents__state="failed")),
        )
        .order_by("base__name", "base__created_at")
    )
    shown = {"memberships": memberships, "form": form}
    return render(request, "documents/bases.html", shown, status=400 if form.errors else 200)


@require_safe
@never_cache
def base(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The documents of a base: state, progress, what needs a person; upload."""
    found = access.get_base(request.user, pk)
    return show_base(request, found, request.session.pop("upload_outcomes", []))


def show_base(request: HttpRequest, found: KnowledgeBase, outcomes: list[Outcome], status: int = 200) -> HttpResponse:
    form = FilterForm({name: clean_words(str(text)) for name, text in request.GET.items()})
    form.is_valid()
    chosen = {name: form.cleaned_data.get(name, "") for name in FILTERS}
    asked = request.GET.get("sort", "")
    sort = asked if asked.removeprefix("-") in listing.SORTS else listing.DEFAULT_SORT
    documents = listing.sort_documents(listing.filter_documents(listing.list_documents(found), **chosen), sort)
    page = Paginator(documents, DOCUMENTS_A_PAGE).get_page(request.GET.get("page"))
    shown = {
        **describe_base(request, found),
        "sort": sort,
        "orders": ORDERS.items(),
        "columns": columns(sort),
        "tags": tagging.tags_of(found),
        "is_narrowed": any(chosen.values()),
        "rows": listing.build_rows(list(page)),
        "page": page,
        "form": form,
        "chosen": chosen,
        "outcomes": outcomes,
        "limit_mb": settings.UPLOAD_MAX_BYTES // 1_000_000,
    }
    return render(request, "documents/base.html", shown, status=status)


def columns(sort: str) -> dict[str, tuple[str, str]]:
    """For each sortable column: the sort value its head links to, and its current `aria-sort`."""
    states = {}
    for name in listing.SORTS:
        falls_first = name in ("added", "pages", "contents")
        rising, falling = sort == name, sort == f"-{name}"
        following = name if falling or not (rising or falls_first) else f"-{name}"
        states[name] = (following, "ascending" if rising else "descending" if falling else "none")
    return states


def describe_base(request: HttpRequest, found: KnowledgeBase) -> dict[str, Any]:
    """The data for the head of every page of a base."""
    role = access.role_in(request.user, found)
    return {
        "base": found,
        "summary": listing.summary_of(found),
        "role": Role(role).label.lower() if role else "",
        "may_write": role in access.WRITE,
        "may_own": role in access.OWN,
        "member_count": found.membership_set.count(),
    }


@require_POST
def bulk_action(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Do one thing to the selected documents of a base, or to all that match the filter. Readers may only ask them."""
    action = request.POST.get("action", "")
    found = access.get_base(request.user, pk, *(access.READ if action == "ask" else access.WRITE))
    documents = find_picked(request, found)
    if action == "ask":
        # With those that are not read, so that the answer says of them that nobody looked.
        ids = documents.values_list("pk", flat=True)[:ASKED_MAX] if documents.answering().exists() else []
        return redirect(f"{reverse('chat:home')}?{urlencode([('document', pk) for pk in ids] or {'base': found.pk})}")
    if action not in bulk.ACTIONS:
        raise Http404("There is no such action.")
    if not documents.exists():
        messages.error(request, gettext("Nothing was done: choose at least one document first."))
        return redirect(to_list(request, found))
    order = bulk.Order(found, user_of(request), documents, request.POST.get("tags", ""))
    try:
        messages.success(request, bulk.ACTIONS[action](order))
    except tagging.TagError as error:
        messages.error(request, str(error))
    return redirect(to_list(request, found))


def find_picked(request: HttpRequest, found: KnowledgeBase) -> DocumentQuerySet:
    """The living documents of a form: all that match its filter if it says so, else the selected ones."""
    if "everything" in request.POST:
        form = FilterForm(request.POST)
        form.is_valid()
        fitting = listing.filter_documents(
            found.documents.living(), **{name: form.cleaned_data.get(name, "") for name in FILTERS}
        )
        # By id, because the action may change what the filter matches.
        return found.documents.living().filter(pk__in=list(fitting.values_list("pk", flat=True)))
    ids = [text for text in request.POST.getlist("document") if is_uuid(text)]
    return found.documents.living().filter(pk__in=ids)


def is_uuid(text: str) -> bool:
    try:
        return bool(UUID(text))
    except ValueError:
        return False


def to_list(request: HttpRequest, found: KnowledgeBase) -> str:
    """Back to the list with its filters and order."""
    names = (*FILTERS, "sort", "page")
    query = {name: request.POST[name][:200] for name in names if request.POST.get(name)}
    return reverse("documents:base", args=[found.pk]) + ("?" + urlencode(query) if query else "")


@require_POST
def upload(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Accept the files of a form, each by itself, and report each outcome."""
    found = access.get_base(request.user, pk, *access.WRITE)
    outcomes = upload_outcomes(request, found)
    is_any_there = any(outcome["url"] for outcome in outcomes)
    if request.headers.get("Accept") == "application/json":
        return JsonResponse({"outcomes": outcomes}, status=200 if is_any_there else status_of(outcomes))
    if is_any_there:
        request.session["upload_outcomes"] = outcomes
        return redirect("documents:base", found.pk)
    return show_base(request, found, outcomes, status=status_of(outcomes))


def upload_outcomes(request: HttpRequest, found: KnowledgeBase) -> list[Outcome]:
    """For each file: its name, the outcome in words, the code, and the document's address if there is one."""
    outcomes = []
    for accepted in accept_all(found, user_of(request), request.FILES.getlist("files")):
        if isinstance(accepted, Document):
            start(accepted.jobs.get())
            outcomes.append(
                describe_upload(accepted.file_name, "accepted", gettext("Taken; it is being read."), accepted)
            )
        else:
            name, refusal = accepted
            existing = refusal.document if isinstance(refusal, DuplicateDocument) else None
            outcomes.append(describe_upload(name, refusal.code, refusal.message, existing))
    refusal = refusal_of_size()
    outcomes += [
        describe_upload(clean_file_name(name), refusal.code, refusal.message) for name in oversized_files(request)
    ]
    return outcomes or [describe_upload("", "no_file", "Choose at least one file first.")]


def describe_upload(name: str, code: str, words: str, document: Document | None = None) -> Outcome:
    url = reverse("documents:document", args=[document.pk]) if document else ""
    title = document.title if document else ""
    return {"name": name, "code": code, "words": words, "url": url, "title": title}


def status_of(outcomes: list[Outcome]) -> int:
    return 413 if all(outcome["code"] == "too_large" for outcome in outcomes) else 400


@require_http_methods(["GET", "HEAD", "POST"])
def base_settings(request: HttpRequest, pk: UUID) -> HttpResponse:
    """How a base is read and searched; owners change it."""
    roles = access.OWN if request.method == "POST" else ()
    found = access.get_base(request.user, pk, *roles)
    form = SettingsForm(request.POST or None, initial=BaseSettings.from_json(found.settings).to_json())
    name_form = BaseForm(request.POST or None, initial={"name": found.name})
    if access.role_in(request.user, found) not in access.OWN:
        for field in (*form.fields.values(), *name_form.fields.values()):
            field.disabled = True
    if request.method == "POST" and form.is_valid() and name_form.is_valid():
        access.change_settings(
            found, name_form.cleaned_data["name"], BaseSettings(**form.cleaned_data), user_of(request)
        )
        messages.success(
            request, gettext("The settings are saved. They hold for the next question and the next reading.")
        )
        return redirect("documents:settings", found.pk)
    shown = {
        **describe_base(request, found),
        "form": form,
        "name_form": name_form,
        "outdated": listing.find_outdated(found).count(),
    }
    return render(request, "documents/settings.html", shown, status=400 if form.errors or name_form.errors else 200)


@require_POST
def delete_named_base(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Delete a base with everything in it; its owner types the name as a confirmation."""
    found = access.get_base(request.user, pk, *access.OWN)
    if request.POST.get("name", "").strip() != found.name:
        messages.error(request, gettext("Nothing was deleted: what you typed is not the name of this base."))
        return redirect("documents:settings", found.pk)
    try:
        access.delete_base(found, user_of(request))
    except Held as error:
        messages.error(request, str(error))
        return redirect("documents:settings", found.pk)
    start_tidying()
    words = gettext("“%(name)s” is deleted. The record of its answers stays in the audit.") % {"name": found.name}
    messages.success(request, words)
    return redirect("documents:bases")


@require_safe
def list_trash(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The trashed documents of a base, for restoring."""
    found = access.get_base(request.user, pk, *access.WRITE)
    documents = found.documents.filter(replaced_at=None).exclude(trashed_at=None).order_by("-trashed_at")
    shown = {**describe_base(request, found), "documents": documents, "kept_days": trash_can.KEPT_DAYS}
    return render(request, "documents/trashed.html", shown)


# ---- a document


@require_safe
@never_cache
def document(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One page of a document with its lines and section; before there is a parse, the progress of reading."""
    found = access.get_document(request.user, pk)
    parse = chosen_parse(request, found)
    shown = {
        **about_document(request, found),
        "parse": parse,
        "parses": found.parses.order_by("-number"),
        "versions": replacement.versions_of(found),
    }
    if parse is None:
        return render(request, "documents/unread.html", shown)
    if request.headers.get("HX-Target") == "reading":
        return HttpResponse(headers={"HX-Refresh": "true"})  # it was being read and is ready now: the page differs
    place = find_page_target(parse, request.GET)
    if typed := request.GET.get("go", ""):
        number = page_named(parse, typed, as_printed=request.GET.get("by") == "printed")
        if number:
            return redirect(request.path + panels.address(request.GET, number))
        place = replace(place, fault=gettext("There is no page “%(page)s”.") % {"page": clean_words(typed[:40])})
    inspection = inspect_page(found, parse, place)
    if inspection is None:
        raise Http404("The document has no such page.")
    around = panels.build_reader(parse, place, request.GET)
    return render(request, "documents/document.html", {**shown, "inspection": inspection, "reader": around})


def about_document(request: HttpRequest, found: Document) -> dict[str, Any]:
    role = access.role_in(request.user, found.base)
    [row] = listing.build_rows([found])
    return {
        "document": found,
        "row": row,
        "role": role,
        "may_write": role in access.WRITE,
        "is_admin": is_admin(request),
        "improvements": [(stage, IMPROVEMENTS[stage]) for stage in improvements(found)],
    }


def is_admin(request: HttpRequest) -> bool:
    return user_of(request).is_staff


def chosen_parse(request: HttpRequest, found: Document) -> Parse | None:
    """The parse whose number is given, else the current one."""
    number = number_of(request.GET, "parse")
    if number is None:
        return found.current_parse
    parse = found.parses.filter(number=number).first()
    if parse is None:
        raise Http404("The document has no such parse.")
    return parse


@require_safe
@never_cache
def row(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One row of the list, for polling progress."""
    found = access.get_document(request.user, pk)
    shown = {**about_document(request, found), "summary": listing.summary_of(found.base), "is_swapped": True}
    return render(request, "documents/_row.html", shown)


@require_safe
def page_image(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """A page as an image, in one of three sizes."""
    found = access.get_document(request.user, pk)
    size = request.GET.get("size", "")
    return image_response(lambda: page_images.make_page_image(found, number, size if size in DPI_OF_SIZE else "page"))


@require_safe
def thumbnail(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The first page as a thumbnail."""
    found = access.get_document(request.user, pk)
    return image_response(lambda: page_images.make_thumbnail(found))


def image_response(draw: Callable[[], Path]) -> HttpResponse:
    try:
        path = draw()
    except page_images.NoPageImage as refusal:
        return HttpResponse(str(refusal), status=404, content_type="text/plain; charset=utf-8")
    response = HttpResponse(path.read_bytes(), content_type="image/webp")
    response["Cache-Control"] = f"private, max-age={IMAGE_AGE_S}, immutable"
    return response


@require_safe
def original(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The uploaded file, byte for byte, always as a download and never opened by the browser."""
    found = access.get_document(request.user, pk)
    with found.file.open("rb") as file:
        response = HttpResponse(file.read(), content_type="application/octet-stream")
    response["Content-Disposition"] = content_disposition_header(True, found.file_name) or "attachment"
    response["Content-Security-Policy"] = "sandbox"
    return response


@require_POST
def rename(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Give a document another title; the list gets its row back, and a plain form the page it was on."""
    found = access.get_document(request.user, pk, *access.WRITE)
    fault = ""
    try:
        naming.rename_document(found, request.POST.get("title", ""), user_of(request))
    except naming.TitleError as error:
        fault = str(error)
    if request.headers.get("HX-Request"):
        return render(request, "documents/_row.html", {**about_document(request, found), "fault": fault})
    if fault:
        messages.error(request, fault)
    else:
        messages.success(request, gettext("The title is saved."))
    return redirect_back(request, found)


@require_POST
def describe(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Set a document's title and tags."""
    found = access.get_document(request.user, pk, *access.WRITE)
    try:
        tags = tagging.tags_in(request.POST.get("tags", ""), found.base)
        naming.rename_document(found, request.POST.get("title", ""), user_of(request))
    except (tagging.TagError, naming.TitleError) as error:
        messages.error(request, str(error))
    else:
        Document.objects.filter(pk=found.pk).update(tags=tags)
        messages.success(request, gettext("Title and tags are saved."))
    return redirect("documents:document", found.pk)


@require_POST
def replace_file(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Accept a file as the next version of a document."""
    found = access.get_document(request.user, pk, *access.WRITE)
    file = request.FILES.get("files")
    refusal = refusal_of_size() if oversized_files(request) else None
    try:
        if refusal:
            raise refusal
        if file is None:
            messages.error(request, gettext("Choose a file first."))
            return redirect("documents:document", found.pk)
        newer = replacement.replace(found, user_of(request), file)
    except UploadRefused as error:
        messages.error(request, error.message)
        return redirect("documents:document", found.pk)
    start(newer.jobs.get())
    messages.success(request, gettext("The new version is being read. Until it is ready the old one answers."))
    return redirect("documents:document", newer.pk)


@require_POST
def read_again(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Read a document again: after a failure, or with changed settings."""
    found = access.get_document(request.user, pk, *access.WRITE)
    if found.trashed_at is None and found.replaced_at is None:
        start(queueing.queue_again(found))
    return redirect_back(request, found)


@require_POST
def improve(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Start text recognition or passage descriptions for a document already read."""
    found = access.get_document(request.user, pk, *access.WRITE)
    stage = IngestJob.Stage(request.POST["stage"]) if request.POST.get("stage") in IngestJob.Stage.values else None
    if stage is None or stage not in improvements(found):
        raise Http404("There is nothing to improve in this way.")
    start(queueing.queue_again(found, stage))
    return redirect_back(request, found)


@require_POST
def read_outdated(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Read all documents again whose parse was made with other settings."""
    found = access.get_base(request.user, pk, *access.WRITE)
    jobs = [queueing.queue_again(document) for document in listing.find_outdated(found)]
    for job in jobs:
        start(job)
    words = ngettext("%(count)s document will be read again.", "%(count)s documents will be read again.", len(jobs))
    messages.success(request, words % {"count": len(jobs)})
    return redirect("documents:base", found.pk)


@require_POST
def stop_document(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Stop the work on a document."""
    found = access.get_document(request.user, pk, *access.WRITE)
    queueing.stop_jobs(found)
    return redirect_back(request, found)


@require_POST
def trash(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Move a document to the trash."""
    found = access.get_document(request.user, pk, *access.WRITE)
    trash_can.move_to_trash(found, user_of(request))
    words = gettext("“%(title)s” is in the trash. No question finds it any more; its trails stay.")
    messages.success(request, words % {"title": found.title})
    return redirect("documents:base", found.base_id)


@require_POST
def restore_from_trash(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Restore a document to its base."""
    found = access.get_document(request.user, pk, *access.WRITE)
    try:
        job = trash_can.restore_document(found, user_of(request))
    except trash_can.CopyExists as error:
        messages.error(request, str(error))
        return redirect("documents:document", error.document.pk)
    if job:
        start(job)
    return redirect("documents:base", found.base_id)


@require_POST
def purge(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Delete a trashed document for good."""
    found = access.get_document(request.user, pk, *access.OWN)
    try:
        is_purged = trash_can.purge_document(found, user_of(request))
    except Held as error:
        messages.error(request, str(error))
        return redirect("documents:trashed", found.base_id)
    if is_purged:
        words = gettext("“%(title)s” is deleted for good. Trails that cite it keep their quotes.")
        messages.success(request, words % {"title": found.title})
    else:
        messages.error(request, gettext("Only a document in the trash can be deleted for good."))
    return redirect("documents:trashed", found.base_id)


def redirect_back(request: HttpRequest, found: Document) -> HttpResponse:
    """Back to where the button was: the base's list or the document's own page."""
    if request.POST.get("from") == "base":
        return redirect("documents:base", found.base_id)
    page = number_of(request.POST, "page")
    return redirect(reverse("documents:document", args=[found.pk]) + (f"?page={page}" if page else ""))
