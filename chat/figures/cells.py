"""The one cell of a printed table that a question asks for: its row by the words, its column by the period or name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os.path import commonprefix
from typing import Any, NamedTuple

from chat.checks import TypedValue
from chat.drafts import Quoted, cite_lines
from chat.figures.year_parts import parts_named, without_parts
from documents.storage.content import DocumentContent
from reading.layout.amounts import has_unread_sign
from reading.markdown import plain_title
from reading.tables import PERIOD, Table, TableCell, TableRow, cells_of_line, is_value, names_total
from reading.values.days import days_in
from reading.values.years import YEAR
from retrieval.candidates.plain import plain_text
from retrieval.candidates.rows_asked import day_of_row, find_banded_row, find_dated_row, words_of_row
from retrieval.candidates.shown import LEFT_OUT
from retrieval.candidates.shown_rows import group_lines
from retrieval.models import RunCandidate
from retrieval.question.bands import measures_another
from retrieval.question.kinds import SHIPPED
from retrieval.question.linear import compile_linear
from retrieval.types import Question
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import WeighedTerm, weigh_terms
from retrieval.words.tokens import generic_words, is_generic, is_stop_word, normalise_words, stem, telling_stems

PLACES_MAX = 8  # of the kept passages, the best
VALUES = frozenset({"amount", "percentage", "number"})
TYPES = VALUES | {"text", ""}  # of an answer that a cell can be
SAID_MIN = 0.75  # of the question's weight in the row, its headings and the title: a row about half of it is another
LABEL_MIN = 0.6  # of the label's words that are asked for: "Other liabilities" are not the liabilities
BAND_SAID_MIN = 0.5  # … of its words that the document has: an interval is named by few
SAME_WORTH = 0.1  # two rows whose worth is as near as this may both be meant
RANK = 0.05  # what each further place counts less
ROWS_AROUND = 2  # shown beside the row
# "Which segment grew most?" compares rows; no single one answers it.
RANKING = re.compile(
    r"\b(?:largest|biggest|highest|greatest|smallest|lowest|least|most|best|worst|fastest|rank\w*"
    r"|l[ae]s? plus|größte\w*|höchste\w*|kleinste\w*|mayor|menor)\b",
    re.IGNORECASE,
)
WHICH, MORE = re.compile(r"\bwhich\b", re.IGNORECASE), re.compile(r"\b(?:more|fewer|less)\b", re.IGNORECASE)
HEADING_MAX = 80  # characters that name a column; of a longer heading its own words and its period do


class AskedTerms(NamedTuple):
    """The terms of a question that a row of one document can have, and those that are all of some row's label there."""

    every: list[WeighedTerm]
    labels: list[WeighedTerm]


@dataclass(frozen=True)
class PrintedCell:
    """A cell with what says what it is. `rows` are those around it, `at` its row and column among them."""

    candidate: RunCandidate
    content: DocumentContent
    table: Table
    row: TableRow
    column: int
    cell: TableCell
    period: str
    asked: str = ""  # the year of the question it is of
    is_band: bool = False  # its row was told by a number: its label says nothing of what it is about

    @property
    def unit(self) -> str:
        return self.table.unit_at(self.row, self.column)

    @property
    def text(self) -> str:
        """ "Total assets, 2021: $59,268 (in millions)"."""
        group = "" if PERIOD.search(self.row.group) else self.row.group
        titled = self.table.title if self.is_band else ""
        is_entry = self.is_band and day_of_row(self.row) is not None
        worded = [cell.text for cell in self.row.cells if is_entry and cell and not is_value(cell)]
        named = [each.strip(" .:,") for each in (titled, self.row.label, group, *worded)]
        if self.content.lines[self.row.first_line - 1].method == "markdown":
            named = [plain_title(each) for each in named]
        named.append(column_called(self.table, self.column))
        unit = f" ({self.unit})" if self.unit and self.unit not in self.row.label + self.cell.text else ""
        return plain_text(f"{', '.join(filter(None, dict.fromkeys(named)))}: {' '.join(self.cell.text.split())}{unit}")


def is_ranking(text: str) -> bool:
    """Whether a question compares: no one row or sentence answers it."""
    return bool(RANKING.search(text) or (WHICH.search(text) and MORE.search(text)))


