"""The pages of links: made and revoked by whoever asked, opened by the people of the base or by whoever has the token.

A link that is wrong, expired, revoked, erased or not allowed any more gives the same 404.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

from csp.decorators import csp
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import user_of
from accounts.views import closed_link
from chat.models import Conversation, Share, Turn
from chat.objections import find_objections
from chat.sharing import links
from chat.sharing.shown import cited_document, shared_turns
from chat.views import small_number
from documents.access import ids_in
from documents.ingestion import page_images
from documents.models import KnowledgeBase, Role
from documents.views import image_response

LISTED_MAX = 200
NOTHING_ELSE = {  # what a page for outsiders may load or send
    "default-src": ["'none'"],
    "style-src": ["'self'"],
    "img-src": ["'self'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    "frame-ancestors": ["'none'"],
}


@require_http_methods(["GET", "HEAD", "POST"])
def share(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """The links of a conversation, and the forms that make one, of all of it or of the answer named by ?turn=."""
    user = user_of(request)
    found = get_object_or_404(Conversation.objects.visible_to(user).select_related("base"), pk=conversation_id)
    turn = chosen_turn(found, request.POST.get("turn") or request.GET.get("turn", ""))
    made: dict[str, object] = {}
    if request.method == "POST":
        try:
            made = make_link(request, found, turn)
        except links.CannotShare as refusal:
            made = {"fault": str(refusal)}
    shown = {
        "conversation": found,
        "turn": turn,
        "days": links.DAYS,
        "allows_outside": links.allows_outside(found.base),
        "may_own": KnowledgeBase.objects.with_role(user, Role.OWNER).filter(pk=found.base_id).exists(),
        "rows": rows_of(request, Share.objects.filter(conversation=found)),
        **made,
    }
    return render(request, "chat/shared/share.html", shown, status=400 if made.get("fault") else 200)


def make_link(request: HttpRequest, conversation: Conversation, turn: Turn | None) -> dict[str, object]:
    """Make the link that a form asks for, and what the page shows of it. Raises CannotShare."""
    user = user_of(request)
    if request.POST.get("whom") == Share.For.OUTSIDE:
        made, token = links.share_outside(user, conversation, turn, small_number(request.POST.get("days", "")))
        return {"made": made, "link": request.build_absolute_uri(reverse("shared:outside", args=[token]))}
    made = links.share_inside(user, conversation, turn)
    return {"made": made, "link": inside_address(request, made)}


def chosen_turn(conversation: Conversation, text: str) -> Turn | None:
    """The turn of an address or form; None for the whole conversation. Raises Http404."""
    if not text:
        return None
    try:
        return get_object_or_404(conversation.turns, pk=UUID(text))
    except ValueError:
        raise Http404("There is no such turn.") from None


def inside_address(request: HttpRequest, share: Share) -> str:
    return request.build_absolute_uri(reverse("chat:shared", args=[share.pk]))


@require_safe
def list_links(request: HttpRequest) -> HttpResponse:
    """Every link a person made, and those of the bases they own; of one base, if the address names one."""
    user = user_of(request)
    shares = Share.objects.made_by(user)
    base = KnowledgeBase.objects.visible_to(user).filter(pk__in=ids_in(request.GET.get("base", ""))).first()
    rows = rows_of(request, shares.filter(conversation__base=base) if base else shares)
    return render(request, "chat/shared/links.html", {"rows": rows, "base": base})


def rows_of(request: HttpRequest, shares: Any) -> list[dict[str, object]]:
    """Links with whether they still open, and the address of those that may be shown again."""
    shares = shares.select_related("conversation__base", "conversation__user", "turn")[:LISTED_MAX]
    opens = set(Share.objects.open().filter(pk__in=[each.pk for each in shares]).values_list("pk", flat=True))
    judged = judged_shares(shares)
    return [
        {
            "share": each,
            "outcome": judged.get(each.pk, ""),
            "is_own": each.conversation.user_id == request.user.pk,
            "has_expired": each.expires_at is not None and each.expires_at <= timezone.now(),
            "opens": each.pk in opens and (not each.is_outside or links.allows_outside(each.conversation.base)),
            # Owners, who see others' links, may read it.
            "trail": reverse("audit:trail", args=[each.turn.run_id]) if each.turn and each.turn.run_id else "",
            "link": "" if each.is_outside else inside_address(request, each),
        }
        for each in shares
    ]


def judged_shares(shares: Any) -> dict[UUID, str]:
    """The outcome of each link that shows an answer a reviewer does not agree with; of several, of the first."""
    turns = Turn.objects.filter(conversation__in={each.conversation_id for each in shares}).order_by("number")
    asked = list(turns.values_list("pk", "conversation_id", "created_at"))
    shown = {
        each.pk: [each.turn_id]
        if each.turn_id
        else [pk for pk, of, at in asked if of == each.conversation_id and at <= each.created_at]
        for each in shares
    }
    found = find_objections({pk for turns in shown.values() for pk in turns}, None)
    codes = {pk: [found[turn].code for turn in turns if turn in found] for pk, turns in shown.items()}
    return {pk: first[0] for pk, first in codes.items() if first}


@require_POST
def close_link(request: HttpRequest, share_id: UUID) -> HttpResponse:
    user = user_of(request)
    found = get_object_or_404(Share.objects.made_by(user).select_related("conversation", "turn"), pk=share_id)
    links.revoke_link(found, user)
    messages.success(request, gettext("The link is revoked: it opens nothing any more."))
    return redirect("chat:links")


@require_safe
def inside(request: HttpRequest, share_id: UUID) -> HttpResponse:
    """What a link shows to the people of the base, to read."""
    user = user_of(request)
    found = links.open_inside(user, share_id)
    if found is None:
        raise Http404("There is no such link.")
    links.note_opening(found, str(user))
    turns = shared_turns(found, lambda document_id, number: reverse("documents:page_image", args=[document_id, number]))
    return render(request, "chat/shared/inside.html", {"share": found, "turns": turns})


@login_not_required
@require_safe
@csp(NOTHING_ELSE)  # type: ignore[arg-type]  # whose types know views without arguments only
def outside(request: HttpRequest, token: str) -> HttpResponse:
    """What a link shows to whoever has it, for some days; each opening is on record."""
    found = links.open_outside(token)
    if found is None:
        return keep_unlisted(closed_link(request))
    links.note_opening(found, links.SOMEBODY)
    turns = shared_turns(found, lambda document_id, number: reverse("shared:image", args=[token, document_id, number]))
    last_day = found.expires_at - timedelta(seconds=1) if found.expires_at else None
    shown = {"share": found, "turns": turns, "last_day": last_day}
    return keep_unlisted(render(request, "chat/shared/outside.html", shown))


@login_not_required
@require_safe
def outside_image(request: HttpRequest, token: str, document_id: UUID, number: int) -> HttpResponse:
    """The picture of a page that a link shows."""
    found = links.open_outside(token)
    document = cited_document(found, document_id, number) if found else None
    if document is None:
        raise Http404("There is no such page.")
    return keep_unlisted(image_response(lambda: page_images.make_page_image(document, number)), "no-store, private")


def keep_unlisted(response: HttpResponse, cached: str = "") -> HttpResponse:
    """A response that no search engine keeps and whose address no other site is told."""
    response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    response["Referrer-Policy"] = "no-referrer"
    if cached:
        response["Cache-Control"] = cached
    return response
