"""Kinds of lines and passages in words."""

from django import template
from django.utils.translation import gettext_lazy as _

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


@register.filter
def kind_words(kind: str) -> str:
    return str(KINDS.get(kind, kind))
