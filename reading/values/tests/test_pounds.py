"""Pounds that are money, and pounds that are a weight or may be either."""

import pytest

from reading.values.pounds import are_money

PRINTED = "48 pounds"


@pytest.mark.parametrize(
    ("text", "is_money"),
    [
        ("The rent is 48 pounds a month.", True),
        ("The parties met. The member pays 48 pounds", True),
        ("A fine of 48 pounds\nis due", True),
        ("48 pounds sterling", True),
        ("It holds 48 pounds.", False),  # nothing tells
        ("The parcel must not weigh more than 48 pounds.", False),
        ("The price of 48 pounds of sugar is not fixed.", False),
        ("The price for 48 pounds is €20.", False),  # of what is weighed
        ("The fee for a load of 48 pounds is fixed.", False),
        ("The rent is fixed. It holds 48 pounds.", False),  # another sentence speaks of money
        ("It holds 48 pounds. The rent is fixed.", False),
    ],
)
def test_the_sentence_tells_money_from_weight(text: str, is_money: bool) -> None:
    """(R77)"""
    start = text.index(PRINTED)
    end = start + len(PRINTED) + (len(" sterling") if "sterling" in text else 0)
    assert are_money(text, start, end) is is_money
