"""Small parts of the visual language: icons, roles, states. Always an icon and a word, never colour alone."""

import json
import re
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from retrieval.candidates.plain import one_line

register = template.Library()

ROLE_NAMES = {
    "primary": _("Primary"),
    "supporting": _("Supporting"),
    "tangential": _("Tangential"),
    "discarded": _("Discarded"),
    "unjudged": _("Not judged"),
}
STATE_ICONS = {"ok": "check", "busy": "now", "warn": "warn", "fail": "fail"}


@register.simple_tag
def icon(name: str) -> SafeString:
    """A decorative icon of the sprite in `_icons.html`; the word beside it has the meaning."""
    return format_html('<svg class="i" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.simple_tag
def state(kind: str, words: str) -> SafeString:
    """A state (ok, busy, warn, fail) as icon and words."""
    symbol = icon(STATE_ICONS.get(kind, "info"))
    return format_html('<span class="state s-{}">{}{}</span>', kind, symbol, words)


@register.simple_tag
def role(name: str) -> SafeString:
    """A candidate's role as icon and word; unjudged candidates get a neutral one."""
    symbol = icon("info" if name == "unjudged" else name)
    css = "discarded" if name == "unjudged" else name
    return format_html('<span class="role r-{}">{}{}</span>', css, symbol, ROLE_NAMES[name])


@register.filter
def in_words(stored: str) -> str:
    """Stored sentences in the reader's language if they are fixed ones of ours, else as they were stored."""
    return " ".join(gettext(sentence) for sentence in re.split(r"(?<=[.?!]) (?=[A-Z])", stored) if sentence)


@register.filter
def pretty_json(value: Any) -> str:
    """A stored JSON value, indented for reading."""
    return json.dumps(value, ensure_ascii=False, indent=2)


register.filter("one_line", one_line)
