"""The typed value of an answer beside its text: an amount, date, name, address, yes or no, list or table (R77, R82).

Each is cut from a cited line, so that it can be checked there; nothing is completed or converted.

What can be read in two ways (4/3/2024, 4.375 %, a sign in brackets, a number without a currency) is left as printed,
and of several names none is chosen. A value of a written answer that no cited line prints is not typed, and its
sentence is flagged.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from chat.checks import AnswerCheck, ListedItem, TypedValue, literal_check
from chat.drafts import Quoted
from chat.figures.cells import find_cells, is_ranking, quote_cell, typed_cell
from chat.figures.names import NAMES, read_values
from chat.figures.options import find_answer
from chat.figures.parties import find_parties_asked
from chat.figures.yes_no import BOOLEAN, yes_or_no
from chat.writing.headline import quote_headline
from chat.writing.writer import MARKER
from documents.models import Parse
from documents.storage.content import DocumentContent, load_content
from reading.matching import join_without_space
from reading.rows import LineRow, name_in_force
from reading.tables import Table
from retrieval.arbiter.numbers_told import things_told_of
from retrieval.candidates.completion import counts_near, lists_at
from retrieval.candidates.lists import Item, PrintedList
from retrieval.candidates.units import Piece
from retrieval.headlines.choosing import Spoken
from retrieval.headlines.mismatches import BOUNDS
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.question.bands import band_words
from retrieval.question.parse import LISTED_SHAPES
from retrieval.record.reading_back import headlines_from, question_from
from retrieval.types import ChosenSentence, LineRange, Question
from retrieval.words.periods import is_other_side
from retrieval.words.printed import Value
from retrieval.words.tokens import normalise_words

ROWS_MAX = 60
LISTED_ITEM = re.compile(r"^[ \t]*(?:[-*\u2022]|\d{1,2}[.)])[ \t]+\S", re.MULTILINE)  # of a written answer
FEWER = "list_incomplete"
ROWS_MIN = 2


class Headline(NamedTuple):
    """What an answer without a writer says first, as citation [1], with its typed values."""

    text: str
    quoted: Quoted
    checks: list[AnswerCheck]
    is_option: bool = False  # of a form


@dataclass(frozen=True)
class Source:
    """A text of the answer and the lines it cites; `lines` are the quote's own, or everything the writer was given."""

    text: str
    marker: int
    lines: Sequence[LineRow]
    language: str


def typed_rows(
    run: RetrievalRun, quotes: Sequence[Quoted], contents: Mapping[Any, DocumentContent]
) -> list[AnswerCheck]:
    """The list or table of an extractive answer, where one was asked for."""
    primary = [each for each in quotes if each.candidate.role == "primary"]
    question = question_from(run.parsed)
    if question.shape == "table" and primary:
        rows = find_typed_table(primary[0], contents.get(primary[0].candidate.parse_id))
        return [rows] if rows else []
    if (question.shape in LISTED_SHAPES or question.is_count) and primary:
        items = find_typed_list(question, sorted(quotes, key=lambda each: each not in primary), contents)
        return [items] if items else []
    return []


def in_force(run: RetrievalRun, quotes: Sequence[Quoted]) -> list[Quoted]:
    """The quotes but for versions of a clause that are replaced or deleted, unless the question asks for their time."""
    past = {
        key
        for each in run.contradictions or ()
        for key, state in zip(each["candidate_ids"], each.get("in_force", ()), strict=False)
        if state["change"] in ("replaced", "deleted")
    }
    return [each for each in quotes if each.candidate.role == "primary" or each.candidate.candidate_id not in past]


def headlines_of(
    run: RetrievalRun, kept: Sequence[RunCandidate], contents: Mapping[Any, DocumentContent]
) -> list[Headline]:
    """The options of a form that answer, else the parties asked for, the cell of a table or the best sentence, of a
    question in parts that of each; cited from [1].

    None where passages are known to disagree.
    """
    question = question_from(run.parsed)
    if is_ranking(question.original) or run.contradictions:
        return []
    answer = find_answer(question, kept, contents)
    if answer and not is_struck(answer.quoted, contents):
        check = check_of_typed_value({"type": "sentence", "text": answer.text, "lines": [*answer.lines]}, 1)
        return [Headline(answer.text, answer.quoted, [check], is_option=True)]
    parties = find_parties_asked(question, kept, contents)
    if parties and not is_struck(parties.quoted, contents):
        return [Headline(parties.text, parties.quoted, [check_of_typed_value(each, 1) for each in parties.typed])]
    cells = find_cells(question, kept, contents)
    quoted = quote_cell(cells[0], 1) if cells else None
    if quoted and not is_struck(quoted, contents):
        said = "; ".join(cell.text for cell in cells)
        return [Headline(said, quoted, [check_of_typed_value(typed_cell(cell), 1) for cell in cells])]
    by_id = {each.candidate_id: each for each in kept if each.parse_id in contents}
    chosen = [each for each in headlines_from(run) if each.candidate_id in by_id]
    return [
        headline_of(each, by_id[each.candidate_id], contents[by_id[each.candidate_id].parse_id], marker, question)
        for marker, each in enumerate(chosen, start=1)
    ]