def find_cells(
    question: Question, kept: Sequence[RunCandidate], contents: Mapping[Any, DocumentContent]
) -> list[PrintedCell]:
    """The cells of the row that has what was asked, in the columns of the periods or the thing named.

    None where no row says most of the question, where no period asked for has a column, where two columns may be
    meant, or where the sign of an amount could not be read. A row with more of the periods goes before a better one
    with fewer.
    """
    asks_value = question.answer_type in VALUES or (question.answer_type in TYPES and question.shape == "single")
    if not asks_value or question.is_count or question.parts:
        return []
    asked: dict[Any, AskedTerms] = {}  # by reading
    found: list[tuple[int, float, list[PrintedCell]]] = []
    for rank, candidate in enumerate(kept[:PLACES_MAX]):
        content = contents.get(candidate.parse_id)
        if content is None:
            continue
        for table in tables_of(candidate, content):
            if candidate.parse_id not in asked:
                asked[candidate.parse_id] = asked_terms(question, content)
            terms = asked[candidate.parse_id]
            dated = find_dated_row(table, question, content)
            banded = dated or find_banded_row(table, question, content)
            years = ("",) if dated else question.years or ("",)  # that of a day is over no column
            for row in [each for each in table.rows if is_asked(each, question)] if banded is None else (banded,):
                worth = (
                    worth_of_band(row, table, terms.every, content, question.original if dated else "")
                    if row is banded
                    else worth_of_row(row, table, terms, content)
                )
                printed = [
                    PrintedCell(
                        candidate, content, table, row, column, cell, period_of(table, column), year, row is banded
                    )
                    for year in (years if worth else ())
                    if (column := column_asked(year, question, table, row, content)) is not None
                    and (cell := row.cells[column]) is not None
                    and any(map(str.isdigit, cell.text))  # a dash alone says neither none nor nothing
                    and (cell.amount is not None or is_value(cell))
                ]
                if printed:
                    found.append((len(printed), worth - RANK * rank, printed))
    if not found:
        return []
    best = max(found, key=lambda each: each[:2])
    is_double = best[2][0].is_band and any(is_as_good(each, best) for each in found if each is not best)
    return [] if is_double or any(has_unread_sign(each.cell.text) for each in best[2]) else best[2]


def is_asked(row: TableRow, question: Question) -> bool:
    """Whether a row may be the one asked for: not one of 7 m² where 14 m² are."""
    return not measures_another(f"{row.label} {row.group}", question.topic, question.language)


def is_as_good(found: tuple[int, float, list[PrintedCell]], best: tuple[int, float, list[PrintedCell]]) -> bool:
    """Whether the row of another table says as much of the question: two tables often have the same intervals."""
    cells = {(cell.cell.line, cell.cell.start) for cell in best[2]}
    return found[1] > best[1] - SAME_WORTH and cells.isdisjoint((cell.cell.line, cell.cell.start) for cell in found[2])


def tables_of(candidate: RunCandidate, content: DocumentContent) -> Iterator[Table]:
    for page in range(candidate.anchor_first_page, candidate.anchor_last_page + 1):
        yield from content.tables_on_page(page)


def asked_terms(question: Question, content: DocumentContent) -> AskedTerms:
    """The terms of a question that a row can have: not the years, nor the names in the document's title.

    In a document of another language only what the dictionary has the name of.
    """
    titled = set(normalise_words(content.title))
    left = set(normalise_words(without_parts(question.topic)))
    of_column = set(normalise_words(question.topic)) - left  # "second half", which is in no label
    is_foreign = content.language not in (question.language, "und")
    terms = [
        term
        for term in weigh_terms(question, lexicon_of(content))
        if term.text not in question.years
        and not titled.issuperset(normalise_words(term.text))
        and not of_column.issuperset(normalise_words(term.text))
        and (term.is_concept or not is_foreign)
    ]
    return AskedTerms(terms, [term for term in terms if labels_a_row(term, content)])


def worth_of_row(row: TableRow, table: Table, asked_for: AskedTerms, content: DocumentContent) -> float:
    """How much of the question a row says, and how little else; 0 where it is not about it.

    A row that begins with a number the question names ("2098 Result") is that row, whatever else it says; none is
    where a word that it does not say labels another row: the profit in "Norway" is not that of the group.
    """
    terms = asked_for.every
    own = normalise_words(f"{row.label} {row.group}")
    headings = " ".join([table.title, *(column.heading for column in table.columns), *headings_of(table, content)])
    total = sum(term.weight for term in terms)
    there = [term for term in terms if term.is_in(own) or term.is_in(normalise_words(headings))]
    untold = [term for term in terms if term not in there]
    if any(is_recurring(term.text, content.language) or term in asked_for.labels for term in untold):
        return 0.0
    said = sum(term.weight for term in there)
    label = [word for word in normalise_words(row.label) if not is_small(word, content.language)]
    asked = [word for word in label if any(term.is_in([word]) or is_part(word, term) for term in terms)]
    is_numbered = bool(own) and own[0].isdigit() and any(own[0] in term.forms for term in terms)
    if total and is_numbered and said >= SAID_MIN * total:
        return said / total + 1.0
    if not total or not label or said < SAID_MIN * total or len(asked) < LABEL_MIN * len(label) or not asked:
        return 0.0
    return said / total + len(asked) / len(label)


