"""The pages of accounts: accepting an invitation, the site's people, and one's own sessions."""

from typing import TypedDict
from urllib.parse import urlsplit

from allauth.account.utils import perform_login
from allauth.socialaccount.providers.openid_connect.views import login as openid_connect_login
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms import InvitationForm, PasswordForm
from accounts.invitations import AccountDisabled, InvitationClosed, accept, invite
from accounts.mail import send_invitation
from accounts.models import Invitation, User
from accounts.people import LastAdministrator, OwnRights, people, set_active, set_administrator
from accounts.requests import user_of
from accounts.sessions import end_others, sessions_of


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def sign_on(request: HttpRequest, provider_id: str) -> HttpResponseBase:
    """Send somebody who has pressed the button to the sign-on provider; whoever only follows a link is asked first.

    Our content security policy refuses forms that end at another host, so the form ends at a page of ours that goes on.
    """
    answer: HttpResponseBase = openid_connect_login(request, provider_id)
    address = answer.headers.get("Location", "")
    if request.method != "POST" or not urlsplit(address).netloc:
        return answer
    page = render(request, "accounts/leaving.html", {"address": address, "provider": settings.OIDC_NAME})
    page["Refresh"] = f"0; url={address}"
    return page


def administrator(request: HttpRequest) -> User:
    """The administrator making the request; others get a 404."""
    if not (isinstance(request.user, User) and request.user.is_superuser):
        raise Http404
    return request.user


def closed_link(request: HttpRequest) -> HttpResponse:
    """What every link that opens nothing says, whether there ever was one or not."""
    words = {"heading": _("This link no longer opens"), "words": _("Ask who sent it to you for a new one.")}
    return render(request, "refused.html", words, status=404)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponseBase:
    """Choose a password by a one-time link and sign in; a used or expired link gives a 404."""
    found = Invitation.open_for(token).select_related("user").first()
    if found is None:
        return closed_link(request)
    form = PasswordForm(request.POST or None, initial={"name": found.user.name}, label_suffix="")
    form.known_email = found.user.email
    if found.user.is_active:
        del form.fields["name"]  # somebody who is here already has one
    if request.method == "POST" and form.is_valid():
        try:
            person = accept(token, **{"name": found.user.name, **form.cleaned_data})
        except InvitationClosed:
            return closed_link(request)
        arrived: HttpResponseBase = perform_login(request, person, redirect_url=reverse("home"))
        return arrived
    shown = {"form": form, "person": found.user}
    return render(request, "accounts/invitation.html", shown, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def people_page(request: HttpRequest) -> HttpResponse:
    """Everybody who may sign in, and the form to invite."""
    asking = administrator(request)
    form = InvitationForm(request.POST or None, label_suffix="")
    shown: dict[str, object] = {}
    if request.method == "POST" and form.is_valid():
        try:
            shown |= invite_and_send(request, form.cleaned_data["email"], form.cleaned_data["name"], asking)
            form = InvitationForm(label_suffix="")
        except AccountDisabled as error:
            form.add_error("email", str(error))
    shown |= {"form": form, "people": people()}
    return render(request, "accounts/people.html", shown, status=400 if form.errors else 200)


class SentInvitation(TypedDict):
    """What a page shows of an invitation: its link is shown once, where no mail server accepted it."""

    invited: User
    link: str
    is_sent: bool


def invite_and_send(request: HttpRequest, email: str, name: str, asking: User) -> SentInvitation:
    """Invite a person; if no mail server accepted the link, show it once. Raises AccountDisabled."""
    person, token = invite(email, asking, name)
    link = request.build_absolute_uri(reverse("accounts:invitation", args=[token]))
    return {"invited": person, "link": link, "is_sent": send_invitation(person, link, asking)}


@require_POST
def edit_person(request: HttpRequest, pk: int) -> HttpResponse:
    """Change a person's rights on the whole site, or make a new link for them; not one's own rights."""
    asking = administrator(request)
    found = people().filter(pk=pk).first()
    if found is None:
        raise Http404
    action = request.POST.get("action")
    try:
        if action == "link":
            shown = invite_and_send(request, found.email, found.name, asking)
            return render(request, "accounts/people.html", shown | {"form": InvitationForm(), "people": people()})
        change_person(found, action, asking)
    except (AccountDisabled, OwnRights) as error:
        messages.error(request, str(error))
    except LastAdministrator:
        messages.error(request, _("Somebody has to administer the site. Make another person administrator first."))
    return redirect("accounts:people")


def change_person(found: User, action: str | None, asking: User) -> None:
    changes = {
        "disable": lambda: set_active(found, False, asking),
        "enable": lambda: set_active(found, True, asking),
        "promote": lambda: set_administrator(found, True, asking),
        "demote": lambda: set_administrator(found, False, asking),
    }
    if action not in changes:
        raise PermissionDenied
    if found == asking and action in ("disable", "demote"):
        raise OwnRights
    changes[action]()


@require_http_methods(["GET", "HEAD", "POST"])
def sessions(request: HttpRequest) -> HttpResponse:
    """One's sessions; POST ends one of the others, or all of them."""
    UserSession.objects.create_from_request(request)
    if request.method == "POST":
        ended = end_others(user_of(request), request, request.POST.get("session", ""))
        messages.success(request, ngettext("%(n)d session ended.", "%(n)d sessions ended.", ended) % {"n": ended})
        return redirect("accounts:sessions")
    return render(request, "accounts/sessions.html", {"sessions": sessions_of(user_of(request), request)})
