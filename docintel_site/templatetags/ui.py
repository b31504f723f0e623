"""Small parts of the visual language: icons, roles, states. Always an icon and a word, never colour alone."""

import json
from itertools import pairwise
from typing import Any

from django import template
from django.template.context import Context
from django.template.defaulttags import CsrfTokenNode
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from audit.runs.outcomes import ROLE_NAMES as JUDGED_NAMES
from docintel_site.http.request_id import current_request_id
from documents.pages.phrasing import kind_words, section_words, within_sentence
from retrieval.candidates.plain import one_line
from retrieval.told.outcomes import MEANINGS, OUTCOMES, outcome_named
from retrieval.told.reasons import in_words
from retrieval.told.recorded import say_recorded

register = template.Library()

ROLE_NAMES = JUDGED_NAMES | {"unjudged": _("Not judged")}
STATE_ICONS = {"ok": "check", "none": "minus", "soon": "minus", "busy": "now", "warn": "warn", "fail": "fail"}


register.filter("within_sentence", within_sentence)
register.filter("section_words", section_words)
register.filter("kind_words", kind_words)
register.simple_tag(current_request_id, name="request_id")


@register.simple_tag
def icon(name: str) -> SafeString:
    """A decorative icon of the sprite in `_icons.html`; the word beside it has the meaning."""
    return format_html('<svg class="i" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.simple_tag
def state(kind: str, words: str) -> SafeString:
    """A state (ok, none, soon, busy, warn, fail) as icon and words."""
    symbol = icon(STATE_ICONS.get(kind, "info"))
    return format_html('<span class="state s-{}">{}{}</span>', kind, symbol, words)


@register.simple_block_tag(takes_context=True, name="post")
def post_form(
    context: Context, content: str, to: str | None = None, *args: object, css: str = "", **hidden: object
) -> SafeString:
    """A form that posts to an address or a named page, or without one to its own, with its token and hidden fields."""
    if to == "":
        raise template.TemplateSyntaxError("A form is to post to a name that is not defined, or is empty.")
    address = to if to is None or "/" in to else reverse(to, args=args)
    named = (("class", css), ("method", "post"), ("action", address))
    return format_html(
        "<form{}>{}{}{}</form>",
        format_html_join("", ' {}="{}"', [(name, value) for name, value in named if value]),
        CsrfTokenNode().render(context),
        format_html_join("", '<input type="hidden" name="{}" value="{}">', hidden.items()),
        content,
    )


@register.simple_tag(takes_context=True)
def press(
    context: Context,
    words: str,
    css: str,
    to: str | None = None,
    *args: object,
    sign: str = "",
    aloud: str = "",
    **hidden: Any,
) -> SafeString:
    """A `post_form` that is nothing but a button; `aloud` is read in place of its words."""
    symbol = icon(sign) if sign else ""
    label = format_html(' aria-label="{}"', aloud) if aloud else ""
    button = format_html('<button class="btn {}" type="submit"{}>{}{}</button>', css, label, symbol, words)
    return post_form(context, button, to, *args, **hidden)


@register.simple_tag
def tab(here: str, name: str, words: str, to: str, *args: object, count: int | None = None) -> SafeString:
    """A link to the page `name`, one of those beside the page `here`, with how many there are of what it shows."""
    current = SafeString(' aria-current="page"') if here == name else ""
    number = "" if count is None else format_html(' <span class="n">{}</span>', count)
    return format_html('<a href="{}"{}>{}{}</a>', reverse(to, args=args), current, words, number)


@register.simple_tag
def fact(name: str, value: object, if_any: bool = False) -> SafeString:
    """A name and its value in a list of them; `if_any` leaves it out where there is no value."""
    return format_html("<dt>{}</dt><dd>{}</dd>", name, value) if value or not if_any else SafeString()


@register.filter
def in_quotes(words: object) -> str:
    """Words between the quotation marks of the reader's language."""
    return str(_("“%(word)s”") % {"word": words})


@register.filter
def with_colon(words: object) -> str:
    """Words before what they name; French has a space before the colon."""
    return str(_("%(of)s:") % {"of": words})


@register.simple_tag
def colon() -> str:
    """The colon of what markup stands before; see `with_colon`."""
    return with_colon("")


@register.filter
def outcome_words(code: str) -> str:
    return str(outcome_named(code).words)


@register.simple_tag
def outcome(code: str, is_denied: bool = False) -> SafeString:
    """An outcome as icon and name, grey if a reviewer denied it."""
    return state("none" if is_denied else outcome_named(code).kind, outcome_words(code))


@register.simple_tag
def outcome_term(code: str) -> SafeString:
    """An outcome whose name opens what it means, see `outcome_meanings`."""
    kind, words = outcome_named(code)
    if code not in MEANINGS:
        return outcome(code)
    button = format_html(
        '<button type="button" class="term" popovertarget="outcome-{}" title="{}">{}</button>',
        code,
        MEANINGS[code],
        words,
    )
    return state(kind, button)


@register.simple_tag
def outcome_meanings() -> SafeString:
    """What each outcome means, once for a page."""
    told = ((code, OUTCOMES[code].words, meaning) for code, meaning in MEANINGS.items())
    return format_html_join("", '<div popover class="termbox" id="outcome-{}"><b>{}</b> {}</div>', told)


@register.simple_tag
def role(name: str) -> SafeString:
    """A candidate's role as icon and word; unjudged candidates get a neutral one."""
    symbol = icon("info" if name == "unjudged" else name)
    css = "discarded" if name == "unjudged" else name
    return format_html('<span class="role r-{}">{}{}</span>', css, symbol, ROLE_NAMES[name])


HEADS = {"num": '<th scope="col"{} class="num">{}</th>', "sr": '<th scope="col"{}><span class="sr">{}</span></th>'}
HEAD = '<th scope="col"{}>{}</th>'


@register.simple_tag(name="columns")
def name_columns(*names: str, roles: bool = False) -> SafeString:
    """The head of a table; "num" before a name is for a column of numbers, "sr" for a name that is only read aloud.

    An empty name has no column. `roles` says again what each part is, for tables whose rows become blocks on a narrow
    screen.
    """
    role = SafeString(' role="columnheader"') if roles else ""
    marked = [(mark, name) for mark, name in pairwise(("", *names)) if name and name not in HEADS]
    cells = format_html_join("", "{}", [(format_html(HEADS.get(mark, HEAD), role, name),) for mark, name in marked])
    whole = '<thead role="rowgroup"><tr role="row">{}</tr></thead>' if roles else "<thead><tr>{}</tr></thead>"
    return format_html(whole, cells)


@register.simple_block_tag(name="table")
def draw_table(
    content: str, caption: str = "", css: str = "", roles: bool = False, region: bool = False, bare: bool = False
) -> SafeString:
    """A table of a head, as of `columns`, and rows, in a frame that scrolls sideways unless it is `bare`.

    The caption is read aloud only. The keyboard reaches a frame that is a `region`. `roles` as of `columns`, which say
    it for the table too.
    """
    head, end, rows = content.partition("</thead>")
    if not end:
        raise template.TemplateSyntaxError("A table begins with its head, as of `columns`.")
    roles = roles or "rowgroup" in head
    drawn = format_html(
        "<table{}{}>{}{}</thead><tbody{}>{}</tbody></table>",
        format_html(' class="{}"', css) if css else "",
        SafeString(' role="table"') if roles else "",
        format_html('<caption class="sr">{}</caption>', caption) if caption else "",
        SafeString(head),
        SafeString(' role="rowgroup"') if roles else "",
        SafeString(rows),
    )
    if bare:
        return drawn
    reached = format_html(' tabindex="0" role="region" aria-label="{}"', caption) if region else ""
    return format_html('<div class="scroll"{}>{}</div>', reached, drawn)


@register.filter
def pretty_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


register.filter("one_line", one_line)
register.filter("in_words", in_words)
register.filter("recorded_words", say_recorded)
