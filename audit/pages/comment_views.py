"""Comments on a document: a part of its page and of the trail, and the form that adds to it; who cites a line of it."""

from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from accounts.requests import user_of
from audit.access_log import record_event
from audit.models import Comment
from audit.pages.forms import CommentForm
from audit.review.comments import (
    LINES_MAX,
    CommentRefused,
    begin_thread,
    lines_at,
    reply_to_comment,
    threads_on_lines,
    threads_on_page,
)
from chat.page.citing import answers_citing
from documents.access import get_document, get_or_404
from documents.models import Document, Parse
from documents.pages.address import number_of
from documents.views import chosen_parse
from retrieval.types import LineRange


@require_http_methods(["GET", "HEAD", "POST"])
def comments(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """The threads on a page of a document, or about lines of it; a POST adds a comment or a reply.

    Everybody who reads the document reads and writes them.
    """
    document = get_document(request.user, document_id)
    parse = chosen_parse(request, document)
    if parse is None:
        raise Http404("The document has no such parse.")
    place, page = read_place(request.GET), number_of(request.GET, "page")
    shown: dict[str, object] = {"document": document, "parse": parse, "place": place}
    if request.method == "POST":
        shown |= add_comment(request, document, parse, place)
        if "HX-Request" not in request.headers:
            return back_to_page(request, document, parse, str(shown.get("fault", "")))
    shown["words"] = " ".join(line.text for line in lines_at(parse.pk, place)) if place else ""
    shown["threads"] = threads_on_page(parse, page) if page else threads_on_lines(parse.pk, place) if place else []
    shown["is_open"] = bool(page) or "fault" in shown  # beside a candidate it is one thing of many
    shown["query"] = request.GET.urlencode()
    return render(request, "audit/_comments.html", shown)


@require_GET
def citing(request: HttpRequest, document_id: UUID, line: int) -> HttpResponse:
    """Which answers cite a line of a document, of those the reader may see; others' questions are shown on record."""
    user = user_of(request)
    document = get_document(user, document_id)
    parse = chosen_parse(request, document)
    if parse is None:
        raise Http404("The document has no such parse.")
    found = answers_citing(user, parse.pk, line)
    others = [str(each.run_id) for each in found.answers if each.asked_by_id != user.pk]
    if others:
        told = {"base": str(document.base_id), "document": str(document.pk), "line": line, "runs": others}
        record_event(user, "citing", None, **told)
    return render(request, "chat/_citing.html", {"citing": found})


def read_place(query: QueryDict) -> LineRange | None:
    """The lines an address names, at most as many as a comment may be about."""
    first = number_of(query, "line")
    if not first:
        return None
    last = number_of(query, "to") or first
    return LineRange(first, min(max(first, last), first + LINES_MAX - 1))


def add_comment(request: HttpRequest, document: Document, parse: Parse, place: LineRange | None) -> dict[str, object]:
    """Store what was sent; what was added, or why not with the words that were typed."""
    form = CommentForm(request.POST)
    typed = {"typed": request.POST.get("text", ""), "replying": request.POST.get("reply_to", "")}
    if not form.is_valid():
        return {"fault": _("Write something, of at most 4,000 characters."), **typed}
    user, text, replied = user_of(request), form.cleaned_data["text"], form.cleaned_data["reply_to"]
    try:
        if replied:
            first = get_or_404(Comment.objects.filter(document_id=document.pk).select_related("reply_to"), replied)
            return {"added": reply_to_comment(first, user, text)}
        return {"added": begin_thread(document, parse, place, user, text)}
    except CommentRefused as refusal:
        return {"fault": str(refusal), **typed}


def back_to_page(request: HttpRequest, document: Document, parse: Parse, fault: str) -> HttpResponse:
    """To the page of the document, for a form that a browser sent by itself."""
    if fault:
        messages.error(request, fault)
    else:
        messages.success(request, _("Your comment is saved."))
    query = {"parse": parse.number} | {
        name: request.GET[name] for name in ("page", "line", "to") if name in request.GET
    }
    return redirect(f"{reverse('documents:document', args=[document.pk])}?{urlencode(query)}#comments")
