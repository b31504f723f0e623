"""The pages of accounts: accepting an invitation, the site's people, and one's own sessions."""

from typing import Any

from allauth.account.utils import perform_login
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms import InvitationForm, PasswordForm
from accounts.invitations import AccountDisabled, InvitationClosed, accept, invite
from accounts.mail import send_invitation
from accounts.models import Invitation, User
from accounts.people import LastAdministrator, people, set_active, set_administrator
from accounts.sessions import end_others, end_session, sessions_of


def administrator(request: HttpRequest) -> User:
    """The administrator making the request; others get a 404."""
    if not (isinstance(request.user, User) and request.user.is_superuser):
        raise Http404
    return request.user


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponseBase:
    """Choose a password by a one-time link and sign in; a used or expired link gives a 404."""
    found = Invitation.open_for(token).select_related("user").first()
    if found is None:
        raise Http404(_("This link has been used or is too old."))
    form = PasswordForm(request.POST or None, initial={"name": found.user.name}, label_suffix="")
    form.known_email = found.user.email
    if request.method == "POST" and form.is_valid():
        try:
            person = accept(token, **form.cleaned_data)
        except InvitationClosed:
            raise Http404(_("This link has been used or is too old.")) from None
        arrived: HttpResponseBase = perform_login(request, person, redirect_url=reverse("home"))
        return arrived
    shown = {"form": form, "person": found.user}
    return render(request, "accounts/invitation.html", shown, status=400 if form.errors else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def people_page(request: HttpRequest) -> HttpResponse:
    """Everybody who may sign in, and the form to invite."""
    asking = administrator(request)
    form = InvitationForm(request.POST or None, label_suffix="")
    shown: dict[str, Any] = {}
    if request.method == "POST" and form.is_valid():
        try:
            shown = invite_and_send(request, form.cleaned_data["email"], form.cleaned_data["name"], asking)
            form = InvitationForm(label_suffix="")
        except AccountDisabled as error:
            form.add_error("email", str(error))
    shown |= {"form": form, "people": people()}
    return render(request, "accounts/people.html", shown, status=400 if form.errors else 200)


def invite_and_send(request: HttpRequest, email: str, name: str, asking: User) -> dict[str, Any]:
    """Invite a person; if no mail server accepted the link, show it once. Raises AccountDisabled."""
    person, token = invite(email, asking, name)
    link = request.build_absolute_uri(reverse("accounts:invitation", args=[token]))
    return {"invited": person, "link": link, "is_sent": send_invitation(person, link, asking)}


@require_POST
def edit_person(request: HttpRequest, pk: int) -> HttpResponse:
    """Change a person's rights on the whole site, or make a new link for them."""
    asking = administrator(request)
    found = people().filter(pk=pk).first()
    if found is None:
        raise Http404
    action = request.POST.get("action")
    try:
        if action == "link":
            shown = invite_and_send(request, found.email, found.name, asking) | {
                "form": InvitationForm(),
                "people": people(),
            }
            return render(request, "accounts/people.html", shown)
        change_person(found, action, asking)
    except AccountDisabled as error:
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
    changes[action]()


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sessions(request: HttpRequest) -> HttpResponse:
    """One's sessions; POST ends one of the others, or all of them."""
    assert isinstance(request.user, User)
    UserSession.objects.create_from_request(request)
    if request.method == "POST":
        one = request.POST.get("session", "")
        ended = end_session(request.user, one, request) if one else end_others(request.user, request)
        messages.success(request, ngettext("%(n)d session ended.", "%(n)d sessions ended.", ended) % {"n": ended})
        return redirect("accounts:sessions")
    return render(request, "accounts/sessions.html", {"sessions": sessions_of(request.user, request)})
