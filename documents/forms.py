"""Forms of a base: its name, members and settings, and the filter of its documents."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django import forms
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Invitation, User
from documents.base_settings import FIXED, BaseSettings, ChosenCutting, OverlapTooLong, SettingsError
from documents.cards.types import TYPES
from documents.models import KnowledgeBase, Role
from llm import rerank
from llm.embeddings import providers
from reading.characters import clean_name

CHOICE_WORDS = {
    "arbiter": _("Arbiter (model)"),
    "hybrid": _("Arbiter (model) after the rules have narrowed the choice"),
    "rules": _("Rules"),
    "rerank": _("Words and meaning, then a reranker"),
    "none": _("None"),
    "model": _("A model made for it"),
    "heuristic": _("Words, exact phrases and names of files"),
    "section": _("By section"),
    "page": _("By page"),
    "fixed": _("Fixed length"),
    "bundled": _("Bundled, on this machine"),
    "openai": _("OpenAI-compatible server"),
    "voyage": _("Voyage"),
    "breadcrumb": _("Section path"),
    "llm": _("Section path and a sentence by the model"),
    "automatic": _("By itself"),
    "on_request": _("When somebody asks for it"),
    "by_model": _("Rules, then the model"),
    "auto": _("Where it is doubtful"),
    "extend": _("To go deeper than an outline of one or two levels"),
    "composite": _("Always"),
    "on": _("Yes"),
    "off": _("No"),
}
# Each setting's label, its explanation and why its default suits most people, in the order of the page.
EXPLAINED = {
    "ranking": (
        _("Ranking"),
        _(
            "The arbiter reads every candidate and the table of contents once. "
            "Rules need no model, a reranker judges nothing."
        ),
        _("who reads all passages can say what answers and what does not, and without a model the rules do it"),
    ),
    "reranking": (
        _("Order of found passages"),
        _(
            "For “Words and meaning, then a reranker”: what orders the passages that words and meaning found. "
            "Only a model reads question and passage together; it is asked over the network."
        ),
        _("it orders best"),
    ),
    "chunking": (
        _("Passages"),
        _("How text is cut for search. A document follows a change when it is read again; old answers keep theirs."),
        _("a section is what people cite"),
    ),
    "chunk_size": (_("Passage length"), _("Characters of a passage of fixed length."), _("about a third of a page")),
    "chunk_overlap": (
        _("Overlap"),
        _("Characters that two passages of fixed length share."),
        _("no sentence is lost at a cut"),
    ),
    "contextualisation": (
        _("Context"),
        _(
            "What is searched with every passage and never quoted. "
            "The model writes a sentence on each; tokens are recorded."
        ),
        _("it costs nothing and tells the search which chapter a passage is of"),
    ),
    "embeddings": (
        _("Embeddings"),
        _("Search by meaning. Keyword, title and pattern search work without. A server reads every passage it embeds."),
        _("nothing leaves this machine"),
    ),
    "cards": (
        _("Document cards"),
        _(
            "Type, parties, dates and a short summary of each document, for finding and naming it. The model gets the "
            "first two pages and the contents once for each reading; tokens are recorded. A card is never quoted."
        ),
        _("it costs nothing, and nothing leaves this machine"),
    ),
    "recognition": (
        _("Text recognition"),
        _(
            "Of pages and pictures without text, and of tables that were torn apart, when the optional libraries are "
            "installed."
        ),
        _("scans can be asked without anybody thinking of it"),
    ),
    "contents_check": (
        _("Check of the contents"),
        _(
            "A model looks over a table of contents that was told from print, in three requests at most for a "
            "document. What it names must be printed; what it costs is recorded."
        ),
        _("an outline that the file brings needs no check, and without a model nothing is asked"),
    ),
    "passages_max": (
        _("Citations at most"),
        _("Passages the answer is written from."),
        _("more makes an answer longer, not better"),
    ),
    "per_document_max": (
        _("Of one document"),
        _("Passages of one document at most, where several documents give some."),
        _("one long document does not push out the others"),
    ),
    "pool_max": (
        _("Candidates"),
        _("Places that are judged for one question at most."),
        _("what one call of the arbiter reads well"),
    ),
    "nearness_min": (
        _("Nearness in meaning"),
        _(
            "In per cent: what is less near to the question is not proposed by meaning alone. Words and titles propose "
            "it all the same, and a question may ask for more or less."
        ),
        _("nothing that may answer is left out, and the arbiter refuses the rest"),
    ),
    "second_look": (
        _("Second look"),
        _(
            "When passages are missing, the model may name sections or words to look up, and judges once more. "
            "It costs a second request, and both are in the record."
        ),
        _("a question is not given up because the search missed a place"),
    ),
    "claim_check": (
        _("Claim check"),
        _(
            "Another request compares each sentence the model wrote with the quotes it cites. "
            "What they do not say is written again once, and left out if it still does not fit."
        ),
        _("a wrong sentence with a right quote is the worst answer there is"),
    ),
    "repeats": (
        _("Answers from the record"),
        _(
            "A question asked before in the same words, of the same documents with the same settings, gets the answer "
            "it had, with its date and at no cost. So does an equal request to the model. “Ask again” always asks anew."
        ),
        _("the same question gets the same answer, at once"),
    ),
    "skip_model": (
        _("Clear hits without a model"),
        _(
            "When one title or line is clearly ahead of all others and the rules are sure of it, they judge, the "
            "answer is a quote, and no model is asked. The trail says why. Thorough questions always ask the model."
        ),
        _("a model reads more closely than rules do"),
    ),
    "cross_encoder": (
        _("Reading for answers"),
        _(
            "Where rules judge, a small model that comes with the program reads the question with the sentences of the "
            "first passage, in English. How far that reads as an answer counts beside the words found, and a sentence "
            "that surely does may be said first; the trail says so where it clearly does, and the record how far. "
            "Nothing is sent anywhere."
        ),
        _("measured: at the same risk fewer answers are held back in most kinds of document"),
    ),
    "risk_max": (
        _("Risk, in per cent"),
        _(
            "Without a model: of questions the documents do not answer, how many may be answered all the same. "
            "With less risk, more questions get “no passage clearly answers this”."
        ),
        _("measured: about one question in eight that has an answer is then shown only what comes nearest"),
    ),
    "outside_links": (
        _("Links for people outside"),
        _(
            "Whoever asked may show an answer to somebody without an account: a page with the answer, its quotes and "
            "the pages they stand on, for a few days. Turned off, every such link is closed at once."
        ),
        _("what a base holds is shown to its people alone unless the owner wants it"),
    ),
    "pseudonyms": (
        _("Stand-ins for persons"),
        _(
            "Before anything leaves for a model, names of persons, addresses, e-mail addresses, telephone numbers and "
            "numbers of accounts, cards and persons are replaced by stand-ins such as “[Person 3]”, and put back in "
            "what it replies. What is not recognised goes out: above all a name without a title, initials or a label."
        ),
        _("a model reads names better than stand-ins, and not every name is found"),
    ),
    "golden_check": (
        _("Golden check before changes"),
        _(
            "A change of the model, of guidance, of the dictionary, of the rules of reading or of what is searched and "
            "judged is only proposed. It takes effect when the test questions were searched with it and none got worse."
        ),
        _("a base without reviewed answers has nothing to check by"),
    ),
}
OVERLAP_WORDS = _("The overlap must be smaller than the passage length.")


@contextmanager
def invalid_where(*kinds: type[Exception]) -> Iterator[None]:
    """Say an error of one of these kinds in the block as one of the form."""
    try:
        yield
    except kinds as error:
        raise forms.ValidationError(str(error)) from error


class SpokenForm(forms.Form):
    """A form whose errors a page or a reply says in one text."""

    @property
    def fault(self) -> str:
        """Everything that is wrong, a sentence each; "" if nothing is."""
        return " ".join(str(error) for errors in self.errors.values() for error in errors)


class BaseForm(forms.Form):
    name = forms.CharField(max_length=120, label=_("Name"), widget=forms.TextInput(attrs={"class": "field"}))

    def clean_name(self) -> str:
        if name := clean_name(self.cleaned_data["name"]):
            return name
        raise forms.ValidationError(_("A base needs a name one can see."))


REASON_MAX = 500  # characters


class TakeOverForm(forms.Form):
    """Why an administrator makes somebody else's base theirs as well."""

    reason = forms.CharField(
        max_length=REASON_MAX, label=_("Reason"), widget=forms.TextInput(attrs={"class": "field grow"})
    )

    def clean_reason(self) -> str:
        if reason := clean_name(self.cleaned_data["reason"]):
            return reason
        raise forms.ValidationError(_("Say why in a few words; the owners of the base can read it."))


