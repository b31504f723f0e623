"""The quotes of an answer in groups: the parts of each document of an outline, a column for each thing compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.utils.translation import gettext

from chat.writing.shaped import columns_of, form_of, part_title
from retrieval.models import RetrievalRun, RunCandidate

Cited = TypeVar("Cited")


@dataclass(frozen=True)
class GroupedQuote(Generic[Cited]):
    """A citation below the title of its part; `is_again` where another group has it too."""

    title: str
    cited: Cited
    is_again: bool = False


@dataclass(frozen=True)
class QuoteGroup(Generic[Cited]):
    """One group: its name ("" where there is only one), its quotes, and what is said where it has none."""

    name: str
    quotes: list[GroupedQuote[Cited]]
    nothing: str


def group_quotes(
    run: RetrievalRun, candidates: Sequence[RunCandidate], cited: Sequence[tuple[RunCandidate, Cited]]
) -> list[QuoteGroup[Cited]]:
    """The groups of an answer that has a form of its own, none of any other."""
    if not form_of(run):
        return []
    columns = columns_of(run, candidates)
    groups: list[QuoteGroup[Cited]] = []
    seen: set[str] = set()
    for column in columns:
        own = [(each, shown) for each, shown in cited if each.candidate_id in column.candidate_ids]
        quotes = [GroupedQuote(part_title(each), shown, each.candidate_id in seen) for each, shown in own]
        seen |= {each.candidate_id for each, _ in own}
        nothing = "" if quotes else gettext("Nothing found in %(name)s.") % {"name": column.name}
        groups.append(QuoteGroup(column.name if len(columns) > 1 else "", quotes, nothing))
    return groups
