"""Changing a dictionary by hand and by file: twins, limits, names in other writings, all rows or none."""

import pytest
from django.core.exceptions import ObjectDoesNotExist

from documents.models import KnowledgeBase
from retrieval.dictionary import editing, packs
from retrieval.dictionary.csv_format import CONCEPT_TERMS_MAX, WordlistError, WordRow
from retrieval.dictionary.editing import RowChange, add_concept, changes_of, put_term, rename_concept, take_in
from retrieval.models import Concept, Pack, Term

pytestmark = pytest.mark.django_db
DEPOSIT = WordRow("deposit", "en", "deposit")


def empty_base(name: str) -> KnowledgeBase:
    """A base that uses no pack; switching them off one after the other would take a second."""
    base = KnowledgeBase.objects.create(name=name)
    Pack.objects.bulk_create(Pack(base=base, name=pack, is_on=False) for pack in packs.PACKS)
    return base


@pytest.fixture
def base() -> KnowledgeBase:
    return empty_base("Suppliers")


@pytest.fixture
def deposit(base: KnowledgeBase) -> Concept:
    return add_concept(base, DEPOSIT)


def all_terms(base: KnowledgeBase) -> set[tuple[object, ...]]:
    return {tuple(editing.row_of_term(term)) for term in Term.objects.filter(concept__base=base)}


# ---- by hand


@pytest.mark.parametrize("name", ["deposit", "DEPOSIT", "Deposit"])
def test_a_concept_has_one_name_in_capitals_or_not(base: KnowledgeBase, deposit: Concept, name: str) -> None:
    with pytest.raises(WordlistError, match=f"a concept “{name}” already"):
        add_concept(base, DEPOSIT._replace(concept=name))
    assert Concept.objects.filter(base=base).count() == 1


@pytest.mark.parametrize("name", ["dépôt", "保証金", "депозит", "deposit 2", "x" * 120, "50 %"])
def test_a_concept_may_have_any_other_name(base: KnowledgeBase, deposit: Concept, name: str) -> None:
    assert add_concept(base, WordRow(name, "", name)).terms.get().text == name


def test_another_base_may_have_the_same_concept(base: KnowledgeBase, deposit: Concept) -> None:
    other = empty_base("Other")
    add_concept(other, DEPOSIT)
    assert all_terms(other) == all_terms(base) == {tuple(DEPOSIT)}


@pytest.mark.parametrize(
    ("language", "text", "is_twin"),
    [
        ("en", "deposit", True),
        ("en", "DEPOSIT", True),
        ("fr", "deposit", False),
        ("", "deposit", False),
        ("en", "depot", False),
    ],
)
def test_a_term_is_once_in_a_concept_and_a_language(deposit: Concept, language: str, text: str, is_twin: bool) -> None:
    row = WordRow("deposit", language, text)
    if is_twin:
        with pytest.raises(WordlistError, match=f"“{text}” stands in this concept already"):
            put_term(deposit, row)
    else:
        put_term(deposit, row)
    assert deposit.terms.count() == 2 - is_twin


def test_a_term_of_two_concepts_is_no_twin(base: KnowledgeBase, deposit: Concept) -> None:
    add_concept(base, WordRow("guarantee", "en", "deposit"))
    assert Term.objects.filter(concept__base=base, text="deposit").count() == 2


def test_a_term_may_be_written_in_capitals_without_being_its_own_twin(deposit: Concept) -> None:
    changed = put_term(deposit, DEPOSIT._replace(term="DEPOSIT", weight=2.0), deposit.terms.get())
    assert deposit.terms.get() == changed and tuple(editing.row_of_term(changed)) == (
        "deposit",
        "en",
        "DEPOSIT",
        "primary",
        2.0,
    )


def test_what_a_pack_brought_is_the_experts_only_once_it_is_changed(deposit: Concept) -> None:
    Term.objects.update(pack="finance")
    Concept.objects.update(pack="finance")
    deposit.refresh_from_db()
    put_term(deposit, DEPOSIT, deposit.terms.get())
    rename_concept(deposit, " deposit ")
    assert (deposit.terms.get().pack, deposit.pack) == ("finance", "finance")
    put_term(deposit, DEPOSIT._replace(priority="secondary"), deposit.terms.get())
    rename_concept(deposit, "Deposit")
    deposit.refresh_from_db()
    assert (deposit.terms.get().pack, deposit.pack, deposit.name) == ("", "", "Deposit")


@pytest.mark.parametrize("name", ["", "  ", "…", "x" * 121, "a\nb", "a\x00b", "\ud800"])
def test_a_name_nothing_could_be_found_by_is_refused(deposit: Concept, name: str) -> None:
    with pytest.raises(WordlistError, match="concept"):
        rename_concept(deposit, name)
    deposit.refresh_from_db()
    assert deposit.name == "deposit"


