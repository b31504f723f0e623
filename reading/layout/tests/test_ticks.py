"""Which lines have boxes to be ticked, and what they say."""

import pytest

from reading.layout.ticks import options_in


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("☑ Flood", [("Flood", True)]),
        ("☐ Loss of rent, up to 24 months", [("Loss of rent, up to 24 months", False)]),
        ("Are you insured elsewhere? ☐ Yes ☒ No", [("Yes", False), ("No", True)]),
        ("Yes ☒ No ☐", [("Yes", True), ("No", False)]),
        ("Is the firm listed, as defined in Rule 405? YES☒ NO□", [("YES", True), ("NO", False)]),
        ("[x] by letter [ ] by e-mail", [("by letter", True), ("by e-mail", False)]),
        ("◉ monthly ○ yearly", [("monthly", True), ("yearly", False)]),
        ("○ monthly ○ yearly", [("monthly", None), ("yearly", None)]),
        ("○ an item of a list", [("an item of a list", None)]),
        ("✗ Garden", [("Garden", None)]),
        ("✗ Garden ✗ Cellar", [("Garden", None), ("Cellar", None)]),
        ("✗ Garden □ Cellar", [("Garden", True), ("Cellar", False)]),
        ("✗ Liquids ○ Hand luggage", [("Liquids", None), ("Hand luggage", None)]),
        ("✓ Garden ✗ Cellar □ Loft", [("Garden", True), ("Cellar", False), ("Loft", False)]),
        ("• an item", []),
        ("as shown in [4] and in [x]y", []),
        ("the price is [ ] pounds a month", []),
        ("Garden", []),
    ],
)
def test_an_option_is_ticked_not_ticked_or_open(text: str, options: list[tuple[str, bool | None]]) -> None:
    found = options_in(text)
    assert [(each.label, each.is_ticked) for each in found if each.label] == options
    assert all(text[each.start : each.end].strip() == text[each.start : each.end] for each in found)