def is_struck(quoted: Quoted, contents: Mapping[Any, DocumentContent]) -> bool:
    """Whether something is struck through on the lines of a quote that has a place of its own."""
    content, place = contents.get(quoted.candidate.parse_id), quoted.place
    if content is None or place is None:
        return False
    return any(line.struck for line in content.lines_between(place.first_line, place.last_line))


def headline_of(
    chosen: ChosenSentence, candidate: RunCandidate, content: DocumentContent, marker: int, question: Question
) -> Headline:
    """A sentence with the value of the type asked for, which its bold words have and no other; none where the sentence
    has several, of which one was asked for.
    """
    pieces = tuple(Piece(*each) for each in chosen.pieces)
    spoken = Spoken(0, chosen.candidate_id, content, pieces, chosen.text)
    quoted = quote_headline(spoken, candidate, marker)
    typed = TypedValue(type="sentence", text=chosen.text, lines=[*spoken.lines])
    printed = [quoted.quote]
    if chosen.bold:
        typed["bold"] = [*chosen.bold]
        printed.append(chosen.text[slice(*chosen.bold)])
    lines = content.legible_lines(*spoken.lines)
    sources = [Source(each, marker, lines, content.language) for each in printed]
    values, *of_bold = (clear_values([each], question.answer_type, question.original) for each in sources)
    types = [check["typed"]["type"] for check in values]
    is_clear = types == [question.answer_type] or (len(types) == 1 and question.answer_type in NAMES)
    is_clear = is_clear and all(each == values for each in of_bold)
    return Headline(chosen.text, quoted, [check_of_typed_value(typed, marker), *(values if is_clear else [])])


def typed_of_sentences(
    run: RetrievalRun, quotes: Sequence[Quoted], text: str, checks: Sequence[AnswerCheck]
) -> list[AnswerCheck]:
    """The typed values of a written answer: those of its sentences that occur in the lines they cite."""
    contents = contents_of(quotes)
    by_marker = {each.marker: each for each in quotes if each.candidate.parse_id in contents}
    sources = []
    for line in text.splitlines():
        for marker in dict.fromkeys(int(number) for number in MARKER.findall(line)):
            if each := by_marker.get(marker):
                content = contents[each.candidate.parse_id]
                sources.append(Source(line, marker, context_lines(each, content), content.language))
    question = question_from(run.parsed)
    answer_type, is_listed = question.answer_type, question.shape in LISTED_SHAPES
    read = scalars(sources, answer_type) if is_listed else clear_values(sources, answer_type, run.question)
    said = typed_yes_no(yes_or_no(answer_type, checks), checks, by_marker)
    return [*read, *said, *check_length(question, quotes, contents, text)]


def typed_yes_no(said: str, checks: Sequence[AnswerCheck], by_marker: Mapping[int, Quoted]) -> list[AnswerCheck]:
    """The yes or no of the first sentence, with the quote it cites and its lines."""
    cited = [each for marker in checks[0]["markers"] if (each := by_marker.get(marker))] if said else []
    if not cited:
        return []
    candidate = cited[0].candidate
    lines = [piece["line_number"] for piece in candidate.anchor_pieces]
    typed: TypedValue = {
        "type": BOOLEAN,
        "value": said,
        "printed": join_without_space(cited[0].quote),
        "lines": [min(lines, default=candidate.anchor_first_line), max(lines, default=candidate.anchor_last_line)],
    }
    return [check_of_typed_value(typed, cited[0].marker)]


def check_length(
    question: Question, quotes: Sequence[Quoted], contents: Mapping[Any, DocumentContent], text: str
) -> list[AnswerCheck]:
    """A problem of a written list that has fewer items than are stated (R76); none where nothing states how many."""
    written, stated = len(LISTED_ITEM.findall(text)), count_stated(question, quotes, contents)
    if not ROWS_MIN <= written < stated:
        return []
    said = f"{written} of {stated} {question.listed}"
    return [literal_check(said, [], problems=(FEWER,))]


