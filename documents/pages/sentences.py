"""Translations of the sentences in `reading.reasons`, kept here because the reading child process has no Django."""

import re

from django.utils.translation import gettext

from reading.reasons import REASONS, WARNINGS

PLACEHOLDER = re.compile(r"\\{(\w+)\\}")  # as `re.escape` leaves one
FILLED = {
    words: re.compile(PLACEHOLDER.sub(r"(?P<\1>\\d+)", re.escape(words))) for words in REASONS.values() if "{" in words
}


def explain_warning(warning: str) -> str:
    """The sentence of a warning in a Reading: `code` or `code(value)`."""
    code, _, value = warning.partition("(")
    return gettext(WARNINGS[code]).format(value=value.removesuffix(")"))


def translate_sentence(stored: str) -> str:
    """A stored sentence in the reader's language if it is one of ours, also one with figures, else unchanged."""
    for words, pattern in FILLED.items():
        if found := pattern.fullmatch(stored):
            return gettext(words).format(**found.groupdict())
    return gettext(stored) if stored else ""
