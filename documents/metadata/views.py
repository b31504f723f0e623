"""The page of a base's own fields, and the filters kept of its list."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.requests import user_of
from documents import access
from documents.metadata.fields import (
    FIELDS_MAX,
    NAME_MAX,
    ChoicesError,
    MetadataError,
    add_field,
    count_values,
    remove_field,
    rename_field,
)
from documents.metadata.filters import PARTS, FilterError, filter_address, removable_filters, save_filter
from documents.models import MetadataField
from documents.views import describe_base, tell_refusal


@require_http_methods(["GET", "HEAD", "POST"])
def fields(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What is noted of the documents of a base; owners add a field."""
    found = access.get_base(request.user, pk, *(access.OWN if request.method == "POST" else ()))
    fault, at, typed = "", "name", {name: request.POST.get(name, "") for name in ("name", "kind", "choices")}
    if request.method == "POST":
        try:
            add_field(found, typed["name"], typed["kind"], typed["choices"].split(","), user_of(request))
        except MetadataError as error:
            fault, at = str(error), "choices" if isinstance(error, ChoicesError) else "name"
        else:
            messages.success(request, gettext("The field is there. Note its values under “Title and tags”."))
            return redirect("documents:fields", pk)
    shown = {
        **describe_base(request, found),
        "fields": count_values(found),
        "kinds": MetadataField.Kind.choices,
        "fields_max": FIELDS_MAX,
        "name_max": NAME_MAX,
        "typed": typed,
        "fault": fault,
        "fault_at": at if fault else "",
    }
    return render(request, "documents/fields.html", shown, status=400 if fault else 200)


@require_POST
def name_field(request: HttpRequest, pk: UUID, field_pk: int) -> HttpResponse:
    if field := get_field(request, pk, field_pk):
        with tell_refusal(request, MetadataError):
            rename_field(field, request.POST.get("name", ""), user_of(request))
            messages.success(request, gettext("The field is called “%(name)s” now.") % {"name": field.name})
    return redirect("documents:fields", pk)


@require_POST
def delete_field(request: HttpRequest, pk: UUID, field_pk: int) -> HttpResponse:
    if field := get_field(request, pk, field_pk):
        remove_field(field, user_of(request))
        messages.success(request, gettext("“%(name)s” and its values are removed.") % {"name": field.name})
    return redirect("documents:fields", pk)


def get_field(request: HttpRequest, pk: UUID, field_pk: int) -> MetadataField | None:
    """A field of a base of its owner; without one, who asked is told."""
    field = access.get_base(request.user, pk, *access.OWN).metadata_fields.filter(pk=field_pk).first()
    if field is None:
        messages.error(request, gettext("This field is not there any more."))
    return field


@require_POST
def keep_filter(request: HttpRequest, pk: UUID) -> HttpResponse:
    found = access.get_base(request.user, pk)
    parts = {part: request.POST.get(part, "") for part in PARTS}
    address = reverse("documents:base", args=[pk])
    with tell_refusal(request, FilterError):
        name, is_shared = request.POST.get("name", ""), "shared" in request.POST
        kept = save_filter(found, user_of(request), name, parts, is_shared=is_shared)
        messages.success(request, gettext("The filter “%(name)s” is kept.") % {"name": kept.name})
        address = f"{address}?{filter_address(kept)}"
    return redirect(address)


@require_POST
def delete_filter(request: HttpRequest, pk: UUID, filter_pk: int) -> HttpResponse:
    """Remove a kept filter: one's own, or a shared one as an owner."""
    found = access.get_base(request.user, pk)
    removable_filters(found, user_of(request)).filter(pk=filter_pk).delete()
    return redirect("documents:base", pk)
