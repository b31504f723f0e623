"""Cells of a CSV that a spreadsheet opens, with whichever separator it takes."""

import csv
import io
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.spreadsheet import defuse, restore, write_csv

CALL = "cmd|' /C calc'!A0"
FORMULAS = [
    *("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", " =1", " @x", "\n-1", f"={CALL}"),
    *(
        '"=1+1',
        "'=1+1",
        "＝1+1",
        "＋1",
        "－1",
        "＠SUM(A1)",
        '=HYPERLINK("http://x.example","y")',
        "  +1",
        "\r\n=1",
        '""-1',
    ),
]
SEPARATORS = [",", ";", "\t"]
WITHIN = ["{}", "words;{}", "words\t{}", "words\n{}", "words,{}", 'a "quoted" word;{}', "a;b;{};c"]


def cells_of(text: str, separator: str) -> list[str]:
    return [cell for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) for cell in row]


def is_computed(cell: str) -> bool:
    """Whether a spreadsheet would compute a cell, with the spaces and quotes that some of them pass over."""
    return cell.lstrip(' "\t\r\n').startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))


@pytest.mark.parametrize(("formula", "separator"), list(product(FORMULAS, SEPARATORS)))
def test_no_cell_computes_anything_with_any_separator(formula: str, separator: str) -> None:
    cells = [place.format(formula) for place in WITHIN]
    text = write_csv([["name", "text"], *([f"row {number}", cell] for number, cell in enumerate(cells)), cells])
    assert [cell for cell in cells_of(text, separator) if is_computed(cell)] == []


def test_the_check_knows_what_is_computed() -> None:
    text = write_csv([[place.format(formula) for place in WITHIN] for formula in FORMULAS], is_literal=True)
    assert all(sum(map(is_computed, cells_of(text, separator))) > 10 for separator in SEPARATORS)


@pytest.mark.parametrize("cell", ["How?", "a=b", "'quoted'", "a, -1 % b", "x-y; z", 3, -1.5, None])
def test_ordinary_cells_stay_as_they_are(cell: Any) -> None:
    assert defuse(cell) == cell


@given(st.text(alphabet="a =+-@'\"\t\r\n;,＝", max_size=12))
def test_a_written_cell_is_read_back_as_it_was(cell: str) -> None:
    assert restore(defuse(cell)) == cell
    [[read]] = csv.reader(io.StringIO(write_csv([[cell]]), newline=""))
    assert restore(read) == cell


def test_every_cell_is_quoted() -> None:
    assert write_csv([["a", 1, None, -1.5]]) == '"a","1","","-1.5"\r\n'
