"""The excerpts a model reads, as rows: page, line number, text; rows of a table as cells under their columns (R80)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from llm.fence import fence_text
from reading.matching import match_form
from reading.rows import STRUCK_NAME, STRUCK_TOLD
from retrieval.candidates.plain import plain_text
from retrieval.candidates.shown import LEFT_OUT
from retrieval.candidates.units import cut_around

CELL_SIGN = " | "
COPIED_NUMBER = re.compile(r"^\s*\d{1,7}(?:-\d{1,7})?:\s+")  # of a row, copied with it
NOT_LETTER = re.compile(r"[\W_]+")
LONG_ROW = 400  # characters: two or three sentences; of a longer paragraph only those that matter are passed on
LETTERS_MIN = 4  # of a quote; fewer occur in too many rows to be a place


@dataclass(frozen=True)
class ExcerptRow:
    """A line of a document, or the lines of one row of a table. `number` is 0 where the lines are not known.

    `shown` is what a model reads of its literal `text`, in both of which words that are struck through are marked,
    `head` what its table says of the columns. `at` counts the rows of the passage; `is_quote` if it was kept for it.
    `in_force` is the text without what is struck through, None where nothing is.
    """

    text: str
    shown: str
    number: int = 0
    last: int = 0
    page: int = 0
    head: str = ""
    at: int = 0
    is_quote: bool = False
    in_force: str | None = None


@dataclass(frozen=True)
class Excerpt:
    """One numbered passage as the model reads it; `quote` is shown when it is cited.

    `text` is what a sentence that cites it is held against; `in_force` in its place, where words are struck through.
    Without `rows` the lines of the text are its rows.
    """

    number: int
    document: str
    section: str
    pages: str
    text: str
    quote: str
    relevance: str = ""  # of a reranked passage
    rows: tuple[ExcerptRow, ...] = ()
    in_force: str | None = None

    @property
    def text_in_force(self) -> str:
        """What a sentence is held against: text and quote, or the text without what is struck through in it."""
        return f"{self.text}\n{self.quote}" if self.in_force is None else self.in_force

    @property
    def all_rows(self) -> tuple[ExcerptRow, ...]:
        return self.rows or plain_rows(self.text, self.quote)


def plain_rows(text: str, quote: str) -> tuple[ExcerptRow, ...]:
    """The lines of a text of which nothing else is known."""
    rows = tuple(ExcerptRow(line, plain_text(line), at=at) for at, line in enumerate(text.splitlines()))
    quoted = {row.at for row in find_copied(quote, rows)}
    return tuple(replace(row, is_quote=row.at in quoted) for row in rows)


def excerpt_blocks(excerpts: Sequence[Excerpt]) -> list[str]:
    """Excerpts as blocks of the prompt; one of the document or section of the one before does not name it again."""
    return [excerpt_block(each, after=excerpts[at - 1] if at else None) for at, each in enumerate(excerpts)]


def excerpt_block(excerpt: Excerpt, *, after: Excerpt | None = None, is_numbered: bool = True) -> str:
    """An excerpt as a block of the prompt; nothing in it can close its own fence."""
    rows = "\n".join(lines_of_rows(excerpt.all_rows, is_numbered=is_numbered))
    is_new = after is None or after.document != excerpt.document
    told = {
        "number": str(excerpt.number),
        "document": excerpt.document if is_new else "",
        "section": excerpt.section if is_new or after is None or after.section != excerpt.section else "",
        "pages": "" if is_numbered and excerpt.rows and excerpt.rows[0].page else excerpt.pages,
        "relevance": excerpt.relevance,
        "note": STRUCK_TOLD if has_struck(excerpt.all_rows) else "",
    }
    shown = " ".join(f'{name}="{attribute(value)}"' for name, value in told.items() if value)
    return f"<excerpt {shown}>\n{fence_text(rows)}\n</excerpt>"


def lines_of_rows(rows: Sequence[ExcerptRow], *, is_numbered: bool) -> Iterator[str]:
    """The rows in their order, each page and each table headed once, and what is left out between two of them marked.

    Where they are not numbered there is only what the document says, and the columns.
    """
    page, head, before = 0, "", -1
    for row in rows:
        if row.at > before + 1:
            yield LEFT_OUT
        if row.page and row.page != page and is_numbered:
            yield f"page {row.page}"
        if row.head and row.head != head:
            yield row.head
        numbers = f"{row.number}-{row.last}" if row.last > row.number else str(row.number)
        yield f"{numbers}: {row.shown}" if row.number and is_numbered else row.shown
        head = row.head or ("" if row.page != page else head)
        page, before = row.page, row.at


def attribute(text: str) -> str:
    return " ".join(fence_text(text).replace('"', "'").split())


def only_rows(excerpt: Excerpt, rows: Sequence[ExcerptRow]) -> Excerpt:
    """The excerpt with some of its rows; nothing else of it counts as cited."""
    return replace(with_text_of(rows, excerpt), rows=tuple(rows))


def with_text_of(rows: Sequence[ExcerptRow], excerpt: Excerpt) -> Excerpt:
    """The excerpt with the text of some rows, and what is in force of it where words of it are struck through."""
    in_force = None
    if excerpt.in_force is not None or has_struck(rows):
        in_force = "\n".join(row.text if row.in_force is None else row.in_force for row in rows)
    return replace(excerpt, text="\n".join(row.text for row in rows), in_force=in_force)


def has_struck(rows: Sequence[ExcerptRow]) -> bool:
    return any(row.in_force is not None for row in rows)


# ---- where something that a model copied occurs


def find_copied(copied: str, rows: Sequence[ExcerptRow]) -> list[ExcerptRow]:
    """The rows that print what a model copied, letter for letter; [] if it occurs nowhere.

    Signs, blanks, line ends and the number of the line do not count: it is the rows that are used, not the copy.
    """
    wanted = letters_of(COPIED_NUMBER.sub("", copied))
    if len(wanted) < LETTERS_MIN:
        return []
    letters = [letters_of(row.text) for row in rows]
    start = "".join(letters).find(wanted)
    found, end = [], 0
    for row, own in zip(rows, letters, strict=True):
        begin, end = end, end + len(own)
        if start >= 0 and begin < start + len(wanted) and start < end:
            found.append(row)
    return found


def sentences_with(copied: str, row: ExcerptRow) -> ExcerptRow:
    """A long row cut to the sentences that a model copied out of it; others as they are."""
    if len(row.shown) <= LONG_ROW or row.head:
        return row
    places = [at for at, sign in enumerate(row.shown) for _ in letters_of(sign)]
    wanted = letters_of(COPIED_NUMBER.sub("", copied))
    start = "".join(map(letters_of, row.shown)).find(wanted)
    if start < 0 or not wanted:
        return row
    stretch = (places[start], places[start + len(wanted) - 1] + 1)
    first, end = cut_around(row.shown, stretch, max(LONG_ROW, stretch[1] - stretch[0]))
    said = row.shown[first:end]
    return cut_row(row, row.shown, end - len(said.lstrip()), first + len(said.rstrip()))


def cut_row(row: ExcerptRow, text: str, first: int, end: int) -> ExcerptRow:
    """The row with characters [first, end) of its text, or of what is shown of it."""
    part, in_force = text[first:end], None
    if row.in_force is not None:
        in_force = STRUCK_NAME.sub(lambda found: " " * len(found[0]), text)[first:end]
    return replace(row, text=part, shown=plain_text(part), in_force=in_force)


def letters_of(text: str) -> str:
    return NOT_LETTER.sub("", match_form(text))
