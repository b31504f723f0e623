"""The outline of documents: their title, and the first whole sentence of each main part. Nothing is searched.

There are at most twelve parts, the longest where there are more, without contents, signatures and lists of references;
a part with nothing but a heading takes in those below it. It is a run like any other: each part is a candidate of the
method and rule `outline`, and what has no room is recorded as left out. Without a model these quotes are the answer;
with one it writes a summary from the beginnings of these parts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.rows import FRONT_INDEX, LineRow, TocRow
from reading.values.runs import split_runs
from reading.values.sentences import LINE_ENDS_ITEM, SENTENCE, split_at
from retrieval.absence import CAPS, WARNING_CAP
from retrieval.accounting import coverage_of
from retrieval.candidates.aggregation import brief_of, name_place
from retrieval.candidates.noise import is_minor, is_noise_title, name_part
from retrieval.candidates.sentences import PROSE, QUOTE_CHARS, run_around
from retrieval.candidates.settle import settle
from retrieval.candidates.units import ITEM, cut_around, prose_of
from retrieval.filters import Within, lines_within
from retrieval.search import Search
from retrieval.told.planned import give_reason
from retrieval.types import (
    Briefed,
    Candidate,
    Flag,
    Hit,
    LeftOut,
    LineRange,
    Plan,
    Question,
    Ranking,
    RetrievalResult,
    Settled,
    Status,
    Verdict,
)

PARTS_MAX = 12  # of one document: what fits on a screen and is read
PARTS_TOGETHER = 24  # of several documents, at least PARTS_EACH of each
PARTS_EACH = 3
DOCUMENTS_MAX = 10
SENTENCE_MIN = 30  # characters; less is a label ("Not applicable.")
WORDS_MIN = 5
CAPITALS_SHARE = 0.7  # of the words of a heading or a notice of a form begin with one
SENTENCES_TRIED = 12  # of a part, from its beginning: what follows is no introduction
FOLDED_SHARE = 0.5  # of the document: a heading over more of it says nothing about it
TITLE_REACH = 40  # lines of a first page
TITLE_WORDS_MIN = 2
ROWS_MAX = 5  # of a table before the first sentence of a part: what follows more is a note on the table
RULE = "outline"
INTENT = "open_scoped"  # a part is handed to the writer with what follows its first sentence
NO_TEXT = "no part of what was read has a whole sentence"
SUBJECT = "Title of the document."
FIRST_SENTENCE = "First whole sentence of the part “{title}”."
IS_TABLE = "Heading of the part “{title}”, which begins with a table."
FIRST_OF_PASSAGE = "First whole sentence here; the document has no table of contents."
FIRST_OF_FRONT = "First whole sentence before the first part."
LEFT_OUT = "an outline has room for {count} parts of this document; longer ones come first"


class MainPart(NamedTuple):
    """A main part of a document: its entry (None without a table of contents), and the lines that belong to it."""

    entry: TocRow | None
    lines: LineRange
    title: str


class Told(NamedTuple):
    """What an outline says of one part: the literal text and its lines."""

    part: MainPart
    text: str
    lines: LineRange
    reason: str


class OutlineParts(NamedTuple):
    """The candidates of an outline in the order of the documents, all judged, and what it has no room for."""

    candidates: tuple[Settled, ...]
    ranking: Ranking
    hits: tuple[Hit, ...]
    left_out: tuple[LeftOut, ...]


def outline_result(search: Search) -> RetrievalResult:
    """The result for a request for an outline: its parts, all of them quoted, or that there is no text."""
    coverage = coverage_of(search.question, search.contents, search.account)
    found = outline_of(search.question, search.contents, within=lines_within(search.options.filters, search.contents))
    is_found = bool(found.candidates)
    absent: Status = "cannot_tell" if coverage.gaps else "not_found"
    sure = WARNING_CAP if coverage.unreadable else CAPS["rules"]
    return replace(
        search.empty_result(),
        question=replace(search.question, intent=INTENT),
        plan=Plan((Flag(RULE, True, give_reason("outline")),)),
        hits=found.hits,
        candidates=found.candidates,
        ranking=found.ranking,
        coverage=coverage,
        status="found" if is_found else absent,
        not_found_reason="" if is_found else "; but ".join([NO_TEXT, *coverage.gaps]),
        confidence=sure if is_found else 0.0,
        left_out=found.left_out,
    )


def outline_of(
    question: Question, contents: Sequence[DocumentContent], parts_max: int = 0, within: Within | None = None
) -> OutlineParts:
    """The outline of the documents the question is limited to, else of all; at most `parts_max` parts of each."""
    chosen = [each for each in contents if not question.outlined or each.document_id in question.outlined]
    chosen = chosen[:DOCUMENTS_MAX]
    room = PARTS_MAX if len(chosen) == 1 else max(PARTS_EACH, PARTS_TOGETHER // max(len(chosen), 1))
    room = parts_max or room
    is_prefixed = len(contents) > 1
    found: list[tuple[Briefed, str, str]] = []
    left_out: list[LeftOut] = []
    for content in chosen:
        told, more = tell_parts(content, room, within[content.document_id] if within is not None else None)
        for each in told:
            found.append((build_candidate(each, content, len(found) + 1, is_prefixed), each.text, each.reason))
        for place, each in enumerate(more, 1):
            candidate = build_candidate(each, content, room + place, is_prefixed)
            left_out.append(LeftOut.of(candidate, LEFT_OUT.format(count=room)))
    verdicts = tuple(Verdict(each.candidate_id, "primary", reason, text, RULE) for each, text, reason in found)
    ranking = Ranking("rules", "ran" if found else "not_needed", verdicts, answerable=True if found else None)
    settled = settle([each for each, _, _ in found], ranking, replace(question, intent=INTENT), contents)
    hits = tuple(
        Hit("outline", each.document_id, each.anchor, 1.0, toc_index=each.toc_index, detail=each.section_title)
        for each in settled
    )
    return OutlineParts(settled, ranking, hits, tuple(left_out))


def tell_parts(
    content: DocumentContent, room: int, within: NDArray[np.bool_] | None = None
) -> tuple[list[Told], list[Told]]:
    """The title, then as many parts as there is room for, the longest where there are more; and those left out."""
    title = tell_title(content)
    parts = [told for part in main_parts(content) if (told := tell_part(part, content))]
    parts = [told for told in parts if title is None or told.lines != title.lines]
    if within is not None:
        parts = [told for told in parts if within[told.lines.first]]
    space = room - (title is not None)
    by_length = sorted(
        parts, key=lambda told: (is_minor(told.part.title), told.part.lines.first - told.part.lines.last)
    )
    # What comes first says what the document is: its purpose, its parties, its abstract.
    chosen = {told.part for told in (parts[:1] + [told for told in by_length if told is not parts[0]])[:space]}
    kept = [told for told in parts if told.part in chosen]
    return [*([title] if title else []), *kept], [told for told in parts if told.part not in chosen]


# ---- the parts


def main_parts(content: DocumentContent) -> list[MainPart]:
    """The main parts; without a table of contents the passages, which are cut evenly."""
    front = [each for each in content.toc if each.index == FRONT_INDEX and each.origin == "front"]
    entries = main_entries([each for each in content.toc if each not in front])
    if len(entries) < 2:
        return [MainPart(None, LineRange(each.first_line, each.last_line), "") for each in content.passages]
    parts = [MainPart(each, LineRange(each.first_line, each.last_line), "") for each in front]
    parts += fold_parts(entries, content)
    return [part for part in parts if not is_noise_title(part.title)]


def main_entries(entries: Sequence[TocRow]) -> list[TocRow]:
    """The entries of the highest level that has several: below a single title that of its parts."""
    level = min((each.level for each in entries), default=0)
    top = [each for each in entries if each.level == level]
    if len(top) == 1 and len(entries) > 1:
        return main_entries([each for each in entries if each.level > level])
    return top


def fold_parts(entries: Sequence[TocRow], content: DocumentContent) -> Iterator[MainPart]:
    """The parts; an entry that is only a heading has those after it that belong to it, unless they are most of all.

    Numbered ones belong to a heading without a number ("Notes", "Note 1", "Note 2"), others to either.
    """
    at = 0
    while at < len(entries):
        entry = entries[at]
        last, size = entry.last_line, 1
        if is_bare(entry, content):
            following = entries[at + 1 :]
            is_numbered = bool(following and following[0].number) and not entry.number
            own = entries_below(following, is_numbered, content)
            lines = own[-1].last_line - entry.first_line + 1 if own else 0
            if own and lines <= FOLDED_SHARE * len(content.lines):
                last, size = own[-1].last_line, len(own) + 1
        yield MainPart(entry, LineRange(entry.first_line, last), entry.title)
        at += size


def entries_below(entries: Sequence[TocRow], is_numbered: bool, content: DocumentContent) -> list[TocRow]:
    """The first entries up to one that is only a heading, or is numbered where they are not, or the reverse."""
    return list(takewhile(lambda each: not is_bare(each, content) and bool(each.number) is is_numbered, entries))


def is_bare(entry: TocRow, content: DocumentContent) -> bool:
    """Whether an entry has nothing but its heading."""
    rows = content.legible_lines(entry.first_line, entry.last_line)
    return all(row.kind == "heading" for row in rows)


# ---- what is said of them


def tell_title(content: DocumentContent) -> Told | None:
    """The line that prints the title of the document, None where none does."""
    title = match_form(content.title)
    lines = [line for line in content.lines[:TITLE_REACH] if line.kind == "heading"]
    printed = [line for line in lines if (said := match_form(line.text)) and (said in title or title in said)]
    runs = list(split_runs(printed, lambda run, line: line.number == run[-1].number + 1))
    if not runs:
        return None
    best = max(runs, key=lambda run: (title.startswith(match_form(run[0].text)), len(title_words_of(run))))
    text = "\n".join(line.text for line in best)
    if len(title_words_of(best)) < TITLE_WORDS_MIN:
        return None
    lines_of = LineRange(best[0].number, best[-1].number)
    return Told(MainPart(None, lines_of, " ".join(text.split())), text, lines_of, SUBJECT)


def title_words_of(run: Sequence[LineRow]) -> set[str]:
    return {word for line in run for word in match_form(line.text).split()}


def tell_part(part: MainPart, content: DocumentContent) -> Told | None:
    """A part with its first whole sentence; None if it has none, as a page of signatures or a table has not."""
    untitled = FIRST_OF_FRONT if part.entry else FIRST_OF_PASSAGE
    reason = FIRST_SENTENCE.format(title=part.title) if part.title else untitled
    found = next((each for each in sentences_in(part.lines, content) if not name_part(each[1].first, content)), None)
    end = found[1].first if found else part.lines.last
    rows = sum(line.kind == "table_row" for line in content.lines_between(part.lines.first, end))
    heading = content.lines[part.lines.first - 1]
    if rows > ROWS_MAX and heading.kind == "heading" and part.title:
        return Told(part, heading.text, LineRange(heading.number, heading.number), IS_TABLE.format(title=part.title))
    return Told(part, *found, reason) if found else None


def sentences_in(lines: LineRange, content: DocumentContent) -> Iterator[tuple[str, LineRange]]:
    """The whole sentences of a part's prose, the first ones only. In front of a text they follow its last heading."""
    rows = [row for row in content.legible_lines(*lines) if row.kind in PROSE]
    tried = 0
    done = 0
    for row in rows:
        if row.number <= done or tried == SENTENCES_TRIED:
            continue
        run = run_around(row.number, content)
        run = LineRange(max(run.first, lines.first), min(run.last, lines.last))
        done = run.last
        tried += 1
        yield from whole_sentences(run, content)


