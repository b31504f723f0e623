"""The bundled packs (CSV files in this folder), and which of them a base uses."""

import json
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from django.db import connection, transaction
from django.utils.translation import gettext_lazy as _

from documents.models import KnowledgeBase
from retrieval.dictionary.csv_format import WordRow, read_bytes
from retrieval.models import Concept, Pack, Term

PACKS = {
    "finance": _("Finance: statements, their lines under every usual name, ratios and what they are computed from"),
    "contracts": _("Contracts: notice, termination, payment, confidentiality, governing law"),
    "insurance_hr": _("Insurance and employment"),
}
# Three thousand rows of a new base: as objects, or as parameters, they take several times as long.
ADD_CONCEPTS = """
INSERT INTO retrieval_concept (base_id, pack, name) SELECT %s, %s, unnest(%s::text[]) RETURNING name, id
"""
ADD_TERMS = """
INSERT INTO retrieval_term (pack, concept_id, language, text, priority, weight)
SELECT %s, (%s::bigint[])[place], language, term, priority, weight
FROM json_to_recordset(%s) AS rows (place int, language text, term text, priority text, weight float8)
ON CONFLICT DO NOTHING
"""


@lru_cache
def pack_rows(name: str) -> tuple[WordRow, ...]:
    rows, errors = read_bytes((Path(__file__).parent / f"{name}.csv").read_bytes())
    assert not errors, errors
    return tuple(rows)


@lru_cache
def pack_terms(name: str) -> tuple[tuple[str, ...], str]:
    """The concepts of a pack, and its rows as JSON; each has the place of its concept among them, from one."""
    rows = pack_rows(name)
    places = {concept: place for place, concept in enumerate(dict.fromkeys(row.concept for row in rows), start=1)}
    return tuple(places), json.dumps([row._asdict() | {"place": places[row.concept]} for row in rows])


def load_missing(base: KnowledgeBase, wanted: Collection[str] = PACKS) -> None:
    """Decide on the packs nobody has decided about yet, all for a new base, new ones for an older: load the wanted."""
    if Pack.objects.filter(base=base).count() == len(PACKS):
        return
    with transaction.atomic():
        KnowledgeBase.objects.select_for_update(no_key=True).get(pk=base.pk)  # a second worker waits, then finds them
        known = set(Pack.objects.filter(base=base).values_list("name", flat=True))
        for name in PACKS:
            if name not in known:
                Pack.objects.create(base=base, name=name, is_on=name in wanted)
                if name in wanted:
                    load(base, name)


def switch(base: KnowledgeBase, names: Collection[str]) -> None:
    """Use exactly these packs. A pack already in use keeps its expert edits."""
    load_missing(base, names)
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
    """Add the missing rows of a pack; existing ones are kept."""
    concepts, terms = pack_terms(name)
    known = {concept.casefold(): key for concept, key in Concept.objects.filter(base=base).values_list("name", "pk")}
    fresh = [concept for concept in concepts if concept.casefold() not in known]
    with connection.cursor() as cursor:
        cursor.execute(ADD_CONCEPTS, [base.pk, name, fresh])
        known |= {concept.casefold(): key for concept, key in cursor.fetchall()}
        cursor.execute(ADD_TERMS, [name, [known[concept.casefold()] for concept in concepts], terms])


def unload(base: KnowledgeBase, name: str) -> None:
    """Remove a pack's untouched rows, and its concepts left empty."""
    # By id: right after loading a pack, PostgreSQL would plan a join for the empty table it remembers.
    concepts = list(Concept.objects.filter(base=base).values_list("pk", flat=True))
    Term.objects.filter(concept__in=concepts, pack=name).delete()
    Concept.objects.filter(base=base, pack=name, terms=None).delete()
