"""Counts and places in words: how many, where a quote is, what calibration cut off."""

from collections.abc import Callable

from django.utils.translation import gettext, ngettext

from chat.models import Citation
from documents.pages.phrasing import group_thousands
from documents.pages.section_names import name_path, name_section
from retrieval.models import RunCandidate

NOUNS: dict[str, Callable[[int], str]] = {
    "search word": lambda count: ngettext("search word", "search words", count),
    "search": lambda count: ngettext("search", "searches", count),
    "place": lambda count: ngettext("place", "places", count),
    "passage": lambda count: ngettext("passage", "passages", count),
    "document": lambda count: ngettext("document", "documents", count),
    "section": lambda count: ngettext("section", "sections", count),
    "page": lambda count: ngettext("page", "pages", count),
    "question": lambda count: ngettext("question", "questions", count),
}


def count_in_words(count: int, noun: str) -> str:
    """A count with its noun, in the reader's language if the noun is one of the interface."""
    words = NOUNS[noun](count) if noun in NOUNS else noun if count == 1 else f"{noun}s"
    return f"{group_thousands(count)} {words}"


def cited_pages(citation: Citation) -> list[int]:
    return sorted({box["page"] for box in citation.boxes}) or [citation.page]


def anchor_pages(candidate: RunCandidate) -> list[int]:
    return sorted({candidate.anchor_first_page, candidate.anchor_last_page})


def section_of_candidate(candidate: RunCandidate) -> str:
    return name_section(candidate.section_title, candidate.breadcrumb, candidate.parse_id, candidate.toc_index)


def path_of_candidate(candidate: RunCandidate) -> str:
    """The titles from the top of the document to the section of a candidate, for people."""
    return name_path(candidate.section_title, candidate.breadcrumb, candidate.parse_id, candidate.toc_index)


def describe_place(candidate: RunCandidate, pages: list[int], *, with_document: bool) -> str:
    """Where a quote is: file pages, the printed label if it differs, section, and the document if there are several."""
    span = str(pages[0]) if len(pages) == 1 else f"{pages[0]}\u2013{pages[-1]}"
    words = gettext("p. %(page)s") % {"page": span}
    label = candidate.anchor_page_label
    if label and label != str(candidate.anchor_first_page):
        words += " " + gettext("(printed %(label)s)") % {"label": label}
    parts = [words, section_of_candidate(candidate), candidate.document_title if with_document else ""]
    return " · ".join(dict.fromkeys(filter(None, parts)))  # a section may be named as its document is


def repair_of(candidate: RunCandidate) -> str:
    """What calibration cut off the arbiter's quote, in words, or ""."""
    if candidate.anchor_repair.get("status") != "truncated":
        return ""
    return gettext("shortened %(before)s \u2192 %(after)s words") % {
        "before": len(candidate.raw_content_anchor.split()),
        "after": len(candidate.content_anchor.split()),
    }


def sentence(text: str) -> str:
    """A reason as a full sentence."""
    text = text.strip()
    return text and text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")
