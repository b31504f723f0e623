"""What the asker narrows a question to (R101, R102): pages, a section, the number of places judged, their nearness."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.reasons import number_ranges
from reading.rows import TocRow, name_in_force
from retrieval.told.planned import give_reason
from retrieval.types import Briefed, Flag, Hit, LineRange, Plan, Question, ReadAround

PAGES_MAX, SECTION_CHARACTERS_MAX = 500, 300  # of one question; a section's title is stored up to that length
# "auto" is as the kind of question asks, whatever its words say.
ReadAroundChoice = Literal["line", "paragraph", "section", "page", "auto"]
READ_AROUND: tuple[str, ...] = get_args(ReadAroundChoice)
TOP_K_MAX = 100  # what a list may have, see retrieval.candidates.pool
Within = Mapping[str, NDArray[np.bool_]]  # by document: for each line by its number, whether it may be searched


@dataclass(frozen=True)
class Filters:
    """Nothing that is not set narrows anything. `pages` are numbers in the file; `threshold` is a cosine."""

    pages: tuple[int, ...] = ()
    section: str = ""
    top_k: int | None = None
    threshold: float | None = None
    context: ReadAroundChoice | Literal[""] = ""  # how much is read around a hit; "" is as the question says

    def to_json(self) -> dict[str, object]:
        """What is set."""
        return {name: value for name, value in asdict(self).items() if value not in ((), "", None)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Filters":
        return cls(**{**stored, "pages": tuple(stored.get("pages", ()))})

    @property
    def place(self) -> str:
        """Where is searched, in words; "" for everywhere."""
        pages = f"page {number_ranges(sorted(self.pages))}" if self.pages else ""
        return " in ".join(filter(None, [f"section “{self.section}”" if self.section else "", pages]))

    @property
    def words(self) -> str:
        """All that is set, in words; "" for nothing."""
        around = f"read around a place: {self.context}" if self.context else ""
        return "; ".join(filter(None, [self.narrowing, around]))

    def read_around(self, question: Question) -> Question:
        """The question with how much is to be read around a hit (R71), where the request says so and not its words."""
        if not self.context:
            return question
        around: ReadAround = "" if self.context == "auto" else self.context
        return replace(question, hints=replace(question.hints, around=around, lines_before=0, lines_after=0))

    @property
    def narrowing(self) -> str:
        """What narrows the search, in words; "" for nothing."""
        near = "" if self.threshold is None else f"{self.threshold:g}"
        pages = number_ranges(sorted(self.pages)) if self.pages else ""
        return give_reason("narrowed", section=self.section, pages=pages, places=self.top_k or 0, nearness=near)


UNFILTERED = Filters()


def lines_within(filters: Filters, contents: Sequence[DocumentContent]) -> Within | None:
    """The lines that may be searched; None for all of them."""
    if not filters.place:
        return None
    return {content.document_id: lines_of(filters, content) for content in contents}


def lines_of(filters: Filters, content: DocumentContent) -> NDArray[np.bool_]:
    """A running head counts for every page it stands on, and for no section."""
    within = np.zeros(len(content.lines) + 1, dtype=bool)
    for entry in sections_named(filters.section, content.toc) if filters.section else []:
        within[entry.first_line : entry.last_line + 1] = True
    if not filters.section:
        within[1:] = True
    pages = set(filters.pages)
    for line in content.lines:
        head = content.running_heads.get(line.number)
        is_elsewhere = pages and pages.isdisjoint(head.pages if head else (line.page_number,))
        if is_elsewhere or (head and filters.section):
            within[line.number] = False
    return within


def sections_named(name: str, toc: Sequence[TocRow]) -> list[TocRow]:
    """The sections with this number or title; where there are none, those with these words in their title."""
    wanted = match_form(name).strip()
    entries = [entry for entry in toc if entry.origin != "front"]
    titles = {entry.index: match_form(name_in_force(entry.title)) for entry in entries}
    exact = [entry for entry in entries if wanted in (titles[entry.index], match_form(entry.number))]
    numbered = [entry for entry in entries if wanted == f"{match_form(entry.number)} {titles[entry.index]}"]
    return exact or numbered or [entry for entry in entries if f" {wanted} " in f" {titles[entry.index]} "]


def with_nearness(filters: Filters, nearness_min: int) -> Filters:
    """The filters with the nearness the base asks for, in per cent, where the question says nothing of it (R102)."""
    if filters.threshold is not None or nearness_min <= BaseSettings.nearness_min:
        return filters
    return replace(filters, threshold=nearness_min / 100)


def narrow_hits(hits: Sequence[Hit], plan: Plan, filters: Filters, within: Within | None) -> tuple[list[Hit], Plan]:
    """The hits inside what may be searched, cut to it, and the plan with what narrowed them."""
    if not filters.narrowing:
        return list(hits), plan
    plan = Plan((*plan.flags, Flag("filters", True, filters.narrowing)))
    far = filters.threshold or 0.0
    near = [hit for hit in hits if hit.method != "vectors" or hit.score >= far]
    if within is None:
        return near, plan
    return [cut for hit in near if (cut := cut_hit(hit, within[hit.document_id]))], plan


def cut_hit(hit: Hit, within: NDArray[np.bool_]) -> Hit | None:
    """The hit from its first to its last line that may be searched; None without one, or when its title may not be."""
    numbers = np.flatnonzero(within[hit.lines.first : hit.lines.last + 1]) + hit.lines.first
    if not len(numbers) or (hit.method == "titles" and not within[hit.lines.first]):
        return None
    return replace(hit, lines=LineRange(int(numbers[0]), int(numbers[-1])))


def keep_within(candidates: Sequence[Briefed], within: Within | None) -> tuple[Briefed, ...]:
    """The candidates that begin where may be searched: what a detector is led to from there does not count."""
    if within is None:
        return tuple(candidates)
    return tuple(each for each in candidates if within[each.document_id][each.anchor.first])
