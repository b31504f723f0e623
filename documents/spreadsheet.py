"""Cells for spreadsheets: text that looks like a formula gets a leading apostrophe, which they hide."""

from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # first characters of a formula


def is_formula(text: str) -> bool:
    return text.lstrip(" \n").startswith(FORMULA)


def defuse(cell: Any) -> Any:
    """A cell that no spreadsheet treats as a formula."""
    return f"'{cell}" if isinstance(cell, str) and is_formula(cell) else cell


def restore(cell: str) -> str:
    """Undo `defuse`."""
    return cell[1:] if cell.startswith("'") and is_formula(cell[1:]) else cell
