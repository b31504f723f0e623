"""The open candidate: its page, its boxes, and the repair of its quote."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from audit.runs.disagreement import span
from audit.trail.candidates import CandidateTable, Choice, Row
from audit.trail.heat import Heat, heat_of
from audit.trail.lit import LitPiece, forms_matched, light, spans_of_forms
from chat.page.viewer import WIDTH_WORDS
from chat.page.weak_sources import candidates_with_weaknesses, weaknesses_of
from documents.ingestion.page_images import has_image
from documents.models import Document, Line, Page
from documents.pages.sheet import Mark, Sheet, build_sheet
from reading.boxes import StoredBox, boxes_of
from reading.rows import LineRow, stored_line
from retrieval.candidates.plain import one_line
from retrieval.candidates.widening import Scope, Widened, read_widened
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.types import LineRange


@dataclass(frozen=True)
class TouchedPage:
    """One page the candidate touches. `holds` is anchor, context or both."""

    number: int
    label: str
    holds: str
    address: str


class ContextWidth(NamedTuple):
    """One choice of how much text is shown around the anchor."""

    scope: Scope | None
    words: str
    address: str
    is_current: bool


@dataclass(frozen=True)
class Selected:
    row: Row
    number: int
    of: int
    previous: Row | None
    following: Row | None
    page: TouchedPage
    pages: tuple[TouchedPage, ...]
    page_count: int
    anchor_lines: str
    context_lines: str
    fate: str  # "" while the document exists
    is_gone: bool  # deleted with its page images
    quote: tuple[LitPiece, ...]  # what is kept of it, or the anchor; the words that were searched are lit
    context: tuple[LitPiece, ...]
    weaknesses: list[str]  # of its source, in words
    sheet: Sheet
    heat: Heat | None  # None if switched off
    heat_switch: str
    widths: tuple[ContextWidth, ...]
    widened: Widened | None  # None while the context is shown as it was handed on


def read_selected(
    run: RetrievalRun, table: CandidateTable, choice: Choice, page_counts: dict[str, int]
) -> Selected | None:
    """The selected row of a table beside its page; None if the table is empty."""
    row = table.selected
    if row is None:
        return None
    candidate = row.candidate
    document = Document.objects.filter(pk=candidate.document_id).first()
    pages = page_links(candidate, choice)
    wanted = choice.page or anchored_pages(candidate)[0]
    page = next((page for page in pages if page.number == wanted), pages[0])
    forms, anchor = forms_matched(run, candidate), LineRange(candidate.anchor_first_line, candidate.anchor_last_line)
    pages_in_all = page_counts.get(str(candidate.document_id), 0)
    sheet = sheet_of_candidate(candidate, page.number, document, pages_in_all, forms)
    heat = heat_of(run, candidate.parse_id, page.number) if choice.heat else None
    if heat:
        sheet.boxes[:0] = heat.boxes
    return Selected(
        row=row,
        number=table.number,
        of=len(table.rows),
        previous=table.previous,
        following=table.following,
        page=page,
        pages=pages,
        page_count=pages_in_all,
        anchor_lines=span(*anchor),
        context_lines=span(candidate.context_first_line, candidate.context_last_line),
        fate=fate_of(document),
        is_gone=document is None,
        quote=light(one_line(row.repair.kept or ("" if row.repair.cut else candidate.anchor_text)), forms),
        context=light(candidate.context_text, forms),
        weaknesses=weaknesses_of(candidates_with_weaknesses(RunCandidate.objects.all()).get(pk=candidate.pk)),
        sheet=sheet,
        heat=heat,
        heat_switch=replace(choice, heat=not choice.heat).address(candidate.candidate_id, page.number, choice.wide),
        widths=widths_of(candidate, choice, page.number),
        widened=read_widened(candidate.parse_id, anchor, choice.wide) if choice.wide else None,
    )


def widths_of(candidate: RunCandidate, choice: Choice, page: int) -> tuple[ContextWidth, ...]:
    """The context as it was handed on, and the scopes an auditor may read instead."""
    said: list[tuple[Scope | None, Promise | str]] = [(None, _("as handed on")), *WIDTH_WORDS.items()]
    return tuple(
        ContextWidth(scope, str(words), choice.address(candidate.candidate_id, page, scope), scope == choice.wide)
        for scope, words in said
    )


def fate_of(document: Document | None) -> str:
    if document is None:
        return _("document deleted")
    return _("in the trash") if document.trashed_at else ""


def page_links(candidate: RunCandidate, choice: Choice) -> tuple[TouchedPage, ...]:
    """The pages with a box of the candidate, in order."""
    anchored, around = anchored_pages(candidate), pages_of_boxes(candidate.context_boxes)
    holds = {number: _("anchor") for number in anchored} | {number: _("context") for number in around}
    holds |= {number: _("anchor and context") for number in {*anchored} & {*around}}
    return tuple(
        TouchedPage(number, printed_label(candidate, number), words, choice.address(candidate.candidate_id, number))
        for number, words in sorted(holds.items())
    )


def anchored_pages(candidate: RunCandidate) -> list[int]:
    return pages_of_boxes(candidate.boxes) or [candidate.anchor_first_page]


def pages_of_boxes(boxes: Sequence[StoredBox]) -> list[int]:
    return sorted({int(box["page"]) for box in boxes})


def printed_label(candidate: RunCandidate, number: int) -> str:
    """The label printed on the page, if it differs from its number in the file."""
    is_other = number == candidate.anchor_first_page and candidate.anchor_page_label != str(number)
    return candidate.anchor_page_label if is_other else ""


def sheet_of_candidate(
    candidate: RunCandidate, number: int, document: Document | None, page_count: int, forms: Sequence[str]
) -> Sheet:
    """The page with the boxes of the run, words in these forms lit; if the document is gone, an empty sheet."""
    stored = Page.objects.filter(parse=candidate.parse_id, number=number).first()
    stored_lines = Line.objects.filter(parse=candidate.parse_id, page_number=number).values_list(*LineRow._fields)
    lines = [stored_line(line) for line in stored_lines]
    return build_sheet(
        document_id=candidate.document_id,
        page_number=number,
        page_label=printed_label(candidate, number),
        width=stored.width if stored else candidate.page_width,
        height=stored.height if stored else candidate.page_height,
        marks=[
            Mark("context", candidate.context_boxes, "C"),
            Mark("anchor", candidate.boxes, "A"),
            Mark("word", boxes_of_words(candidate, lines, forms)),
        ],
        lines=lines,
        image=document is not None and has_image(document, number),
        page_count=page_count,
    )


def boxes_of_words(candidate: RunCandidate, lines: Sequence[LineRow], forms: Sequence[str]) -> list[StoredBox]:
    """Where words in these forms stand in the context; a line whose words have no known place has none."""
    read = range(candidate.context_first_line, candidate.context_last_line + 1)
    placed = {line.number: line for line in lines if line.number in read and line.spans}
    pieces = [(line.number, *span) for line in placed.values() for span in spans_of_forms(line.text, forms)]
    return [box.as_dict() for box in boxes_of(pieces, placed)]
