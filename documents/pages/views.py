"""The search in a base, the way to the version of a document that answers now, and files that one carries."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import user_of
from documents import access
from documents.ingestion.tasks import start
from documents.keyset import rows_after
from documents.pages.address import read_words_parameter
from documents.pages.listing import filter_documents
from documents.pages.places import ORDER, passages_in, show_places
from documents.pages.sentences import translate_sentence
from documents.storage.attachments import take_in
from documents.storage.replacement import latest
from reading.reasons import ReadingError

PLACES_A_PAGE = 20
WORDS_MAX = 200  # characters, as in the list of documents
CURSOR = re.compile(r"([0-9]{1,9})-([0-9]{1,18})")  # the rank and id of the last place shown


@require_safe
def search_base(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Where words stand in the documents of a base, with the page of each place; best places first."""
    found = access.get_base(request.user, pk)
    q = read_words_parameter(request.GET, "q")[:WORDS_MAX]
    if not q:
        return redirect("documents:base", pk)
    passages = passages_in(filter_documents(found.documents.living(), {"tag": read_tag(request.GET)}), q)
    if cursor := CURSOR.fullmatch(request.GET.get("after", "")):
        passages = rows_after(passages, ORDER, [int(cursor[1]), int(cursor[2])])
    rows = list(passages[: PLACES_A_PAGE + 1])
    last: Any = rows[PLACES_A_PAGE - 1] if len(rows) > PLACES_A_PAGE else None
    shown = {
        "base": found,
        "q": q,
        "tag": read_tag(request.GET),
        "places": show_places(rows[:PLACES_A_PAGE], q),
        "more": f"{last.rank}-{last.pk}" if last else "",
        "is_first": not cursor,
    }
    return render(request, "documents/search.html", shown)


def read_tag(query: Mapping[str, str]) -> str:
    return read_words_parameter(query, "tag")[:WORDS_MAX]


@require_safe
def newest_version(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The version of a document that answers now, at the words of `quote` where they still stand."""
    found = access.get_document(request.user, pk)
    quote = read_words_parameter(request.GET, "quote")
    address = reverse("documents:document", args=[latest(found).pk])
    return redirect(f"{address}?{urlencode({'quote': quote})}" if quote else address)


@require_POST
def take_attachments(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Make documents of the base of the PDFs that are attached to a document."""
    found = access.get_document(request.user, pk, *access.WRITE)
    back = redirect("documents:document", found.pk)
    if found.trashed_at is not None or found.replaced_at is not None:
        return back
    try:
        taken = take_in(found, user_of(request))
    except ReadingError as error:
        messages.error(request, translate_sentence(error.message))
        return back
    start(*(document.jobs.get() for document in taken.documents))
    if taken.documents:
        words = ngettext(
            "%(count)s attached file is a document of this base now, and is being read.",
            "%(count)s attached files are documents of this base now, and are being read.",
            len(taken.documents),
        )
        messages.success(request, words % {"count": len(taken.documents)})
    elif not taken.refusals:
        messages.error(request, gettext("There is no attached PDF that is not in this base already."))
    for refusal in taken.refusals:
        messages.error(request, refusal)
    return back
