"""Encode a Reading as JSON and back, to pass it from the child process. Never pickle."""

import json
from typing import Any, TypedDict

from reading.rows import ImageRow, Reading, TocRow, page_row, stored_line

ATTACHED_NAMES = "names.json"  # beside attached files that were taken out: the name of each


class ChildMessage(TypedDict, total=False):
    """A line of what the child says while it works: how far it is, or why it ends."""

    page: int
    of: int
    error: dict[str, str]  # code, message and detail of a ReadingError


def encode_reading(reading: Reading) -> str:
    """Compact JSON; rows are arrays in the order of their fields."""
    return json.dumps(vars(reading), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def decode_reading(values: dict[str, Any]) -> Reading:
    """The Reading of decoded JSON. Raises KeyError, TypeError or ValueError if it is invalid."""
    rows = {
        "pages": tuple(map(page_row, values["pages"])),
        "lines": tuple(map(stored_line, values["lines"])),
        "toc": tuple(map(TocRow._make, values["toc"])),
        "warnings": tuple(values["warnings"]),
        "images": tuple(map(ImageRow._make, values["images"])),
    }
    return Reading(**values | rows)
