"""The card on the page of a document (R15): shown small, edited in place, its versions below."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.requests import user_of
from documents import access
from documents.cards.editing import CardForm
from documents.cards.showing import show_card
from documents.cards.types import TYPES
from documents.cards.versions import card_of, edit_card, undo_edits


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The form of a card with its versions; POST stores what a person says."""
    found = access.get_document(request.user, pk, *access.WRITE)
    form = CardForm(request.POST or None, card=card_of(found))
    if request.method == "POST" and form.is_valid():
        if found.current_parse is None:
            messages.error(request, gettext("This document has not been read yet."))
        else:
            edit_card(found, form.edited(), user_of(request))
            messages.success(request, gettext("The card is saved."))
        return redirect("documents:document", found.pk)
    shown = {
        "document": found,
        "form": form,
        "shown": show_card(found),
        "versions": [(row, TYPES[row.content["type"]].label) for row in found.cards.order_by("-number")],
    }
    return render(request, "documents/card.html", shown, status=400 if form.errors else 200)


@require_POST
def undo(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Let the card that was made without a person hold again."""
    found = access.get_document(request.user, pk, *access.WRITE)
    undo_edits(found, user_of(request))
    messages.success(request, gettext("The card is again the one that was read."))
    return redirect("documents:document", found.pk)
