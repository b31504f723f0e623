"""The quotes of an answer in groups: the parts of each document of an outline, a column for each thing compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.utils.translation import gettext

from chat.models import Citation
from chat.page.part_outcomes import part_rows
from chat.writing.phrases import cited_pages, describe_place, sentence
from chat.writing.shaped import Column, columns_of, form_of, part_title
from retrieval.models import RetrievalRun, RunCandidate

Cited = TypeVar("Cited")


@dataclass(frozen=True)
class GroupedQuote(Generic[Cited]):
    """A citation below the title of its part, and its place without what stands above it already.

    `is_again` where another group has it too.
    """

    title: str
    place: str
    cited: Cited
    is_again: bool = False


@dataclass(frozen=True)
class QuoteGroup(Generic[Cited]):
    """One group: its name ("" where there is only one), its quotes, and what is said where it has none."""

    name: str
    quotes: list[GroupedQuote[Cited]]
    nothing: str


def group_quotes(
    run: RetrievalRun, candidates: Sequence[RunCandidate], cited: Sequence[tuple[Citation, Cited]]
) -> list[QuoteGroup[Cited]]:
    """The groups of an answer that has a form of its own, none of any other."""
    if not form_of(run):
        return []
    columns = columns_of(run, candidates)
    whys = [row.why for row in part_rows(run)]
    groups: list[QuoteGroup[Cited]] = []
    seen: set[str] = set()
    for number, column in enumerate(columns):
        own = [(each, shown) for each, shown in cited if each.candidate.candidate_id in column.candidate_ids]
        quotes = [
            GroupedQuote(
                part_title(each.candidate), place_of(each, columns), shown, each.candidate.candidate_id in seen
            )
            for each, shown in own
        ]
        seen |= {each.candidate.candidate_id for each, _ in own}
        name = column.name if len(columns) > 1 else ""
        groups.append(QuoteGroup(name, quotes, "" if quotes else explain_nothing(column.name, whys[number])))
    return groups


def place_of(citation: Citation, columns: Sequence[Column]) -> str:
    """Page and section; the document where no column is named after it."""
    candidate = citation.candidate
    is_named = len(columns) < 2 or candidate.document_title in {column.name for column in columns}
    place = describe_place(candidate, cited_pages(citation), with_document=not is_named)
    return place.partition(" · ")[0] if part_title(candidate) else place


def explain_nothing(name: str, why: str) -> str:
    """What is said in the place of quotes: that there are none, and why, where that is known."""
    told = gettext("Nothing found in %(name)s.") % {"name": name}
    return f"{told} {sentence(why)}" if why else told
