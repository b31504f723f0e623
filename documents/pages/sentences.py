"""Translations of the sentences in `reading.reasons`, kept here because the reading child process has no Django."""

from django.utils.translation import gettext

from reading.reasons import WARNINGS


def explain_warning(warning: str) -> str:
    """The sentence of a warning as a Reading carries it: `code` or `code(value)`."""
    code, _, value = warning.partition("(")
    return gettext(WARNINGS[code]).format(value=value.removesuffix(")"))


def translate_sentence(stored: str) -> str:
    """A stored sentence in the reader's language, where it is one of ours as it stands; as it was stored otherwise."""
    return gettext(stored) if stored else ""
