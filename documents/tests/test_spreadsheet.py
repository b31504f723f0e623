"""Cells of a CSV that a spreadsheet opens."""

from typing import Any

import pytest

from documents.spreadsheet import defuse, restore

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", " @x", "\n-1"]


@pytest.mark.parametrize("cell", FORMULAS)
def test_no_cell_computes_anything(cell: str) -> None:
    assert defuse(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["How?", "a=b", "'quoted'", 3, -1.5, None])
def test_ordinary_cells_stay_as_they_are(cell: Any) -> None:
    assert defuse(cell) == cell


@pytest.mark.parametrize("cell", [*FORMULAS, "How?", "'quoted'", "a=b"])
def test_a_written_cell_is_read_back_as_it_was(cell: str) -> None:
    assert restore(defuse(cell)) == cell
