"""The pages of bases and documents. A view reads the request, calls one function and renders the result."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.requests import user_of
from documents import access, bulk, naming, tagging
from documents.base_settings import BaseSettings, SettingsError
from documents.cards.showing import show_card
from documents.forms import BaseForm, CuttingForm, FilterForm, SettingsForm, TakeOverForm
from documents.ingestion import page_images, queueing, reembedding
from documents.ingestion import trash as trash_can
from documents.ingestion.improving import improvements
from documents.ingestion.page_images import DPI_OF_SIZE
from documents.ingestion.tasks import start, start_tidying
from documents.ingestion.unlocking import unlock
from documents.metadata.fields import MetadataError, noted_in, set_values
from documents.metadata.filters import PARTS, filter_address, removable_filters, visible_filters
from documents.models import Document, DocumentQuerySet, IngestJob, KnowledgeBase, Membership, Parse, Role
from documents.pages import listing, panels
from documents.pages.address import find_page_target, number_of, page_named
from documents.pages.contents_source import SourceError, SourceForm, choose_source
from documents.pages.page_view import draw_page, inspect_page
from documents.pages.phrasing import within_sentence
from documents.pages.places import PassagePlace, passages_in, show_places
from documents.pages.plain_choices import PlainForm
from documents.storage import replacement
from documents.storage.attachments import attached_to, carrier_of
from documents.storage.passwords import NotHandedOn, PasswordRefused
from documents.storage.upload_quota import oversized_files
from documents.storage.uploads import StorageFull, UploadRefused, clean_file_name, refusal_of_size
from documents.taking import UploadOutcome, status_of_refusals, take_files
from ledger.holds import Held
from reading.characters import clean_words

DOCUMENTS_A_PAGE = 100
ORDERS = {
    "-added": gettext_lazy("Newest first"),
    "title": gettext_lazy("By title"),
    "state": gettext_lazy("What needs attention first"),
    "-pages": gettext_lazy("Longest first"),
    "-contents": gettext_lazy("Best contents first"),
}
PLACES_SHOWN = 5  # below the documents with the words; the search has them all
UNDO_MAX = 1_000  # documents one button puts back; of more the trash has them all
ASKED_MAX = 50  # documents a question may name; for more, ask the base
IMAGE_AGE_S = 365 * 24 * 3600  # an address names one page of one file, and neither ever changes
IMPROVEMENTS = {
    IngestJob.Stage.RECOGNISE: gettext_lazy("Recognise text"),
    IngestJob.Stage.CARD: gettext_lazy("Describe the document"),
    IngestJob.Stage.ANNOTATE: gettext_lazy("Describe passages"),
}

OWNERS = Prefetch("membership_set", Membership.objects.filter(role=Role.OWNER).select_related("user"), to_attr="owners")
LIVING = Q(base__documents__trashed_at=None, base__documents__replaced_at=None)

Outcome = dict[str, str]  # of one file, as its page shows it


# ---- bases


@require_http_methods(["GET", "HEAD", "POST"])
def bases(request: HttpRequest) -> HttpResponse:
    """A person's bases, and the form to create one."""
    form = BaseForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return redirect("documents:base", access.create_base(user_of(request), form.cleaned_data["name"]).pk)
    return show_bases(request, form)


def show_bases(
    request: HttpRequest, form: BaseForm, taking: TakeOverForm | None = None, of: UUID | None = None
) -> HttpResponse:
    shown = {
        "memberships": memberships_of(user_of(request)),
        "form": form,
        "others": [
            (base, taking if base.pk == of else TakeOverForm(auto_id=f"{base.pk}-%s"))
            for base in KnowledgeBase.objects.of_others(request.user).prefetch_related(OWNERS)
        ],
    }
    has_errors = bool(form.errors or (taking and taking.errors))
    return render(request, "documents/bases.html", shown, status=400 if has_errors else 200)


