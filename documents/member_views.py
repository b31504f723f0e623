"""The page of a base's members: roles; owners add people, administrators also invite them here."""

from collections.abc import Mapping
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.invitations import AccountDisabled
from accounts.models import User
from accounts.requests import user_of
from accounts.views import invite_and_send
from documents import access
from documents.forms import MemberForm
from documents.models import KnowledgeBase, Role
from documents.views import describe_base, tell_refusal


@require_http_methods(["GET", "HEAD", "POST"])
def members(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The roles in a base; owners add people."""
    roles = access.OWN if request.method == "POST" else ()
    found = access.get_base(request.user, pk, *roles)
    form = MemberForm(found, request.POST or None, may_invite=may_invite(request))
    if request.method == "POST" and form.is_valid():
        person, role = form.cleaned_data["email"], form.cleaned_data["role"]
        if isinstance(person, User):
            return change_members(request, found, person, role)
        try:
            shown = invite_and_send(request, person, "", user_of(request))
        except AccountDisabled as error:
            form.add_error("email", str(error))
            return show_members(request, found, form, {})
        access.set_role(found, shown["invited"], role, user_of(request))
        return show_members(request, found, MemberForm(found, may_invite=True), shown)
    return show_members(request, found, form, {})


def may_invite(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_superuser


def show_members(
    request: HttpRequest, found: KnowledgeBase, form: MemberForm, invitation: Mapping[str, object]
) -> HttpResponse:
    memberships = found.membership_set.select_related("user").order_by("user__name", "user__email")
    shown = {
        **describe_base(request, found),
        **invitation,
        "form": form,
        "rows": [(membership, access.MAY[Role(membership.role)]) for membership in memberships],
        "roles": Role.choices,
        "may_by_role": [(label, access.MAY[Role(value)]) for value, label in Role.choices],
        "may_invite": may_invite(request),
    }
    return render(request, "documents/members.html", shown, status=400 if form.errors else 200)


@require_POST
def member(request: HttpRequest, pk: UUID, user_pk: int) -> HttpResponse:
    """Change a member's role, or remove the member (an empty role)."""
    found = access.get_base(request.user, pk, *access.OWN)
    user = found.members.filter(pk=user_pk).first()
    role = request.POST.get("role", "")
    if user is None or (role and role not in Role.values):
        raise Http404(_("There is no such member or role."))
    return change_members(request, found, user, role)


@require_POST
def new_link(request: HttpRequest, pk: UUID, user_pk: int) -> HttpResponse:
    """A new invitation for a member who has not come yet; the link before no longer opens."""
    found = access.get_base(request.user, pk, *access.OWN)
    awaited = found.members.filter(pk=user_pk, is_active=False, disabled_at=None).first()
    if awaited is None or not may_invite(request):
        raise Http404(_("There is no such member or role."))
    shown = invite_and_send(request, awaited.email, awaited.name, user_of(request))
    return show_members(request, found, MemberForm(found, may_invite=True), shown)


def change_members(request: HttpRequest, found: KnowledgeBase, user: User, role: str) -> HttpResponse:
    """Grant or remove a role, and stay on the page if it is still open to the person."""
    with tell_refusal(request, access.LastOwner):
        if role:
            access.set_role(found, user, role, user_of(request))
            told = {"person": user, "role": Role(role).label}
            messages.success(request, _("%(person)s now has the role “%(role)s”.") % told)
        else:
            access.remove_member(found, user, user_of(request))
            messages.success(request, _("%(person)s is no longer a member.") % {"person": user})
    is_still_in = access.role_in(request.user, found)
    return redirect("documents:members", found.pk) if is_still_in else redirect("documents:bases")
