"""Where the best passages point (R14, R75): what they name is looked up in the document's registry."""

from collections.abc import Sequence
from dataclasses import dataclass

from documents.storage.content import DocumentContent
from reading.registry.references import Reference
from retrieval.candidates.context import paragraph_around
from retrieval.types import Candidate, Hit, LineRange

REFERRING_MAX = 8  # the best passages, searched for references
TARGETS_MAX = 4  # at most this many places are added: one bounded hop


@dataclass(frozen=True)
class Followed:
    """The outcome of following the references of some candidates."""

    hits: tuple[Hit, ...]
    led_nowhere: tuple[str, ...]

    @property
    def outcome(self) -> str:
        """R75's exact, fallback and failed as a sentence for the plan."""
        if not self.hits and not self.led_nowhere:
            return "the best passages point nowhere else"
        found = f"followed: {'; '.join(hit.detail for hit in self.hits)}" if self.hits else ""
        lost = f"led nowhere: {', '.join(self.led_nowhere)}" if self.led_nowhere else ""
        return "; ".join(filter(None, (found, lost)))


def follow(candidates: Sequence[Candidate], contents: Sequence[DocumentContent]) -> Followed:
    """A hit for each place the best candidates refer to and do not contain; a single hop.

    References near the matched lines come first: the sentence that was found tells where its figures are.
    """
    content_of = {content.document_id: content for content in contents}
    found: list[tuple[int, int, Hit]] = []
    lost: dict[str, None] = {}
    for candidate in sorted(candidates, key=lambda each: each.rrf_rank)[:REFERRING_MAX]:
        content = content_of[candidate.document_id]
        source = paragraph_around(candidate.anchor, content)
        for named in content.registry.between(*source):
            reference = Reference(named.kind, named.label, named.row)
            target = LineRange(named.target_line, named.target_line)
            if not named.target_line:
                lost[str(reference)] = None
            elif not target.overlaps(source):
                hit = reference_hit(reference, target, candidate, content)
                found.append((abs(named.line_number - candidate.best_line), candidate.rrf_rank, hit))
    hits: dict[tuple[str, LineRange], Hit] = {}
    for _, _, hit in sorted(found, key=lambda each: each[:2]):
        hits.setdefault((hit.document_id, hit.lines), hit)
    return Followed(tuple(hits.values())[:TARGETS_MAX], tuple(lost))


def reference_hit(reference: Reference, target: LineRange, source: Candidate, content: DocumentContent) -> Hit:
    return Hit(
        method="references",
        document_id=content.document_id,
        lines=target,
        score=1.0,
        toc_index=content.lines[target.first - 1].toc_index,
        detail=f"{reference}, named on p. {source.anchor_pages[0]}",
    )
