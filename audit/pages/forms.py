"""Forms of the audit: filters of runs and changes, reviews, samples, sign-offs, replays, holds, erasures."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from audit.keeping.changes import WORDS as CHANGE_WORDS
from audit.keeping.erasure import Questioner
from audit.models import Review
from audit.review.comments import TEXT_MAX as COMMENT_MAX
from audit.review.replay import REPEATS_ON_PAGE_MAX, Judge
from audit.review.reviewing import Opinion
from audit.review.signing import propose_period
from audit.runs.listing import NOT_NEEDED, PARTLY, PASSAGES, STOPPED, UNJUDGED, RunsWanted
from audit.runs.outcomes import ARBITERS, METHOD_NAMES, REPAIR_NAMES, ROLE_NAMES, STATUSES
from audit.runs.risks import RISKS
from documents.access import ids_in
from documents.forms import SpokenForm
from documents.models import KnowledgeBase, Viewer
from ledger.holds import REASON_MIN as HOLD_REASON_MIN
from reading.characters import clean_words
from retrieval.models import RunCandidate
from retrieval.told.outcomes import MEANINGS, OUTCOMES

TEXT_MAX = 200
PAGE_MAX = 1_000_000
REVIEWS = {
    "": _("Every verdict"),
    "none": _("not reviewed"),
    "any": _("reviewed"),
    "wrong": _("answer wrong, or should be not found"),
    "overruled": _("a role overruled"),
    "objected": _("an objection"),
    "complaint": _("a reader complained"),
}


class DayInput(forms.DateInput):
    """A date in ISO format, as browsers submit it in any language."""

    input_type = "date"

    def __init__(self) -> None:
        super().__init__(format="%Y-%m-%d")


class OutcomeSelect(forms.Select):
    """A list of outcomes, each with its meaning as its title."""

    def create_option(self, name: str, value: Any, *arguments: Any, **named: Any) -> dict[str, Any]:
        option: dict[str, Any] = super().create_option(name, value, *arguments, **named)
        if value in MEANINGS:
            option["attrs"]["title"] = MEANINGS[value]
        return option


class FormOfBases(forms.Form):
    """A form with a `base`, one of those that its reader may choose."""

    def __init__(self, *arguments: Any, user: Viewer, **named: Any) -> None:
        super().__init__(*arguments, **named)
        bases = self.fields["base"]
        assert isinstance(bases, forms.ModelChoiceField)
        bases.queryset = self.bases_of(user)
        for field in self.fields.values():
            field.widget.attrs["class"] = "field"

    def bases_of(self, user: Viewer) -> QuerySet[KnowledgeBase]:
        return KnowledgeBase.objects.with_role(user, "auditor", "owner")


class RunFilters(FormOfBases):
    """Filters of runs, all optional. Bases are those the person may see. One candidate must match all its filters."""

    text = forms.CharField(max_length=TEXT_MAX, required=False, label=_("Text"))
    base = forms.ModelChoiceField(
        KnowledgeBase.objects.none(), required=False, label=_("Base"), empty_label=_("Every base")
    )
    status = forms.ChoiceField(
        choices=[
            ("", _("Every outcome")),
            *STATUSES.items(),
            *((each, OUTCOMES[each].words) for each in (PASSAGES, PARTLY, UNJUDGED, STOPPED)),
        ],
        required=False,
        label=_("Outcome"),
        widget=OutcomeSelect,
    )
    arbiter = forms.ChoiceField(
        choices=[("", _("Every arbiter")), *ARBITERS.items(), (NOT_NEEDED, _("Nobody, there was no candidate"))],
        required=False,
        label=_("Arbiter"),
    )
    since = forms.DateField(required=False, label=_("Asked from"), widget=DayInput())
    until = forms.DateField(required=False, label=_("until"), widget=DayInput())
    asked_by = forms.CharField(max_length=TEXT_MAX, required=False, label=_("Asked by"))
    document = forms.CharField(max_length=TEXT_MAX, required=False, label=_("Document"))
    model = forms.CharField(max_length=TEXT_MAX, required=False, label=_("Model"))
    review = forms.ChoiceField(choices=REVIEWS, required=False, label=_("Verdict"))
    sign = forms.ChoiceField(
        choices=[("", _("any")), *((name, risk.words) for name, risk in RISKS.items())],
        required=False,
        label=_("Sign of risk"),
    )
    role = forms.ChoiceField(choices=[("", _("any")), *ROLE_NAMES.items()], required=False, label=_("Role"))
    method = forms.ChoiceField(choices=[("", _("any")), *METHOD_NAMES.items()], required=False, label=_("Detector"))
    repair = forms.ChoiceField(choices=[("", _("any")), *REPAIR_NAMES.items()], required=False, label=_("Quote"))
    page = forms.IntegerField(min_value=1, max_value=PAGE_MAX, required=False, label=_("Page"))

    MAIN = ("text", "base", "status", "review", "arbiter")

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.fields["text"].widget.attrs |= {"placeholder": _("Words in the question or a reason"), "type": "search"}
        self.fields["document"].widget.attrs["placeholder"] = _("Words of its title, or its id")
        self.fields["asked_by"].widget.attrs["placeholder"] = _("Name or e-mail")
        self.fields["model"].widget.attrs["placeholder"] = _("How its name begins")

    def wanted(self) -> RunsWanted:
        return cast(RunsWanted, {name: value for name, value in self.cleaned_data.items() if value})

    def bases_of(self, user: Viewer) -> QuerySet[KnowledgeBase]:
        return KnowledgeBase.objects.visible_to(user)


REASON_MIN = 10  # characters that are not white space (AT9)
REASON_MAX = 4000
REASON_ATTRS = {"class": "field", "minlength": str(HOLD_REASON_MIN)}  # a browser says so before words are lost
SAMPLE_MAX = 1000
SAMPLE_SIZE = 59  # AT11: no fault in so many means at most 5 % faulty, with 95 % confidence
OF_CANDIDATE = ("agree", "overrule")
OF_ANSWER = ("agree", "wrong", "incomplete", "unsupported", "absent")
ROLES = ("primary", "supporting", "tangential", "discarded")


class ReviewForm(forms.Form):
    """A review of one candidate, or of the answer if none. Only agreement needs no reason."""

    outcome = forms.ChoiceField()
    corrected_role = forms.ChoiceField(required=False)
    reason = forms.CharField(max_length=REASON_MAX, required=False)
    previous = forms.UUIDField(required=False)
    blind = forms.BooleanField(required=False)

    def __init__(self, *arguments: Any, candidate: RunCandidate | None, **named: Any) -> None:
        super().__init__(*arguments, **named)
        labels = dict(Review.Outcome.choices)
        allowed = OF_ANSWER if candidate is None else OF_CANDIDATE
        original = candidate.role if candidate else ""
        choices = {"outcome": [(name, labels[name]) for name in allowed]}
        choices["corrected_role"] = [(name, ROLE_NAMES[name]) for name in ROLES if name != original]
        for name, offered in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = offered

    def clean(self) -> None:
        super().clean()
        cleaned = self.cleaned_data
        outcome, reason = cleaned.get("outcome"), cleaned.get("reason", "")
        if outcome and outcome != "agree" and len("".join(reason.split())) < REASON_MIN:
            told = gettext("Give a reason of at least %(least)s characters; it is kept with the record.")
            self.add_error("reason", told % {"least": REASON_MIN})
        if outcome == "overrule" and not cleaned.get("corrected_role"):
            self.add_error("corrected_role", _("Say which role it should have had."))

    def opinion(self) -> Opinion:
        cleaned = self.cleaned_data
        return Opinion(
            cleaned["outcome"], cleaned["corrected_role"], cleaned["reason"], cleaned["previous"], cleaned["blind"]
        )


class CommentForm(forms.Form):
    """A comment on lines of a parse, or a reply to one."""

    text = forms.CharField(max_length=COMMENT_MAX)
    reply_to = forms.UUIDField(required=False)

    def clean_text(self) -> str:
        return clean_words(self.cleaned_data["text"])


class SampleForm(FormOfBases):
    """How many runs of which base to draw; a missing seed is generated."""

    base = forms.ModelChoiceField(KnowledgeBase.objects.none(), empty_label=None, label=_("Base"))
    size = forms.IntegerField(min_value=1, max_value=SAMPLE_MAX, initial=SAMPLE_SIZE, label=_("How many"))
    seed = forms.CharField(
        max_length=64,
        required=False,
        label=_("Seed"),
        widget=forms.TextInput({"placeholder": _("any word, or empty"), "autocomplete": "off"}),
    )


class BasePeriodForm(FormOfBases):
    """A base and a period, both days included. Unsent, it proposes what comes next to be signed off of the base.

    `chosen` is the id of a base as an address has it. Another one that is chosen on the page brings its own days.
    """

    base = forms.ModelChoiceField(KnowledgeBase.objects.none(), empty_label=None, label=_("Base"))
    since = forms.DateField(label=_("From"), widget=DayInput())
    until = forms.DateField(label=_("to"), widget=DayInput())

    def __init__(self, *arguments: Any, user: Viewer, chosen: str = "", **named: Any) -> None:
        super().__init__(*arguments, user=user, **named)
        bases = self.bases_of(user)
        if base := bases.filter(pk__in=ids_in(chosen)).first() or bases.first():
            since, until = propose_period(base.pk)
            self.initial.update(base=base.pk, since=since, until=until)
        days = ",".join(f"#{self[name].id_for_label}" for name in ("since", "until"))
        self.fields["base"].widget.attrs.update(
            {"hx-get": reverse("audit:sign_offs"), "hx-select-oob": days, "hx-swap": "none"}
        )

    def clean(self) -> None:
        super().clean()
        cleaned = self.cleaned_data
        if cleaned.get("since") and cleaned.get("until") and cleaned["since"] > cleaned["until"]:
            self.add_error("until", _("The last day lies before the first."))
        elif cleaned.get("until") and cleaned["until"] > timezone.now().date():
            self.add_error("until", _("This period has not ended yet."))


class ReplayForm(forms.Form):
    """Who judges a stored brief again, and how often: repeats show how stable a judgement is."""

    arbiter = forms.ChoiceField(choices=[("rules", _("the rules")), ("model", _("a model"))], label=_("Judged by"))
    model = forms.CharField(max_length=TEXT_MAX, required=False, label=_("Model, if another"))
    prompt = forms.ChoiceField(
        choices=[("current", _("this program’s")), ("stored", _("the one then sent"))],
        required=False,
        label=_("Prompt"),
    )
    repeats = forms.IntegerField(
        min_value=1, max_value=REPEATS_ON_PAGE_MAX, required=False, initial=1, label=_("How many times")
    )

    def judge(self) -> Judge:
        chosen = self.cleaned_data
        return Judge(chosen["arbiter"], chosen["model"].strip(), chosen["prompt"] or "current")

    def times(self) -> int:
        return self.cleaned_data["repeats"] or 1


class ChangeFilters(FormOfBases):
    """Filters of recorded changes, all optional."""

    base = forms.ModelChoiceField(
        KnowledgeBase.objects.none(), required=False, label=_("Base"), empty_label=_("Every base")
    )
    kind = forms.ChoiceField(
        choices=[("", _("Every change")), *CHANGE_WORDS.items()], required=False, label=pgettext_lazy("noun", "Change")
    )
    actor = forms.CharField(
        max_length=TEXT_MAX, required=False, label=_("By"), widget=forms.TextInput({"placeholder": _("By")})
    )

    def bases_of(self, user: Viewer) -> QuerySet[KnowledgeBase]:
        return KnowledgeBase.objects.audited_by(user)


class RetentionForm(forms.Form):
    days = forms.IntegerField(label=_("Days"), widget=forms.NumberInput({"class": "field"}))


class HoldForm(forms.Form):
    """What of a base to put under hold, or whose hold to release, and why."""

    subject = forms.ChoiceField(label=_("What"), widget=forms.Select({"class": "field"}))
    reason = forms.CharField(max_length=REASON_MAX, label=_("Reason"), widget=forms.TextInput(REASON_ATTRS))

    def __init__(self, *arguments: Any, subjects: dict[str, str], **named: Any) -> None:
        super().__init__(*arguments, **named)
        chosen = self.fields["subject"]
        assert isinstance(chosen, forms.ChoiceField)
        chosen.choices = list(subjects.items())


class RemoveForm(SpokenForm):
    reason = forms.CharField(max_length=REASON_MAX, label=_("Reason"), widget=forms.TextInput(REASON_ATTRS))

    def clean_reason(self) -> str:
        reason: str = self.cleaned_data["reason"]
        if len("".join(reason.split())) < HOLD_REASON_MIN:
            raise forms.ValidationError(
                _("Give a reason of at least %(count)s characters.") % {"count": HOLD_REASON_MIN}
            )
        return reason.strip()


class EraseForm(RemoveForm):
    """Whose content to erase, and why."""

    field_order = ("person", "reason")
    person = forms.TypedChoiceField(coerce=int, label=_("Person"), widget=forms.Select({"class": "field"}))

    def __init__(self, *arguments: Any, people: Sequence[Questioner], **named: Any) -> None:
        super().__init__(*arguments, **named)
        chosen = self.fields["person"]
        assert isinstance(chosen, forms.ChoiceField)
        chosen.choices = [(each.person.pk, str(each.person)) for each in people]

    def why_not(self) -> str:
        """What is missing, in one sentence, if nothing was erased."""
        return " ".join(filter(None, (gettext("Nothing was erased."), self.fault)))
