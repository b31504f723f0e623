"""What a brief shows: whole clauses and rows with what they cannot be understood without, at any length."""

from dataclasses import replace

import pytest

from documents.storage.content import DocumentContent
from retrieval.candidates.aggregation import aggregate
from retrieval.candidates.shown import LEFT_OUT, find_view, show, write_pieces
from retrieval.candidates.units import lead_in_of, units_of
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import Briefed, Hit, LineRange

CLAUSES = content_of_lines(
    [
        "# 5. Confidentiality",
        "5.1. The Recipient shall:",
        "5.1.1. hold the information in confidence and protect it from",
        "use by others;",
        "5.1.2. use it only for the Project;",
        "5.1.3. not copy it. It may be shown to No. 4 Ltd. of the group, and",
        "to advisers who need it\u037e",
        "---",
        ("Page 2", "furniture"),
        "a) if they are bound as the Recipient is; and",
        "b) if they return it.",
        "5.2. This clause ends with the Project. " + "It is not renewed by anybody for any reason. " * 20,
    ]
)
STATEMENT = content_of_lines(
    [
        "Acme Corporation",
        "CONSOLIDATED BALANCE SHEETS",
        "(in millions)",
        "December 31, 2015 2014",
        "Current assets:",
        *[(f"Asset number {number} {number}00 {number}50", "table_row") for number in range(1, 13)],
        ("Total current assets 7,800 8,400", "table_row"),
        "Current liabilities:",
        ("Trade payables 1,100 1,250", "table_row"),
        ("Total current liabilities 2,213 2,494", "table_row"),
        "See the notes to these statements, which are part of them.",
    ]
)


def at(number: int, content: DocumentContent, needed: tuple[int, ...] = ()) -> Briefed:
    hit = Hit("keywords", content.document_id, LineRange(number, number), 1.0, ("terms",))
    (found,) = aggregate([hit], parse_question("terms", [content]), [content], pool_max=1).candidates
    return replace(found, needed_rows=needed)


def text_at(number: int, content: DocumentContent, limit: int, needed: tuple[int, ...] = ()) -> str:
    return show(at(number, content, needed), content, limit).text


def test_clauses_and_items_are_units_across_lines_and_pages() -> None:
    units = units_of(CLAUSES)
    assert [tuple(units.at(position)) for position in range(len(units.starts))] == [
        (1, 1),
        (2, 2),
        (3, 4),
        (5, 5),
        (6, 8),  # with the furniture below it
        (9, 9),
        (10, 10),
        (11, 11),
    ]


@pytest.mark.parametrize(("first", "lead_in"), [(3, (2, 2)), (5, (2, 2)), (6, (2, 2)), (2, None), (11, None)])
def test_an_item_hangs_on_what_introduces_its_list(first: int, lead_in: tuple[int, int] | None) -> None:
    units = units_of(CLAUSES)
    assert lead_in_of(units.at(units.position(first)), CLAUSES) == lead_in


def test_an_item_is_shown_whole_after_its_lead_in() -> None:
    view = find_view(at(5, CLAUSES), CLAUSES)
    shown = write_pieces(view.pieces(200, neighbours=False), CLAUSES).text
    assert shown == f"5.1. The Recipient shall:\n{LEFT_OUT}\n5.1.2. use it only for the Project;"


def test_a_greek_question_mark_ends_a_clause_and_is_shown_as_a_semicolon() -> None:
    assert "advisers who need it;" in text_at(7, CLAUSES, 300)


def test_a_clause_that_is_too_long_is_cut_between_sentences() -> None:
    shown = text_at(11, CLAUSES, 200)
    assert shown.startswith("5.2. This clause ends with the Project. It is") and len(shown) <= 200
    assert shown.endswith("for any reason.")


def test_a_sentence_that_is_too_long_is_marked_where_it_is_cut() -> None:
    clauses = [
        f"({letter}) the thing named {letter} in the list of all things that are leased" for letter in "abcdefgh"
    ]
    content = content_of_lines([f"The lessor keeps {'; '.join(clauses)} and nothing else."])
    shown = text_at(1, content, 200)
    assert shown.startswith("The lessor keeps (a)") and shown.endswith(f"leased;\n{LEFT_OUT}")