def contents_of(quotes: Iterable[Quoted]) -> dict[Any, DocumentContent]:
    parses = {each.candidate.parse_id for each in quotes}
    found = Parse.objects.select_related("document").filter(pk__in=parses)
    return {parse.pk: load_content(parse) for parse in found}


def cited_lines(quoted: Quoted, content: DocumentContent) -> tuple[LineRow, ...]:
    candidate = quoted.candidate
    numbers = [piece["line_number"] for piece in candidate.anchor_pieces]
    first, last = (min(numbers), max(numbers)) if numbers else (candidate.anchor_first_line, candidate.anchor_last_line)
    return not_struck(content.legible_lines(first, last))


def not_struck(lines: Iterable[LineRow]) -> tuple[LineRow, ...]:
    """The lines on which nothing is struck through: of others no value is read."""
    return tuple(line for line in lines if not line.struck)


def context_lines(quoted: Quoted, content: DocumentContent) -> tuple[LineRow, ...]:
    candidate = quoted.candidate
    return not_struck(content.legible_lines(candidate.context_first_line, candidate.context_last_line))


# ---- single values


def clear_values(sources: Sequence[Source], answer_type: str, asked: str) -> list[AnswerCheck]:
    """The values of the sources; of names only the one there is beside those that the question itself has."""
    found = scalars(sources, answer_type, asked)
    if answer_type not in NAMES:
        return found
    words = set(normalise_words(asked))
    others = [check for check in found if not words.issuperset(normalise_words(check["typed"]["value"]))]
    return others if len(others) == 1 else []


def scalars(sources: Sequence[Source], answer_type: str, asked: str = "") -> list[AnswerCheck]:
    """The distinct values of the sources for which a cited line prints the same value; no start for an end."""
    found: dict[tuple[str, str, str], AnswerCheck] = {}
    for source in sources:
        for wanted in read_values(source.text, answer_type, source.language):
            if wanted.type == "date" and is_other_side(asked, source.text, wanted):
                continue
            key = wanted.key
            if key not in found and (placed := placed_value(wanted, answer_type, source)):
                found[key] = placed
    return list(found.values())


def placed_value(wanted: Value, answer_type: str, source: Source) -> AnswerCheck | None:
    """The value as the lines print it, with its line numbers; None if they do not."""
    text = "\n".join(line.text for line in source.lines)
    for value in read_values(text, answer_type, source.language):
        if value.key == wanted.key:
            first, last = (source.lines[text.count("\n", 0, place)] for place in (value.start, value.end - 1))
            typed = TypedValue(
                type=value.type, value=value.value, printed=" ".join(text[value.start : value.end].split())
            )
            if value.currency:
                typed["currency"] = value.currency
            if value.unit:
                typed["unit"] = value.unit
            typed["lines"] = [first.number, last.number]
            return check_of_typed_value(typed, source.marker)
    return None


# ---- lists and tables


def find_typed_table(quoted: Quoted, content: DocumentContent | None) -> AnswerCheck | None:
    """The table that begins in the best passage's context, with what goes on of it over the page; None without one."""
    if content is None:
        return None
    candidate = quoted.candidate
    last = candidate.context_last_line
    tables = content.tables_on_page(content.lines[last - 1].page_number)
    table = first_table(tables, candidate.anchor_first_line, last)
    if table is None:
        return None
    parts = [table, *(rest_of(table, content) if table is tables[-1] else ())]
    return check_of_typed_value(table_of(parts), quoted.marker)


def find_typed_list(
    question: Question, quotes: Sequence[Quoted], contents: Mapping[Any, DocumentContent]
) -> AnswerCheck | None:
    """The list of the quotes that has as many items as are stated; else that of the best one, which may be shorter.

    It goes on in the next column and on the next page. A longer one is another list, as is one whose introduction does
    not name what is asked for. The most or the least is never counted.
    """
    stated, forms, is_count = count_stated(question, quotes, contents), forms_listed(question), question.is_count
    if is_count and band_words().first_words(question.topic, BOUNDS):
        return None
    found = [
        (each, printed)
        for each in quotes
        if (content := contents.get(each.candidate.parse_id))
        for printed in lists_at(anchor_of(each), content, forms)
        if not forms or printed.names(forms)
        if not is_count or is_counted(printed, question, content, stated)
    ]
    chosen = next(((each, printed) for each, printed in found if len(printed.items) == stated), None)
    if chosen is None and not (is_count and stated):
        chosen = next((pair for pair in found if is_count or begins_within(pair[1], quotes[0], pair[0])), None)
    if chosen is None or (stated and len(chosen[1].items) > stated):
        none_found = TypedValue(type="list", items=[], stated=stated)
        return check_of_typed_value(none_found, quotes[0].marker) if stated and not is_count else None
    typed = list_of(chosen[1])
    if stated:
        typed["stated"] = stated
    if is_count:
        typed["counted"] = question.listed
    return check_of_typed_value(typed, chosen[0].marker)


