"""The form of a card on the page of its document (R15), and what a person may say in one."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from documents.cards import types
from reading.characters import clean_name

FIELD = {"class": "field", "autocomplete": "off"}
DATE, VALUE = "date-", "value-"  # prefixes of the fields of a form


def clean_card(card: types.Card) -> types.Card:
    """A card as stored: even blanks, no invisible characters, nothing empty, and no value that its type has not."""
    known = types.TYPES[card.type].fields
    parties = (clean_name(name)[: types.NAME_CHARS] for name in card.parties)
    return types.Card(
        type=card.type,
        parties=tuple(dict.fromkeys(filter(None, parties)))[: types.PARTIES_MAX],
        dates=clean_values(card.dates)[: types.DATES_MAX],
        period=clean_name(card.period)[: types.VALUE_CHARS],
        summary=clean_name(card.summary)[: types.SUMMARY_CHARS],
        fields=tuple(each for each in clean_values(card.fields) if each.name in known)[: types.FIELDS_MAX],
    )


def clean_values(named: tuple[types.NamedValue, ...]) -> tuple[types.NamedValue, ...]:
    """The values that are not empty, one for each name: the first."""
    values: dict[str, str] = {}
    for each in named:
        if value := clean_name(each.value)[: types.VALUE_CHARS]:
            values.setdefault(each.name, value)
    return tuple(types.NamedValue(name, value) for name, value in values.items())


class CardForm(forms.Form):
    """The whole card: one party a line, a field for each kind of date and each field typical of the type."""

    type = forms.ChoiceField(
        label=_("Type"),
        choices=[(name, kind.label) for name, kind in types.TYPES.items()],
        widget=forms.Select(attrs=FIELD),
    )
    parties = forms.CharField(
        label=_("Parties"),
        required=False,
        max_length=types.PARTIES_MAX * (types.NAME_CHARS + 2),
        help_text=_("One a line."),
        widget=forms.Textarea(attrs={"class": "field", "rows": 3}),
    )
    period = forms.CharField(
        label=_("Period"), required=False, max_length=types.VALUE_CHARS, widget=forms.TextInput(attrs=FIELD)
    )
    summary = forms.CharField(
        label=_("Summary"),
        required=False,
        max_length=types.SUMMARY_CHARS,
        widget=forms.Textarea(attrs={"class": "field", "rows": 5}),
    )

    def __init__(self, data: Any = None, *, card: types.Card) -> None:
        said = {f"{DATE}{each.name}": each.value for each in card.dates}
        said |= {f"{VALUE}{each.name}": each.value for each in card.fields}
        first = {"type": card.type, "parties": "\n".join(card.parties), "period": card.period, "summary": card.summary}
        super().__init__(data, initial=said | first)
        self.card = card
        for name, label in types.DATES.items():
            self.fields[f"{DATE}{name}"] = line_of(label)
        for name in types.TYPES[card.type].fields:
            self.fields[f"{VALUE}{name}"] = line_of(types.FIELDS[name].label)

    def edited(self) -> types.Card:
        """The card a valid form says. Values of a type that was left are left too."""
        said = self.cleaned_data
        return clean_card(
            types.Card(
                type=said["type"],
                parties=tuple(said["parties"].splitlines()),
                dates=tuple(types.NamedValue(name, said[f"{DATE}{name}"]) for name in types.DATES),
                period=said["period"],
                summary=said["summary"],
                fields=tuple(
                    types.NamedValue(name.removeprefix(VALUE), value)
                    for name, value in said.items()
                    if name.startswith(VALUE)
                ),
            )
        )


def line_of(label: Any) -> forms.CharField:
    return forms.CharField(
        label=label, required=False, max_length=types.VALUE_CHARS, widget=forms.TextInput(attrs=FIELD)
    )
