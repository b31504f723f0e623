"""A quote as a reader sees it: words that are struck through on the page are struck. What is stored stays as it is."""

import re
from collections.abc import Callable

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from chat.models import Citation
from chat.page.weak_sources import has_weakness
from documents.models import Line
from reading.rows import UNSEARCHED_KINDS, LineSpan, marked_text
from retrieval.candidates.plain import one_line

MARKS = "\x02", "\x03"  # no text that is read has control characters
MARKED = re.compile("\x02([^\x02\x03]*)\x03")


def show_quote(citation: Citation) -> str:
    """The quote of a citation that was asked for with its weaknesses, in one line; as stored where nothing is struck,
    or where its lines no longer print it.
    """
    if not has_weakness(citation, "struck"):
        return one_line(citation.quote)
    return strike_marked(one_line(mark_quote(citation)))


def strike_quote(citation: Citation) -> SafeString:
    """The same with its line breaks, of a citation that was asked for without its weaknesses."""
    return strike_marked(mark_quote(citation))


def mark_in_markdown(citation: Citation, in_markdown: Callable[[str], str]) -> str:
    """The same for Markdown."""
    if not has_weakness(citation, "struck"):
        return in_markdown(citation.quote)
    return MARKED.sub(r"~~\1~~", in_markdown(mark_quote(citation)))


def mark_quote(citation: Citation) -> str:
    """The quote with marks around what is struck through on its lines."""
    lines = Line.objects.filter(
        parse=citation.candidate.parse_id, number__range=(citation.first_line, citation.last_line)
    ).exclude(kind__in=UNSEARCHED_KINDS)
    rows = list(lines.order_by("number").values_list("text", "spans"))
    first = "\n".join(text for text, _ in rows).find(citation.quote)
    if first < 0:
        return citation.quote
    last, begin = first + len(citation.quote), 0
    parts: list[str] = []
    for text, spans in rows:
        start, end = max(first - begin, 0), min(last - begin, len(text))
        if start < end:
            parts.append(marked_text(text, [LineSpan(*span) for span in spans], start, end, MARKS))
        begin += len(text) + 1
    return "\n".join(parts)


def strike_marked(text: str) -> SafeString:
    """Safe HTML of a text, struck between its marks."""
    return mark_safe(MARKED.sub(r"<s>\1</s>", escape(text)))