def whole_sentences(run: LineRange, content: DocumentContent) -> Iterator[tuple[str, LineRange]]:
    """The sentences of a paragraph that have a beginning and an end; of a very long one its first clauses."""
    prose = prose_of(run, content)
    for start, end in split_at(prose.text, SENTENCE):
        if not is_sentence(prose.text[start:end].strip()):
            continue
        if end - start > QUOTE_CHARS:
            start, end = cut_around(prose.text, (start, start + 1), QUOTE_CHARS)
        pieces = prose.pieces(start, end)
        text = "\n".join(content.lines[piece.number - 1].text[piece.start : piece.end] for piece in pieces)
        yield text, LineRange(pieces[0].number, pieces[-1].number)


def is_sentence(text: str) -> bool:
    """Whether a text is a whole sentence in running text, not the end of one, a label or a heading in capitals."""
    marker = ITEM.match(text)
    said = text[marker.end() :] if marker else text
    words = [word for word in said.split() if word[:1].isalpha()]
    if len(said) < SENTENCE_MIN or len(words) < WORDS_MIN or not LINE_ENDS_ITEM.search(said):
        return False
    capitals = sum(word[0].isupper() for word in words)
    return not said[:1].islower() and not said.startswith("(") and capitals < CAPITALS_SHARE * len(words)


# ---- candidates


def build_candidate(told: Told, content: DocumentContent, rank: int, is_prefixed: bool) -> Briefed:
    """The candidate of a part; its anchor is the sentence."""
    first, last = (content.lines[number - 1] for number in told.lines)
    entry = told.part.entry
    candidate = Candidate(
        candidate_id=name_place(told.lines, content, is_prefixed),
        document_id=content.document_id,
        parse_id=content.parse_id,
        methods=("outline",),
        toc_index=entry.index if entry else first.toc_index,
        section_title=told.part.title,
        breadcrumb=entry.breadcrumb if entry else told.part.title,
        anchor=told.lines,
        anchor_pages=(first.page_number, last.page_number),
        anchor_text=content.text_between(*told.lines, searched_only=True),
        snippet=told.text,
        rrf_rank=rank,
        best_line=told.lines.first,
        shown=told.part.lines,
    )
    return Briefed(**vars(candidate), brief=brief_of(candidate, content, is_prefixed))
