"""The one cell of a printed table that a question asks for: its row by the words, its column by the period or name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chat.drafts import CitedLines, Quoted
from documents.storage.content import DocumentContent
from reading.layout.amounts import has_unread_sign
from reading.tables import PERIOD, Table, TableCell, TableRow, is_value
from retrieval.candidates.plain import plain_text
from retrieval.candidates.shown_rows import tables_on
from retrieval.models import RunCandidate
from retrieval.types import Question
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import WeighedTerm, weigh_terms
from retrieval.words.tokens import is_generic, is_stop_word, normalise_words

PLACES_MAX = 8  # of the kept passages, the best
VALUES = frozenset({"amount", "percentage", "number"})
TYPES = VALUES | {"text", ""}  # of an answer that a cell can be
SAID_MIN = 0.75  # of the question's weight in the row, its headings and the title: a row about half of it is another
LABEL_MIN = 0.6  # of the label's words that are asked for: "Other liabilities" are not the liabilities
RANK = 0.05  # what each further place counts less
ROWS_AROUND = 2  # shown beside the row
# "Which segment grew most?" compares rows; no single one answers it.
RANKING = re.compile(
    r"\b(?:largest|biggest|highest|greatest|smallest|lowest|least|most|best|worst|fastest|rank\w*"
    r"|l[ae]s? plus|größte\w*|höchste\w*|kleinste\w*|mayor|menor)\b",
    re.IGNORECASE,
)
WHICH, MORE = re.compile(r"\bwhich\b", re.IGNORECASE), re.compile(r"\b(?:more|fewer|less)\b", re.IGNORECASE)
YEAR = re.compile(r"(?:19|20)\d\d")
QUARTER = re.compile(r"\b(?:q([1-4])|(first|second|third|fourth) quarter)\b", re.IGNORECASE)


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

    @property
    def unit(self) -> str:
        """What the table or column says; "" for a percentage, which is none of its amounts."""
        return "" if "%" in self.cell.text else self.table.columns[self.column].unit

    @property
    def text(self) -> str:
        """ "Total assets, 2021: $59,268 (in millions)"."""
        heading = self.table.columns[self.column].heading
        group = "" if PERIOD.search(self.row.group) else self.row.group
        period = self.period.capitalize() if self.period.isupper() else self.period
        named = [self.row.label.strip(" .:,"), group.strip(" .:,"), period or heading]
        unit = f" ({self.unit})" if self.unit else ""
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
    found: list[tuple[int, float, list[PrintedCell]]] = []
    for rank, candidate in enumerate(kept[:PLACES_MAX]):
        content = contents.get(candidate.parse_id)
        if content is None:
            continue
        for table in tables_of(candidate, content):
            terms = asked_terms(question, content)
            for row in table.rows:
                worth = worth_of_row(row, table, terms, content)
                printed = [
                    PrintedCell(candidate, content, table, row, column, cell, period_of(table, column), year)
                    for year in (question.years or ("",) if worth else ())
                    if (column := column_asked(year, question, table, content)) is not None
                    and (cell := row.cells[column]) is not None
                    and (cell.amount is not None or is_value(cell))
                ]
                if printed:
                    found.append((len(printed), worth - RANK * rank, printed))
    best = max(found, key=lambda each: each[:2])[2] if found else []
    return [] if any(has_unread_sign(each.cell.text) for each in best) else best


def tables_of(candidate: RunCandidate, content: DocumentContent) -> Iterator[Table]:
    for page in range(candidate.anchor_first_page, candidate.anchor_last_page + 1):
        yield from tables_on(page, content)


def asked_terms(question: Question, content: DocumentContent) -> list[WeighedTerm]:
    """The terms of a question that a row can have: not the years, nor the names in the document's title.

    In a document of another language only what the dictionary has the name of.
    """
    titled = set(normalise_words(content.title))
    is_foreign = content.language not in (question.language, "und")
    return [
        term
        for term in weigh_terms(question, lexicon_of(content))
        if term.text not in question.years
        and not titled.issuperset(normalise_words(term.text))
        and (term.is_concept or not is_foreign)
    ]


def worth_of_row(row: TableRow, table: Table, terms: Sequence[WeighedTerm], content: DocumentContent) -> float:
    """How much of the question a row says, and how little else; 0 where it is not about it.

    A row that begins with a number the question names ("2098 Result") is that row, whatever else it says.
    """
    own = normalise_words(f"{row.label} {row.group}")
    headings = " ".join([table.title, *(column.heading for column in table.columns), *headings_of(table, content)])
    total = sum(term.weight for term in terms)
    said = sum(term.weight for term in terms if is_in(term, own) or is_in(term, normalise_words(headings)))
    label = [word for word in normalise_words(row.label) if not is_small(word, content.language)]
    asked = [word for word in label if any(is_in(term, [word]) or is_part(word, term) for term in terms)]
    is_numbered = bool(own) and own[0].isdigit() and any(own[0] in term.forms for term in terms)
    if total and is_numbered and said >= SAID_MIN * total:
        return said / total + 1.0
    if not total or not label or said < SAID_MIN * total or len(asked) < LABEL_MIN * len(label) or not asked:
        return 0.0
    return said / total + len(asked) / len(label)


def headings_of(table: Table, content: DocumentContent) -> list[str]:
    """The headings at the top of the table's page and of that it begins on, such as the name of a statement."""
    named = lexicon_of(content).page_headings
    pages = filter(None, (table.begins_on, table.page_number))
    return [content.lines[number - 1].text for page in pages for number in named.get(page, ())]


