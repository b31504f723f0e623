"""The register of a document (R14): its figures, tables, equations and appendices, and where its text refers to them.

Everything comes from the rows of a reading, so an older reading that has no register gets the same one when it is
needed.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby, islice

from reading.matching import match_form
from reading.registry.references import Reference, named_at, references_in
from reading.rows import (
    FRONT_INDEX,
    UNSEARCHED_KINDS,
    ImageRow,
    LineRow,
    ObjectRow,
    ReferenceRow,
    TocRow,
    name_in_force,
)
from reading.tables import Table, read_tables
from reading.values.runs import split_runs

HEADED = frozenset({"appendix", "exhibit", "schedule", "note"})  # what a heading names, not a caption
TABLE_ROWS_MAX = 60  # lines below a caption in which a row of its table is looked for
TITLE_CHARS = 500
OBJECTS_MAX, REFERENCES_MAX = 5_000, 20_000  # more are made to cost; the shared filings have 60 and 900 at most
NUMBER_CHARS = 24  # the longest number of an equation with its brackets
CAPTION_LINES = 3  # between a caption and its table: a unit, a wrapped caption
FIGURE_GAP = 60.0  # points between a picture and its caption, about four lines: further apart is another figure
EQUATION_NUMBER = re.compile(r"\((?P<label>\d{1,3}(?:\.\d{1,3}){0,4}[a-z]?)\)$")
CLAUSE_KINDS = frozenset({"body", "list_item", "heading"})
CLAUSE = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3}){1,4})[.:)]?\s+[^\W\d]")
RELATION = re.compile(r"[=≤≥≈≡∝∈⊂→↦]|(?<=\s)[<>](?=\s)")

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Registry:
    """The things a document has a name for, and the places in its text that use these names."""

    objects: tuple[ObjectRow, ...]
    references: tuple[ReferenceRow, ...]

    def between(self, first: int, last: int) -> tuple[ReferenceRow, ...]:
        """The references that begin on lines first..last."""
        low = bisect_right(self.references, first - 1, key=lambda each: each.line_number)
        return self.references[low : bisect_right(self.references, last, key=lambda each: each.line_number)]


@dataclass(frozen=True)
class Places:
    """Where names lead in one document."""

    lines: Sequence[LineRow]
    toc: Sequence[TocRow]
    objects: Sequence[ObjectRow]

    @cached_property
    def line_of(self) -> dict[tuple[str, str], int]:
        """The line of each thing by kind and label; the first one where a label is used twice."""
        known: dict[tuple[str, str], int] = {}
        for each in self.objects:
            known.setdefault((each.kind, each.label), each.line_number)
        for entry in self.toc:
            if entry.index != FRONT_INDEX and (number := entry.number.rstrip(".").casefold()):
                known.setdefault(("section", number), entry.first_line)
        for entry in self.toc:  # "Article 5", "Section II": sections whose number is a part of their name
            if (
                entry.index != FRONT_INDEX
                and (named := named_at(match_form(name_in_force(entry.title))))
                and named[0] == "section"
            ):
                known.setdefault(("section", named[1]), entry.first_line)
        return known

    @cached_property
    def numbered(self) -> dict[str, int]:
        """The first line of each numbered clause without a heading: "14.2 The Executive shall …"."""
        known: dict[str, int] = {}
        for line in self.lines:
            if line.text[:1].isdigit() and line.kind in CLAUSE_KINDS and (found := CLAUSE.match(line.text)):
                known.setdefault(found["number"], line.number)
        return known

    def find(self, reference: Reference) -> int:
        """The line a reference means: of the row, of the caption if it has no such row, of the section; 0 if none."""
        line = self.line_of.get((reference.kind, reference.label), 0)
        if not line and reference.kind == "section":
            line = self.numbered.get(reference.label, 0)
        return self.row_in(reference.row, line) or line if line and reference.row else line

    def row_in(self, row: str, caption: int) -> int:
        """The line of a table that begins with the row's name, searched up to the next caption."""
        for line in self.lines[caption : caption + TABLE_ROWS_MAX]:
            if line.kind == "caption":
                return 0
            if line.kind not in UNSEARCHED_KINDS and re.match(rf"{re.escape(row)}(?!\w)", line.match):
                return line.number
        return 0


def read_registry(lines: Sequence[LineRow], toc: Sequence[TocRow], images: Sequence[ImageRow] = ()) -> Registry:
    """The register of a reading's rows. `lines[n - 1].number == n`."""
    found = sorted(
        [*captioned_things(lines, images), *headed_things(lines, toc), *equations(lines)], key=lambda each: each[3]
    )
    objects = tuple(ObjectRow(index, *each) for index, each in enumerate(found[:OBJECTS_MAX], start=1))
    places = Places(lines, toc, objects)
    starts = {entry.first_line for entry in toc if entry.index != FRONT_INDEX}
    return Registry(objects, tuple(islice(read_references(lines, starts, places), REFERENCES_MAX)))


# ---- things

Found = tuple[str, str, str, int, int, float, float, float, float]  # an ObjectRow without its index


def captioned_things(lines: Sequence[LineRow], images: Sequence[ImageRow]) -> Iterator[Found]:
    """The figures and tables with a caption, in the box of what the caption stands at."""
    for page_number, group in groupby(lines, key=lambda line: line.page_number):
        page = list(group)
        captions = [(line, named) for line in page if line.kind == "caption" and (named := named_at(line.text))]
        if not captions:
            continue
        pictures = [image for image in images if image.page_number == page_number]
        tables = read_tables(page) if any(named[0] == "table" for _, named in captions) else []
        for line, (kind, label, title) in captions:
            following = lines[line.number].text if line.number < len(lines) else ""
            around = table_box(line, tables, lines) if kind == "table" else picture_box(line, pictures)
            box = around or (line.x0, line.y0, line.x1, line.y1)
            yield kind, label, (title or following)[:TITLE_CHARS], page_number, line.number, *box


