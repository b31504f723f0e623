"""Where a question itself points to (R21): "in the table", "Figure 2", "in the appendix", found by the register."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from documents.storage.content import DocumentContent
from reading.registry.objects import CLAUSE, CLAUSE_KINDS, Places
from reading.registry.references import Reference
from reading.rows import FRONT_INDEX
from retrieval.candidates.context import table_around
from retrieval.told.planned import give_reason, thing_of
from retrieval.types import IN_QUESTION, Hit, LineRange, NamedThing, Question

TARGETS_MAX = 4  # as many places as references are followed to
CAPTION_LINES = 3  # of a figure: its caption may be wrapped
TABLE_REACH = 6  # below a caption, to the first row
NAMES_ONLY = ("figure", "equation")  # their words are those of the line that names them
HEADED = ("section", "appendix", "exhibit", "schedule", "note")  # they go on to the end of their section


@dataclass(frozen=True)
class Pointed:
    """Hits on places that no detector proposed, and in words what was found and what was not."""

    hits: tuple[Hit, ...]
    outcome: str


def find_pointed(question: Question, contents: Sequence[DocumentContent], hits: Sequence[Hit]) -> Pointed:
    """A hit in each thing the question points to: on the line that says most of what is asked, else on its caption.

    Of things without a label ("in the table") those count that hold a word of the question, the best first. Where
    nothing is met the outcome says so, and everything is searched as without the hint.
    """
    found: list[tuple[float, NamedThing, Hit]] = []
    lost: list[NamedThing] = []
    for named in question.hints.objects:
        places = [each for content in contents for each in places_of_thing(named, content, hits)]
        if not places:
            lost.append(named)
        found += ((worth, named, hit) for worth, hit in places)
    best = [(named, hit) for _, named, hit in sorted(found, key=lambda each: -each[0])][:TARGETS_MAX]
    kept = {(hit.document_id, hit.lines): hit for _, hit in reversed(best)}
    lines = {content.document_id: content.lines for content in contents}
    there = [thing_of(*named, page=lines[hit.document_id][hit.lines.first - 1].page_number) for named, hit in best]
    told = give_reason("pointed", found=there, lost=[thing_of(*named) for named in lost])
    return Pointed(tuple(kept.values()), told)


def places_of_thing(named: NamedThing, content: DocumentContent, hits: Sequence[Hit]) -> Iterator[tuple[float, Hit]]:
    """The places of a thing in one document, each with what its best line says of the question."""
    own = [hit for hit in hits if hit.document_id == content.document_id and hit.method == "keywords"]
    if named.label:
        line = Places(content.lines, content.toc, content.registry.objects).find(Reference(*named))
        ranges = [lines_of_thing(named.kind, line, content)] if line else []
    elif named.kind == "table":
        rows = [hit.lines for hit in own if content.lines[hit.lines.first - 1].kind == "table_row"]
        ranges = list(dict.fromkeys(table_around(row, content) for row in sorted(rows)))
    else:
        objects = [each for each in content.registry.objects if each.kind == named.kind]
        ranges = [lines_of_thing(named.kind, each.line_number, content) for each in objects]
    for lines in ranges:
        inside = [hit for hit in own if lines.first <= hit.lines.first <= lines.last]
        inside = [hit for hit in inside if hit.lines.first > lines.first] or inside  # what it holds, not its name
        best = max(inside, key=lambda hit: (hit.score, -hit.lines.first), default=None)
        if best is None and not named.label:
            continue
        first = lines.first if best is None or named.row or named.kind in NAMES_ONLY else best.lines.first
        worth = (best.score if best else 0.0) + bool(named.label)
        yield worth, Hit.on_line("references", first, content, detail=f"{named}, {IN_QUESTION}")


def lines_of_thing(kind: str, line: int, content: DocumentContent) -> LineRange:
    """The lines of a thing that begins on a line: of a table its rows, of an appendix its section, of a clause without
    a heading those up to the next, else its name.
    """
    if kind == "table":
        rows = content.lines_between(line, line + TABLE_REACH)
        row = next((each.number for each in rows if each.kind == "table_row"), line)
        return LineRange(line, max(line, table_around(LineRange(row, row), content).last))
    if kind in HEADED:
        entry = content.toc_by_index.get(content.lines[line - 1].toc_index)
        if entry and entry.index != FRONT_INDEX:
            return LineRange(line, last_of_clause(line, max(line, entry.last_line), content))
    page = content.lines[line - 1].page_number
    below = content.lines_between(line, line + CAPTION_LINES)
    return LineRange(line, max(each.number for each in below if each.page_number == page))


def last_of_clause(line: int, last: int, content: DocumentContent) -> int:
    """The last line, up to `last`, of the numbered clause that begins on a line, with its own clauses."""
    first, *below = content.lines_between(line, last)
    if first.kind == "heading" or (found := CLAUSE.match(first.text)) is None:
        return last
    for row in below:
        next_one = CLAUSE.match(row.text) if row.kind in CLAUSE_KINDS else None
        if next_one and not next_one["number"].startswith(f"{found['number']}."):
            return row.number - 1
    return last
