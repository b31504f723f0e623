"""The model tiers of a base (R25, R103): which model judges and writes, by concept, answer type, or for every question.

They are part of the base's settings, so that each change is recorded with what was before, and each run keeps its own.
"""

from dataclasses import replace
from typing import NamedTuple

from django.utils.translation import gettext

from accounts.models import User
from documents.access import change_settings
from documents.base_settings import CONCEPT_KEY, EVERY_KEY, TYPE_KEY, BaseSettings
from documents.models import KnowledgeBase
from llm.tiers import TIERS
from retrieval.models import Concept
from retrieval.question.by_model import TYPES
from retrieval.question.kinds import RowKind
from retrieval.reading_rules.editing import reading_rules_of

CONCEPT = "concept"
OF_TYPES: tuple[RowKind, ...] = ("asks", "value", "printed")
TIERS_MAX = 200  # of one base
SHOWN_CHARS = 80  # of a name in an error


class TierError(ValueError):
    """A tier, type or concept that is not there; the message is for people."""


class TierRow(NamedTuple):
    """One tier of a base as a form has it: what it is for, the concept if it is one, and the tier."""

    what: str  # EVERY_KEY, a type, or CONCEPT
    concept: str
    tier: str


class NamedTiers(NamedTuple):
    """The tiers of a base: for every question ("" for none), by answer type and by concept."""

    default: str
    types: dict[str, str]
    concepts: dict[str, str]


def read_tiers(base: KnowledgeBase) -> NamedTiers:
    stored = BaseSettings.from_json(base.settings).tiers
    return NamedTiers(
        stored.get(EVERY_KEY, ""),
        {key.removeprefix(TYPE_KEY): tier for key, tier in stored.items() if key.startswith(TYPE_KEY)},
        {key.removeprefix(CONCEPT_KEY): tier for key, tier in stored.items() if key.startswith(CONCEPT_KEY)},
    )


def answer_types_of(base: KnowledgeBase) -> list[str]:
    """The answer types that questions of a base may have: those that ship, and its own (R103)."""
    own = {row.name for kind in OF_TYPES for row in reading_rules_of(base).own(kind)}
    return [*TYPES, *sorted(own - {*TYPES, CONCEPT, EVERY_KEY})]


def tier_rows(tiers: NamedTiers) -> list[TierRow]:
    """The tiers in the order in which they count."""
    rows = [TierRow(CONCEPT, name, tier) for name, tier in sorted(tiers.concepts.items())]
    rows += [TierRow(name, "", tier) for name, tier in sorted(tiers.types.items())]
    return rows + ([TierRow(EVERY_KEY, "", tiers.default)] if tiers.default else [])


def put_tier(base: KnowledgeBase, row: TierRow, by: User | None = None) -> None:
    """Name one tier, or take it away where the row has none. Raises TierError."""
    tiers = read_tiers(base)
    types, concepts = dict(tiers.types), dict(tiers.concepts)
    if row.what == EVERY_KEY:
        tiers = tiers._replace(default=row.tier)
    elif row.what == CONCEPT:
        concepts = {name: tier for name, tier in concepts.items() if name.casefold() != row.concept.casefold()}
        concepts |= {row.concept: row.tier} if row.tier else {}
    else:
        types.pop(row.what, "")
        types |= {row.what: row.tier} if row.tier else {}
    change_tiers(base, NamedTiers(tiers.default, types, concepts), by)


def change_tiers(base: KnowledgeBase, wanted: NamedTiers, by: User | None = None) -> None:
    """Let these tiers hold instead of those before, and record the change. Raises TierError."""
    known = {name.casefold(): name for name in Concept.objects.filter(base=base).values_list("name", flat=True)}
    held = BaseSettings.from_json(base.settings).tiers  # what was named before may have been deleted since
    stored = {EVERY_KEY: wanted.default} if wanted.default else {}
    types = answer_types_of(base)
    for name, tier in wanted.types.items():
        if name not in types and f"{TYPE_KEY}{name}" not in held:
            told = {"name": name[:SHOWN_CHARS], "types": ", ".join(types)}
            raise TierError(gettext("There is no answer type “%(name)s”; there are: %(types)s.") % told)
        stored[f"{TYPE_KEY}{name}"] = tier
    for name, tier in wanted.concepts.items():
        before = f"{CONCEPT_KEY}{name}" in held
        if name.casefold() not in known and not before:
            words = gettext("There is no concept “%(name)s” in the dictionary of this base.")
            raise TierError(words % {"name": name[:SHOWN_CHARS]})
        stored[f"{CONCEPT_KEY}{known.get(name.casefold(), name)}"] = tier
    if len(stored) > TIERS_MAX:
        raise TierError(gettext("A base names at most %(count)s model tiers.") % {"count": TIERS_MAX})
    if unknown := [tier for tier in stored.values() if tier not in TIERS]:
        told = {"tier": str(unknown[0])[:SHOWN_CHARS], "tiers": ", ".join(TIERS)}
        raise TierError(gettext("There is no model tier “%(tier)s”; there are: %(tiers)s.") % told)
    base.refresh_from_db(fields=["name", "settings"])
    change_settings(base, base.name, replace(BaseSettings.from_json(base.settings), tiers=stored), by)
