"""What it would cost to search only the sections that titles and lines agree on (R37, struck): measured, in no product.

Where a title is found, and the sections with one have their share of the line hits, all other hits are dropped.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from retrieval.detectors.run import detect
from retrieval.types import Hit, Plan

VOTES_MIN = 0.3  # of all line hits; at 0.6 nothing was ever narrowed


def narrowing() -> AbstractContextManager[object]:
    """Narrow what every search in the block detects."""
    return patch("retrieval.steps.detect", detect_narrowed)


def detect_narrowed(*asked: Any) -> tuple[list[Hit], Plan]:
    hits, plan = detect(*asked)
    return keep_agreed(hits), plan


def keep_agreed(hits: Sequence[Hit]) -> list[Hit]:
    """The hits in sections with a title and a vote of a line, if these have VOTES_MIN of all votes; else all hits."""
    titled = {section_of(hit) for hit in hits if hit.method == "titles"}
    votes = Counter(section_of(hit) for hit in hits if hit.method == "keywords")
    agreed = titled & votes.keys()
    if not agreed or sum(votes[section] for section in agreed) < VOTES_MIN * votes.total():
        return list(hits)
    return [hit for hit in hits if section_of(hit) in agreed]


def section_of(hit: Hit) -> tuple[str, int | None]:
    return hit.document_id, hit.toc_index
