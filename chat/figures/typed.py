"""The typed value of an answer beside its text: amount, percentage, date, duration, list or table (R77, R82).

Each is cut from a cited line, so that it can be checked there; nothing is completed or converted.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from chat.drafts import Quoted
from chat.figures.printed import Value, values_in
from chat.writing.extractive import spoken
from chat.writing.writer import MARKER
from documents.models import Parse
from documents.storage.content import DocumentContent, load_content
from reading.rows import UNSEARCHED_KINDS, LineRow
from reading.tables import read_tables
from retrieval.models import RetrievalRun

ITEMS_MAX = 60
ITEM_ENDS = (".", ";", ":")
BULLET = re.compile(r"^\s*(?:[-*\u2022\u2023\u25aa\u25cf\u2013\u2014]|\(?\w{1,3}[.)])\s+")
ROWS_MIN = 2


@dataclass(frozen=True)
class Source:
    """A text of the answer and the lines it cites; `lines` are the quote's own, or everything the writer was given."""

    text: str
    marker: int
    lines: Sequence[LineRow]


def typed_of_quotes(run: RetrievalRun, quotes: Sequence[Quoted]) -> list[dict[str, Any]]:
    """The typed values of an extractive answer: for a list or table its rows, else the values of its first primary
    quote with any, or of every primary quote if several things were asked.
    """
    primary = [each for each in quotes if each.candidate.role == "primary"]
    contents = contents_of(primary)
    parsed = run.parsed
    if parsed.get("shape") in ("listing", "table") and primary:
        rows = find_typed_rows(primary[0], contents.get(primary[0].candidate.parse_id), parsed["shape"])
        return [rows] if rows else []
    answer_type = parsed.get("answer_type", "")
    found: list[dict[str, Any]] = []
    for each in primary:
        if each.candidate.parse_id in contents and (not found or parsed.get("parts")):
            text, lines = spoken(each, is_value=True), cited_lines(each, contents[each.candidate.parse_id])
            found += scalars([Source(text, each.marker, lines)], answer_type)
    return found


def typed_of_sentences(run: RetrievalRun, quotes: Sequence[Quoted], text: str) -> list[dict[str, Any]]:
    """The typed values of a written answer: those of its sentences that occur in the lines they cite."""
    contents = contents_of(quotes)
    by_marker = {each.marker: each for each in quotes if each.candidate.parse_id in contents}
    sources = []
    for line in text.splitlines():
        for marker in dict.fromkeys(int(number) for number in MARKER.findall(line)):
            if each := by_marker.get(marker):
                sources.append(Source(line, marker, context_lines(each, contents[each.candidate.parse_id])))
    return scalars(sources, run.parsed.get("answer_type", ""))


def contents_of(quotes: Iterable[Quoted]) -> dict[Any, DocumentContent]:
    parses = {each.candidate.parse_id for each in quotes}
    found = Parse.objects.select_related("document").filter(pk__in=parses)
    return {parse.pk: load_content(parse) for parse in found}


def cited_lines(quoted: Quoted, content: DocumentContent) -> tuple[LineRow, ...]:
    candidate = quoted.candidate
    numbers = [piece["line_number"] for piece in candidate.anchor_pieces]
    first, last = (min(numbers), max(numbers)) if numbers else (candidate.anchor_first_line, candidate.anchor_last_line)
    return content.legible_lines(first, last)


def context_lines(quoted: Quoted, content: DocumentContent) -> tuple[LineRow, ...]:
    candidate = quoted.candidate
    return content.legible_lines(candidate.context_first_line, candidate.context_last_line)


def select_searched(lines: Iterable[LineRow]) -> list[LineRow]:
    return [line for line in lines if line.kind not in UNSEARCHED_KINDS]


# ---- single values


