"""What questions reached of one document: its pages, and its sections."""

from collections import Counter, defaultdict
from typing import NamedTuple

from django.db.models import Count
from django.utils.translation import gettext_lazy as _

from audit.runs.disagreement import span
from audit.statistics.period import candidates_of
from chat.models import Citation
from documents.models import Document, TocEntry
from retrieval.models import RetrievalRunQuerySet
from retrieval.types import KEPT_ROLES

PAGE_STATES = {
    "cited": _("cited"),
    "kept": _("kept, not cited"),
    "proposed": _("only proposed"),
    "never": _("never proposed"),
}


class PageUse(NamedTuple):
    """How often a page was proposed, kept and cited."""

    number: int
    proposed: int
    kept: int
    cited: int

    @property
    def state(self) -> str:
        return "cited" if self.cited else "kept" if self.kept else "proposed" if self.proposed else "never"

    @property
    def words(self) -> str:
        return str(PAGE_STATES[self.state])


def coverage_of(document: Document, runs: RetrievalRunQuerySet) -> list[PageUse]:
    """Every page of a document with its use in these runs; a candidate counts on its first page."""
    count = document.current_parse.page_count if document.current_parse else 0
    found = candidates_of(runs).filter(document=document)
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for page, role, number in found.values_list("anchor_first_page", "role").annotate(number=Count("pk")):
        counts[page]["proposed"] += number
        counts[page]["kept"] += number if role in KEPT_ROLES else 0
    cited = Citation.objects.filter(candidate__document=document, answer__run__in=runs.order_by()).order_by()
    for page, number in cited.values_list("page").annotate(number=Count("pk")):
        counts[page]["cited"] += number
    pages = range(1, max(count, max(counts, default=0)) + 1)
    return [PageUse(page, counts[page]["proposed"], counts[page]["kept"], counts[page]["cited"]) for page in pages]


# ---- sections

SECTION_STATES = {
    "cited": _("cited"),
    "kept": _("kept, not cited"),
    "proposed": _("only proposed"),
    "never": _("never proposed"),
}
SECTIONS_SHOWN = 1_000


class SectionUse(NamedTuple):
    """How often a section, with the sections in it, was proposed, kept and cited."""

    entry: TocEntry
    proposed: int
    kept: int
    cited: int

    @property
    def state(self) -> str:
        return "cited" if self.cited else "kept" if self.kept else "proposed" if self.proposed else "never"

    @property
    def words(self) -> str:
        return str(SECTION_STATES[self.state])

    @property
    def pages(self) -> str:
        return span(self.entry.first_page, self.entry.last_page)


def coverage_by_section(document: Document, runs: RetrievalRunQuerySet) -> list[SectionUse]:
    """The sections of a document as it is read now, with their use in these runs; older readings had others."""
    entries = TocEntry.objects.filter(parse=document.current_parse_id).order_by("index")
    sections = list(
        entries.only("index", "parent_index", "level", "number", "title", "origin", "first_page", "last_page")
    )
    own: dict[int, Counter[str]] = defaultdict(Counter)
    found = candidates_of(runs).filter(document=document, parse=document.current_parse_id)
    for index, role, number in found.values_list("toc_index", "role").annotate(number=Count("pk")):
        own[index]["proposed"] += number
        own[index]["kept"] += number if role in KEPT_ROLES else 0
    cited = Citation.objects.filter(
        candidate__document=document, candidate__parse=document.current_parse_id, answer__run__in=runs.order_by()
    ).order_by()
    for index, number in cited.values_list("candidate__toc_index").annotate(number=Count("pk")):
        own[index]["cited"] += number
    for section in reversed(sections):  # what is in a section counts for it: parents come before their children
        if section.parent_index is not None and section.parent_index < section.index:
            own[section.parent_index].update(own[section.index])
    counts = [(section, own[section.index]) for section in sections if section.origin != "front"]
    return [SectionUse(section, count["proposed"], count["kept"], count["cited"]) for section, count in counts]