def memberships_of(user: User) -> QuerySet[Membership]:
    """The bases of a person, each with how many documents it has and how they stand."""
    busy = Document.objects.living().filter(listing.is_busy(), base=OuterRef("base_id")).order_by()
    return (
        Membership.objects.filter(user=user, base__deleted_at=None)
        .select_related("base")
        .annotate(
            living=Count("base__documents", filter=LIVING),
            failed=Count("base__documents", filter=LIVING & Q(base__documents__state="failed")),
            is_busy=Exists(busy),
        )
        .order_by("base__name", "base__created_at")
    )


@require_POST
def take_over_base(request: HttpRequest, pk: UUID) -> HttpResponse:
    """An administrator becomes an owner of a base that is not theirs, with a reason that its owners can read."""
    found = access.get_or_404(KnowledgeBase.objects.of_others(request.user), pk)
    form = TakeOverForm(request.POST, auto_id=f"{pk}-%s")
    if not form.is_valid():
        return show_bases(request, BaseForm(), form, pk)
    access.take_ownership(found, user_of(request), form.cleaned_data["reason"])
    messages.success(request, gettext("You own “%(base)s” now. It is on record, with your reason.") % {"base": found})
    return redirect("documents:base", pk)


@require_safe
def base(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The documents of a base: state, progress, what needs a person; upload."""
    found = access.get_base(request.user, pk)
    return show_base(request, found, request.session.pop("upload_outcomes", []))


def show_base(request: HttpRequest, found: KnowledgeBase, outcomes: list[Outcome], status: int = 200) -> HttpResponse:
    form = FilterForm({name: clean_words(str(text)) for name, text in request.GET.items()}, base=found)
    chosen = form.chosen
    asked = request.GET.get("sort", "")
    sort = asked if asked.removeprefix("-") in listing.SORTS else listing.DEFAULT_SORT
    documents = listing.sort_documents(listing.filter_documents(listing.list_documents(found), chosen), sort)
    page = Paginator(documents, DOCUMENTS_A_PAGE).get_page(request.GET.get("page"))
    shown = {
        **describe_base(request, found),
        "sort": sort,
        "orders": ORDERS.items(),
        "columns": columns(sort),
        "tags": tagging.tags_of(found),
        "is_narrowed": any(chosen.values()),
        "is_nowhere": [name for name, value in chosen.items() if value] == ["q"] and not page,
        "rows": listing.build_rows(list(page)),
        "page": page,
        "form": form,
        "chosen": chosen,
        "outcomes": outcomes,
        "kept": [(each, filter_address(each)) for each in visible_filters(found, user_of(request))],
        "removable": set(removable_filters(found, user_of(request)).values_list("pk", flat=True)),
        "places": first_places(found, chosen),
        "trashed": request.session.pop("trashed", None),
        "limit_mb": settings.UPLOAD_MAX_BYTES // 1_000_000,
        "cutting": CuttingForm(BaseSettings.from_json(found.settings)),
        "may_audit": access.is_auditor_of(request.user, found.pk),
    }
    return render(request, "documents/base.html", shown, status=status)


def first_places(found: KnowledgeBase, chosen: Mapping[str, str]) -> list[PassagePlace]:
    """The best places of the words that the list is narrowed by, in the documents that its other filters leave."""
    q = chosen["q"]
    documents = listing.filter_documents(found.documents.living(), {**chosen, "q": ""})
    return show_places(passages_in(documents, q)[:PLACES_SHOWN], q) if q else []


def columns(sort: str) -> dict[str, tuple[str, str]]:
    """For each sortable column: the sort value its head links to, and its current `aria-sort`."""
    states = {}
    for name in listing.SORTS:
        falls_first = name in ("added", "pages", "contents")
        rising, falling = sort == name, sort == f"-{name}"
        following = name if falling or not (rising or falls_first) else f"-{name}"
        states[name] = (following, "ascending" if rising else "descending" if falling else "none")
    return states


def describe_base(request: HttpRequest, found: KnowledgeBase) -> dict[str, object]:
    """The data for the head of every page of a base."""
    role = access.role_in(request.user, found)
    return {
        "base": found,
        "summary": listing.summary_of(found),
        "role": within_sentence(Role(role).label) if role else "",
        "may_write": role in access.WRITE,
        "may_own": role in access.OWN,
        "may_audit": role in access.AUDIT,
        "is_guarded": BaseSettings.from_json(found.settings).golden_check == "on",
        "member_count": found.membership_set.count(),
        "trash_count": trash_can.in_trash(found).count(),
    }


@require_POST
def bulk_action(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Do one thing to the selected documents of a base, or to all that match the filter. Readers may only ask them."""
    action = request.POST.get("action", "")
    found = access.get_base(request.user, pk, *(access.READ if action == "ask" else access.WRITE))
    documents = find_trashed(request, found) if action == "restore" else find_picked(request, found)
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
    picked = list(documents.values_list("pk", flat=True))
    with tell_refusal(request, tagging.TagError):
        words = bulk.ACTIONS[action](order)
        if action == "trash":
            offer_return(request, found, picked, words)
        else:
            messages.success(request, words)
    return redirect(to_list(request, found))


def find_trashed(request: HttpRequest, found: KnowledgeBase) -> DocumentQuerySet:
    """The documents of the trash that a form names, all in one field: a form has at most a thousand."""
    ids = request.POST.get("trashed", "").split(",")[:UNDO_MAX]
    return trash_can.in_trash(found).filter(pk__in=[pk for text in ids for pk in access.ids_in(text)])


def find_picked(request: HttpRequest, found: KnowledgeBase) -> DocumentQuerySet:
    """The living documents of a form: all that match its filter if it says so, else the selected ones."""
    if "everything" in request.POST:
        fitting = listing.filter_documents(found.documents.living(), FilterForm(request.POST, base=found).chosen)
        # By id, because the action may change what the filter matches.
        return found.documents.living().filter(pk__in=list(fitting.values_list("pk", flat=True)))
    ids = [pk for text in request.POST.getlist("document") for pk in access.ids_in(text)]
    return found.documents.living().filter(pk__in=ids)


def to_list(request: HttpRequest, found: KnowledgeBase) -> str:
    """Back to the list with its filters and order."""
    names = (*PARTS, "sort", "page")
    query = {name: request.POST[name][:200] for name in names if request.POST.get(name)}
    return reverse("documents:base", args=[found.pk]) + ("?" + urlencode(query) if query else "")


@require_POST
def upload(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Accept the files of a form, each by itself, and report each outcome."""
    found = access.get_base(request.user, pk, *access.WRITE)
    outcomes = upload_outcomes(request, found)
    is_any_there = any(outcome["url"] for outcome in outcomes)
    refusals = {outcome["code"] for outcome in outcomes}
    status, retry_after_s = (HTTPStatus.OK, None) if is_any_there else status_of_refusals(refusals)
    if request.headers.get("Accept") == "application/json":
        answer: HttpResponse = JsonResponse({"outcomes": outcomes}, status=status)
    elif is_any_there:
        request.session["upload_outcomes"] = outcomes
        return redirect("documents:base", found.pk)
    else:
        answer = show_base(request, found, outcomes, status=status)
    if retry_after_s:
        answer["Retry-After"] = str(retry_after_s)
    return answer


def upload_outcomes(request: HttpRequest, found: KnowledgeBase) -> list[Outcome]:
    """For each file: its name, the outcome in words, the code, and the document's address if there is one."""
    form = CuttingForm(BaseSettings.from_json(found.settings), request.POST)
    if not form.is_valid():
        names = [clean_file_name(file.name or "") for file in request.FILES.getlist("files")]
        outcomes = [UploadOutcome(name, "cutting", form.fault) for name in names or [""]]
    else:
        files = request.FILES.getlist("files")
        outcomes = take_files(found, user_of(request), files, oversized_files(request), form.chosen_cutting)
    nothing = UploadOutcome("", "no_file", gettext("Choose at least one file first."))
    return [
        {
            "name": each.file_name,
            "code": each.code,
            "words": each.words,
            "url": reverse("documents:document", args=[each.document.pk]) if each.document else "",
            "title": each.document.title if each.document else "",
        }
        for each in outcomes or [nothing]
    ]


@require_http_methods(["GET", "HEAD", "POST"])
def base_settings(request: HttpRequest, pk: UUID) -> HttpResponse:
    """How a base is read and searched; owners change it, viewers do not see it."""
    roles = access.OWN if request.method == "POST" else access.SETTINGS_SHOWN
    found = access.get_base(request.user, pk, *roles)
    stored = BaseSettings.from_json(found.settings)
    plain_form = PlainForm(stored, request.POST or None)
    form = read_settings_form(stored, request, plain_form)
    name_form = BaseForm(request.POST or None, initial={"name": found.name})
    if access.role_in(request.user, found) not in access.OWN:
        for field in (*form.fields.values(), *name_form.fields.values(), *plain_form.fields.values()):
            field.disabled = True
    if request.method == "POST" and all([form.is_valid(), name_form.is_valid(), plain_form.is_valid()]):
        name, chosen = name_form.cleaned_data["name"], replace(stored, **form.cleaned_data)
        try:
            access.change_settings(found, name, chosen, user_of(request))
        except SettingsError as error:
            form.add_error(None, str(error))
        else:
            words = gettext("The settings are saved. They hold for the next question and the next reading.")
            messages.success(request, words)
            return redirect("documents:settings", found.pk)
    shown = {
        **describe_base(request, found),
        "form": form,
        "name_form": name_form,
        "plain_form": plain_form,
        "outdated": listing.find_outdated(found).count(),
        "embedding": reembedding.progress(found),
    }
    is_refused = form.errors or name_form.errors or plain_form.errors
    return render(request, "documents/settings.html", shown, status=400 if is_refused else 200)


def read_settings_form(stored: BaseSettings, request: HttpRequest, plain_form: PlainForm) -> SettingsForm:
    """The technical settings as sent; where a plain choice was changed, its own but for what was changed beside it."""
    form = SettingsForm(request.POST or None, initial=stored.to_json())
    if not (wanted := plain_form.wanted()):
        return form
    filled = request.POST.copy()
    filled.update({name: str(value) for name, value in wanted.items() if name not in form.changed_data})
    return SettingsForm(filled, initial=stored.to_json())


@require_POST
def delete_named_base(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Delete a base with everything in it; its owner types the name as a confirmation."""
    found = access.get_base(request.user, pk, *access.OWN)
    if request.POST.get("name", "").strip() != found.name:
        messages.error(request, gettext("Nothing was deleted: what you typed is not the name of this base."))
        return redirect("documents:settings", found.pk)
    back = redirect("documents:settings", found.pk)
    with tell_refusal(request, Held):
        access.delete_base(found, user_of(request))
        start_tidying()
        words = gettext("“%(name)s” is deleted. The record of its answers stays in the audit.") % {"name": found.name}
        messages.success(request, words)
        back = redirect("documents:bases")
    return back


@require_safe
def list_trash(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The trashed documents of a base, for restoring."""
    found = access.get_base(request.user, pk, *access.WRITE)
    documents = list(trash_can.in_trash(found).order_by("-trashed_at"))
    held = trash_can.find_held(documents)
    cited = trash_can.find_citing(documents)
    rows = [(each, len(cited[each.pk]), bool(trash_can.older_versions(each))) for each in documents]
    shown = {**describe_base(request, found), "rows": rows, "held": held, "kept_days": trash_can.KEPT_DAYS}
    return render(request, "documents/trashed.html", shown)


# ---- a document


@require_safe
def document(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One page of a document with its lines and section; before there is a parse, the progress of reading."""
    found = access.get_document(request.user, pk)
    parse = chosen_parse(request, found)
    shown = {
        **about_document(request, found),
        "parse": parse,
        "parses": found.parses.order_by("-number"),
        "versions": replacement.versions_of(found),
        "cited": len(trash_can.find_citing([found])[found.pk]),
        "takes_older": bool(trash_can.older_versions(found)),
        "carrier": carrier_of(found),
        "attached": (attached := attached_to(found, parse)),
    }
    is_open = shown["may_write"] and not found.trashed_at and not found.replaced_at
    shown["may_take"] = is_open and any(each.may_be_taken for each in attached)
    if parse is None:
        return render(request, "documents/unread.html", shown)
    source_form = SourceForm(found)
    may_choose = is_open and parse == found.current_parse and not shown["row"].situation.poll_s
    shown["source_form"] = source_form if may_choose and source_form.is_needed else None
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
    reader = panels.build_reader(parse, place, request.GET)
    return render(request, "documents/document.html", {**shown, "inspection": inspection, "reader": reader})


@require_safe
def sheet(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """One page of a document alone, as pages follow on while one scrolls; the address names the place it began at."""
    found = access.get_document(request.user, pk)
    parse = chosen_parse(request, found)
    drawn = draw_page(found, parse, find_page_target(parse, request.GET), number) if parse else None
    if parse is None or drawn is None:
        raise Http404("The document has no such page.")
    around = panels.sheets_around(parse, number, request.GET)
    return render(request, "documents/_sheet.html", {"sheet": drawn, "around": around})


def about_document(request: HttpRequest, found: Document) -> dict[str, Any]:
    role, newest = access.role_in(request.user, found.base), replacement.latest(found)
    [row] = listing.build_rows([found])
    return {
        "document": found,
        "newer": newest if newest != found else None,  # the version that answers in place of it
        "row": row,
        "role": role,
        "may_write": role in access.WRITE,
        "is_admin": user_of(request).is_staff,
        "card": show_card(found),
        "noted": noted_in(found),
        "improvements": [(stage, IMPROVEMENTS[stage]) for stage in improvements(found)],
    }


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
    found = access.get_document(request.user, pk, *access.WRITE)
    with tell_refusal(request, tagging.TagError, naming.TitleError, MetadataError):
        tags = tagging.tags_in(request.POST.get("tags", ""), found.base)
        with transaction.atomic():
            set_values(found, noted_values(request))
            naming.rename_document(found, request.POST.get("title", ""), user_of(request))
        Document.objects.filter(pk=found.pk).update(tags=tags)
        messages.success(request, gettext("Title and tags are saved."))
    return redirect("documents:document", found.pk)


def noted_values(request: HttpRequest) -> dict[int, str]:
    """The values of a form by field, whose inputs are named "field-1"."""
    sent = {name.removeprefix("field-"): text for name, text in request.POST.items() if name.startswith("field-")}
    return {int(pk): str(text) for pk, text in sent.items() if pk.isascii() and pk.isdigit() and len(pk) <= 9}


@require_POST
def replace_file(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Accept a file as the next version of a document."""
    found = access.get_document(request.user, pk, *access.WRITE)
    file = request.FILES.get("files")
    try:
        if oversized_files(request):
            raise refusal_of_size()
        if file is None:
            raise UploadRefused("no_file", gettext("Choose a file first."))
        newer = replacement.replace(found, user_of(request), file)
    except StorageFull:
        raise
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
def choose_contents(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Choose the source of a document's contents, and read it again."""
    found = access.get_document(request.user, pk, *access.WRITE)
    form = SourceForm(found, request.POST)
    if not form.is_valid():
        messages.error(request, gettext("Nothing was changed: the contents cannot be taken from there."))
        return redirect_back(request, found)
    with tell_refusal(request, SourceError):
        if job := choose_source(found, form.cleaned_data["source"], user_of(request)):
            start(job)
            messages.success(request, gettext("The document is read again for its contents."))
    return redirect_back(request, found)


@require_POST
@sensitive_post_parameters("password")
def unlock_document(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Read a locked PDF with the password that is given; it is used once and not kept."""
    found = access.get_document(request.user, pk, *access.WRITE)
    try:
        start(unlock(found, request.POST.get("password", ""), user_of(request)))
    except NotHandedOn as error:
        shown = {"heading": gettext("Not available at the moment"), "words": str(error)}
        answer = render(request, "refused.html", shown, status=HTTPStatus.SERVICE_UNAVAILABLE)
        answer["Retry-After"] = str(error.RETRY_AFTER_S)
        return answer
    except PasswordRefused as error:
        messages.error(request, str(error))
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
    start(*jobs)
    words = ngettext("%(count)s document will be read again.", "%(count)s documents will be read again.", len(jobs))
    messages.success(request, words % {"count": len(jobs)})
    return redirect("documents:base", found.pk)


@require_POST
def embed_again(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Compute the vectors of the model in the base's settings, in the background."""
    found = access.get_base(request.user, pk, *access.OWN)
    jobs = reembedding.begin_reembedding(found, user_of(request))
    start(*jobs)
    if jobs:
        words = ngettext("%(count)s document is being embedded.", "%(count)s documents are being embedded.", len(jobs))
        messages.success(request, words % {"count": len(jobs)})
    else:
        messages.info(request, gettext("There is nothing to embed: every document has the vectors this base wants."))
    return redirect("documents:settings", found.pk)


@require_POST
def stop_document(request: HttpRequest, pk: UUID) -> HttpResponse:
    found = access.get_document(request.user, pk, *access.WRITE)
    queueing.stop_jobs(found)
    return redirect_back(request, found)


@require_POST
def trash(request: HttpRequest, pk: UUID) -> HttpResponse:
    found = access.get_document(request.user, pk, *access.WRITE)
    trash_can.move_to_trash(found, user_of(request))
    words = gettext("“%(title)s” is in the trash. No question finds it any more; its trails stay.")
    told = [words % {"title": found.title}, trash_can.say_citing([found])]
    offer_return(request, found.base, [found.pk], " ".join(told))
    return redirect("documents:base", found.base_id)


def offer_return(request: HttpRequest, found: KnowledgeBase, ids: list[UUID], words: str) -> None:
    """Have the list say what was trashed, with a button that puts it back."""
    offered = ",".join(map(str, ids)) if len(ids) <= UNDO_MAX else ""
    request.session["trashed"] = {"base": str(found.pk), "ids": offered, "words": words}


@require_POST
def restore_from_trash(request: HttpRequest, pk: UUID) -> HttpResponse:
    found = access.get_document(request.user, pk, *access.WRITE)
    try:
        job = trash_can.restore_document(found, user_of(request))
    except trash_can.CopyExists as error:
        messages.error(request, str(error))
        return redirect("documents:document", error.document.pk)
    if job:
        start(job)
    messages.success(request, gettext("“%(title)s” is back in its base.") % {"title": found.title})
    return redirect("documents:base", found.base_id)


@require_POST
def purge(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Delete a trashed document for good."""
    found = access.get_document(request.user, pk, *access.OWN)
    with tell_refusal(request, Held):
        if trash_can.purge_document(found, user_of(request)):
            words = gettext("“%(title)s” is deleted for good. Trails that cite it keep their quotes.")
            messages.success(request, words % {"title": found.title})
        else:
            messages.error(request, gettext("Only a document in the trash can be deleted for good."))
    return redirect("documents:trashed", found.base_id)


@contextmanager
def tell_refusal(request: HttpRequest, *kinds: type[Exception]) -> Iterator[None]:
    """Show an error of one of these kinds, which has words for people, on the page that follows; it ends the block."""
    try:
        yield
    except kinds as error:
        messages.error(request, str(error))


def redirect_back(request: HttpRequest, found: Document) -> HttpResponse:
    """Back to where the button was: the base's list or the document's own page."""
    if request.POST.get("from") == "base":
        return redirect("documents:base", found.base_id)
    page = number_of(request.POST, "page")
    return redirect(reverse("documents:document", args=[found.pk]) + (f"?page={page}" if page else ""))
