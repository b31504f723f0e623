"""Encode a Reading as JSON and back, to pass it from the child process. Never pickle."""

import json
from typing import Any

from reading.rows import ImageRow, Reading, TocRow, page_row, stored_line

ATTACHED_NAMES = "names.json"  # beside attached files that were taken out: the name of each


def encode_reading(reading: Reading) -> str:
    """Compact JSON; rows are arrays in the order of their fields."""
    return json.dumps(vars(reading), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def decode_reading(values: dict[str, Any]) -> Reading:
    """The Reading of decoded JSON. Raises KeyError, TypeError or ValueError if it is invalid."""
    return Reading(
        title=values["title"],
        language=values["language"],
        pages=tuple(page_row(page) for page in values["pages"]),
        lines=tuple(stored_line(line) for line in values["lines"]),
        toc=tuple(TocRow(*entry) for entry in values["toc"]),
        warnings=tuple(values["warnings"]),
        report=values["report"],
        timings_ms=values["timings_ms"],
        images=tuple(map(ImageRow._make, values["images"])),
    )
