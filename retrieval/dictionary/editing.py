"""Changing the dictionary of a base (R103): one concept or term by hand, or a whole file.

Each raises ChangeProposed where the base requires a golden check; `by` is then named with the proposal.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Count
from django.utils.translation import gettext

from accounts.models import User
from documents.models import KnowledgeBase
from documents.pages.phrasing import group_thousands
from retrieval.dictionary.csv_format import CONCEPT_TERMS_MAX, ROWS_MAX, WordlistError, WordRow, checked_text
from retrieval.dictionary.guarded import DICTIONARY
from retrieval.dictionary.learned import follow_rename
from retrieval.dictionary.packs import load_missing, switch
from retrieval.models import Concept, Term

Kind = Literal["new", "changed", "same"]


class RowChange(NamedTuple):
    """What importing a row does; `before` is the term it changes."""

    kind: Kind
    row: WordRow
    before: WordRow | None = None


def already_there(name: str) -> WordlistError:
    return WordlistError(gettext("There is a concept “%(name)s” already.") % {"name": name})


@DICTIONARY.change
def add_concept(base: KnowledgeBase, row: WordRow, by: User | None = None) -> Concept:
    """Add a concept with its first term. Raises WordlistError if the name is taken."""
    check_room(base, 1)
    if Concept.objects.filter(base=base, name__iexact=row.concept).exists():
        raise already_there(row.concept)
    with transaction.atomic():
        concept = Concept.objects.create(base=base, name=row.concept)
        put_term(concept, row)
    return concept


@DICTIONARY.change
def rename_concept(concept: Concept, name: str, by: User | None = None) -> None:
    """Rename a concept. Raises WordlistError if the name cannot be used."""
    name = checked_text(name, "concept")
    if Concept.objects.filter(base=concept.base, name__iexact=name).exclude(pk=concept.pk).exists():
        raise already_there(name)
    if name != concept.name:
        with transaction.atomic():
            follow_rename(concept.base, concept.name, name)
            concept.name, concept.pack = name, ""
            concept.save(update_fields=["name", "pack"])


@DICTIONARY.change
def remove_concept(concept: Concept, by: User | None = None) -> None:
    concept.delete()


@DICTIONARY.change
def put_term(concept: Concept, row: WordRow, term: Term | None = None, by: User | None = None) -> Term:
    """Add or change a term; from then on it is the expert's, and no pack removes it. Raises WordlistError."""
    if term is None:
        check_room(concept.base, 1)
        if concept.terms.count() >= CONCEPT_TERMS_MAX:
            raise WordlistError(gettext("A concept holds at most %(count)s terms.") % {"count": CONCEPT_TERMS_MAX})
        term = Term(concept=concept)
    twin = Term.objects.filter(concept=concept, language=row.language, text__iexact=row.term).exclude(pk=term.pk)
    twin_words = gettext("“%(name)s” stands in this concept already.") % {"name": row.term}
    if twin.exists():
        raise WordlistError(twin_words)
    if term.pk is None or row != row_of_term(term):
        term.language, term.text, term.priority, term.weight, term.pack = *row[1:], ""
        try:
            with transaction.atomic():
                term.save()
        except IntegrityError as error:  # somebody else was a moment faster
            raise WordlistError(twin_words) from error
    return term


@DICTIONARY.change
def delete_term(term: Term, by: User | None = None) -> None:
    term.delete()


@DICTIONARY.change
def use_packs(base: KnowledgeBase, names: Collection[str], by: User | None = None) -> None:
    """Use exactly these packs. A pack already in use keeps its expert edits."""
    switch(base, names)


def row_of_term(term: Term) -> WordRow:
    priority: Literal["primary", "secondary"] = "secondary" if term.priority == "secondary" else "primary"
    return WordRow(term.concept.name, term.language, term.text, priority, term.weight)


def check_room(base: KnowledgeBase, count: int) -> None:
    """Raises WordlistError if a base would hold more terms than a question can be compared with in time."""
    if Term.objects.filter(concept__base=base).count() + count > ROWS_MAX:
        raise WordlistError(gettext("A base holds at most %(count)s terms.") % {"count": group_thousands(ROWS_MAX)})


# ---- a whole file


def changes_of(base: KnowledgeBase, rows: Sequence[WordRow]) -> list[RowChange]:
    """What a file would do: add terms and change priorities and weights. It deletes nothing."""
    load_missing(base)
    terms = Term.objects.filter(concept__base=base).select_related("concept")
    known = {row.key: row for row in map(row_of_term, terms)}
    return [change_of(row, known.get(row.key)) for row in rows]


def change_of(row: WordRow, before: WordRow | None) -> RowChange:
    if before is None:
        return RowChange("new", row)
    is_same = (row.priority, row.weight) == (before.priority, before.weight)
    return RowChange("same" if is_same else "changed", row, before)


@DICTIONARY.change
def take_in(base: KnowledgeBase, rows: Sequence[WordRow], by: User | None = None) -> Counter[Kind]:
    """Apply `changes_of`, all or nothing, and count the changes by kind. Raises WordlistError."""
    with transaction.atomic():
        # Of two concurrent files, the second is compared with the first one's result.
        KnowledgeBase.objects.select_for_update().get(pk=base.pk)
        changes = changes_of(base, rows)
        counts = Counter(change.kind for change in changes)
        check_room(base, counts["new"])
        concepts = {concept.name.casefold(): concept for concept in Concept.objects.filter(base=base)}
        missing = {row.concept.casefold(): row.concept for kind, row, _ in changes if kind == "new"}
        fresh = [Concept(base=base, name=name) for key, name in missing.items() if key not in concepts]
        concepts |= {concept.name.casefold(): concept for concept in Concept.objects.bulk_create(fresh)}
        Term.objects.bulk_create(
            Term(
                concept=concepts[row.concept.casefold()],
                language=row.language,
                text=row.term,
                priority=row.priority,
                weight=row.weight,
            )
            for kind, row, _ in changes
            if kind == "new"
        )
        crowded = Concept.objects.filter(base=base).annotate(count=Count("terms")).filter(count__gt=CONCEPT_TERMS_MAX)
        if crowded.exists():
            told = {"count": CONCEPT_TERMS_MAX, "name": crowded[0].name}
            raise WordlistError(gettext("A concept holds at most %(count)s terms: “%(name)s” has more.") % told)
        for kind, row, before in changes:
            if kind == "changed" and before:
                same = Term.objects.filter(concept__base=base, concept__name=before.concept)
                same.filter(language=before.language, text=before.term).update(
                    priority=row.priority, weight=row.weight, pack=""
                )
    return counts