def scalars(sources: Sequence[Source], answer_type: str) -> list[dict[str, Any]]:
    """The distinct values of the sources for which a cited line prints the same value."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for source in sources:
        for wanted in values_in(source.text, answer_type):
            key = (wanted.type, wanted.value, wanted.currency)
            if key not in found and (placed := placed_value(wanted, answer_type, source)):
                found[key] = placed
    return list(found.values())


def placed_value(wanted: Value, answer_type: str, source: Source) -> dict[str, Any] | None:
    """The value as the lines print it, with its line numbers; None if they do not."""
    text = "\n".join(line.text for line in source.lines)
    for value in values_in(text, answer_type):
        if (value.type, value.value, value.currency) == (wanted.type, wanted.value, wanted.currency):
            first, last = (source.lines[text.count("\n", 0, place)] for place in (value.start, value.end - 1))
            fields = {
                "type": value.type,
                "value": value.value,
                "printed": " ".join(text[value.start : value.end].split()),
            }
            fields |= {name: said for name, said in (("currency", value.currency), ("unit", value.unit)) if said}
            return check_of_typed_value(fields | {"lines": [first.number, last.number]}, source.marker)
    return None


# ---- lists and tables


def find_typed_rows(quoted: Quoted, content: DocumentContent | None, shape: str) -> dict[str, Any] | None:
    """The list or table that begins in the best passage's context, to the end of the page; None if there is none."""
    if content is None:
        return None
    candidate = quoted.candidate
    first, last = candidate.context_first_line, candidate.context_last_line
    page = select_searched(content.lines_on_page(content.lines[last - 1].page_number))
    if shape == "table":
        found = table_of(page, candidate.anchor_first_line, last)
        return check_of_typed_value(found, quoted.marker) if found else None
    before = select_searched(content.lines_between(first, page[0].number - 1)) if page else []
    found = list_of([*before, *(line for line in page if line.number >= first)], candidate.anchor_first_line)
    return check_of_typed_value(found, quoted.marker) if found and found["items"][0]["lines"][0] <= last else None


def list_of(lines: Sequence[LineRow], anchor: int) -> dict[str, Any] | None:
    """The items of the list at or after the anchor; an item may span several lines."""
    blocks: list[list[list[LineRow]]] = [[]]
    for line in lines:
        if line.kind == "list_item":
            blocks[-1].append([line])
        elif blocks[-1] and is_rest_of_item(blocks[-1][-1][-1], line):
            blocks[-1][-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    items = next((block for block in blocks if len(block) >= ROWS_MIN and block[-1][-1].number >= anchor), None)
    if items is None:
        return None
    return {"type": "list", "items": [item_of(item) for item in items[:ITEMS_MAX]]}


def is_rest_of_item(last: LineRow, line: LineRow) -> bool:
    """Whether a line continues a list item, rather than starting the text after the list."""
    return line.kind == "body" and not last.text.rstrip().endswith(ITEM_ENDS) and line.text.lstrip()[:1].islower()


def item_of(lines: Sequence[LineRow]) -> dict[str, Any]:
    text = " ".join(" ".join(line.text for line in lines).split())
    return {"text": BULLET.sub("", text), "lines": [lines[0].number, lines[-1].number]}


def table_of(page: Sequence[LineRow], anchor: int, last: int) -> dict[str, Any] | None:
    """The table of a page that contains line `anchor`, else the first one after it that begins by line `last`."""
    table = next((each for each in read_tables(page) if anchor <= each.last_line and each.first_line <= last), None)
    if table is None:
        return None
    return {
        "type": "table",
        "headers": [column.heading for column in table.columns] if any(c.heading for c in table.columns) else [],
        "unit": table.unit,
        "rows": [
            {
                "label": row.label,
                "cells": [cell.text if cell else "" for cell in row.cells],
                "lines": [row.first_line, row.last_line],
            }
            for row in table.rows[:ITEMS_MAX]
        ],
    }


def check_of_typed_value(typed: dict[str, Any], marker: int) -> dict[str, Any]:
    """A typed value in the format of sentence checks; literal by construction."""
    return {
        "sentence": summary_of(typed),
        "markers": [marker],
        "supported": 1.0,
        "numbers": [],
        "problems": [],
        "typed": typed,
    }


def summary_of(typed: dict[str, Any]) -> str:
    if typed["type"] == "list":
        return f"list: {len(typed['items'])} items"
    if typed["type"] == "table":
        return f"table: {len(typed['rows'])} rows"
    parts = (typed.get("currency", ""), typed["value"], typed.get("unit", ""))
    return f"{typed['type']}: {' '.join(filter(None, parts))}"
