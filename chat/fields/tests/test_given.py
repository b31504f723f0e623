"""What a document gives of itself is shown as found only where it is said of what was asked (R87)."""

from pathlib import Path

import pytest
from pytest_django import Settings

from accounts.models import User
from chat.fields.given import place_values
from chat.fields.reading import read_fields_text
from chat.fields.tests.test_kinds import told_of_text
from chat.figures.names import signers_in
from documents.models import KnowledgeBase
from retrieval.tests.builders import content_of_lines

SIGNED = """\
# SUPPLY AGREEMENT

This Supply Agreement is made on 1 March 2024 between Harbour Sheds Limited and Quay Foods GmbH.

## Delivery

The goods are delivered on the first day of each month.

## Notices

A notice under this agreement is sent to Harbour Sheds Limited:

Address: 12 Quay Road, Leith EH6 7AB

## Signatories

The signatory of each party signs:

By: /s/ Ann Lee

Name: Ann Lee

Title: Chief Executive Officer

By: /s/ Bob Roe

Name: Bob Roe

Title: Director
"""


@pytest.mark.django_db(transaction=True)
def test_signers_and_addresses_are_those_of_what_was_asked(
    base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings
) -> None:
    settings.MEDIA_ROOT = tmp_path / "files"
    asked = read_fields_text("Signatory\nNotice address (address)\nDelivery address (address)")
    told = told_of_text(SIGNED, asked, base, tenant, tmp_path / "signed.md")
    signatory, notice, delivery = ((each["outcome"], each["value"]) for each in told)
    assert signatory == ("found", "Ann Lee; Bob Roe")
    assert notice == ("found", "12 Quay Road, Leith EH6 7AB")
    assert delivery[0] != "found"


def test_values_that_go_on_on_another_page_are_not_shown_in_part() -> None:
    lines = content_of_lines(["By: /s/ Ann Lee", "By: /s/ Bob Roe"]).lines
    assert [each.printed for each in place_values(lines, signers_in)] == ["Ann Lee", "Bob Roe"]
    assert not place_values([lines[0], lines[1]._replace(page_number=2)], signers_in)