def labels_a_row(term: WeighedTerm, content: DocumentContent) -> bool:
    """Whether a term of the question is all of some row's label."""
    rows = (line for number in term.lines.tolist() if (line := content.lines[number - 1]).kind == "table_row")
    labels = (cells[0].text for line in rows if len(cells := cells_of_line(line)) > 1)
    return any(" ".join(normalise_words(label)) in term.forms for label in labels if not names_total(label))


def worth_of_band(
    row: TableRow, table: Table, terms: Sequence[WeighedTerm], content: DocumentContent, asked: str
) -> float:
    """How much of the question an interval or an entry, the title and the head say, of what the document says at all.

    The day in the text `asked` is that of the entry.
    """
    head = [content.lines[number - 1].text for number in table.head_lines]
    said_over = [table.title, *(column.heading for column in table.columns), *head]
    own = normalise_words(" ".join([words_of_row(row), row.group, *said_over, *(day.text for day in days_in(asked))]))
    total = sum(term.weight for term in terms if len(term.lines))
    said = sum(term.weight for term in terms if term.is_in(own))
    return said / total if total and said >= BAND_SAID_MIN * total else 0.0


def is_recurring(word: str, language: str) -> bool:
    """Whether a word says how often ("monthly"): a one-off fee is no monthly fee, though "month" is a common word.

    What is of a year is said by the years over the columns.
    """
    pattern, _ = SHIPPED.patterns_of("frequency")
    framing = generic_words().get(language, generic_words()["en"])
    return word not in framing and compile_linear(pattern).search(word) is not None


def headings_of(table: Table, content: DocumentContent) -> list[str]:
    """The headings at the top of the table's page and of that it begins on, such as the name of a statement.

    None of a section that ends before the table, with a table of its own.
    """
    named = lexicon_of(content).page_headings
    others = [each.first_line for each in content.tables_on_page(table.page_number)]
    ended = [
        range(entry.first_line, entry.last_line + 1)
        for entry in content.toc
        if entry.last_line < table.first_line and any(entry.first_line <= line <= entry.last_line for line in others)
    ]
    pages = filter(None, (table.begins_on, table.page_number))
    tops = (number for page in pages for number in named.get(page, ()))
    return [content.lines[number - 1].text for number in tops if not any(number in lines for lines in ended)]


def is_part(word: str, term: WeighedTerm) -> bool:
    """Whether a word is one of those of a term of several."""
    return any(word in form.split() for form in term.forms)


def is_small(word: str, language: str) -> bool:
    return is_stop_word(word, language) or is_generic(word, language) or not word.isalpha()


def column_asked(asked: str, question: Question, table: Table, row: TableRow, content: DocumentContent) -> int | None:
    """The column of the year asked for, without one the latest; of several the one whose heading the question names.

    A column without a year, such as "Change" or "Limit", is meant where the question names it, unless it asks for a
    year that is not the latest: whose change or limit that is, is not printed.
    """
    years = [found[0] if (found := YEAR.search(period_of(table, at))) else "" for at in range(len(table.columns))]
    latest, named = max(years), columns_named(question, table, row)
    own = [at for at in named if not years[at]] if latest else []
    if own and len(own) == len(named):
        return narrow_columns(question, table, own) if asked in ("", latest) else None
    if asked:
        fitting = [at for at, year in enumerate(years) if year == asked]
        is_headed = not any(years) and any(asked in heading for heading in headings_of(table, content))
        return narrow_columns(question, table, fitting or (list(range(len(years))) if is_headed else []))
    latest = max(years[at] for at in named) if named else latest
    return narrow_columns(question, table, [at for at in named or columns_of_values(table) if years[at] == latest])


def columns_of_values(table: Table) -> list[int]:
    """The columns with a value in some row: one of words, such as "Due", is meant only where it is named."""
    columns = range(len(table.columns))
    return [at for at in columns if any(cell and is_value(cell) for row in table.rows for cell in [row.cells[at]])]


