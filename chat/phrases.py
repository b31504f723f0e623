"""Figures and places in words: how many, where a quote stands, what calibration cut off."""

from chat.models import Citation
from retrieval.models import RunCandidate


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def cited_pages(citation: Citation) -> list[int]:
    return sorted({box["page"] for box in citation.boxes}) or [citation.page]


def anchor_pages(candidate: RunCandidate) -> list[int]:
    return sorted({candidate.anchor_first_page, candidate.anchor_last_page})


def place_of(candidate: RunCandidate, pages: list[int], *, with_document: bool) -> str:
    """Where a quote stands: pages as in the file, the printed label when it differs, section, document if there are many."""
    words = f"p. {pages[0]}" if len(pages) == 1 else f"p. {pages[0]}\u2013{pages[-1]}"
    label = candidate.anchor_page_label
    if label and label != str(candidate.anchor_first_page):
        words += f" (printed {label})"
    parts = [words, candidate.section_title, candidate.document_title if with_document else ""]
    return " · ".join(part for part in parts if part)


def repair_of(candidate: RunCandidate) -> str:
    """What calibration cut off the arbiter's quote, in words; "" when nothing."""
    if candidate.anchor_repair.get("status") != "truncated":
        return ""
    return f"shortened {len(candidate.raw_content_anchor.split())} \u2192 {len(candidate.content_anchor.split())} words"


def sentence(text: str) -> str:
    """A reason as a sentence of its own."""
    text = text.strip()
    return text and text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")
