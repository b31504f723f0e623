"""Finish the candidates (R85): each gets its verdict, a literal quote with boxes, and its context."""

from collections.abc import Sequence
from dataclasses import replace

from documents.storage.content import DocumentContent
from reading.boxes import Box, PictureBox
from reading.rows import FRONT_INDEX
from retrieval.candidates.calibration import calibrate
from retrieval.candidates.context import ANSWERING_CHARS_MAX, CHARS_MAX, context_at, whole_sections, widen
from retrieval.types import (
    KEPT_ROLES,
    Briefed,
    Calibrated,
    Context,
    LineRange,
    Question,
    Ranking,
    Settled,
    Verdict,
)

QUOTE_AROUND = 5  # lines around the anchor searched for its quote, beside those that the arbiter was shown


def settle(
    candidates: Sequence[Briefed], ranking: Ranking, question: Question, contents: Sequence[DocumentContent]
) -> tuple[Settled, ...]:
    """The candidates in the arbiter's order, with verdict, literal quote, boxes and context."""
    by_id = {candidate.candidate_id: candidate for candidate in candidates}
    content_of = {content.document_id: content for content in contents}
    judged = [by_id[verdict.candidate_id] for verdict in ranking.verdicts]
    contexts = {
        one.candidate_id: widen(one, question, content_of[one.document_id], chars_max)
        for one, verdict in zip(judged, ranking.verdicts, strict=True)
        for chars_max in [ANSWERING_CHARS_MAX if verdict.role == "primary" else CHARS_MAX]  # R72
    }
    kept = [by_id[verdict.candidate_id] for verdict in ranking.verdicts if verdict.role in KEPT_ROLES]
    if not question.hints.says_around:
        contexts |= whole_sections(kept, content_of)
    return tuple(
        settle_one(candidate, verdict, contexts[candidate.candidate_id], content_of[candidate.document_id])
        for candidate, verdict in zip(judged, ranking.verdicts, strict=True)
    )


def settle_one(candidate: Briefed, verdict: Verdict, context: Context, content: DocumentContent) -> Settled:
    anchor = candidate.anchor
    within = LineRange(anchor.first - QUOTE_AROUND, anchor.last + QUOTE_AROUND)
    own = candidate.sentences.lines if candidate.sentences else None
    for seen in filter(None, (candidate.shown, candidate.brief_lines, own)):
        within = within.union(seen)
    if candidate.running:
        within = LineRange(*content.heads_around(anchor.first))
    quote = calibrate(verdict.raw_content_anchor, content, anchor, within)
    quoted = [piece.line_number for piece in quote.pieces]
    if quoted and not (context.lines.first <= quoted[0] and quoted[-1] <= context.lines.last):
        context = context_at(context.lines.union(LineRange(quoted[0], quoted[-1])), content)
    if quoted and not candidate.running:
        candidate = placed_at(quoted[0], candidate, content)
    page = content.page(candidate.anchor_pages[0])
    return Settled(
        **vars(candidate),
        verdict=verdict,
        quote=quote,
        boxes=mark_boxes(quote, anchor, content),
        context=context,
        page_label=page.called,
        page_size=(page.width, page.height),
    )


def placed_at(number: int, candidate: Briefed, content: DocumentContent) -> Briefed:
    """The candidate with the section of the line its quote begins on: a model may quote below what was found."""
    entry = content.toc_by_index.get(content.lines[number - 1].toc_index)
    if entry is None or entry.index in (candidate.toc_index, FRONT_INDEX):
        return candidate
    return replace(candidate, toc_index=entry.index, section_title=entry.title, breadcrumb=entry.breadcrumb)


def mark_boxes(quote: Calibrated, anchor: LineRange, content: DocumentContent) -> tuple[Box | PictureBox, ...]:
    """The boxes of the quote, or of the anchor if nothing was quoted, and of the pictures its lines belong to."""
    pieces = [(piece.line_number, piece.start, piece.end) for piece in quote.pieces]
    if not pieces:
        pieces = [(line.number, 0, len(line.text)) for line in content.lines_between(*anchor)]
    return content.boxes_at(pieces)
