"""What questions reached of one document: its pages, and its sections."""

from collections import Counter, defaultdict
from typing import Any, Generic, NamedTuple, TypeVar

from django.db.models import Count
from django.utils.translation import gettext_lazy as _

from audit.statistics.period import candidates_of
from chat.models import Citation
from documents.models import Document, TocEntry
from retrieval.models import RetrievalRunQuerySet
from retrieval.types import KEPT_ROLES

STATES = {
    "cited": _("cited"),
    "kept": _("kept, not cited"),
    "proposed": _("only proposed"),
    "never": _("never proposed"),
}
SECTIONS_SHOWN = 1_000
Of = TypeVar("Of")


class CoverageUse(NamedTuple, Generic[Of]):
    """How often a page, by its number, or a section with the sections in it, was proposed, kept and cited."""

    of: Of
    proposed: int
    kept: int
    cited: int

    @property
    def state(self) -> str:
        return "cited" if self.cited else "kept" if self.kept else "proposed" if self.proposed else "never"

    @property
    def words(self) -> str:
        return str(STATES[self.state])


def coverage_of(document: Document, runs: RetrievalRunQuerySet) -> list[CoverageUse[int]]:
    """Every page of a document with its use in these runs; a candidate counts on its first page."""
    count = document.current_parse.page_count if document.current_parse else 0
    uses = count_uses(document, runs, "anchor_first_page", "page")
    pages = range(1, max(count, max(uses, default=0)) + 1)
    return [CoverageUse(page, uses[page]["proposed"], uses[page]["kept"], uses[page]["cited"]) for page in pages]


def coverage_by_section(document: Document, runs: RetrievalRunQuerySet) -> list[CoverageUse[TocEntry]]:
    """The sections of a document as it is read now, with their use in these runs; older readings had others."""
    entries = TocEntry.objects.filter(parse=document.current_parse_id).order_by("index")
    sections = list(
        entries.only("index", "parent_index", "level", "number", "title", "origin", "first_page", "last_page")
    )
    own = count_uses(document, runs, "toc_index", "candidate__toc_index", parse=document.current_parse_id)
    for section in reversed(sections):  # what is in a section counts for it: parents come before their children
        if section.parent_index is not None and section.parent_index < section.index:
            own[section.parent_index].update(own[section.index])
    counts = [(section, own[section.index]) for section in sections if section.origin != "front"]
    return [CoverageUse(section, count["proposed"], count["kept"], count["cited"]) for section, count in counts]


def count_uses(
    document: Document, runs: RetrievalRunQuerySet, proposed_in: str, cited_in: str, **of: Any
) -> dict[int, Counter[str]]:
    """By a column of the candidates, and one of the citations, how often each value was proposed, kept and cited."""
    uses: dict[int, Counter[str]] = defaultdict(Counter)
    found = candidates_of(runs).filter(document=document, **of)
    for value, role, number in found.values_list(proposed_in, "role").annotate(number=Count("pk")):
        uses[value]["proposed"] += number
        uses[value]["kept"] += number if role in KEPT_ROLES else 0
    within = {f"candidate__{name}": value for name, value in of.items()}
    cited = Citation.objects.filter(candidate__document=document, answer__run__in=runs.order_by(), **within)
    for value, number in cited.order_by().values_list(cited_in).annotate(number=Count("pk")):
        uses[value]["cited"] += number
    return uses
