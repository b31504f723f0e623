"""`{% term "anchor" %}`: a term of the trail with its explanation, for mouse, keyboard and touch; names of sections."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify

from audit.runs.glossary import NAMES, TERMS
from chat.page.struck_quotes import show_quote, strike_quote
from chat.writing.phrases import path_of_candidate, section_of_candidate
from retrieval.told.reasons import name_rule

register = template.Library()

register.filter("rule_name", name_rule)
register.filter("section_name", section_of_candidate)
register.filter("show_quote", show_quote)
register.filter("strike_quote", strike_quote)
register.filter("section_path", path_of_candidate)


@register.simple_tag
def term(name: str, words: str = "") -> SafeString:
    """A button that opens the explanation in `_terms.html`, which is also its tooltip."""
    return format_html(
        '<button type="button" class="term" popovertarget="term-{}" title="{}">{}</button>',
        slugify(name),
        TERMS[name],
        words or NAMES[name],
    )
