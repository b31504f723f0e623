"""Forms that make accounts: the first owner's, an invited person's, and the invitation itself."""

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.utils.translation import gettext_lazy as _

from accounts.models import User

LINE = {"class": "field grow"}


class PasswordForm(forms.Form):
    """Name and password of a person whose address is known."""

    name = forms.CharField(max_length=120, label=_("Your name"), widget=forms.TextInput(attrs={"autocomplete": "name"}))
    password = forms.CharField(
        label=_("Password"),
        help_text=_("At least 10 characters."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        strip=False,
    )
    known_email = ""

    def full_clean(self) -> None:
        """Typing goes on where something is wrong, or begins with the first field."""
        super().full_clean()
        first = next((name for name in self.errors if name in self.fields), next(iter(self.fields)))
        self.fields[first].widget.attrs["autofocus"] = True

    def clean(self) -> None:
        super().clean()
        cleaned = self.cleaned_data
        if "password" in cleaned:
            person = User(email=cleaned.get("email", self.known_email), name=cleaned.get("name", ""))
            try:
                validate_password(cleaned["password"], person)
            except forms.ValidationError as error:
                self.add_error("password", error)


class FirstOwnerForm(PasswordForm):
    email = forms.EmailField(label=_("E-mail"), widget=forms.EmailInput(attrs={"autocomplete": "username"}))
    field_order = ["name", "email", "password"]

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"].lower()
        if User.objects.filter(email=email).exists():
            raise forms.ValidationError(_("Somebody with this e-mail exists already."))
        return email


class InvitationForm(forms.Form):
    email = forms.EmailField(
        max_length=254, widget=forms.EmailInput(LINE | {"placeholder": _("E-mail of a new person")})
    )
    name = forms.CharField(max_length=120, required=False, widget=forms.TextInput(LINE | {"placeholder": _("Name")}))

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"].lower()
        if User.objects.filter(email=email, is_active=True).exists():
            raise forms.ValidationError(_("Somebody with this e-mail exists already."))
        return email
