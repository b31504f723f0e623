"""The whole sentences of a place that a quote is made of where no model chooses its words."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from documents.storage.content import DocumentContent, kept_by_key, kept_with_content
from reading.layout.ticks import has_box
from reading.matching import match_form
from reading.rows import UNSEARCHED_KINDS, LineRow
from reading.values.sentences import SENTENCE, split_at
from retrieval.candidates.units import (
    EDGE_SLACK,
    Piece,
    Prose,
    cut_around,
    lead_in_of,
    marker_of,
    prose_of,
    table_below,
    units_of,
)
from retrieval.types import LineRange, Sentences
from retrieval.words.options import lines_asking

QUOTE_CHARS = 700  # a long clause of a contract; several sentences together are no longer
SENTENCE_CHARS = 2_400  # of one sentence that is longer only whole clauses are quoted
LIST_LINES = 12  # of the items that a sentence announces with a colon
PROSE = frozenset({"body", "list_item"})
ASKS = re.compile(r"[?？؟][\W_]{0,6}\Z")  # what stands above its answer, as in a FAQ
LABEL = re.compile(  # "Q:", "12.", "3.1"
    r"\A\W*+(?:[FPQ]\W{0,2}(?:\d{1,3}\W{0,2})?[.:)]|\d{1,3}(?:\.\d{1,3})*+[.:)]?)[*_]*+\s"
)
AMID_NUMBER = re.compile(r"\A\s*\(\d{1,4}\)\s+")  # "six | (6) years": the figure of a number that was in words


def sentences_at(anchor: LineRange, best_line: int, words: Collection[str], content: DocumentContent) -> Sentences:
    """The sentences on the best line of a place, with those of its anchor that have a word of the question.

    Below a heading they are the first ones of its text. Those that end with a colon go on over the items they announce,
    and a printed question over its answer. Empty in a table, where a row is quoted instead.
    """
    line = next((each for each in content.legible_lines(best_line, anchor.last) if each.kind in PROSE), None)
    if line is None or content.lines[best_line - 1].kind == "table_row":
        return Sentences("", anchor)
    answered = answers_printed(content).get(line.number)
    prose, forms = split_run(answered or run_around(line.number, content), content)
    own, (first, last) = prose.stretch(LineRange(line.number, line.number)), prose.stretch(anchor)
    on_line = [part for part in forms if part[0] < own[1] and own[0] < part[1]]
    near = [part for part in forms if part[0] < last and first < part[1]]
    telling = [part for part in near if any(word in forms[part] for word in words)]
    chosen = [part for part in on_line if part in telling] or on_line
    together = [part for part in near if part in telling or part in chosen]
    if not together:
        return Sentences("", anchor)
    start, end = together[0][0], together[-1][1]
    if answered and end <= QUOTE_CHARS:
        start, end = 0, max(part[1] for part in forms if part[1] <= max(QUOTE_CHARS, end))
    if end - start > QUOTE_CHARS:
        start, end = chosen[0][0], chosen[-1][1]
    if end - start > SENTENCE_CHARS:
        start, end = cut_around(prose.text, own, SENTENCE_CHARS)
    pieces = prose.pieces(start, end)
    if pieces and prose.text[start:end].rstrip().endswith(":"):
        items = items_after(pieces[-1].number, content)
        pieces += [Piece(row.number, 0, len(row.text)) for row in items]
    text = "\n".join(content.lines[piece.number - 1].text[piece.start : piece.end] for piece in pieces)
    return Sentences(text, LineRange(pieces[0].number, pieces[-1].number) if pieces else anchor)


class SplitRun(NamedTuple):
    """The text of some lines, and the match form of each of its sentences by where it begins and ends."""

    prose: Prose
    forms: dict[tuple[int, int], str]


@kept_by_key
def split_run(lines: LineRange, content: DocumentContent) -> SplitRun:
    prose = prose_of(lines, content)
    return SplitRun(prose, {part: match_form(prose.text[slice(*part)]) for part in split_at(prose.text, SENTENCE)})


class PrintedQuestion(NamedTuple):
    """A question that stands right above its answer, as in a FAQ, and the lines on which the two begin."""

    text: str
    first: int
    answer: int


@kept_with_content
def questions_printed(content: DocumentContent) -> Sequence[PrintedQuestion]:
    """The printed questions, each from the line with its number or letter on."""
    found: list[PrintedQuestion] = []
    for above, below in pairwise(line for line in content.lines if line.kind not in UNSEARCHED_KINDS):
        is_beside = below.kind in PROSE and above.toc_index == below.toc_index
        if is_beside and above.kind != "table_row" and ASKS.search(above.text):
            first = lines_asking(content.lines[above.number], content)[0].number
            begins = max(units_of(content).around(above.number).first, found[-1].answer if found else 1)
            numbers = range(first, begins - 1, -1)
            first = next((number for number in numbers if LABEL.match(content.lines[number - 1].text)), first)
            text = " ".join(content.text_between(first, above.number).split())
            found.append(PrintedQuestion(text, first, below.number))
    return found


@kept_with_content
def questions_over(content: DocumentContent) -> Mapping[int, PrintedQuestion]:
    """The printed question that each line stands under, the last one above it in its section."""
    printed, found = questions_printed(content), dict[int, PrintedQuestion]()
    for question, following in zip_longest(printed, printed[1:]):
        section = content.lines[question.answer - 1].toc_index
        below = content.lines[question.answer - 1 : following.first - 1 if following else None]
        found |= {line.number: question for line in below if line.toc_index == section}
    return found


@kept_with_content
def answers_printed(content: DocumentContent) -> Mapping[int, LineRange]:
    """The lines of each printed question with those of its answer right below, by each of them; of a question in a
    heading the answer alone.
    """
    printed, found = questions_printed(content), dict[int, LineRange]()
    for (_, first, answer), following in zip_longest(printed, printed[1:]):
        last = min(units_of(content).around(answer).last, following.first - 1 if following else len(content.lines))
        start = answer if content.lines[first - 1].kind == "heading" else first
        if answer <= last and not has_box(content.text_between(start, last)):
            found |= dict.fromkeys(range(first, last + 1), LineRange(start, last))
    return found


def items_after(number: int, content: DocumentContent) -> list[LineRow]:
    """The lines of what the line with that number announces, LIST_LINES at most: whole items of a list, or the block
    right below it that is set further in.
    """
    units = units_of(content)
    announcing = units.around(number)
    begins = {announcing.first}  # of what introduces further items
    taken: list[LineRow] = []
    at = units.position(number)
    for position in range(at + 1, min(at + 1 + LIST_LINES, len(units.starts))):
        item = units.at(position)
        lead_in = lead_in_of(item, content)
        rows = content.legible_lines(*item)
        is_beside = bool(taken) and marker_of(item, content) == marker_of(announcing, content)
        is_announced = lead_in.first in begins if lead_in else is_set_in(rows, content.lines[number - 1])
        if not is_announced or is_beside or len(taken) + len(rows) > LIST_LINES:
            break
        begins.add(item.first)
        taken += rows
    return taken


def is_set_in(rows: Sequence[LineRow], above: LineRow) -> bool:
    """Whether rows are a block of text of the same section that begins further right than a line above them."""
    place = above.page_number, above.column, above.toc_index
    return bool(rows) and all(
        (row.page_number, row.column, row.toc_index) == place and row.kind in PROSE and row.x0 > above.x0 + EDGE_SLACK
        for row in rows
    )


@kept_by_key
def run_around(number: int, content: DocumentContent) -> LineRange:
    """The unit of a line as far as it surely goes on: over a page or a column only where a word begins small. Of the
    head of a table in words, the table: a head alone answers nothing.

    What stands on top of the next page may be the label of a figure.
    """
    rows = content.legible_lines(*table_below(number, content) or units_of(content).around(number))
    first = last = next(at for at, row in enumerate(rows) if row.number == number)
    while first > 0 and goes_on(rows[first - 1], rows[first]):
        first -= 1
    while last + 1 < len(rows) and goes_on(rows[last], rows[last + 1]):
        last += 1
    return LineRange(rows[first].number, rows[last].number)


def goes_on(line: LineRow, following: LineRow) -> bool:
    is_beside = (line.page_number, line.column) == (following.page_number, following.column)
    return is_beside or AMID_NUMBER.sub("", following.text).lstrip()[:1].islower()
