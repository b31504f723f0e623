"""The forms of the dictionary: what they make of a row, and that each fault is said once, in the page's language."""

import pytest
from django.utils import translation

from retrieval.dictionary.csv_format import TEXT_MAX, WordRow
from retrieval.dictionary.forms import ConceptForm, TermForm


def filled(**values: str) -> TermForm:
    return TermForm(
        {"term": "caution", "language": "fr", "priority": "primary", "weight": "1"} | values, concept="deposit"
    )


def named(**values: str) -> ConceptForm:
    return ConceptForm({"concept_name": "deposit", "term": "", "language": "", "priority": "", "weight": ""} | values)


@pytest.mark.parametrize(
    ("values", "row"),
    [
        ({}, WordRow("deposit", "fr", "caution", "primary", 1.0)),
        ({"language": "", "priority": "", "weight": ""}, WordRow("deposit", "", "caution", "primary", 1.0)),
        ({"term": "  dépôt   de  garantie "}, WordRow("deposit", "fr", "dépôt de garantie")),
        ({"term": "de\u0301po\u0302t"}, WordRow("deposit", "fr", "dépôt")),
        ({"weight": "0.5", "priority": "secondary"}, WordRow("deposit", "fr", "caution", "secondary", 0.5)),
        ({"weight": "5"}, WordRow("deposit", "fr", "caution", "primary", 5.0)),
        ({"term": "=1+1"}, WordRow("deposit", "fr", "=1+1")),
        ({"term": "保証金"}, WordRow("deposit", "fr", "保証金")),
        ({"term": "x" * TEXT_MAX}, WordRow("deposit", "fr", "x" * TEXT_MAX)),
    ],
)
def test_what_is_typed_becomes_a_row(values: dict[str, str], row: WordRow) -> None:
    form = filled(**values)
    assert form.is_valid(), form.fault
    assert form.row == row and form.fault == ""


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"term": ""}, "term"),
        ({"term": "   "}, "term"),
        ({"term": "…"}, "__all__"),
        ({"term": "a\tb"}, "__all__"),
        ({"term": "a\x00b"}, "term"),
        ({"term": "x" * (TEXT_MAX + 1)}, "term"),
        ({"language": "EN"}, "language"),
        ({"language": "xx"}, "language"),
        ({"priority": "tertiary"}, "priority"),
        ({"weight": "0"}, "weight"),
        ({"weight": "-0.5"}, "weight"),
        ({"weight": "5.01"}, "weight"),
        ({"weight": "inf"}, "weight"),
        ({"weight": "nan"}, "weight"),
        ({"weight": "1,5"}, "weight"),
        ({"weight": "1.00000000"}, "weight"),
    ],
)
def test_a_fault_is_said_at_its_field_and_once(values: dict[str, str], field: str) -> None:
    form = filled(**values)
    assert not form.is_valid() and list(form.errors) == [field]
    assert len(form.errors[field]) == 1 and form.fault == form.errors[field][0]
    assert not hasattr(form, "row")


def test_several_faults_are_said_one_after_the_other() -> None:
    form = filled(term="", language="xx", weight="many")
    assert set(form.errors) == {"term", "language", "weight"}
    assert form.fault.count(".") >= 3 and "The weight must be" in form.fault


def test_a_fault_is_said_in_the_language_of_the_page() -> None:
    with translation.override("fr"):
        said = filled(weight="many").fault
    assert said and "The weight must be" not in said


def test_a_form_of_no_concept_is_refused() -> None:
    form = TermForm({"term": "caution"}, concept="")
    assert not form.is_valid() and "concept is missing" in form.fault


# ---- a new concept


@pytest.mark.parametrize(
    ("values", "row"),
    [
        ({}, WordRow("deposit", "", "deposit")),
        ({"term": "caution", "language": "fr"}, WordRow("deposit", "fr", "caution")),
        ({"concept_name": "  security   deposit "}, WordRow("security deposit", "", "security deposit")),
        ({"term": "   "}, WordRow("deposit", "", "deposit")),
    ],
)
def test_a_concept_without_a_term_is_called_by_its_name(values: dict[str, str], row: WordRow) -> None:
    form = named(**values)
    assert form.is_valid(), form.fault
    assert form.row == row


@pytest.mark.parametrize("name", ["", " ", "…", "x" * (TEXT_MAX + 1), "a\nb"])
@pytest.mark.parametrize("term", ["", "caution"])
def test_a_concept_needs_a_name(name: str, term: str) -> None:
    form = named(concept_name=name, term=term)
    assert not form.is_valid() and form.fault and not hasattr(form, "row")


def test_the_concept_is_what_was_typed_and_no_other() -> None:
    form = ConceptForm({"concept_name": "rent", "term": "loyer"}, concept="deposit")
    assert form.is_valid() and form.row.concept == "rent"