def test_more_room_shows_more_whole_units() -> None:
    short, long = text_at(5, CLAUSES, 120), text_at(5, CLAUSES, 400)
    assert len(short) < len(long) and long.startswith("5. Confidentiality\n5.1. The Recipient shall:")
    assert long.endswith(("it;", "it.", "Project;"))


def test_furniture_is_no_gap() -> None:
    shown = text_at(9, CLAUSES, 500)
    assert "who need it;\na) if they are bound" in shown and "Page 2" not in shown


def test_a_row_is_shown_with_title_unit_periods_group_and_total() -> None:
    shown = text_at(20, STATEMENT, 150)
    for needed in ("CONSOLIDATED BALANCE SHEETS", "(in millions)", "2015 2014", "Trade payables 1,100 1,250"):
        assert needed in shown
    assert "Total current liabilities 2,213 2,494" in shown
    assert "Asset number 5" not in shown and LEFT_OUT in shown


def test_rows_that_are_needed_come_before_those_that_are_near() -> None:
    shown = text_at(21, STATEMENT, 260, needed=(18,))
    assert "Total current assets 7,800 8,400" in shown and "Asset number 5 " not in shown
    lines = shown.splitlines()
    assert lines.index("Total current assets 7,800 8,400") < lines.index("Total current liabilities 2,213 2,494")


def test_with_room_the_whole_statement_is_shown_without_gaps() -> None:
    shown = text_at(20, STATEMENT, 3000)
    assert shown == STATEMENT.text_between(1, 22) and LEFT_OUT not in shown


YEARS = content_of_lines(
    [
        "Segments, for the years ended December 31:",
        *[
            line
            for year, revenue in ((2021, 930), (2020, 777), (2019, 610))
            for line in (
                str(year),
                ("Regulated Market Consolidated", "table_row"),
                (f"Operating revenues {revenue} 41 3,{revenue}", "table_row"),
                (f"Interest income {revenue - 600} 3 {revenue}", "table_row"),
                (f"Taxes {revenue - 500} 18 {revenue}", "table_row"),
            )
        ],
    ]
)


def test_a_row_of_another_table_comes_with_the_period_of_that_table() -> None:
    last, wanted = 14, 9  # revenues of 2019, and of 2020
    shown = text_at(last, YEARS, 250, needed=(wanted,)).splitlines()
    assert shown.index("2020") < shown.index("Operating revenues 777 41 3,777") < shown.index("2019")
    assert shown.index("2019") < shown.index("Operating revenues 610 41 3,610")
    assert "2019\n" in text_at(last, YEARS, 20)


LIST = content_of_lines(
    [
        "Margins fell, driven by:",
        *[(f"• reason number {number} of the several that were given in the call", "list_item") for number in range(9)],
        "Prices rose.",
    ]
)


def test_a_list_that_goes_on_is_marked() -> None:
    assert text_at(1, LIST, 150).splitlines()[-1] == LEFT_OUT
    assert LEFT_OUT not in text_at(1, LIST, 5000)
    assert text_at(10, LIST, 300).splitlines()[-1] != LEFT_OUT


def test_places_in_one_clause_are_one_candidate() -> None:
    hits = [
        Hit("keywords", CLAUSES.document_id, LineRange(number, number), score, ("copy",), 1)
        for number, score in ((6, 0.9), (7, 0.8), (3, 0.9))
    ]
    found = aggregate(hits, parse_question("copy", [CLAUSES]), [CLAUSES], pool_max=9).candidates
    anchors = sorted(tuple(each.anchor) for each in found)
    assert len(anchors) == len({units_of(CLAUSES).position(first) for first, _ in anchors})


def test_a_place_in_ordinary_text_is_shown_with_three_to_five_lines() -> None:
    """R42."""
    said = "Line {} of the clause says in ordinary words what both sides agreed upon here."
    content = content_of_lines([said.format(number) for number in range(1, 41)])
    shown = show(at(20, content), content)
    assert 3 <= len(shown.text.splitlines()) <= 5 and shown.lines.first <= 20 <= shown.lines.last
