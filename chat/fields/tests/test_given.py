"""Who signs and where notices go are read of the blocks that say so, each with its own lines (R87)."""

import pytest

from chat.fields.given import place_values
from chat.figures.names import addresses_of_block, signers_in
from retrieval.tests.builders import content_of_lines


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By: Ann Lee\nName: Ann Lee\nTitle: Director\nBy: Bo Karlsson", ["Ann Lee", "Bo Karlsson"]),
        ("/s/ Ann Lee", ["Ann Lee"]),
        ("gez. Ann Lee", ["Ann Lee"]),
        ("Signed by Acme Holdings Ltd", []),  # a firm
        ("Name: Bo Karlsson, witness", []),
        ("Written by hand and approved By: nobody", []),
    ],
)
def test_who_signs_is_told_by_a_sign_of_signing(text: str, names: list[str]) -> None:
    """(R87)"""
    assert [each.value for each in signers_in(text)] == names


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("Notices to Acme\nAddress: 12 Quay Road, Leith", ["12 Quay Road, Leith"]),
        ("Anschrift: Hafenweg 12, Bremen", ["Hafenweg 12, Bremen"]),
        ("Address: legal2@acme.example", []),
        ("Address: as told by the other party", []),
    ],
)
def test_a_block_calls_its_addresses_so(text: str, addresses: list[str]) -> None:
    """(R87)"""
    assert [each.value for each in addresses_of_block(text)] == addresses


def test_each_value_of_a_block_has_its_own_lines_and_is_on_the_page_where_it_begins() -> None:
    """(R87)"""
    content = content_of_lines(
        ["# Signatures", "By: Ann Lee", "Title: Director", "By: Bo Karlsson", "---", "By: Cy Dow"]
    )
    placed = place_values(content.lines, signers_in)
    assert [(each.printed, tuple(each.lines)) for each in placed] == [("Ann Lee", (2, 2)), ("Bo Karlsson", (4, 4))]
    assert place_values(content.lines[:1], signers_in) == []