def is_counted(printed: PrintedList, question: Question, content: DocumentContent, stated: int) -> bool:
    """Whether a list is all of what is to be counted, of the thing asked about; in a sentence, where commas part much
    else, it has as many items as are stated.
    """
    if not printed.is_of(forms_listed(question)) or printed.is_cut:
        return False
    entry = content.toc_by_index.get(content.lines[printed.lines.first - 1].toc_index)
    said = normalise_words(f"{content.title} {name_in_force(entry.breadcrumb) if entry else ''} {printed.introduction}")
    things = (term for term in things_told_of(question, content) if question.listed not in term.texts)
    return all(term.is_in(said) for term in things) and (not printed.is_in_sentence or len(printed.items) == stated)


def begins_within(printed: PrintedList, best: Quoted, quoted: Quoted) -> bool:
    """Whether a list begins in the context of the best quote: another's is no answer unless its length is right."""
    return quoted is best and len(printed.items) >= ROWS_MIN and printed.lines.first <= best.candidate.context_last_line


def count_stated(question: Question, quotes: Sequence[Quoted], contents: Mapping[Any, DocumentContent]) -> int:
    """How many of the things to be listed there are, as the question or else a quoted passage says; 0 if neither."""
    if not question.listed:
        return 0
    if question.listed_count:
        return question.listed_count
    forms = forms_listed(question)
    said = (
        counts_near(anchor_of(each), contents[each.candidate.parse_id], forms)
        for each in quotes
        if each.candidate.parse_id in contents
    )
    return next((count for counts in said for count in counts), 0)


def forms_listed(question: Question) -> set[str]:
    words = [each for each in question.keywords if each.text == question.listed]
    return {form for each in words for form in (each.text, *each.forms)}


def anchor_of(quoted: Quoted) -> LineRange:
    return LineRange(quoted.candidate.anchor_first_line, quoted.candidate.anchor_last_line)


def list_of(printed: PrintedList) -> TypedValue:
    typed = TypedValue(type="list", items=[item_json(item) for item in printed.items])
    if printed.is_cut:
        typed["is_cut"] = True
    return typed


def item_json(item: Item) -> ListedItem:
    """An item; one with a list inside it has what comes before that as its text, and the items of it as children."""
    told = ListedItem(text=item.lead or item.text, lines=[*item.lines])
    if item.children:
        told["children"] = [item_json(child) for child in item.children]
    return told


def first_table(tables: Iterable[Table], anchor: int, last: int) -> Table | None:
    """The table of a page that contains line `anchor`, else the first one after it that begins by line `last`."""
    return next((each for each in tables if anchor <= each.last_line and each.first_line <= last), None)


def rest_of(table: Table, content: DocumentContent) -> Iterator[Table]:
    """The parts of the last table of a page on the pages after it, as long as it goes on."""
    begins_on = table.begins_on or table.page_number
    for number in range(table.page_number + 1, len(content.pages) + 1):
        tables = content.tables_on_page(number)
        if not tables or tables[0].begins_on != begins_on:
            return
        yield tables[0]
        if len(tables) > 1:
            return


def table_of(parts: Sequence[Table]) -> TypedValue:
    """A table with its parts on several pages."""
    table = parts[0]
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
            for row in [row for part in parts for row in part.rows][:ROWS_MAX]
        ],
    }


def check_of_typed_value(typed: TypedValue, marker: int) -> AnswerCheck:
    """A typed value in the format of sentence checks; literal by construction."""
    return literal_check(summary_of(typed), [marker], typed=typed)


def summary_of(typed: TypedValue) -> str:
    if typed["type"] in ("sentence", "cell"):
        return str(typed["text"])
    if typed["type"] == "list":
        stated = typed.get("stated", 0)
        return f"list: {len(typed['items'])} {f'of {stated} ' if stated else ''}items"
    if typed["type"] == "table":
        return f"table: {len(typed['rows'])} rows"
    parts = (typed.get("currency", ""), typed["value"], typed.get("unit", ""))
    return f"{typed['type']}: {' '.join(filter(None, parts))}"
