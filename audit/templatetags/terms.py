"""`{% term "anchor" %}`: a word of the trail with its explanation at hand."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from audit.terms import TERMS

register = template.Library()


@register.simple_tag
def term(name: str, words: str = "") -> SafeString:
    """The word, explained on pointing at it; the list at the end of the page has the same sentences for everybody."""
    return format_html('<abbr title="{}">{}</abbr>', TERMS[name], words or name)
