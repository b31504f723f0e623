"""Kinds of lines and passages in words, and the sections that have no title of their own."""

from django import template
from django.utils.translation import gettext_lazy as _

from reading.outline.toc import FRONT_TITLE, WHOLE_TITLE

register = template.Library()

KINDS = {
    "body": _("running text"),
    "heading": _("heading"),
    "furniture": _("running head"),
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


@register.filter
def section_words(title: str) -> str:
    """The title of a section, in the reader's language where it is the program's own."""
    return str(SECTIONS.get(title, title))


@register.filter
def kind_words(kind: str) -> str:
    return str(KINDS.get(kind, kind))
