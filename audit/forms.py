"""What people fill in: the filters of the list of runs, a review, and the drawing of a sample."""

from typing import Any

from django import forms

from audit.models import Review
from audit.outcomes import ARBITERS, STATUSES
from audit.reviewing import Opinion
from documents.models import KnowledgeBase, Viewer
from retrieval.models import RunCandidate

TEXT_MAX = 200


class RunFilters(forms.Form):
    """Every field may be empty; a base is chosen among those the person may see."""

    text = forms.CharField(
        max_length=TEXT_MAX, required=False, label="Text", widget=forms.TextInput(attrs={"class": "field"})
    )
    base = forms.ModelChoiceField(KnowledgeBase.objects.none(), required=False, empty_label="Every base")
    status = forms.ChoiceField(choices=[("", "Every outcome"), *STATUSES.items()], required=False)
    arbiter = forms.ChoiceField(choices=[("", "Every arbiter"), *ARBITERS.items()], required=False)

    def __init__(self, *arguments: Any, user: Viewer, **named: Any) -> None:
        super().__init__(*arguments, **named)
        bases = self.fields["base"]
        assert isinstance(bases, forms.ModelChoiceField)
        bases.queryset = KnowledgeBase.objects.visible_to(user)
        for name in ("base", "status", "arbiter"):
            self.fields[name].widget.attrs["class"] = "field"
        self.fields["text"].widget.attrs |= {"placeholder": "Words in the question or a reason", "type": "search"}


REASON_MIN = 10  # characters that are not white space (A9)
REASON_MAX = 4000
SAMPLE_MAX = 1000
OF_CANDIDATE = ("agree", "overrule")
OF_ANSWER = ("agree", "wrong", "incomplete", "unsupported")
ROLES = ("primary", "supporting", "tangential", "discarded")


class ReviewForm(forms.Form):
    """A review of one candidate, or of the answer when there is none. Anything but agreement needs a reason."""

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
        choices["corrected_role"] = [(name, name.capitalize()) for name in ROLES if name != original]
        for name, offered in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = offered

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        outcome, reason = cleaned.get("outcome"), cleaned.get("reason", "")
        if outcome and outcome != "agree" and len("".join(reason.split())) < REASON_MIN:
            self.add_error("reason", f"Give a reason of at least {REASON_MIN} characters; it is kept with the record.")
        if outcome == "overrule" and not cleaned.get("corrected_role"):
            self.add_error("corrected_role", "Say which role it should have had.")
        return cleaned

    def opinion(self) -> Opinion:
        cleaned = self.cleaned_data
        return Opinion(
            cleaned["outcome"], cleaned["corrected_role"], cleaned["reason"], cleaned["previous"], cleaned["blind"]
        )


class SampleForm(forms.Form):
    """How many runs of which base to draw; without a seed one is made."""

    base = forms.ModelChoiceField(KnowledgeBase.objects.none(), empty_label=None)
    size = forms.IntegerField(min_value=1, max_value=SAMPLE_MAX, initial=40)
    seed = forms.CharField(max_length=64, required=False)

    def __init__(self, *arguments: Any, user: Viewer, **named: Any) -> None:
        super().__init__(*arguments, **named)
        bases = self.fields["base"]
        assert isinstance(bases, forms.ModelChoiceField)
        bases.queryset = KnowledgeBase.objects.with_role(user, "auditor", "owner")
        self.fields["seed"].widget.attrs |= {"placeholder": "made at random", "autocomplete": "off"}
        for field in self.fields.values():
            field.widget.attrs["class"] = "field"
