"""What narrows a question (R101, R102) as it is typed and read: pages as text, and each filter in words."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from django.utils.translation import gettext, ngettext

from reading.reasons import number_ranges
from retrieval.filters import PAGES_MAX, Filters

PAGE_OR_SPAN = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


class PagesError(ValueError):
    """The text names no pages, or too many; the message for people says what to write."""


class Chip(NamedTuple):
    """A filter that is set: the field it is of, and what it says."""

    field: str
    words: str


def read_pages(text: str) -> tuple[int, ...]:
    """The pages of "3-7, 12", in their order, each once. Raises PagesError."""
    pages: dict[int, None] = {}
    joined = re.sub(r" ?[-–—] ?", "-", " ".join(text.split()))
    for piece in filter(None, re.split(r"[,;\s]+", joined)):
        found = PAGE_OR_SPAN.fullmatch(piece)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 0 < first <= last:
            words = gettext("“%(piece)s” is not a page or a span of pages. Write numbers such as 3-7, 12.")
            raise PagesError(words % {"piece": piece[:40]})
        if last - first >= PAGES_MAX or len(pages) > PAGES_MAX:
            raise PagesError(gettext("At most %(most)s pages can be named.") % {"most": PAGES_MAX})
        pages.update(dict.fromkeys(range(first, last + 1)))
    if len(pages) > PAGES_MAX:
        raise PagesError(gettext("At most %(most)s pages can be named.") % {"most": PAGES_MAX})
    return tuple(sorted(pages))


def typed_of(filters: Filters) -> dict[str, str]:
    """What one would type into the fields for these filters; only what is set."""
    typed = filters.to_json()
    if filters.pages:
        typed["pages"] = number_ranges(sorted(filters.pages))
    return {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in typed.items()}


def chips_of(typed: Mapping[str, str]) -> list[Chip]:
    """Each filter of `typed_of` in words, as the reader is told."""
    pages = typed.get("pages", "")
    is_one = pages.isdecimal()
    words = {
        "pages": ngettext("Page %(value)s", "Pages %(value)s", 1 if is_one else 2),
        "section": gettext("Section “%(value)s”"),
        "top_k": gettext("At most %(value)s places judged"),
        "threshold": gettext("Nearness from %(value)s"),
    }
    return [Chip(name, said % {"value": typed[name]}) for name, said in words.items() if typed.get(name)]
