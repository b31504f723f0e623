"""The packs that ship (CSV files beside this one), and which of them a base uses."""

from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from documents.models import KnowledgeBase
from retrieval.dictionary.csv_format import WordRow, read_bytes
from retrieval.models import Concept, Pack, Term

PACKS = {
    "finance": _("Finance: statements, their lines under every usual name, ratios and what they are computed from"),
    "insurance_hr": _("Insurance, contracts and employment"),
}


@lru_cache
def pack_rows(name: str) -> tuple[WordRow, ...]:
    """The rows of a pack, in its file's order."""
    rows, errors = read_bytes((Path(__file__).parent / f"{name}.csv").read_bytes())
    assert not errors, errors
    return tuple(rows)


def load_missing(base: KnowledgeBase) -> None:
    """Give a base the packs nobody decided about yet: a new base has them all, one of an older version too."""
    if Pack.objects.filter(base=base).count() == len(PACKS):
        return
    for name in PACKS:
        with transaction.atomic():
            # A second worker waits here for the first one's row, and then finds it.
            _, is_new = Pack.objects.get_or_create(base=base, name=name, defaults={"is_on": True})
            if is_new:
                load(base, name)


def switch(base: KnowledgeBase, names: Collection[str]) -> None:
    """Use exactly these packs. One that is on already is left as experts have edited it."""
    load_missing(base)
    with transaction.atomic():
        for pack in Pack.objects.select_for_update().filter(base=base, name__in=PACKS):
            if pack.is_on == (pack.name in names):
                continue
            pack.is_on = not pack.is_on
            pack.save(update_fields=["is_on"])
            (load if pack.is_on else unload)(base, pack.name)


def packs_on(base: KnowledgeBase) -> frozenset[str]:
    load_missing(base)
    return frozenset(Pack.objects.filter(base=base, is_on=True).values_list("name", flat=True))


def load(base: KnowledgeBase, name: str) -> None:
    """Add the rows of a pack that are not there; what stands there already wins."""
    rows = pack_rows(name)
    known = {concept.name.casefold(): concept for concept in Concept.objects.filter(base=base)}
    wanted = dict.fromkeys(row.concept for row in rows)
    fresh = [Concept(base=base, name=concept, pack=name) for concept in wanted if concept.casefold() not in known]
    known |= {concept.name.casefold(): concept for concept in Concept.objects.bulk_create(fresh)}
    terms = [
        Term(
            concept=known[row.concept.casefold()],
            language=row.language,
            text=row.term,
            priority=row.priority,
            weight=row.weight,
            pack=name,
        )
        for row in rows
    ]
    Term.objects.bulk_create(terms, ignore_conflicts=True)


def unload(base: KnowledgeBase, name: str) -> None:
    """Take out the rows of a pack that nobody touched, and its concepts that are empty then."""
    # By id: a join would be planned for the empty table that PostgreSQL remembers right after a pack was loaded.
    concepts = list(Concept.objects.filter(base=base).values_list("pk", flat=True))
    Term.objects.filter(concept__in=concepts, pack=name).delete()
    Concept.objects.filter(base=base, pack=name, terms=None).delete()
