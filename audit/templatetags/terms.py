"""`{% term "anchor" %}`: a term of the trail with its explanation, for mouse, keyboard and touch."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify

from audit.runs.glossary import NAMES, TERMS
from retrieval.told.reasons import name_rule

register = template.Library()

register.filter("rule_name", name_rule)


@register.simple_tag
def term(name: str, words: str = "") -> SafeString:
    """A button that opens the explanation in `_terms.html`, which is also its tooltip."""
    return format_html(
        '<button type="button" class="term" popovertarget="term-{}" title="{}">{}</button>',
        slugify(name),
        TERMS[name],
        words or NAMES[name],
    )