def columns_named(question: Question, table: Table, row: TableRow) -> list[int]:
    """The columns all of whose own words the question has, those with the most; none where the label says them.

    A word over every column is none's own, nor is that of a period.
    """
    language = question.language
    headings = [PERIOD.sub(" ", column.heading) for column in table.columns]
    words = [telling_stems(heading, language) for heading in headings]
    shared: frozenset[str] = frozenset.intersection(*words) if len(words) > 1 else frozenset()
    label, asked = ({stem(word, language) for word in normalise_words(text)} for text in (row.label, question.topic))
    named = {
        at: len(own) for at, each in enumerate(words) for own in [each - shared] if own and own <= asked and own - label
    }
    most = max(named.values(), default=0)
    return [at for at, count in named.items() if count == most]


def narrow_columns(question: Question, table: Table, columns: Sequence[int]) -> int | None:
    """The one of the columns that is meant: alone, or named by more words of the question than any other.

    A part of a year that is asked for must be named over a column; where none is asked for, all of the year is.
    """
    headings = {at: table.columns[at].heading for at in columns}
    parts = {at: parts_named(heading) for at, heading in headings.items()}
    asked = parts_named(question.topic) - {"months"}
    if asked:
        fitting = (
            asked & parts[at] or parts[at] == {"months"} or (asked == {"whole"} and not parts[at]) for at in columns
        )
        columns = [at for at, is_fitting in zip(columns, fitting, strict=True) if is_fitting]
    elif any(parts.values()):
        whole = [at for at in columns if "whole" in parts[at]]
        columns = whole if len(whole) == 1 else columns
    if len(columns) < 2:
        return next(iter(columns), None)
    words = {word for word in normalise_words(question.topic) if not is_stop_word(word, question.language)}
    named = [len(words & set(normalise_words(headings[at]))) + len(asked & parts[at]) for at in columns]
    best = max(named)
    tied = [at for at, count in zip(columns, named, strict=True) if count == best]
    if len(tied) > 1:
        shared = set.intersection(*(set(normalise_words(each.heading)) for each in table.columns))
        tied = [at for at in tied if words.issuperset({*normalise_words(headings[at])} - shared)]  # named whole
    return tied[0] if len(tied) == 1 and best else None


def column_called(table: Table, at: int) -> str:
    """A column by its period; by its heading where others have the same period, or it has none."""
    column = table.columns[at]
    siblings = [each.heading for each in table.columns if each is not column and each.period == column.period]
    if not column.period or not siblings:
        return column.period.capitalize() if column.period.isupper() else column.period or column.heading
    words = column.heading.split()
    shared = len(commonprefix([words, *(each.split() for each in siblings)]))
    over, own = " ".join(words[:shared]), " ".join(words[shared:])
    named = ", ".join(filter(None, (over, own)))
    return named if len(named) <= HEADING_MAX else f"{own}, {column.period}"


def period_of(table: Table, column: int) -> str:
    return table.columns[column].period


def quote_cell(printed: PrintedCell, marker: int) -> Quoted:
    """The row as a citation of its own, after the line that names its group."""
    content, row, page = printed.content, printed.row, printed.table.page_number
    over = [
        number for number in group_lines(row, printed.table, content.lines_on_page(page)) if number < row.first_line
    ]
    is_apart = bool(over) and over[-1] + 1 < row.first_line
    first = row.first_line if is_apart or not over else over[-1]
    lines = content.legible_lines(first, row.last_line)
    lead_in = [content.lines[over[-1] - 1].text, LEFT_OUT] if is_apart else []
    shown = [*(content.lines[number - 1] for number in over if is_apart), *lines]
    pieces = [(line.number, 0, len(line.text)) for line in shown]
    place = cite_lines(content, lines[0].number, lines[-1].number, pieces)
    return Quoted(marker, printed.candidate, "\n".join([*lead_in, *(line.text for line in lines)]), place)


def typed_cell(printed: PrintedCell) -> TypedValue:
    """The cell with the rows around it, the cited one marked."""
    rows, at = printed.table.rows, printed.table.rows.index(printed.row)
    first = max(at - ROWS_AROUND, 0)
    around = rows[first : at + ROWS_AROUND + 1]
    headings = [column.heading for column in printed.table.columns]
    return {
        "type": "cell",
        "text": printed.text,
        "label": printed.row.label,
        "group": printed.row.group,
        "column": headings[printed.column],
        "period": printed.period and column_called(printed.table, printed.column),
        "asked": printed.asked,
        "unit": printed.unit or ("%" if "%" in printed.cell.text else ""),
        "value": printed.cell.text,
        "headers": headings if any(headings) else [],
        "rows": [{"label": row.label, "cells": [cell.text if cell else "" for cell in row.cells]} for row in around],
        "at": [at - first, printed.column],
        "lines": [printed.row.first_line, printed.row.last_line],
    }