def is_in(term: WeighedTerm, words: Sequence[str]) -> bool:
    said = f" {' '.join(words)} "
    return any(f" {form} " in said for form in term.forms)


def is_part(word: str, term: WeighedTerm) -> bool:
    """Whether a word is one of those of a term of several."""
    return any(word in form.split() for form in term.forms)


def is_small(word: str, language: str) -> bool:
    return is_stop_word(word, language) or is_generic(word, language) or not word.isalpha()


def column_asked(asked: str, question: Question, table: Table, content: DocumentContent) -> int | None:
    """The column of the year asked for, without one the latest; of several the one whose heading the question names."""
    years = [found[0] if (found := YEAR.search(period_of(table, at))) else "" for at in range(len(table.columns))]
    if asked:
        fitting = [at for at, year in enumerate(years) if year == asked]
        is_headed = not any(years) and any(asked in heading for heading in headings_of(table, content))
        return narrow_columns(question, table, fitting or (list(range(len(years))) if is_headed else []))
    latest = max(years)
    return narrow_columns(question, table, [at for at, year in enumerate(years) if year == latest])


def narrow_columns(question: Question, table: Table, columns: Sequence[int]) -> int | None:
    """The one of the columns that is meant: alone, or named by more words of the question than any other."""
    if len(columns) < 2:
        return next(iter(columns), None)
    asked = set(normalise_words(question.topic)) | quarter_words(question.topic)
    named = [
        len(asked & (set(normalise_words(table.columns[at].heading)) | quarter_words(table.columns[at].heading)))
        for at in columns
    ]
    best = max(named)
    return columns[named.index(best)] if named.count(best) == 1 else None


def quarter_words(text: str) -> set[str]:
    ordinals = {"first": "1", "second": "2", "third": "3", "fourth": "4"}
    return {f"quarter {found[1] or ordinals[found[2].lower()]}" for found in QUARTER.finditer(text)}


def period_of(table: Table, column: int) -> str:
    return table.columns[column].period


def quote_cell(printed: PrintedCell, marker: int) -> Quoted:
    """The row as a citation of its own."""
    lines = printed.content.legible_lines(printed.row.first_line, printed.row.last_line)
    boxes = printed.content.boxes_at((line.number, 0, len(line.text)) for line in lines)
    page = printed.table.page_number
    place = CitedLines(
        lines[0].number,
        lines[-1].number,
        page,
        printed.content.page(page).label,
        [box.as_dict() for box in boxes],
    )
    return Quoted(marker, printed.candidate, "\n".join(line.text for line in lines), place)


def typed_cell(printed: PrintedCell) -> dict[str, Any]:
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
        "period": printed.period,
        "asked": printed.asked,
        "unit": printed.unit or ("%" if "%" in printed.cell.text else ""),
        "value": printed.cell.text,
        "headers": headings if any(headings) else [],
        "rows": [{"label": row.label, "cells": [cell.text if cell else "" for cell in row.cells]} for row in around],
        "at": [at - first, printed.column],
        "lines": [printed.row.first_line, printed.row.last_line],
    }
