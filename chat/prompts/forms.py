"""The form of what a base adds to a prompt."""

from django import forms
from django.utils.translation import gettext_lazy as _

from chat.prompts.guidance import WHY_MAX


class GuidanceForm(forms.Form):
    """Length and content of the text are checked where it is stored, so that nothing typed is lost."""

    text = forms.CharField(
        required=False,
        strip=False,
        label=_("Guidance of this base"),
        widget=forms.Textarea(attrs={"class": "field", "rows": 10}),
    )
    why = forms.CharField(
        required=False,
        label=_("Why"),
        widget=forms.TextInput(attrs={"class": "field", "maxlength": WHY_MAX, "required": True}),
    )
    seen = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    again_of = forms.IntegerField(min_value=1, required=False)