def test_a_concept_is_full_at_its_limit_and_a_term_of_it_can_still_be_changed(deposit: Concept) -> None:
    Term.objects.bulk_create(
        Term(concept=deposit, text=f"name {number}", priority="primary") for number in range(1, CONCEPT_TERMS_MAX)
    )
    with pytest.raises(WordlistError, match=f"at most {CONCEPT_TERMS_MAX} terms"):
        put_term(deposit, DEPOSIT._replace(term="one more"))
    put_term(deposit, DEPOSIT._replace(term="another"), deposit.terms.get(text="deposit"))
    assert deposit.terms.count() == CONCEPT_TERMS_MAX


def test_a_full_base_takes_no_more_and_gives_no_half_concept(
    base: KnowledgeBase, deposit: Concept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(editing, "ROWS_MAX", 1)
    rent = WordRow("rent", "en", "rent")
    for refused in (lambda: add_concept(base, rent), lambda: put_term(deposit, rent), lambda: take_in(base, [rent])):
        with pytest.raises(WordlistError, match="at most 1 terms"):
            refused()
    assert all_terms(base) == {tuple(DEPOSIT)} and Concept.objects.count() == 1
    assert take_in(base, [DEPOSIT._replace(weight=2.0)]) == {"changed": 1}


# ---- a file


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (DEPOSIT, "same"),
        (DEPOSIT._replace(concept="DEPOSIT", term="Deposit"), "same"),
        (DEPOSIT._replace(weight=0.5), "changed"),
        (DEPOSIT._replace(priority="secondary"), "changed"),
        (DEPOSIT._replace(language="fr"), "new"),
        (DEPOSIT._replace(term="caution"), "new"),
        (DEPOSIT._replace(concept="caution"), "new"),
    ],
)
def test_what_a_row_would_do_is_told_before_it_is_done(
    base: KnowledgeBase, deposit: Concept, row: WordRow, kind: str
) -> None:
    assert changes_of(base, [row]) == [RowChange(kind, row, None if kind == "new" else DEPOSIT)]  # type: ignore[arg-type]
    assert all_terms(base) == {tuple(DEPOSIT)}, "which changes nothing yet"
    assert take_in(base, [row]) == {kind: 1}
    assert take_in(base, [row]) == {"same": 1}, "and a second time there is nothing left to do"


def test_a_file_joins_a_concept_that_is_there_in_other_capitals(base: KnowledgeBase, deposit: Concept) -> None:
    take_in(base, [WordRow("Deposit", "fr", "caution"), WordRow("DEPOSIT", "de", "Kaution")])
    assert set(deposit.terms.values_list("text", flat=True)) == {"deposit", "caution", "Kaution"}
    assert Concept.objects.count() == 1


def test_a_file_makes_one_concept_of_its_writings(base: KnowledgeBase) -> None:
    rows = [WordRow("Straße", "de", "Straße"), WordRow("STRASSE", "de", "Weg"), WordRow("strasse", "de", "Gasse")]
    assert take_in(base, rows) == {"new": 3}
    assert Concept.objects.get().terms.count() == 3


def test_a_file_changes_the_term_of_its_own_concept_and_base_only(base: KnowledgeBase, deposit: Concept) -> None:
    add_concept(base, WordRow("guarantee", "en", "deposit"))
    other = empty_base("Other")
    add_concept(other, DEPOSIT)
    take_in(base, [DEPOSIT._replace(weight=3.0)])
    assert all_terms(other) == {tuple(DEPOSIT)}
    assert all_terms(base) == {
        ("deposit", "en", "deposit", "primary", 3.0),
        ("guarantee", "en", "deposit", "primary", 1.0),
    }


def test_a_file_that_crowds_one_concept_leaves_nothing_behind(base: KnowledgeBase, deposit: Concept) -> None:
    rows = [WordRow("rent", "en", "rent"), *(WordRow("deposit", "en", f"name {n}") for n in range(CONCEPT_TERMS_MAX))]
    with pytest.raises(WordlistError, match="“deposit” has more"):
        take_in(base, rows)
    assert all_terms(base) == {tuple(DEPOSIT)}


def test_an_empty_file_does_nothing(base: KnowledgeBase, deposit: Concept) -> None:
    assert take_in(base, []) == {} and changes_of(base, []) == []


def test_a_base_that_is_gone_takes_in_nothing(base: KnowledgeBase) -> None:
    KnowledgeBase.objects.filter(pk=base.pk).delete()
    with pytest.raises(ObjectDoesNotExist):
        take_in(base, [DEPOSIT])
