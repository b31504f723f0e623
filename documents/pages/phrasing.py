"""Words and numbers of the interface, as the reader's language writes them inside a sentence."""

from decimal import Decimal

from django.utils.formats import number_format
from django.utils.translation import get_language


def within_sentence(words: object) -> str:
    """A word or two of the interface, such as a heading, without its capital; German nouns keep theirs."""
    return str(words) if (get_language() or "en").startswith("de") else str(words).lower()


def group_thousands(number: int | Decimal) -> str:
    """A number with its thousands apart: 12,000, 12 000 or 12.000."""
    return number_format(number, force_grouping=True)
