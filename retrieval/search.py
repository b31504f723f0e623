"""A search on its way from the question to the result: the value that the steps of `retrieval.pipeline` pass on.

Each step is given the search and returns it anew, with what the step found; nothing is changed in place.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from documents.base_settings import BaseSettings
from documents.models import Document
from documents.storage.content import DocumentContent
from llm.exchange import Exchange
from llm.prompts import Guidance
from llm.tiers import ChosenTier, Tier
from reading.processes.clock import Clock
from retrieval.amendments.versions import Versions
from retrieval.filters import UNFILTERED, Filters, Within
from retrieval.question.kinds import SHIPPED, ReadingRules
from retrieval.types import (
    ANYTHING,
    KEPT_ROLES,
    AbsenceVerdict,
    ArbiterName,
    Briefed,
    ChosenSentence,
    ConceptTerms,
    Coverage,
    Expected,
    Hit,
    LeftOut,
    Mode,
    Plan,
    Question,
    Ranking,
    RetrievalResult,
    ScopeAccount,
    SearchedWord,
    Settled,
)

OnStage = Callable[[str, dict[str, object]], None]
AccountFor = Callable[[Question], ScopeAccount]
MODEL_ARBITERS = ("model", "hybrid")  # a reasoned primary may save a question whose words stand nowhere (G2)
NOT_PLANNED, NOT_COVERED, NOT_GATED = Plan(()), Coverage(0, 0, 0, 0), AbsenceVerdict("found", "", ())
NOT_RANKED, NOT_ACCOUNTED = Ranking("none", "not_needed", ()), ScopeAccount()


class Room(NamedTuple):
    """Characters of contents and candidates together, of the contents alone, and the number of candidates.

    Of these, so many of the best are shown at length and the others in one sentence each.
    """

    chars: int = 56_000  # with all else 16,000 tokens, even of rows of figures
    toc_chars: int = 20_000  # about 5,000 tokens
    places: int = 1_000  # no limit: the pool has its own
    at_length: int = 1_000
    is_small: bool = False


class ModelUse(NamedTuple):
    """Which model judges and why, what a request to it may hold, and what the base adds to its prompt."""

    tier: Tier = "normal"
    room: Room = Room()
    guidance: Guidance | None = None
    why: str = ""  # it has this tier
    is_named: bool = False  # the base names the tier, so nothing else changes it
    opened: tuple[str, ...] = ()  # ids of sections whose contents are shown whole, see `brief.toc_block`


WHOLE, USUAL = Room(), ModelUse()


@dataclass(frozen=True)
class SearchOptions:
    """How a question is asked of documents.

    `account_for` accounts for every document of the scope once the question is read, where it has more than those that
    are searched (by SQL, see corpus). `filters` narrow what is searched and how much is judged. `guidance` is what the
    base adds to a prompt, by its name, `rules` how it reads questions; `expected` what the asker says of the answer
    beforehand. `is_whole_scope`: all of the scope is searched. `is_side`: it is one side of a comparison, asked
    by itself; `is_part`: no answer is made of it alone. `beside`: what may amend the documents, if it was looked for.
    """

    settings: BaseSettings
    mode: Mode = "balanced"
    arbiter: ArbiterName | None = None
    dictionary: Sequence[ConceptTerms] = ()
    on_stage: OnStage | None = None
    account_for: AccountFor | None = None
    filters: Filters = UNFILTERED
    is_whole_scope: bool = True
    is_side: bool = False
    is_part: bool = False
    guidance: Mapping[str, Guidance] = field(default_factory=dict)
    expected: Expected = ANYTHING
    rules: ReadingRules = SHIPPED
    beside: Sequence[Document] | None = None

    @property
    def weighs_reads(self) -> bool:
        """Whether the cross-encoder reads passages for answers, and the rules weigh what it says."""
        return self.settings.cross_encoder == "on"

    def by_rules(self) -> "SearchOptions":
        """Those of a search that is a part of this one: judged by the rules, and nobody is told of its stages."""
        own = SearchOptions(self.settings, self.mode, "rules", self.dictionary, filters=self.filters, rules=self.rules)
        return replace(own, is_part=True)


@dataclass(frozen=True)
class Search:
    """What is known so far. What no step has found yet is empty."""

    contents: Sequence[DocumentContent]
    options: SearchOptions
    question: Question  # as it is searched; `whole` where its date was set aside
    whole: Question
    arbiter: ArbiterName
    clock: Clock
    account: ScopeAccount = NOT_ACCOUNTED
    question_exchange: Exchange | None = None  # of the model that read the question
    named: ChosenTier | None = None  # the model that the base names for the question
    use: ModelUse = USUAL
    plan: Plan = NOT_PLANNED
    within: Within | None = None
    hits: Sequence[Hit] = ()
    searched: Sequence[SearchedWord] = ()
    versions: Sequence[Versions] = ()
    candidates: tuple[Briefed, ...] = ()
    proposed: tuple[Briefed, ...] = ()  # the candidates before their briefs were fitted to a request
    unfit: tuple[LeftOut, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    toc: str = ""
    clear: Ranking | None = None  # of the rules, where no model need judge
    ranking: Ranking = NOT_RANKED
    other_look: Exchange | None = None
    shared: Exchange | None = None
    coverage: Coverage = NOT_COVERED
    finding: AbsenceVerdict = NOT_GATED
    settled: tuple[Settled, ...] = ()
    headlines: tuple[ChosenSentence, ...] = ()

    def report_stage(self, stage: str, **figures: object) -> None:
        if self.options.on_stage:
            self.options.on_stage(stage, figures)

    @cached_property
    def content_of(self) -> Mapping[str, DocumentContent]:
        return {content.document_id: content for content in self.contents}

    @property
    def kept(self) -> list[Settled]:
        return [each for each in self.settled if each.verdict.role in KEPT_ROLES]

    @property
    def primary(self) -> list[Settled]:
        return [each for each in self.settled if each.verdict.role == "primary"]

    @property
    def is_read(self) -> bool:
        """Whether a model has read and judged the candidates."""
        return self.ranking.arbiter == "model" and self.ranking.status == "ran"

    @property
    def recorded_settings(self) -> dict[str, Any]:
        """The settings of the base as the record keeps them, with what narrowed the question and how it was read."""
        filters, rules = self.options.filters, self.options.rules
        narrowed = {"filters": filters.to_json()} if filters.words else {}
        read_by = {"reading_rules": rules.to_json()} if rules.number else {}
        return self.options.settings.to_json() | narrowed | read_by

    def empty_result(self) -> RetrievalResult:
        """What a result has whether or not anything was searched."""
        return RetrievalResult(
            question=self.whole,
            plan=self.plan,
            scope=tuple(content.snapshot() for content in self.contents),
            documents=self.account.documents,
            ranking=self.ranking,
            coverage=self.coverage,
            status="clarify",
            toc_shown=self.toc,
            settings=self.recorded_settings,
            left_out=self.left_out,
            question_exchange=self.question_exchange,
            other_look=self.other_look,
            shared=self.shared,
        )
