"""The four plain choices on the page of a base's settings (R102): their words, and the settings they fill in."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from documents.base_settings import BaseSettings

OWN_MIXTURE = "own"  # what fits no option


class PlainOption(NamedTuple):
    name: Promise
    effect: Promise  # in words
    sets: Mapping[str, str | int]  # technical settings; what it does not name stays as it is


LABELS = {
    "care": _("How careful"),
    "sent": _("How much may be sent to a model"),
    "persons": _("Whether a model may read who somebody is"),
    "quotes": _("How many quotes"),
}
PLAIN = {
    "care": {
        "high": PlainOption(
            _("Very careful"),
            _(
                "More questions end with “no passage clearly answers this”, and fewer get an answer the documents do "
                "not give. A model looks a second time, and each of its sentences is compared with its quotes."
            ),
            {"risk_max": 20, "second_look": "on", "claim_check": "on"},
        ),
        "usual": PlainOption(
            _("Careful"),
            _(
                "Most questions that have an answer get it. A model looks a second time, and each of its sentences is "
                "compared with its quotes."
            ),
            {"risk_max": 35, "second_look": "on", "claim_check": "on"},
        ),
        "low": PlainOption(
            _("Ready to answer"),
            _(
                "More questions get an answer, and more of these are not in the documents. A model looks once and its "
                "sentences are not compared again, which saves requests."
            ),
            {"risk_max": 60, "second_look": "off", "claim_check": "off"},
        ),
    },
    "sent": {
        "little": PlainOption(
            _("Little"),
            _(
                "Rules choose the passages, and documents are read without a model. Where there is one, it gets the "
                "question, what was asked before it and the passages chosen, to write the answer."
            ),
            {
                "ranking": "rules",
                "skip_model": "on",
                "cards": "rules",
                "contextualisation": "breadcrumb",
                "contents_check": "none",
                "embeddings": "bundled",
            },
        ),
        "usual": PlainOption(
            _("What a question needs"),
            _(
                "The model also gets the table of contents and the places found, and judges which of them answer. At "
                "reading it gets a table of contents only where that is doubtful."
            ),
            {
                "ranking": "arbiter",
                "skip_model": "off",
                "cards": "rules",
                "contextualisation": "breadcrumb",
                "contents_check": "auto",
                "embeddings": "bundled",
            },
        ),
        "much": PlainOption(
            _("Whole documents"),
            _(
                "At reading the model also gets every passage, the first pages and the contents of each document, to "
                "describe them. Questions find more; it costs the most. Documents follow when they are read again."
            ),
            {
                "ranking": "arbiter",
                "skip_model": "off",
                "cards": "by_model",
                "contextualisation": "llm",
                "contents_check": "composite",
            },
        ),
    },
    "persons": {
        "usual": PlainOption(
            _("As it is written"),
            _("A model gets names, addresses and numbers as they stand in documents and questions."),
            {"pseudonyms": "off"},
        ),
        "hidden": PlainOption(
            _("Stand-ins"),
            _(
                "A model gets “[Person 3]” in place of a name, and so for addresses, e-mail addresses, telephone "
                "numbers and numbers of accounts, cards and persons that are recognised. Answers and quotes have the "
                "originals. A name that is not recognised goes out."
            ),
            {"pseudonyms": "on"},
        ),
    },
    "quotes": {
        "few": PlainOption(
            _("Few"),
            _(
                "Short answers: at most three quotes in fast mode, four in balanced, six in thorough; three of one "
                "document where several have some."
            ),
            {"passages_max": 4, "per_document_max": 3},
        ),
        "usual": PlainOption(
            _("Some"),
            _(
                "At most three quotes in fast mode, eight in balanced, twelve in thorough; five of one document where "
                "several have some."
            ),
            {"passages_max": 8, "per_document_max": 5},
        ),
        "many": PlainOption(
            _("Many"),
            _("As many quotes in each mode as “Some”, but up to eight of one document where several have some."),
            {"passages_max": 12, "per_document_max": 8},
        ),
    },
}
OWN = PlainOption(_("Own mixture"), _("What is set under “More” fits none of these, and holds as it is."), {})


def fit_options(settings: BaseSettings) -> dict[str, str]:
    """The option of each plain choice that these settings fit, or OWN_MIXTURE."""
    stored = settings.to_json().items()
    return {
        choice: next((code for code, option in options.items() if option.sets.items() <= stored), OWN_MIXTURE)
        for choice, options in PLAIN.items()
    }


def option_named(choice: str, code: str) -> PlainOption:
    return OWN if code == OWN_MIXTURE else PLAIN[choice][code]


class PlainForm(forms.Form):
    """A choice that is left as it is changes nothing; so does one that is not sent."""

    def __init__(self, stored: BaseSettings, sent: Mapping[str, Any] | None = None) -> None:
        fitting = fit_options(stored)
        super().__init__(sent, prefix="plain", initial=fitting)
        for choice, label in LABELS.items():
            options = PLAIN[choice] | ({OWN_MIXTURE: OWN} if fitting[choice] == OWN_MIXTURE else {})
            shown = [(code, option.name) for code, option in options.items()]
            self.fields[choice] = forms.ChoiceField(
                choices=shown, required=False, label=label, widget=forms.RadioSelect
            )

    def shown(self) -> list[tuple[forms.BoundField, list[tuple[Any, str]]]]:
        """Each choice with its radio buttons and what each changes."""
        return [
            (field, [(radio, str(option_named(field.name, radio.data["value"]).effect)) for radio in field])
            for field in self
        ]

    def wanted(self) -> dict[str, str | int]:
        """The technical settings of the options that were changed."""
        told: dict[str, str | int] = {}
        for choice in self.changed_data if self.is_valid() else ():
            if code := self.cleaned_data[choice]:
                told |= option_named(choice, code).sets
        return told


def option_words(choice: str, code: str) -> str:
    """The name of an option, for the record of changes."""
    return str(option_named(choice, code).name if code in (OWN_MIXTURE, *PLAIN[choice]) else code)
