"""Forms of the dictionary page, with the same rules as for a file."""

from typing import Any

from django import forms

from documents.forms import SpokenForm, invalid_where
from retrieval.dictionary import csv_format

FIELD = {"class": "field"}


class TermForm(SpokenForm):
    """One term; `row` is its value once it is valid."""

    language = forms.ChoiceField(
        choices=list(csv_format.LANGUAGES.items()), required=False, widget=forms.Select(attrs=FIELD)
    )
    term = forms.CharField(max_length=csv_format.TEXT_MAX, widget=forms.TextInput(attrs=FIELD))
    priority = forms.ChoiceField(
        choices=list(csv_format.PRIORITY_WORDS.items()),
        required=False,
        widget=forms.Select(attrs=FIELD),
    )
    weight = forms.CharField(
        required=False,
        initial="1",
        max_length=8,
        widget=forms.NumberInput(
            attrs={"class": "field short", "step": "any", "min": "0", "max": f"{csv_format.WEIGHT_MAX:g}"}
        ),
    )

    def __init__(self, *args: Any, concept: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.concept = concept

    def clean_weight(self) -> str:
        text: str = self.cleaned_data["weight"]
        with invalid_where(csv_format.WordlistError):
            csv_format.checked_weight(text)
        return text

    def clean(self) -> None:
        super().clean()
        if not self.errors:
            said = (self.cleaned_data[name] for name in ("language", "term", "priority", "weight"))
            with invalid_where(csv_format.WordlistError):
                self.row: csv_format.WordRow = csv_format.check_word_row(self.concept, *said)


class ConceptForm(TermForm):
    """A new concept and its first term; an empty term is the concept's own name."""

    concept_name = forms.CharField(max_length=csv_format.TEXT_MAX, widget=forms.TextInput(attrs=FIELD))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["term"].required = False

    def clean(self) -> None:
        self.concept = self.cleaned_data.get("concept_name", "")
        self.cleaned_data["term"] = self.cleaned_data.get("term") or self.concept
        super().clean()
