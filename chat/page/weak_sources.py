"""What makes the source of a quote weak: how its lines were read, where its contents come from, what its page hides,
and whether it speaks to a model instead of a reader.
"""

from collections.abc import Collection
from typing import Any

from django.db.models import BooleanField, Exists, ExpressionWrapper, F, Func, JSONField, OuterRef, Q, QuerySet, Value
from django.utils.translation import gettext_lazy, pgettext_lazy

from chat.models import Citation
from documents.models import Line, Page, Parse
from reading.layout.amounts import UNREAD_SIGN
from reading.registry.pictures import RECOGNISED
from retrieval.injection import PATTERN, SPEAKERS
from retrieval.models import RunCandidate

WEAKNESSES = {
    "ocr": gettext_lazy("read by OCR"),
    "rebuilt": pgettext_lazy("the table of contents of a document", "contents rebuilt"),
    "hidden": gettext_lazy("page with an invisible text layer"),
    "concealed": gettext_lazy("page with text that nobody sees"),
    "garbled": gettext_lazy("letters partly unknown"),
    "unsigned": gettext_lazy("a sign before this number could not be read"),
    "struck": gettext_lazy("with words that are struck through"),
    "instructs": gettext_lazy("with words that speak to an AI, not to a reader"),
}
OF_PLACE = ("rebuilt",)  # of the name of a section, not of the words of a quote: told in the audit alone
REBUILT = ("headings", "model")  # contents the file does not have: made of its print, or by a model
DOUBTFUL = "weak"  # the strength of contents with few entries, or with most titles on no line, see reading.outline.toc
# Only of a piece that is struck through a fifth value is stored.
STRUCK = Func(
    F("spans"),
    Value("$[*][4]"),
    template="jsonb_path_exists(%(expressions)s::jsonpath)",
    output_field=BooleanField(),
)
AS = "weak_"  # before each code, as a column of the rows


def with_weaknesses(citations: "QuerySet[Citation]") -> "QuerySet[Citation]":
    """Citations, each with what is weak about the lines and the page it cites; see `weaknesses_of`."""
    return citations.annotate(
        **tests_of("candidate__parse_id", "first_line", "last_line", "page", "candidate__methods")
    )


def candidates_with_weaknesses(candidates: "QuerySet[RunCandidate]") -> "QuerySet[RunCandidate]":
    """The same of the lines a search found."""
    return candidates.annotate(
        **tests_of("parse_id", "anchor_first_line", "anchor_last_line", "anchor_first_page", "methods"),
    )


def tests_of(parse: str, first: str, last: str, page: str, methods: str) -> dict[str, Exists]:
    """A test for each weakness, given the columns of a place; nothing is known of a reading that is gone.

    Contents that were rebuilt count where they are doubtful and a title of them led to the place.
    """
    lines = Line.objects.filter(
        parse=OuterRef(parse), number__gte=OuterRef(first), number__lte=OuterRef(last)
    ).order_by()
    parses = Parse.objects.filter(pk=OuterRef(parse)).order_by()
    pages = Page.objects.filter(parse=OuterRef(parse), number=OuterRef(page)).order_by()
    found_by = ExpressionWrapper(OuterRef(methods), output_field=JSONField())
    tests = {
        "ocr": lines.filter(method__in=RECOGNISED),
        "rebuilt": parses.alias(found_by=found_by).filter(
            Q(found_by__contains=["titles"]), toc_origin__in=REBUILT, toc_strength=DOUBTFUL
        ),
        "hidden": pages.filter(flags__contains=["hidden_text"]),
        "concealed": pages.filter(flags__contains=["concealed"]),
        "struck": lines.annotate(struck=STRUCK).filter(struck=True),
        "garbled": pages.filter(flags__contains=["garbled"]),
        "unsigned": lines.filter(text__regex=UNREAD_SIGN.pattern),
        "instructs": lines.filter(Q(text__iregex=PATTERN) | Q(text__regex=SPEAKERS)),
    }
    return {f"{AS}{code}": Exists(rows) for code, rows in tests.items()}


def weaknesses_of(row: Any, but: Collection[str] = ()) -> list[str]:
    """What is weak about a citation or candidate that was asked for with its weaknesses, in words."""
    return [str(words) for code, words in WEAKNESSES.items() if code not in but and has_weakness(row, code)]


def has_weakness(row: Any, code: str) -> bool:
    return bool(getattr(row, f"{AS}{code}"))
