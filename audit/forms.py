"""The filters of the list of runs, as they stand in its address."""

from typing import Any

from django import forms

from audit.outcomes import ARBITERS, STATUSES
from documents.models import KnowledgeBase, Viewer

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
