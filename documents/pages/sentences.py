"""Translations of the sentences in `reading.reasons`, kept here because the reading child process has no Django."""

from django.utils.translation import gettext

from reading.reasons import WARNINGS


def explain_warning(warning: str) -> str:
    """The sentence of a warning in a Reading: `code` or `code(value)`."""
    code, _, value = warning.partition("(")
    return gettext(WARNINGS[code]).format(value=value.removesuffix(")"))


def translate_sentence(stored: str) -> str:
    """A stored sentence in the reader's language if it is one of ours, else unchanged."""
    return gettext(stored) if stored else ""
