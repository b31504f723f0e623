"""The forms of the page with a base's rules of reading, with the same rules as for a file."""

from django import forms
from django.utils.translation import gettext_lazy as _

from documents.forms import SpokenForm, invalid_where
from retrieval.dictionary.csv_format import LANGUAGES
from retrieval.question.linear import PATTERN_MAX
from retrieval.reading_rules.editing import WHY_MAX
from retrieval.reading_rules.rows import KIND_WORDS, RuleError, check_row

FIELD = {"class": "field"}


class ChangeForm(SpokenForm):
    """What every change says: the number its author saw, and why. An empty reason is filled in by what is done."""

    seen = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    why = forms.CharField(
        required=False,
        label=_("Why"),
        widget=forms.TextInput(attrs={"class": "field", "maxlength": WHY_MAX}),
    )
    again_of = forms.IntegerField(min_value=0, required=False)


class RowForm(ChangeForm):
    """A new row; `row` is its value once it is valid."""

    kind = forms.ChoiceField(choices=list(KIND_WORDS.items()), label=_("Kind"), widget=forms.Select(attrs=FIELD))
    name = forms.CharField(
        required=False,
        label=_("Type or shape"),
        widget=forms.TextInput(attrs={"class": "field", "maxlength": 40, "list": "rule-names"}),
    )
    language = forms.ChoiceField(
        choices=list(LANGUAGES.items()), required=False, label=_("Language"), widget=forms.Select(attrs=FIELD)
    )
    text = forms.CharField(
        label=_("Words or pattern"),
        widget=forms.TextInput(attrs={"class": "field", "maxlength": PATTERN_MAX, "spellcheck": "false"}),
    )

    def clean(self) -> None:
        super().clean()
        values = self.cleaned_data
        if not self.errors:
            with invalid_where(RuleError):
                self.row = check_row(values["kind"], values["name"], values["language"], values["text"])


class UsedRowForm(ChangeForm):
    """A row that is there already, to be taken out or switched; its values as the page wrote them."""

    kind = forms.CharField()
    name = forms.CharField(required=False)
    language = forms.CharField(required=False)
    text = forms.CharField(strip=False)
