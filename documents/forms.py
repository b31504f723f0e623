"""The forms of a base: its name, its members, its settings, and the filter of its list of documents."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from documents.base_settings import BaseSettings, SettingsError
from documents.characters import clean_name
from documents.models import Role
from llm import embedders, rerank

CHOICE_WORDS = {
    "arbiter": "Arbiter (model)",
    "hybrid": "Arbiter (model) after the rules have narrowed the choice",
    "rules": "Rules",
    "rerank": "Hybrid search and a reranker",
    "none": "None",
    "section": "By section",
    "page": "By page",
    "fixed": "Fixed length",
    "bundled": "Bundled, on this machine",
    "openai": "OpenAI-compatible server",
    "voyage": "Voyage",
    "breadcrumb": "Section path",
    "llm": "Section path and a sentence by the model",
    "automatic": "By itself",
    "on_request": "When somebody asks for it",
}
# Name of the setting: its label and what it does, in the order of the page.
EXPLAINED = {
    "ranking": (
        "Ranking",
        "The arbiter reads every candidate and the table of contents once. Rules need no model, a reranker judges nothing.",
    ),
    "chunking": (
        "Passages",
        "How text is cut for search. A document follows a change when it is read again; old answers keep theirs.",
    ),
    "chunk_size": ("Passage length", "Characters of a passage of fixed length."),
    "chunk_overlap": ("Overlap", "Characters that two passages of fixed length share."),
    "contextualisation": (
        "Context",
        "What is searched with every passage and never quoted. The model writes a sentence on each; tokens are recorded.",
    ),
    "embeddings": (
        "Embeddings",
        "Search by meaning. Keyword, title and pattern search work without. A server reads every passage it embeds.",
    ),
    "recognition": ("Text recognition", "Of pages that are images, when the optional library is installed."),
    "passages_max": ("Citations at most", "Passages the answer is written from."),
    "per_document_max": ("Of one document", "Passages of one document at most, when a whole base is asked."),
    "pool_max": ("Candidates", "Places that are judged for one question at most."),
}


class BaseForm(forms.Form):
    name = forms.CharField(max_length=120, label="Name", widget=forms.TextInput(attrs={"class": "field"}))

    def clean_name(self) -> str:
        if name := clean_name(self.cleaned_data["name"]):
            return name
        raise forms.ValidationError(_("A base needs a name one can see."))


class MemberForm(forms.Form):
    email = forms.EmailField(label="E-mail", widget=forms.EmailInput(attrs={"class": "field grow"}))
    role = forms.ChoiceField(choices=Role.choices, initial=Role.VIEWER, widget=forms.Select(attrs={"class": "field"}))

    def __init__(self, *args: Any, may_invite: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.may_invite = may_invite

    def clean_email(self) -> User | str:
        """The person of that address; the address itself where it is new and the one who adds it may invite."""
        email: str = self.cleaned_data["email"].lower()
        user = User.objects.filter(email=email, is_active=True).first()
        if user is None and self.may_invite:
            return email
        if user is None:
            raise forms.ValidationError(
                _("Nobody here has this address. An administrator of the site has to invite the person first.")
            )
        return user


class SettingsForm(forms.Form):
    """One field a setting, made from what BaseSettings allows."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, (label, explanation) in EXPLAINED.items():
            self.fields[name] = field_of(name, label, explanation)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if not self.errors:
            try:
                BaseSettings(**values)
            except SettingsError as error:
                raise forms.ValidationError(str(error)) from error
            self.check_configured(values)
        return values

    def check_configured(self, values: dict[str, Any]) -> None:
        """Refuse a provider nobody configured; one that was chosen before and went away may stay."""
        is_remote = "embeddings" in self.changed_data and values["embeddings"] in ("openai", "voyage")
        if is_remote and (reason := embedders.obstacle(values["embeddings"])):
            self.add_error("embeddings", f"{reason}.")
        if "ranking" in self.changed_data and values["ranking"] == "rerank" and (reason := rerank.obstacle()):
            self.add_error("ranking", f"{reason}.")


def field_of(name: str, label: str, explanation: str) -> forms.Field:
    if name in BaseSettings.CHOICES:
        choices = [(value, CHOICE_WORDS[value]) for value in BaseSettings.CHOICES[name]]
        select = forms.Select(attrs={"class": "field"})
        return forms.ChoiceField(choices=choices, label=label, help_text=explanation, widget=select)
    low, high = BaseSettings.RANGES[name]
    entry = forms.NumberInput(attrs={"class": "field short"})
    return forms.IntegerField(min_value=low, max_value=high, label=label, help_text=explanation, widget=entry)


class FilterForm(forms.Form):
    """What the list of documents is narrowed to; an unknown value narrows nothing."""

    tag = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)

    q = forms.CharField(
        required=False,
        max_length=200,
        widget=forms.TextInput(
            attrs={"type": "search", "class": "field", "placeholder": "Title, file name or words inside"}
        ),
    )
    state = forms.ChoiceField(
        required=False,
        choices=[("", "Any state"), ("ready", "Ready"), ("busy", "In progress"), ("needs", "Needs you")],
        widget=forms.Select(attrs={"class": "field"}),
    )
    toc = forms.ChoiceField(
        required=False,
        choices=[("", "Any table of contents"), ("strong", "Strong"), ("weak", "Weak or none")],
        widget=forms.Select(attrs={"class": "field"}),
    )
