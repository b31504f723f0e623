"""The page of a person's tokens: create (the secret is shown once), list, revoke."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import Scope, Token
from accounts.requests import user_of
from accounts.tokens import TooManyTokens, make_token, revoke_token

LIFETIMES = [
    (7, gettext_lazy("7 days")),
    (30, gettext_lazy("30 days")),
    (90, gettext_lazy("90 days")),
    (365, gettext_lazy("a year")),
]


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=80,
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("Where it will be used, so that you know later which one to revoke."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "class": "field"}),
    )
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices,
        label=gettext_lazy("It may"),
        widget=forms.CheckboxSelectMultiple,
        initial=[Scope.READ, Scope.ASK],
    )
    days = forms.TypedChoiceField(
        choices=LIFETIMES,
        coerce=int,
        label=gettext_lazy("It expires after"),
        initial=90,
        widget=forms.Select(attrs={"class": "field"}),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """One's own tokens, the form to create one, and the secret of a token just created."""
    person = user_of(request)
    form = TokenForm(request.POST if request.method == "POST" else None, label_suffix="")
    made, secret = None, ""
    if request.method == "POST" and form.is_valid():
        try:
            made, secret = make_token(person, **form.cleaned_data)
            form = TokenForm(label_suffix="")
        except TooManyTokens as refusal:
            form.add_error(None, str(refusal))
    shown = {"form": form, "made": made, "secret": secret, "tokens": person.tokens.all()}
    return render(request, "accounts/tokens.html", shown, status=400 if form.errors else 200)


@require_POST
def revoke(request: HttpRequest, pk: UUID) -> HttpResponse:
    token = get_object_or_404(Token, pk=pk, user=user_of(request))
    if revoke_token(token, token.user):
        messages.success(request, _("“%(name)s” opens nothing any more.") % {"name": token.name})
    return redirect("tokens")
