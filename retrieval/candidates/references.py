"""Where the best passages point (R14, R75): what they name is looked up in the document's registry.

Before anything is judged, some of these places are proposed; of the passages that were kept, all of them are told.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from documents.storage.content import DocumentContent
from reading.registry.references import Reference
from retrieval.accounting import NAMED_MAX
from retrieval.candidates.context import paragraph_around
from retrieval.told.clauses import recorded_facts
from retrieval.told.planned import give_reason, join_reasons, thing_of
from retrieval.types import Candidate, Hit, LineRange, Settled

REFERRING_MAX = 8  # the best passages, searched for references
TARGETS_MAX = 4  # at most this many places are added: one bounded hop


@dataclass(frozen=True)
class Followed:
    """The outcome of following the references of some candidates."""

    hits: tuple[Hit, ...]
    named: tuple[dict[str, Any], ...]  # the facts of what each hit is, and of the page it is named on
    led_nowhere: tuple[Reference, ...]

    @property
    def outcome(self) -> str:
        """R75's exact, fallback and failed as a sentence for the plan."""
        return give_reason(
            "followed",
            followed=list(self.named),
            lost=[thing_of(each.kind, each.label, each.row) for each in self.led_nowhere],
        )


def follow(candidates: Sequence[Candidate], contents: Sequence[DocumentContent]) -> Followed:
    """A hit for each place the best candidates refer to and do not contain; a single hop.

    References near the matched lines come first: the sentence that was found tells where its figures are.
    """
    content_of = {content.document_id: content for content in contents}
    found: list[tuple[int, int, dict[str, Any], Hit]] = []
    lost: dict[Reference, None] = {}
    for candidate in sorted(candidates, key=lambda each: each.rrf_rank)[:REFERRING_MAX]:
        content = content_of[candidate.document_id]
        source = paragraph_around(candidate.anchor, content)
        for named in content.registry.between(*source):
            reference = Reference(named.kind, named.label, named.row)
            target = LineRange(named.target_line, named.target_line)
            if not named.target_line:
                lost[reference] = None
            elif not target.overlaps(source):
                hit = reference_hit(reference, target, candidate, content)
                told = thing_of(named.kind, named.label, named.row, candidate.anchor_pages[0])
                found.append((abs(named.line_number - candidate.best_line), candidate.rrf_rank, told, hit))
    hits: dict[tuple[str, LineRange], tuple[dict[str, Any], Hit]] = {}
    for _, _, told, hit in sorted(found, key=lambda each: each[:2]):
        hits.setdefault((hit.document_id, hit.lines), (told, hit))
    best = list(hits.values())[:TARGETS_MAX]
    return Followed(tuple(hit for _, hit in best), tuple(told for told, _ in best), tuple(lost))


def tell_references(kept: Sequence[Settled], contents: Sequence[DocumentContent], before: str) -> str:
    """What was told `before`, and where the kept passages point beyond what is handed on, or lead nowhere (R75).

    No place is added for it, as nobody has judged these.
    """
    content_of = {content.document_id: content for content in contents}
    known = recorded_facts(before).get("lost", [])
    found: dict[str, dict[str, Any]] = {}
    lost: dict[str, dict[str, Any]] = {}
    for candidate in kept:
        content = content_of[candidate.document_id]
        handed_on = [each.context.lines for each in kept if each.document_id == candidate.document_id]
        for named in content.registry.between(*paragraph_around(candidate.anchor, content)):
            told = thing_of(named.kind, named.label, named.row)
            target = LineRange(named.target_line, named.target_line)
            if not named.target_line:
                lost |= {} if told in known else {str(told): told}
            elif not any(target.overlaps(lines) for lines in handed_on):
                page = content.page(content.lines[target.first - 1].page_number).called
                found[f"{told} {page}"] = told | {"code": "thing on page", "page": page}
    further = [give_reason("kept points to", **name_first(list(found.values())))] if found else []
    further += [give_reason("kept names", **name_first(list(lost.values())))] if lost else []
    return join_reasons(before, *further)


def name_first(things: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The things that are told by name, and how many more there are."""
    return {"things": list(things[:NAMED_MAX]), "more": max(0, len(things) - NAMED_MAX)}


def reference_hit(reference: Reference, target: LineRange, source: Candidate, content: DocumentContent) -> Hit:
    return Hit(
        method="references",
        document_id=content.document_id,
        lines=target,
        score=1.0,
        toc_index=content.lines[target.first - 1].toc_index,
        detail=f"{reference}, named on p. {source.anchor_pages[0]}",
    )
