"""Names, and yes and no, are told by the words of each language (R82)."""

import pytest

from chat.figures.names import addresses_of_block, name_words, signers_in
from chat.figures.yes_no import yes_no_words
from reading.wording import Wording, Wordings

ENTRIES = [(words(), each) for words in (yes_no_words, name_words) for each in words().alternatives]


@pytest.mark.parametrize(("words", "entry"), ENTRIES, ids=lambda each: str(getattr(each, "pattern", "")))
def test_each_entry_matches_its_examples_only(words: Wordings, entry: Wording) -> None:
    pattern = words.alone(entry)
    assert all(pattern.search(example) for example in entry.examples)
    assert entry.counter_examples and not any(pattern.fullmatch(each) for each in entry.counter_examples)
    if words is not name_words():
        assert not any(pattern.search(each) for each in entry.counter_examples)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By: /s/ Ann Lee\nName: Ann Lee\nTitle: CEO\nBy: /s/ Bob Roe\nName: Bob Roe", ["Ann Lee", "Bob Roe"]),
        ("By: /s/ Ann Lee    By: /s/ Bob Roe\nName: Ann Lee Name: Bob Roe", ["Ann Lee", "Bob Roe"]),
        ("IN WITNESS WHEREOF they sign.\nBy: Ann Lee", ["Ann Lee"]),
        ("Signed by Ann Lee\nWitness:\nName: Jane Roe", ["Ann Lee"]),
        ("Name: Jane Roe\nTitle: Witness\nName: Ann Lee", ["Ann Lee"]),
        ("Signed as a deed by Ann Lee\nin the presence of\nWitness: Bob Ray\nBy: Carl Orr", ["Ann Lee", "Carl Orr"]),
        ("Signed by Ann Lee\nWitness:\nAddress: 12 Quay Road\nName: Jane Roe", ["Ann Lee"]),
        ("Signed by Ann Lee\nin the presence of\nName: Jane Roe", ["Ann Lee"]),
        ("Name: Jane Roe, notary\nName: Ann Lee", ["Ann Lee"]),
        ("Signed by Ann Lee\nWitness signature: ____\nName: Jane Roe", ["Ann Lee"]),
        ("Gez. Ann Lee\nZeuge 1: ____\nName: Jane Roe", ["Ann Lee"]),
        ("Signed by Ann Lee\nWitness\nName: Jane Roe", []),  # a heading, or what Ann Lee is called
        (f"Signed by Ann Lee\nWitnessed by:\nSignature: {'_' * 50}\nName: Jane Roe", ["Ann Lee"]),
        ("Signed by Ann Lee in the presence of Jane Roe\nName: Jane Roe", []),  # who may sign as well
        ("Signed by Ann Lee, witnessed by Bob Ray\nSigned by Bob Ray, witnessed by Cal Doe", []),
        ("Witnessed by Ann Lee and Bob Ray\nName: Ann Lee\nName: Bob Ray\nName: Cal Doe", []),
        ("Name: Cal Doe\n\nWitnesses:\nAnn Lee\nBob Ray\n\nName: Bob Ray", []),
        ("By: /s/ Ann Lee\nWitness: /s/ Jane Roe\nName: Jane Roe", []),
        ("By: Bob Ray\nName: Bob Ray\nTitle: Witness\nName: Ann Lee", []),
        ("Name: Ann Lee\n\nWitness\n\nName: Jane Roe", []),
        ("Name: Ann Lee\nTitle: CEO\n\nWitness:\n\nName: Jane Roe", []),
        ("Name: Ann Lee\nWitness signature\nName: Jane Roe", []),
        ("Name: Ann Lee\nWitness name\nName: Jane Roe", []),
        ("Name: Ann Lee\nWitness 1\nName: Jane Roe", []),
        ("Nom : Ann Lee\nTémoin (signature)\nNom : Jane Roe", []),
        ("Signed by Ann Lee in the presence of:\n\nName: Jane Roe", []),
        ("Signed by Ann Lee, witnessed by Cal Doe\nSigned by Bob Ray, witnessed by Cal Doe", ["Ann Lee", "Bob Ray"]),
        ("Name: Ann Lee\n\nTitle: CEO\n\nName: Bob Ray\n\nWitness", ["Ann Lee"]),
        ("Name: Jane Roe\nTitle: Witness  Date: 3 May 2024\nName: Ann Lee", ["Ann Lee"]),
        ("Name: Ann Lee Chief Executive Officer", ["Ann Lee"]),
        ("Name: Ann M. de la Cruz", ["Ann M. de la Cruz"]),
        ("Name: Ann Lee of Leith", []),
        ("Signed by Ann Lee and Bob Roe", []),
        ("Signed by Ann Lee for and on behalf of\nAcme Ltd", ["Ann Lee"]),
        ("Signed by Ann Lee in the\npresence of:\n/s/ Ann Lee\n/s/ Jane Roe\nWitness’s Signature", ["Ann Lee"]),
        ("Prepared by: John Roe", []),
        ("Bank Name: Deutsche Bank", []),
        ("By: Authorised Signatory", []),
        ("signed by Chief Financial Officer", []),
    ],
)
def test_who_signs_is_named_whole_and_is_no_witness(text: str, names: list[str]) -> None:
    """(R87)"""
    assert [each.value for each in signers_in(text)] == names


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("Address: 12 Quay Road,\nLeith EH6 7AB", ["12 Quay Road, Leith EH6 7AB"]),
        ("Acme Ltd\n12 Quay Road, Leith EH6 7AB\nAttn: Ann", ["12 Quay Road, Leith EH6 7AB"]),
        ("Previous address: 12 Quay Road, Leith", []),
        ("E-mail address: contracts2024@acme.com", []),
        ("IP address: 192.168.10.12", []),
        ("Address: see clause 12 of Schedule 4", []),
        ("Address: 2\\4 Quay Road, Leith", []),
    ],
)
def test_an_address_of_a_block_is_whole_and_called_nothing_else(text: str, addresses: list[str]) -> None:
    """(R87)"""
    assert [each.value for each in addresses_of_block(text)] == addresses
