"""The first visit: a one-time link creates the owner, who gets the demo base if it was loaded."""

from allauth.account.utils import perform_login
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from accounts.forms import FirstOwnerForm
from accounts.models import OwnerLink, User
from accounts.owner import LinkUsed, make_first_owner
from chat.turns.demo import hand_over


@login_not_required
@never_cache
def first_owner(request: HttpRequest, token: str) -> HttpResponseBase:
    """The form that creates the first owner; a used or expired link gives a 404."""
    if not OwnerLink.open_for(token).exists():
        raise Http404(_("This link has been used or is too old."))
    form = FirstOwnerForm(request.POST or None, label_suffix="")
    if request.method == "POST" and form.is_valid():
        try:
            owner = make_first_owner(token, **form.cleaned_data)
        except LinkUsed:
            raise Http404(_("This link has been used or is too old.")) from None
        hand_over(owner)
        arrived: HttpResponseBase = perform_login(request, owner, redirect_url=reverse("home"))
        return arrived
    return render(request, "accounts/first_owner.html", {"form": form}, status=400 if form.errors else 200)


@login_not_required
def home(request: HttpRequest) -> HttpResponse:
    """The bases of a signed-in person; before there is an owner, how to become it."""
    if request.user.is_authenticated:
        return redirect("documents:bases")
    if not User.objects.filter(is_superuser=True).exists():
        return render(request, "accounts/no_owner.html")
    return redirect("account_login")
