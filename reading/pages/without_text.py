"""Why no page of a file has text: scans, an empty form, drawn letters, nothing at all, or pages that did not open."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from reading.limits import MIB, Limits
from reading.pages.kinds import FORM_FIELDS
from reading.reasons import ReadingError, refusal

if TYPE_CHECKING:  # only the reading child loads PDF code
    from reading.pdf import PageFacts

RECOGNISABLE = frozenset({"no_text", "form_without_text", "drawn_text"})  # with something drawn that may be letters


def why_no_text(
    facts: Sequence[PageFacts], blank: Collection[int], tried: Collection[int], limits: Limits
) -> ReadingError:
    """The reason of a file without a line; `blank` pages have nothing on them, of `tried` ones nothing was recognised.

    What limits or faults kept from being read comes before what the pages hold.
    """
    if any(fact.is_out_of_memory for fact in facts):
        return refusal("parse_memory", memory_mb=limits.memory_bytes // MIB)
    if any(fact.is_cut for fact in facts):
        return refusal("text_too_large", limit=limits.page_chars)
    opened = [fact for fact in facts if fact.text is not None]
    if not opened:
        return refusal("damaged", "no page could be read")
    # One or two fields on a picture of a page are where it was signed.
    if any(fact.fields >= (FORM_FIELDS if fact.images else 1) for fact in opened):
        return refusal("form_without_text")
    drawn = [fact for fact in opened if fact.number not in blank]
    if not drawn:
        return refusal("blank_pages") if len(opened) == len(facts) else refusal("damaged", "the other pages are blank")
    if all(fact.number in tried for fact in drawn):
        return refusal("nothing_recognised")
    return refusal("no_text" if any(fact.images for fact in drawn) else "drawn_text")