class MemberForm(forms.Form):
    email = forms.EmailField(widget=forms.EmailInput({"class": "field grow", "placeholder": "name@example.org"}))
    role = forms.ChoiceField(choices=Role.choices, initial=Role.VIEWER, widget=forms.Select(attrs={"class": "field"}))

    def __init__(self, base: KnowledgeBase, *args: Any, may_invite: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.base, self.may_invite = base, may_invite

    def clean_email(self) -> User | str:
        """The person with that address; the address itself where its owner has to be invited, by somebody who may.

        Whoever has an invitation that still opens is only added: a new one would close the link they were given.
        """
        email: str = self.cleaned_data["email"].lower()
        if here := self.base.membership_set.filter(user__email=email).select_related("user").first():
            told = {"person": here.user, "role": here.get_role_display()}
            raise forms.ValidationError(
                _("%(person)s is a member already, with the role “%(role)s”. Change it in the list."), params=told
            )
        may_arrive = Q(is_active=True) | Q(pk__in=Invitation.objects.open().values("user"))
        user = User.objects.filter(may_arrive, email=email).first()
        if user is None and self.may_invite:
            return email
        if user is None:
            raise forms.ValidationError(
                _("Nobody here has this address. An administrator of the site has to invite the person first.")
            )
        return user


class SettingsForm(forms.Form):
    """One field per setting, derived from BaseSettings."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, (label, explanation, _why) in EXPLAINED.items():
            self.fields[name] = field_of(name)
            self.fields[name].label, self.fields[name].help_text = label, f"{explanation} {default_words(name)}"

    def clean(self) -> None:
        super().clean()
        if not self.errors:
            try:
                BaseSettings(**self.cleaned_data)
            except OverlapTooLong:
                self.add_error("chunk_overlap", OVERLAP_WORDS)
            except SettingsError as error:
                raise forms.ValidationError(str(error)) from error
            else:
                self.check_configured()

    def check_configured(self) -> None:
        """Refuse a provider that is not configured; one already chosen may stay."""
        values = self.cleaned_data
        is_remote = "embeddings" in self.changed_data and values["embeddings"] in ("openai", "voyage")
        if is_remote and (reason := providers.find_provider_obstacle(values["embeddings"])):
            self.add_error("embeddings", f"{reason}.")
        is_asked = {"ranking", "reranking"} & set(self.changed_data)
        by_model = values["ranking"] == "rerank" and values["reranking"] == "model"
        if is_asked and by_model and (reason := rerank.find_rerank_obstacle()):
            self.add_error("ranking", f"{reason}.")


def default_words(name: str) -> str:
    """The default of a setting, and why it suits most people."""
    default, why = BaseSettings().to_json()[name], EXPLAINED[name][2]
    if name in BaseSettings.CHOICES:
        return gettext("Default: %(value)s; %(why)s.") % {"value": CHOICE_WORDS[default], "why": why}
    low, high = BaseSettings.RANGES[name]
    told = {"value": default, "why": why, "low": low, "high": high}
    return gettext("Default: %(value)s, from %(low)s to %(high)s; %(why)s.") % told


def field_of(name: str) -> forms.Field:
    if name in BaseSettings.CHOICES:
        choices = [(value, CHOICE_WORDS[value]) for value in BaseSettings.CHOICES[name]]
        select = forms.Select(attrs={"class": "field"})
        return forms.ChoiceField(choices=choices, widget=select)
    low, high = BaseSettings.RANGES[name]
    entry = forms.NumberInput(attrs={"class": "field short"})
    return forms.IntegerField(min_value=low, max_value=high, widget=entry)


class CuttingForm(SpokenForm):
    """How the text of an upload is cut; what is left open is as the base says (R96)."""

    chunking = forms.ChoiceField(required=False, label=EXPLAINED["chunking"][0])
    chunk_size = forms.IntegerField(
        required=False, label=EXPLAINED["chunk_size"][0], help_text=EXPLAINED["chunk_size"][1]
    )
    chunk_overlap = forms.IntegerField(
        required=False, label=EXPLAINED["chunk_overlap"][0], help_text=EXPLAINED["chunk_overlap"][1]
    )

    def __init__(self, chosen: BaseSettings, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.chosen = chosen
        words = gettext("As this base: %(cutting)s") % {"cutting": CHOICE_WORDS[chosen.chunking]}
        choices = [("", words), *((name, CHOICE_WORDS[name]) for name in BaseSettings.CHOICES["chunking"])]
        own = self.fields["chunking"]
        assert isinstance(own, forms.ChoiceField)
        own.choices, own.widget = choices, forms.Select(attrs={"class": "field"}, choices=choices)
        for name in FIXED:
            low, high = BaseSettings.RANGES[name]
            limits = {"class": "field short", "min": low, "max": high, "placeholder": getattr(chosen, name)}
            self.fields[name].widget = forms.NumberInput(attrs=limits)

    def clean(self) -> None:
        super().clean()
        try:
            self.chosen_cutting: ChosenCutting = {} if self.errors else self.chosen.cutting(self.cleaned_data)
        except OverlapTooLong:
            raise forms.ValidationError(OVERLAP_WORDS) from None
        except SettingsError as error:
            raise forms.ValidationError(str(error)) from error


class FilterForm(forms.Form):
    """Filters of the list of documents; unknown values filter nothing. With a base it knows the base's own fields."""

    def __init__(self, *args: Any, base: KnowledgeBase | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields = base.metadata_fields.values_list("pk", "name") if base else ()
        self.fields["field"].choices = [("", _("Any field")), *((str(pk), name) for pk, name in fields)]  # type: ignore[attr-defined]
        for name in ("state", "toc", "type", "field"):
            self.fields[name].widget.attrs["class"] = "field"

    @property
    def chosen(self) -> dict[str, str]:
        """What the list is narrowed by, "" for what is not filled in or unknown."""
        self.is_valid()
        return {name: self.cleaned_data.get(name, "") for name in self.fields}

    tag = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)

    q = forms.CharField(
        required=False,
        max_length=200,
        widget=forms.TextInput(
            attrs={"type": "search", "class": "field", "placeholder": _("Title, file name or words inside")}
        ),
    )
    state = forms.ChoiceField(
        required=False,
        choices=[
            ("", _("Any state")),
            ("ready", _("Ready")),
            ("busy", _("In progress")),
            ("needs", _("Needs attention")),
        ],
    )
    toc = forms.ChoiceField(
        required=False, choices=[("", _("Any table of contents")), ("strong", _("Strong")), ("weak", _("Weak or none"))]
    )
    type = forms.ChoiceField(
        required=False, choices=[("", _("Any type")), *((code, kind.label) for code, kind in TYPES.items())]
    )
    field = forms.ChoiceField(required=False)
    value = forms.CharField(
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"class": "field", "placeholder": _("Value, or from..to")}),
    )
