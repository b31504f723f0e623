"""How the room of a request is shared out: what is shown where, and that it is shown once."""

from documents.storage.content import DocumentContent
from retrieval.briefs import share_room
from retrieval.candidates.aggregation import aggregate
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import Briefed, Hit, LineRange

CLAUSES = content_of_lines(
    [
        "# 8. Termination",
        *(f"8.{number} Rule number {number} of the end of this contract is kept." for number in range(1, 20)),
    ]
)
LIST = content_of_lines(
    [
        "# 8. Termination",
        "8.4 The provider shall:",
        *(f"({letter}) hand over the records of kind {letter} at the end;" for letter in "abcdefghijklm"),
    ]
)


def briefs_at(lines: list[int], content: DocumentContent) -> tuple[Briefed, ...]:
    asked = parse_question("termination notice", [content])
    hits = [
        Hit("keywords", content.document_id, LineRange(line, line), 1.0 - line / 100, ("notice",)) for line in lines
    ]
    return share_room(aggregate(hits, asked, [content], pool_max=9).candidates, "", [content])


def test_a_clause_is_shown_once_and_where_it_is_the_place_itself() -> None:
    found = {each.anchor.first: each.brief.snippet for each in briefs_at([4, 14], CLAUSES)}
    assert "8.3 Rule" in found[4] and "8.13 Rule" in found[14]
    for number in range(1, 20):
        assert sum(f"8.{number} Rule" in text for text in found.values()) == 1


def test_the_items_of_a_list_are_read_with_what_introduces_them() -> None:
    found = {each.anchor.first: each.brief.snippet for each in briefs_at([4, 14], LIST)}
    assert any(all(line.text in text for line in LIST.lines[1:]) for text in found.values())
    assert all("8.4 The provider shall:" in text for text in found.values())
