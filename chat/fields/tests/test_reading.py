"""A list of fields as people write it (R87): lines or CSV, with every fault named."""

import pytest

from chat.fields.reading import FIELDS_MAX, FieldsError, read_fields_file, read_fields_text
from retrieval.forms.fields import Field
from retrieval.types import Expected


def test_a_line_is_a_name_and_a_question_or_both_in_one() -> None:
    fields = read_fields_text("Rent: What is the rent?\n\n  Landlord  \nDeposit:\n")
    assert fields == [Field("Rent", "What is the rent?"), Field("Landlord", "Landlord"), Field("Deposit:", "Deposit:")]


def test_a_type_stands_in_brackets_after_the_name() -> None:
    fields = read_fields_text("Rent (amount): What is the rent?\nTerm (Duration)\nFee (net)")
    duration = Field("Term", "Term", Expected("duration"))
    assert fields == [
        Field("Rent", "What is the rent?", Expected("amount")),
        duration,
        Field("Fee (net)", "Fee (net)"),
    ]


@pytest.mark.parametrize("sign", [",", ";"])
def test_a_file_names_its_columns(sign: str) -> None:
    lines = ["name,type,question,instruction", "Rent,Amount,What is the rent?,net of tax", ",,,", "Landlord,,,"]
    content = "\ufeff" + "\r\n".join(lines).replace(",", sign)
    assert read_fields_file(content.encode()) == [
        Field("Rent", "What is the rent?", Expected("amount", "net of tax")),
        Field("Landlord", "Landlord"),
    ]


@pytest.mark.parametrize(
    ("content", "faults"),
    [
        (b"name,type\nRent,colour\nTerm,date\n,\nterm,date", {1: "no type of answer", 3: "given twice"}),
        (b"field,question\nRent,What?", {0: "first line must name the columns"}),
        (b"", {0: "first line must name the columns"}),
        (b"name\n", {0: "no field"}),
        (b"\xff\xfename", {0: "not a CSV file in UTF-8"}),
        (b'name\n"Rent', {0: "not a CSV file in UTF-8"}),
        (b"name\n" + b"x" * 121, {1: "at most 120 characters"}),
        (b"name,instruction\nRent," + b"x" * 501, {1: "at most 500"}),
        (b"name\n" + b"\n".join(b"Field %d" % number for number in range(FIELDS_MAX + 1)), {0: "at most 50"}),
        (b"name\n" + b"x" * 400_000, {0: "larger than 300 kB"}),
    ],
)
def test_every_fault_is_named_by_its_field(content: bytes, faults: dict[int, str]) -> None:
    with pytest.raises(FieldsError) as refused:
        read_fields_file(content)
    assert refused.value.faults.keys() == faults.keys()
    assert all(words in refused.value.faults[number] for number, words in faults.items())


def test_an_empty_list_is_a_fault() -> None:
    with pytest.raises(FieldsError, match="no field"):
        read_fields_text(" \n\n")
