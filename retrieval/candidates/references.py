"""Where a passage points (R14, R75): sections, tables and rows, figures, appendices; and the lines they denote."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from documents.storage.content import DocumentContent
from reading.rows import FRONT_INDEX, UNSEARCHED_KINDS, TocRow
from retrieval.candidates.context import paragraph_around
from retrieval.types import Candidate, Hit, LineRange

REFERRING_MAX = 8  # the best passages, searched for references
TARGETS_MAX = 4  # at most this many places are added: one bounded hop
TABLE_ROWS_MAX = 60  # lines below a caption in which a row of its table is looked for

KINDS = {
    "section": ("section", "sections", "sec", "chapter", "clause", "article", "abschnitt", "chapitre", "seccion"),
    "table": ("table", "tables", "tableau", "tableaux", "tabelle", "tabla"),
    "figure": ("figure", "figures", "fig", "abbildung", "figura", "chart", "diagram"),
    "appendix": ("appendix", "appendices", "annex", "annexe", "anhang", "anexo", "exhibit", "schedule"),
    "note": ("note", "notes"),
}
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}
REFERENCE = re.compile(
    rf"""\b(?P<kind>{"|".join(sorted(map(re.escape, KIND_OF), key=len, reverse=True))})\.?\s+
        (?P<label>[A-Z]?\d+(?:\.\d+)*[a-z]?|[A-Z]|[IVX]{{1,4}})(?!\w)
        (?:\s*,?\s*(?:rows?|lines?|lignes?)\s*(?P<rows>\(\w{{1,3}}\)(?:\s*(?:,|and|et|und)\s*\(\w{{1,3}}\))*))?
        | \b(?:rows?|lignes?)\s+(?P<bare>\(\w{{1,3}}\)(?:\s*(?:,|and|et|und)\s*\(\w{{1,3}}\))*)""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True)
class Reference:
    """A reference in a text: "table", "3", and "(E)" for a row of it. `label` is in match form."""

    kind: str
    label: str
    row: str = ""

    def __str__(self) -> str:
        return f"{self.kind.capitalize()} {self.label.upper()}{f' row {self.row.upper()}' if self.row else ''}"


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
        for reference, number in references_on(source, content):
            target = resolve_reference(reference, content)
            if target is None:
                lost[str(reference)] = None
            elif not target.overlaps(source):
                hit = reference_hit(reference, target, candidate, content)
                found.append((abs(number - candidate.best_line), candidate.rrf_rank, hit))
    hits: dict[tuple[str, LineRange], Hit] = {}
    for _, _, hit in sorted(found, key=lambda each: each[:2]):
        hits.setdefault((hit.document_id, hit.lines), hit)
    return Followed(tuple(hits.values())[:TARGETS_MAX], tuple(lost))


def references_on(source: LineRange, content: DocumentContent) -> list[tuple[Reference, int]]:
    """The references in a range of lines, each with the line it begins on."""
    rows = [row for row in content.lines_between(*source) if row.kind not in UNSEARCHED_KINDS]
    starts = list(accumulate((len(row.text) + 1 for row in rows), initial=0))
    text = " ".join(row.text for row in rows)
    return [(reference, rows[bisect_right(starts, start) - 1].number) for reference, start in references_in(text)]


def reference_hit(reference: Reference, target: LineRange, source: Candidate, content: DocumentContent) -> Hit:
    return Hit(
        method="references",
        document_id=content.document_id,
        lines=target,
        score=1.0,
        toc_index=content.lines[target.first - 1].toc_index,
        detail=f"{reference}, named on p. {source.anchor_pages[0]}",
    )


def references_in(text: str) -> tuple[tuple[Reference, int], ...]:
    """The references of a one-line text and their positions; "rows (C) and (D)" belong to the table before them."""
    found: dict[Reference, int] = {}
    table = ""
    for match in REFERENCE.finditer(text):
        kind = KIND_OF[match["kind"].casefold()] if match["kind"] else "table"
        label = match["label"].casefold() if match["label"] else table
        table = label if kind == "table" else table
        rows = re.findall(r"\(\w{1,3}\)", match["rows"] or match["bare"] or "")
        for row in rows or [""]:
            if label:
                found.setdefault(Reference(kind, label, row.casefold()), match.start())
    return tuple(found.items())


def resolve_reference(reference: Reference, content: DocumentContent) -> LineRange | None:
    """The lines a reference means: the row, the caption with its table, or the section; None if there is none.

    If a row is not found, its table is used instead.
    """
    if reference.row:
        whole = resolve_reference(replace(reference, row=""), content)
        return row_in(reference.row, whole.first, content) or whole if whole else None
    if reference.kind in ("table", "figure"):
        caption = next((row.number for row in content.lines if is_caption(row.kind, row.match, reference)), None)
        return LineRange(caption, caption) if caption else None
    sections = (each for each in content.toc if each.index != FRONT_INDEX)
    entry = next((each for each in sections if is_entry(each, content.title_forms[each.index], reference)), None)
    return LineRange(entry.first_line, entry.first_line) if entry else None


def is_caption(kind: str, text: str, reference: Reference) -> bool:
    names = "|".join(map(re.escape, KINDS[reference.kind]))
    return kind == "caption" and bool(re.match(rf"(?:{names})\.?\s+{re.escape(reference.label)}(?!\w)", text))


def is_entry(entry: TocRow, title: str, reference: Reference) -> bool:
    """Whether a section has this number ("3.2.") or name ("Appendix A", "Note 5 - Acquisitions")."""
    if reference.kind == "section" and entry.number.rstrip(".").casefold() == reference.label:
        return True
    names = "|".join(map(re.escape, KINDS[reference.kind]))
    return bool(re.match(rf"(?:{names})\.?\s+{re.escape(reference.label)}(?!\w)", title))


def row_in(row: str, caption: int, content: DocumentContent) -> LineRange | None:
    """The line of a table that begins with the row's name, searched up to the next caption."""
    for line in content.lines_between(caption + 1, caption + TABLE_ROWS_MAX):
        if line.kind == "caption":
            return None
        if line.kind not in UNSEARCHED_KINDS and re.match(rf"{re.escape(row)}(?!\w)", line.match):
            return LineRange(line.number, line.number)
    return None
