"""Several named fields asked of the same documents (R87): each has a search, candidates, verdicts and a result of its
own. Those that a model judges share a request where it has room for them.

A search stops where its candidates are to be judged (`search_in_steps`). All fields are brought to that point, those of
the same documents are judged in one request, five at most, and each goes on with its own ruling. The shared exchange is
one row with one ledger entry, named by every run.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from documents.models import Document
from llm.errors import LLMError, Malformed, PromptTooLong, Truncated
from retrieval.arbiter.deciding import Ruling, decide
from retrieval.arbiter.model import not_run
from retrieval.arbiter.together import FIELDS_MAX, Posed, judge_together, room_each
from retrieval.briefs import fit_request
from retrieval.corpus import documents_beside, search_among
from retrieval.deadline import DetectionTimeout
from retrieval.pipeline import SteppedSearch
from retrieval.search import Search, SearchOptions
from retrieval.told.planned import give_reason
from retrieval.types import ANYTHING, Expected, RetrievalResult

BY_ITSELF = (PromptTooLong, Malformed, Truncated)  # a request for one question may do better
Found: TypeAlias = RetrievalResult | DetectionTimeout


@dataclass(frozen=True)
class Field:
    """One thing to find out: its name, the question that is asked, and what is expected of the answer."""

    name: str
    question: str
    expected: Expected = ANYTHING


@dataclass
class Pending:
    """A search on its way: what it waits with and since when, or its outcome."""

    search: SteppedSearch
    tell: Callable[[Found], object]
    waiting: Search | None = None
    ruling: Ruling | None = None
    since: float = field(default_factory=time.monotonic)
    outcome: Found | None = None

    def advance(self) -> None:
        """Go on to where it waits next, or to the end, which is told at once."""
        ruling, self.waiting, self.ruling = self.ruling, None, None
        try:
            self.waiting = next(self.search) if ruling is None else self.search.send(ruling)
        except StopIteration as ended:
            self.outcome = ended.value
        except DetectionTimeout as error:
            self.outcome = error
        self.since = time.monotonic()
        if self.outcome is not None:
            self.tell(self.outcome)


def retrieve_fields(
    fields: Sequence[Field],
    documents: Sequence[Document],
    options: SearchOptions,
    on_found: Callable[[int, Found], object],
) -> list[Found]:
    """What each field found, in their order; one that took too long has the error instead.

    `on_found` is told the place of a field and what it found as soon as that is known. Without a model the rules judge
    each; with one, at most FIELDS_MAX fields of the same documents are judged in one request.
    """
    asked = replace(options, beside=documents_beside(documents))
    pending = [
        Pending(
            search_among(each.question, documents, replace(asked, expected=each.expected)), partial(on_found, place)
        )
        for place, each in enumerate(fields)
    ]
    for each in pending:
        each.advance()
    while waiting := [each for each in pending if each.waiting]:
        for group in groups_of(waiting):
            settle_group(group)
            for each in group:
                each.advance()
    return [each.outcome for each in pending if each.outcome is not None]


def groups_of(waiting: Sequence[Pending]) -> Iterator[tuple[Pending, ...]]:
    """Those that may share a request, in groups of at most FIELDS_MAX as even as can be; the others by themselves."""
    alike: dict[tuple[Any, ...], list[Pending]] = {}
    for number, each in enumerate(waiting):
        assert each.waiting
        alike.setdefault(shared_by(each.waiting) or (number,), []).append(each)
    for group in alike.values():
        size = -(-len(group) // -(-len(group) // FIELDS_MAX))
        yield from (tuple(group[first : first + size]) for first in range(0, len(group), size))


def shared_by(search: Search) -> tuple[Any, ...]:
    """What searches of one request have in common; () of one that is judged by itself."""
    if search.arbiter != "model" or search.use.room.is_small or not search.candidates:
        return ()
    return (search.use.tier, *(content.parse_id for content in search.contents))


def settle_group(group: Sequence[Pending]) -> None:
    """Give each of the group its ruling."""
    started = time.monotonic()
    searches = [each.waiting for each in group if each.waiting]
    rulings = decide_together(searches) if len(group) > 1 else [decide(searches[0])]
    for each, ruling in zip(group, rulings, strict=True):
        each.ruling = ruling._replace(waited_s=started - each.since)


def decide_together(searches: Sequence[Search]) -> list[Ruling]:
    """The rulings on searches in one request; each by itself where they do not fit one, or its reply cannot be read."""
    first, others = searches[0], len(searches) - 1
    room = room_each(first.use.room, first.toc, len(searches))
    fitted = [fit_request(each.proposed, each.toc, each.contents, room) for each in searches]
    posed = [Posed(search.question, each.candidates) for search, each in zip(searches, fitted, strict=True)]
    if not all(each.candidates for each in posed):
        return [*map(decide, searches)]
    try:
        rankings = judge_together(posed, first.contents, first.use)
    except BY_ITSELF as error:
        told = give_reason("apart", failure=error.message, count=others)
        return [decide(each)._replace(shared=error.exchange, note=told) for each in searches]
    except LLMError as error:
        rankings = [not_run(each.candidates, error.message, error.exchange) for each in posed]
    note = give_reason("together", count=others, places=room.places)
    return [
        Ruling(each.candidates, each.left_out, ranking, ranking.exchange, note)
        for each, ranking in zip(fitted, rankings, strict=True)
    ]
