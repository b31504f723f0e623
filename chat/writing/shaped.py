"""Answers with a form of their own: the outline of a document, and what is compared side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from django.utils.translation import gettext_noop

from chat.drafts import Quoted
from chat.writing.extractive import ROLE_WEIGHT
from reading.matching import join_without_space
from retrieval.candidates.plain import plain_text
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.record.reading_back import parts_of

OUTLINE = gettext_noop("This is the outline of the document, with the first whole sentence of each main part.")
OUTLINES = gettext_noop("These are the outlines of the documents, with the first whole sentence of each main part.")
LONGEST = gettext_noop("Not every part has room: the longest are shown, and the audit trail names the others.")
COMPARED = gettext_noop("This is a comparison: each side was searched by itself.")
LEFT_OUT = "Parts left out for length: {parts}."
LEFT_OUT_MAX = 20  # by name; the record has them all
SIDE_QUOTES_MAX = 2  # in one column, where all of them are seen beside those of the others
NOTHING = "Nothing found in {name}."


@dataclass(frozen=True)
class Column:
    """One of the things a run compares, or one document of an outline: its name and what it is quoted with."""

    name: str
    candidate_ids: tuple[str, ...]


def form_of(run: RetrievalRun) -> str:
    """The form a run's question asks for, "" for that of any question and of runs from before there were forms."""
    return str(run.parsed.get("form", ""))


def columns_of(run: RetrievalRun, candidates: Sequence[RunCandidate]) -> list[Column]:
    """The columns of an answer, in order: the sides of a comparison, the documents of an outline."""
    if form_of(run) == "compare":
        return [Column(part["subject"], tuple(part["candidate_ids"])) for part in parts_of(run)]
    grouped = groupby(candidates, key=lambda each: (each.document_id, each.document_title))
    return [Column(title, tuple(each.candidate_id for each in own)) for (_, title), own in grouped]


def shaped_quotes(run: RetrievalRun, candidates: Sequence[RunCandidate]) -> list[Quoted]:
    """The quotes of a shaped answer, column by column; the same passage has one marker."""
    by_id = {each.candidate_id: each for each in candidates if each.content_anchor}
    limit = SIDE_QUOTES_MAX if form_of(run) == "compare" and not is_outlined(candidates) else len(by_id)
    chosen: dict[str, RunCandidate] = {}
    for column in columns_of(run, candidates):
        own = [by_id[key] for key in column.candidate_ids if key in by_id]
        own.sort(key=lambda each: (ROLE_WEIGHT.get(each.role, 2), each.position))
        chosen.update({each.candidate_id: each for each in own[:limit]})
    return [Quoted(marker, each, each.content_anchor) for marker, each in enumerate(chosen.values(), 1)]


def is_outlined(candidates: Sequence[RunCandidate]) -> bool:
    """Whether the candidates are main parts, which were not searched for."""
    return any("outline" in each.methods for each in candidates)


def shaped_text(run: RetrievalRun, candidates: Sequence[RunCandidate], quotes: Sequence[Quoted]) -> str:
    """The answer as text: a heading for each column where there are several, and its quotes with their markers."""
    columns = columns_of(run, candidates)
    blocks: list[str] = []
    for column in columns:
        own = [each for each in quotes if each.candidate.candidate_id in column.candidate_ids]
        if len(columns) > 1:
            blocks.append(f"{column.name}:")
        blocks += [quote_line(each) for each in own] or [NOTHING.format(name=column.name)]
    return "\n\n".join(blocks)


def quote_line(quoted: Quoted) -> str:
    """A quote with its marker, after the title of its part in an outline."""
    said = join_without_space(plain_text(quoted.quote))
    title = part_title(quoted.candidate)
    return f"{title}: \u201c{said}\u201d [{quoted.marker}]" if title else f"\u201c{said}\u201d [{quoted.marker}]"


def part_title(candidate: RunCandidate) -> str:
    """The title of the part of an outline, where the quote is not the title itself."""
    title = candidate.section_title if "outline" in candidate.methods else ""
    return "" if title == " ".join(candidate.content_anchor.split()) else title


def note_of(run: RetrievalRun, candidates: Sequence[RunCandidate]) -> str:
    """What the answer is, in plain words."""
    if form_of(run) == "compare":
        return COMPARED
    several = len({each.document_id for each in candidates}) > 1
    left = list(dict.fromkeys(each["section_title"] for each in run.plan.get("left_out", []) if each["section_title"]))
    if several:
        return f"{OUTLINES} {LONGEST}" if left else OUTLINES
    if not left:
        return OUTLINE
    more = f" (+{len(left) - LEFT_OUT_MAX})" if len(left) > LEFT_OUT_MAX else ""
    return f"{OUTLINE} {LEFT_OUT.format(parts='; '.join(left[:LEFT_OUT_MAX]) + more)}"
