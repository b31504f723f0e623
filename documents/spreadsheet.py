"""Cells for spreadsheets: text that would be computed as a formula gets an apostrophe in front, which they hide."""

from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what makes a spreadsheet compute a cell


def is_formula(text: str) -> bool:
    return text.lstrip(" \n").startswith(FORMULA)


def defuse(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and is_formula(cell) else cell


def restore(cell: str) -> str:
    """A cell as it was before `defuse`."""
    return cell[1:] if cell.startswith("'") and is_formula(cell[1:]) else cell
