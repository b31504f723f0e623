"""The form that asks several things at once: a list of fields, typed or in a file, and the documents they are for."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext, gettext_lazy

from chat.fields.reading import FieldsError, read_fields_file, read_fields_text
from chat.page.forms import QuestionForm
from retrieval.forms.fields import Field

CHARACTERS_MAX = 250_000  # fifty of the longest questions


class FieldsForm(QuestionForm):
    """Fields, one a line or as CSV, with scope, mode and what narrows the search, as for one question."""

    question = None  # type: ignore[assignment]
    edits = None  # type: ignore[assignment]
    top_k = None  # type: ignore[assignment]
    threshold = None  # type: ignore[assignment]
    listed = forms.CharField(
        required=False,
        strip=False,
        max_length=CHARACTERS_MAX,
        label=gettext_lazy("What you want to know"),
        widget=forms.Textarea(attrs={"rows": 8, "class": "field"}),
    )
    file = forms.FileField(
        required=False,
        allow_empty_file=True,
        label=gettext_lazy("Or a CSV file"),
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )

    is_grid = forms.BooleanField(
        required=False,
        label=gettext_lazy("A value of each document"),
        help_text=gettext_lazy("A table with a row for each document and a column for each field."),
    )

    def __init__(self, *args: Any, files: Any = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.files = files if files is not None else MultiValueDict()
        self.asked: list[Field] = []
        self.faults: list[tuple[int, str]] = []

    def clean(self) -> None:
        super().clean()
        values = self.cleaned_data
        upload: UploadedFile[Any] | None = values.get("file")
        typed = values.get("listed", "")
        if upload and typed.strip():
            raise forms.ValidationError(gettext("Send a list or a file, not both."))
        try:
            self.asked = read_fields_file(upload.read()) if upload else read_fields_text(typed)
        except FieldsError as error:
            self.faults = sorted(error.faults.items())
            raise forms.ValidationError(gettext("Nothing was asked yet.")) from error
