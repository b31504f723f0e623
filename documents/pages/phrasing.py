"""Words and numbers of the interface, as the reader's language writes them inside a sentence."""

from decimal import Decimal

from django.utils.formats import number_format
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from reading.outline.toc import FRONT_TITLE, WHOLE_TITLE

KINDS = {
    "body": _("running text"),
    "heading": _("heading"),
    "furniture": _("running head, file header or markup"),
    "contents": _("table of contents"),
    "table_row": _("table row"),
    "list_item": _("list item"),
    "caption": _("caption"),
    "watermark": _("watermark"),
    "text": _("running text"),
    "list": _("list"),
    "table": _("table"),
    "running": _("running head"),
}
SECTIONS = {FRONT_TITLE: _("Front matter"), WHOLE_TITLE: _("Whole document")}


def within_sentence(words: object) -> str:
    """A word or two of the interface, such as a heading, without its capital; German nouns keep theirs."""
    return str(words) if (get_language() or "en").startswith("de") else str(words).lower()


def group_thousands(number: int | Decimal) -> str:
    """A number with its thousands apart: 12,000, 12 000 or 12.000."""
    return number_format(number, force_grouping=True)


def section_words(title: str) -> str:
    """The title of a section, in the reader's language where it is the program's own."""
    return str(SECTIONS.get(title, title))


def kind_words(kind: str) -> str:
    return str(KINDS.get(kind, kind))
