"""The form of a card on the page of its document (R15), and what a person may say in one."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from documents.cards.types import (
    DATES,
    DATES_MAX,
    FIELDS,
    FIELDS_MAX,
    NAME_CHARS,
    PARTIES_MAX,
    SUMMARY_CHARS,
    TYPES,
    VALUE_CHARS,
    Card,
    NamedValue,
)
from reading.characters import clean_name

FIELD = {"class": "field", "autocomplete": "off"}
DATE, VALUE = "date-", "value-"  # prefixes of the fields of a form


def clean_card(card: Card) -> Card:
    """A card as stored: even blanks, no invisible characters, nothing empty, and no value that its type has not."""
    known = TYPES[card.type].fields
    parties = (clean_name(name)[:NAME_CHARS] for name in card.parties)
    return Card(
        type=card.type,
        parties=tuple(dict.fromkeys(filter(None, parties)))[:PARTIES_MAX],
        dates=clean_values(card.dates)[:DATES_MAX],
        period=clean_name(card.period)[:VALUE_CHARS],
        summary=clean_name(card.summary)[:SUMMARY_CHARS],
        fields=tuple(each for each in clean_values(card.fields) if each.name in known)[:FIELDS_MAX],
    )


def clean_values(named: tuple[NamedValue, ...]) -> tuple[NamedValue, ...]:
    """The values that are not empty, one for each name: the first."""
    values: dict[str, str] = {}
    for each in named:
        if value := clean_name(each.value)[:VALUE_CHARS]:
            values.setdefault(each.name, value)
    return tuple(NamedValue(name, value) for name, value in values.items())


class CardForm(forms.Form):
    """The whole card: one party a line, a field for each kind of date and each field typical of the type."""

    type = forms.ChoiceField(
        label=_("Type"), choices=[(name, kind.label) for name, kind in TYPES.items()], widget=forms.Select(attrs=FIELD)
    )
    parties = forms.CharField(
        label=_("Parties"),
        required=False,
        max_length=PARTIES_MAX * (NAME_CHARS + 2),
        help_text=_("One a line."),
        widget=forms.Textarea(attrs={"class": "field", "rows": 3}),
    )
    period = forms.CharField(
        label=_("Period"), required=False, max_length=VALUE_CHARS, widget=forms.TextInput(attrs=FIELD)
    )
    summary = forms.CharField(
        label=_("Summary"),
        required=False,
        max_length=SUMMARY_CHARS,
        widget=forms.Textarea(attrs={"class": "field", "rows": 5}),
    )

    def __init__(self, data: Any = None, *, card: Card) -> None:
        said = {f"{DATE}{each.name}": each.value for each in card.dates}
        said |= {f"{VALUE}{each.name}": each.value for each in card.fields}
        first = {"type": card.type, "parties": "\n".join(card.parties), "period": card.period, "summary": card.summary}
        super().__init__(data, initial=said | first)
        self.card = card
        for name, label in DATES.items():
            self.fields[f"{DATE}{name}"] = line_of(label)
        for name in TYPES[card.type].fields:
            self.fields[f"{VALUE}{name}"] = line_of(FIELDS[name].label)

    def edited(self) -> Card:
        """The card a valid form says. Values of a type that was left are left too."""
        said = self.cleaned_data
        return clean_card(
            Card(
                type=said["type"],
                parties=tuple(said["parties"].splitlines()),
                dates=tuple(NamedValue(name, said[f"{DATE}{name}"]) for name in DATES),
                period=said["period"],
                summary=said["summary"],
                fields=tuple(
                    NamedValue(name.removeprefix(VALUE), value)
                    for name, value in said.items()
                    if name.startswith(VALUE)
                ),
            )
        )


def line_of(label: Any) -> forms.CharField:
    return forms.CharField(label=label, required=False, max_length=VALUE_CHARS, widget=forms.TextInput(attrs=FIELD))
