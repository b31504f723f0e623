"""The text around an anchor, as wide as a reader asks for (R71), out of the reading the run saw; nothing is kept."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args
from uuid import UUID

from documents.models import Parse
from documents.storage.content import DocumentContent, load_content
from reading.boxes import StoredBox
from reading.rows import FRONT_INDEX
from retrieval.candidates.context import CHARS_MAX, boxes_by_page, cut_to_size, find_page_range, paragraph_around
from retrieval.types import LineRange

Scope = Literal["line", "paragraph", "section", "page"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
GONE, NO_SECTION = "gone", "no section"


class WidenedLine(NamedTuple):
    """One line of the text, and whether it belongs to the anchor."""

    number: int
    text: str
    is_anchor: bool


@dataclass(frozen=True)
class Widened:
    """The text of a scope. Without lines `absence` is why: the reading is "gone", or there is "no section"."""

    scope: Scope
    lines: tuple[WidenedLine, ...] = ()
    boxes: tuple[StoredBox, ...] = ()
    is_cut: bool = False  # only what is nearest to the anchor
    absence: str = ""


def read_scope(text: str) -> Scope | None:
    """The scope of an address; None for anything else."""
    return next((scope for scope in SCOPES if scope == text), None)


def read_widened(parse_id: UUID, anchor: LineRange, scope: Scope) -> Widened:
    """The text around the lines of an anchor in the reading they come from, never in a later one."""
    parse = Parse.objects.select_related("document").filter(pk=parse_id).first()
    content = load_content(parse) if parse else None
    if content is None or not 0 < anchor.first <= anchor.last <= len(content.lines):
        return Widened(scope, absence=GONE)
    wanted = lines_in_scope(scope, anchor, content)
    if wanted is None:
        return Widened(scope, absence=NO_SECTION)
    shown = cut_to_size(wanted, anchor, content, CHARS_MAX)
    rows = content.legible_lines(*shown)
    return Widened(
        scope,
        tuple(WidenedLine(row.number, row.text, anchor.first <= row.number <= anchor.last) for row in rows),
        tuple(box.as_dict() for box in boxes_by_page(rows)),
        is_cut=shown != wanted,
    )


def lines_in_scope(scope: Scope, anchor: LineRange, content: DocumentContent) -> LineRange | None:
    """The lines of a scope, the anchor among them; None for the section of lines that are in none."""
    is_running = anchor.first in content.running_heads
    if scope == "line":
        return anchor
    if scope == "paragraph":
        return LineRange(*content.heads_around(anchor.first)) if is_running else paragraph_around(anchor, content)
    if scope == "page":
        return LineRange(find_page_range(anchor.first, content).first, find_page_range(anchor.last, content).last)
    entry = content.toc_by_index.get(content.lines[anchor.first - 1].toc_index)
    if entry is None or entry.index == FRONT_INDEX or is_running:
        return None
    return LineRange(min(entry.first_line, anchor.first), max(entry.last_line, anchor.last))
