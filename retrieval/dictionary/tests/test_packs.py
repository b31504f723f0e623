"""The packs in a base: there from the start, loaded once, and taken out without what experts made of them."""

from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from documents.models import KnowledgeBase
from retrieval.dictionary import editing, packs
from retrieval.dictionary.csv_format import WordRow
from retrieval.dictionary.load import ensure_dictionary, pack_concepts
from retrieval.models import Concept, Term

pytestmark = pytest.mark.django_db
ALL = list(packs.PACKS)


@pytest.fixture
def base() -> KnowledgeBase:
    return KnowledgeBase.objects.create(name="Suppliers")


def terms_of(base: KnowledgeBase) -> set[tuple[str, str, str]]:
    return set(Term.objects.filter(concept__base=base).values_list("concept__name", "language", "text"))


def test_a_new_base_has_every_pack(base: KnowledgeBase) -> None:
    named = {concept.name: set(concept.terms) for concept in ensure_dictionary(base)}
    assert named == {concept.name: set(concept.terms) for concept in pack_concepts()}
    assert packs.packs_on(base) == set(ALL)


def test_loading_twice_changes_nothing(base: KnowledgeBase) -> None:
    packs.load_missing(base)
    before = terms_of(base)
    packs.load_missing(base)
    packs.load(base, "finance")
    packs.switch(base, ALL)
    assert terms_of(base) == before


def test_what_an_expert_deleted_stays_deleted(base: KnowledgeBase) -> None:
    packs.load_missing(base)
    Concept.objects.get(base=base, name="premium").delete()
    packs.switch(base, ALL)
    assert "premium" not in {concept.name for concept in ensure_dictionary(base)}


def test_switching_off_takes_only_untouched_rows(base: KnowledgeBase) -> None:
    packs.load_missing(base)
    revenue = Concept.objects.get(base=base, name="revenue")
    editing.put_term(revenue, WordRow("revenue", "en", "takings"))
    touched = revenue.terms.get(text="net sales")
    editing.put_term(revenue, WordRow("revenue", "en", "net sales", "secondary", 0.5), touched)
    untouched = revenue.terms.get(text="top line")
    editing.put_term(revenue, WordRow("revenue", "en", "top line"), untouched)  # saved, but nothing was changed
    packs.switch(base, ["insurance_hr"])
    assert set(revenue.terms.values_list("text", flat=True)) == {"takings", "net sales"}
    assert not Concept.objects.filter(base=base, name="inventory").exists()
    assert Concept.objects.filter(base=base, name="premium").exists()
    packs.switch(base, ALL)
    net_sales = revenue.terms.get(text="net sales", language="en")
    assert (net_sales.priority, net_sales.weight, net_sales.pack) == ("secondary", 0.5, "")
    assert revenue.terms.filter(text="top line").exists()


def test_a_pack_joins_a_concept_of_the_same_name(base: KnowledgeBase) -> None:
    packs.switch(base, [])
    assert ensure_dictionary(base) == ()
    editing.add_concept(base, WordRow("Premium", "de", "Prämie"))
    packs.switch(base, ["insurance_hr"])
    (premium,) = Concept.objects.filter(base=base, name__iexact="premium")
    assert {"Prämie", "prime"} <= set(premium.terms.values_list("text", flat=True))
    packs.switch(base, [])
    assert [term.text for term in premium.terms.all()] == ["Prämie"]


def test_an_unknown_pack_is_left_out(base: KnowledgeBase) -> None:
    packs.switch(base, ["finance", "../../etc/passwd"])
    assert packs.packs_on(base) == {"finance"}


def test_bases_do_not_share_their_dictionaries(base: KnowledgeBase) -> None:
    other = KnowledgeBase.objects.create(name="Others")
    packs.switch(base, [])
    editing.add_concept(base, WordRow("alpha", "en", "alpha"))
    assert [concept.name for concept in ensure_dictionary(base)] == ["alpha"]
    assert "alpha" not in {concept.name for concept in ensure_dictionary(other)}


def test_rows_about_contracts_move_into_their_own_pack(base: KnowledgeBase) -> None:
    packs.load_missing(base)
    migration = import_module("retrieval.migrations.0016_contracts_pack")
    Concept.objects.filter(base=base, pack="contracts").exclude(name__in=migration.CONCEPTS).delete()  # added since
    migration.join(apps, None)
    assert not Term.objects.filter(pack="contracts").exists() and not Concept.objects.filter(pack="contracts").exists()
    migration.divide(apps, None)
    assert packs.packs_on(base) == set(ALL)
    assert Term.objects.filter(concept__base=base, pack="contracts").count() == len(packs.pack_rows("contracts"))
    packs.switch(base, ["contracts"])
    assert Concept.objects.filter(base=base, name="notice period").exists()


def test_a_base_without_the_older_pack_does_not_get_the_one_divided_from_it(base: KnowledgeBase) -> None:
    packs.switch(base, ["finance"])
    migration = import_module("retrieval.migrations.0016_contracts_pack")
    migration.join(apps, None)
    migration.divide(apps, None)
    assert packs.packs_on(base) == {"finance"}


@pytest.mark.django_db(transaction=True)
def test_two_workers_load_one_base_once() -> None:
    base = KnowledgeBase.objects.create(name="Busy")

    def load(_: int) -> None:
        try:
            ensure_dictionary(base)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(load, range(4)))
    assert Term.objects.filter(concept__base=base).count() == sum(len(packs.pack_rows(name)) for name in packs.PACKS)
