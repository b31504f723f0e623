"""A sentence above tables says the unit of their amounts, until another says otherwise."""

import pytest

from reading.pages.stated_units import stated_units_in, unit_wordings, with_stated_units
from reading.rows import LineRow
from reading.tables import Table, read_tables
from reading.tests.test_tables import line_of
from reading.wording import Wording


@pytest.mark.parametrize("wording", unit_wordings().alternatives, ids=lambda each: f"{each.file} {each.section}")
def test_each_word_is_found_in_its_examples(wording: Wording) -> None:
    alone = unit_wordings().alone(wording)
    assert all(map(alone.search, wording.examples))
    assert not any(map(unit_wordings()[wording.section].search, wording.counter_examples))


def tables_below(*sentences: str, pages: tuple[int, ...] = (1,), head: str = "") -> list[Table]:
    """A table of two rows on each page, below the sentences, which stand on the first."""
    lines = [line_of(number, (20, text), kind="body") for number, text in enumerate(sentences, start=1)]
    tables = []
    for page in pages:
        begun = len(lines)
        added = [
            line_of(begun + 1, (20, head or "Accounts"), (200, "2024"), (300, "2023")),
            line_of(begun + 2, (20, "Rent"), (200, "344"), (300, "331")),
            line_of(begun + 3, (20, "Number of shops"), (200, "12"), (300, "nil")),
        ]
        lines += [line._replace(page_number=page, y0=line.y0 + 60, y1=line.y1 + 60) for line in added]
        tables += read_tables(lines[begun:], "en")
    return with_stated_units(tables, stated_units_in(lines))


def units_of(tables: list[Table]) -> list[str]:
    return [table.unit_at(table.rows[0], 0) for table in tables]


@pytest.mark.parametrize(
    ("sentences", "unit"),
    [
        (["All amounts are in thousands of euros unless stated otherwise."], "in thousands of euros"),
        (["Angaben in T€."], "in T€"),
        (["Sauf indication contraire, les montants sont exprimés en", "milliers d'euros."], "en milliers d'euros"),
        (["Todos los importes en millones de euros."], "en millones de euros"),
        (["All amounts are in thousands of euros.", "The figures below are numbers of visits."], ""),
        (["Figures in tonnes.", "Values in EUR million."], "in EUR million"),
        (["The amounts are shown before tax."], ""),
    ],
)
def test_the_last_sentence_above_says_the_unit_as_it_prints_it(sentences: list[str], unit: str) -> None:
    assert units_of(tables_below(*sentences)) == [unit]


def test_what_is_said_of_all_amounts_holds_on_the_pages_below_and_anything_else_on_its_own() -> None:
    assert units_of(tables_below("All amounts are in euros.", pages=(1, 2))) == ["in euros", "in euros"]
    assert units_of(tables_below("Amounts in euros.", pages=(1, 2))) == ["in euros", ""]


def test_a_table_with_a_unit_of_its_own_keeps_it() -> None:
    assert units_of(tables_below("All amounts are in thousands of euros.", head="(in millions)")) == ["in millions"]


@pytest.mark.parametrize(("value", "unit"), [("99.90%", ""), ("12 hours", ""), ("99.90", "in euros")])
def test_a_table_whose_values_are_printed_with_their_units_has_no_stated_one(value: str, unit: str) -> None:
    lines = [line_of(1, (20, "All amounts are in euros."), kind="body")]
    lines += [line_of(2, (20, "Service"), (200, "2024"), (300, "2023"))]
    lines += [
        line_of(3, (20, "Portal"), (200, value), (300, "2%")),
        line_of(4, (20, "Desk"), (200, value), (300, "3%")),
    ]
    assert [table.unit for table in with_stated_units(read_tables(lines), stated_units_in(lines))] == [unit]


def test_what_is_counted_and_what_is_no_amount_has_no_stated_unit() -> None:
    (table,) = tables_below("All amounts are in thousands of euros.")
    assert [table.unit_at(row, at) for row in table.rows for at in (0, 1)] == ["in thousands of euros"] * 2 + ["", ""]
    assert table.unit_line == 1


def test_a_sentence_heads_no_column() -> None:
    lines: list[LineRow] = [
        line_of(1, (20, "Values of all goods in thousands of dollars."), kind="body"),
        line_of(2, (20, "Item"), (200, "Value"), (300, "Sold")),
        line_of(3, (20, "Lathe"), (200, "12"), (300, "3")),
        line_of(4, (20, "Saw"), (200, "44"), (300, "1")),
    ]
    assert [column.heading for column in read_tables(lines)[0].columns] == ["Value", "Sold"]