def table_box(caption: LineRow, tables: Sequence[Table], lines: Sequence[LineRow]) -> Box | None:
    """The box around a caption and the table below it, or right above it."""
    own = [table for table in tables if table.title_line == caption.number]
    below = [table for table in tables if 0 < table.first_line - caption.number <= CAPTION_LINES]
    above = [table for table in tables if 0 < caption.number - table.last_line <= CAPTION_LINES]
    table = next(iter([*own, *below, *above]), None)
    if table is None:
        return None
    first, last = min(table.first_line, caption.number), max(table.last_line, caption.number)
    inside = lines[first - 1 : last]
    return (
        min(line.x0 for line in inside),
        min(line.y0 for line in inside),
        max(line.x1 for line in inside),
        max(line.y1 for line in inside),
    )


def picture_box(caption: LineRow, pictures: Sequence[ImageRow]) -> Box | None:
    """The box of the picture nearest above or below a caption."""

    def gap(image: ImageRow) -> float:
        return max(caption.y0 - image.y1, image.y0 - caption.y1, 0.0)

    beside = [image for image in pictures if image.x0 < caption.x1 and caption.x0 < image.x1]
    nearest = min(beside, key=gap, default=None)
    if nearest is None or gap(nearest) > FIGURE_GAP:
        return None
    return nearest.x0, nearest.y0, nearest.x1, nearest.y1


def headed_things(lines: Sequence[LineRow], toc: Sequence[TocRow]) -> Iterator[Found]:
    """The appendices, exhibits, schedules and notes that have a heading of their own."""
    known: set[tuple[str, str]] = set()
    entries = (
        (match_form(name_in_force(entry.title)), entry.title, entry.first_line)
        for entry in toc
        if entry.index != FRONT_INDEX
    )
    headings = ((line.match, line.text, line.number) for line in lines if line.kind == "heading")
    for form, text, number in (*entries, *headings):
        named = named_at(form)
        if named is None or named[0] not in HEADED or named[:2] in known:
            continue
        known.add(named[:2])
        line = lines[number - 1]
        shown = named_at(text)
        title = shown[2] if shown else text
        yield named[0], named[1], title[:TITLE_CHARS], line.page_number, number, line.x0, line.y0, line.x1, line.y1


def equations(lines: Sequence[LineRow]) -> Iterator[Found]:
    """The displayed equations with a number at the right, on their line or beside it."""
    for line in lines:
        if line.text[-1:] != ")" or line.kind in UNSEARCHED_KINDS or line.kind in ("heading", "caption"):
            continue
        found = EQUATION_NUMBER.search(line.text, max(len(line.text) - NUMBER_CHARS, 0))
        if found is None:
            continue
        own = line.text[: found.start()].rstrip()
        body = own or text_level_with(line, lines)
        if RELATION.search(body) and (not own or is_set_off(line, found.start())):
            place = (line.page_number, line.number, line.x0, line.y0, line.x1, line.y1)
            yield "equation", found["label"].casefold(), body[:TITLE_CHARS], *place


def text_level_with(line: LineRow, lines: Sequence[LineRow]) -> str:
    """The text that stands at the height of a number alone on its line, directly before or after it."""
    near = lines[max(line.number - 2, 0) : line.number + 1]
    level = [
        each.text
        for each in near
        if each.number != line.number
        and each.page_number == line.page_number
        and each.y0 < line.y1
        and line.y0 < each.y1
        and each.x1 <= line.x0
    ]
    return " ".join(level)


def is_set_off(line: LineRow, start: int) -> bool:
    """Whether the piece of a line that begins at `start` stands apart: at least its own height to the right."""
    before = [span for span in line.spans if span.end <= start]
    own = [span for span in line.spans if span.start >= start - 1 and span not in before]
    return bool(before and own) and own[0].x0 - before[-1].x1 >= line.y1 - line.y0


# ---- references


def read_references(lines: Sequence[LineRow], starts: set[int], places: Places) -> Iterator[ReferenceRow]:
    """The references in running text: not in captions, and not where a heading only bears its own name."""
    for page_lines in paragraphs(lines):
        text = " ".join(line.text for line in page_lines)
        offsets = list(accumulate((len(line.text) + 1 for line in page_lines), initial=0))
        for reference, start, end in references_in(text):
            at = bisect_right(offsets, start) - 1
            line, column = page_lines[at], start - offsets[at]
            if column == 0 and (line.kind == "heading" or line.number in starts):
                continue
            stop = min(end - offsets[at], len(line.text))
            yield ReferenceRow(
                line.number, column, stop, reference.kind, reference.label, reference.row, places.find(reference)
            )


def paragraphs(lines: Sequence[LineRow]) -> Iterator[list[LineRow]]:
    """Runs of lines that text may go over, across pages; a caption or a section ends a run."""
    text = (line for line in lines if line.kind not in UNSEARCHED_KINDS)

    def goes_on(run: list[LineRow], line: LineRow) -> bool:
        return "caption" not in (line.kind, run[-1].kind) and line.toc_index == run[-1].toc_index

    return (run for run in split_runs(text, goes_on) if run[0].kind != "caption")
