"""What a value of a field is worth beside the true one, and the sets of true values that ship."""

import json

import pytest

from benchmarks.commands import FIELD_SETS
from benchmarks.fields import verdict_on

LAW = {
    "name": "Governing law",
    "truth": "State of Texas",
    "alts": ["Texas"],
    "quote": "governed by the laws of the State of Texas",
    "page": 20,
    "amb": False,
}
NONE = LAW | {"truth": "absent", "alts": [], "quote": "", "page": None}


@pytest.mark.parametrize(
    ("truth", "outcome", "value", "page", "verdict"),
    [
        (LAW, "found", "The agreement is governed by the laws of the State of Texas.", 20, "found right"),
        (LAW, "found", "Texas", 3, "found wrong"),
        (LAW, "weak", "the laws of Delaware", 20, "weak wrong"),
        (LAW, "not_found", None, None, "missed"),
        (LAW, "weak", None, None, "missed"),
        (NONE, "weak", None, None, "rightly absent"),
        (NONE, "found", "Texas", 20, "found wrong"),
    ],
)
def test_a_value_is_held_against_the_true_one(
    truth: dict[str, object], outcome: str, value: str | None, page: int | None, verdict: str
) -> None:
    assert verdict_on(truth, {"outcome": outcome, "value": value, "page": page}) == verdict


def test_no_document_is_in_two_sets() -> None:
    files = [each["file"] for path in FIELD_SETS for each in json.loads(path.read_text())]
    assert len(files) == len(set(files)) == 11
