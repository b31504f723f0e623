"""The three plain choices on the page of a base's settings: their words, and the technical settings they fill in."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from documents.base_settings import OWN_MIXTURE, PLAIN, BaseSettings

LABELS = {
    "care": _("How careful"),
    "sent": _("How much may be sent to a model"),
    "quotes": _("How many quotes"),
}
# Each option's name and what it changes.
OPTIONS = {
    "care": {
        "high": (
            _("Very careful"),
            _(
                "More questions end with “no passage clearly answers this”, and fewer get an answer the documents do "
                "not give. A model looks a second time, and each of its sentences is compared with its quotes."
            ),
        ),
        "usual": (
            _("Careful"),
            _(
                "Most questions that have an answer get it. A model looks a second time, and each of its sentences is "
                "compared with its quotes."
            ),
        ),
        "low": (
            _("Ready to answer"),
            _(
                "More questions get an answer, and more of these are not in the documents. A model looks once and its "
                "sentences are not compared again, which saves requests."
            ),
        ),
    },
    "sent": {
        "little": (
            _("Little"),
            _(
                "Rules choose the passages, and documents are read without a model. Where there is one, it gets the "
                "question, what was asked before it and the passages chosen, to write the answer."
            ),
        ),
        "usual": (
            _("What a question needs"),
            _(
                "The model also gets the table of contents and the places found, and judges which of them answer. At "
                "reading it gets a table of contents only where that is doubtful."
            ),
        ),
        "much": (
            _("Whole documents"),
            _(
                "At reading the model also gets every passage, the first pages and the contents of each document, to "
                "describe them. Questions find more; it costs the most. Documents follow when they are read again."
            ),
        ),
    },
    "quotes": {
        "few": (_("Few"), _("Short answers from four quotes at most, three of one document where several have some.")),
        "usual": (_("Some"), _("Answers from eight quotes at most, five of one document where several have some.")),
        "many": (
            _("Many"),
            _(
                "Long answers from twelve quotes at most, eight of one document where several have some. A model reads "
                "more for each."
            ),
        ),
    },
}
RISK = gettext_noop("Without a model, %(risk)s of 100 questions that the documents do not answer may get an answer.")
OWN_WORDS = (_("Own mixture"), _("What is set under “More” fits none of these, and holds as it is."))


class PlainForm(forms.Form):
    """A choice that is left as it is changes nothing; so does one that is not sent."""

    def __init__(self, stored: BaseSettings, sent: Mapping[str, Any] | None = None) -> None:
        fitting = stored.plain()
        super().__init__(sent, prefix="plain", initial=fitting)
        for choice, label in LABELS.items():
            options = OPTIONS[choice] | ({OWN_MIXTURE: OWN_WORDS} if fitting[choice] == OWN_MIXTURE else {})
            shown = [(option, name) for option, (name, _effect) in options.items()]
            self.fields[choice] = forms.ChoiceField(
                choices=shown, required=False, label=label, widget=forms.RadioSelect
            )

    def shown(self) -> list[tuple[forms.BoundField, list[tuple[Any, str]]]]:
        """Each choice with its radio buttons and what each changes."""
        return [(field, [(radio, effect_of(field.name, radio.data["value"])) for radio in field]) for field in self]

    def wanted(self) -> dict[str, Any]:
        """The technical settings of the options that were changed."""
        told: dict[str, Any] = {}
        for choice in self.changed_data if self.is_valid() else ():
            told |= PLAIN[choice].get(self.cleaned_data[choice], {})
        return told


def effect_of(choice: str, option: str) -> str:
    effect = str(OWN_WORDS[1] if option == OWN_MIXTURE else OPTIONS[choice][option][1])
    risk = PLAIN[choice].get(option, {}).get("risk_max")
    return " ".join((effect, gettext(RISK) % {"risk": risk})) if risk else effect


def option_words(choice: str, option: str) -> str:
    """The name of an option, for the record of changes."""
    return str(OWN_WORDS[0] if option == OWN_MIXTURE else OPTIONS[choice].get(option, (option,))[0])
