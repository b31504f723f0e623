"""The list of runs: filters, keyset paging, and the counts on each line."""

import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import reduce
from operator import and_
from typing import Any, NamedTuple, TypeAlias, TypedDict

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.core.exceptions import BadRequest
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounts.models import User
from audit.models import Review
from audit.runs.complaints import complaints_of_run
from audit.runs.outcomes import judge_of_run
from audit.runs.risks import RISKS
from audit.runs.verdicts import WRONG, standing_verdicts, verdict_named
from chat.models import Answer, Turn
from chat.objections import OVERRULED, find_objections
from chat.page.outcomes import STOPPED_RUNS, outcome_of_run
from chat.scope import chosen_names
from documents.keyset import AnyRows, rows_after
from documents.models import Document, KnowledgeBase
from ledger.chain import time_text
from retrieval.models import RetrievalRun, RetrievalRunQuerySet, RunCandidate
from retrieval.told.outcomes import OUTCOMES, Outcome
from retrieval.told.reasons import say_clause
from retrieval.types import ABSENT, KEPT_ROLES, UNANSWERED

RUNS_A_PAGE = 25
NEWEST_FIRST, OLDEST_FIRST = ("-created_at", "-id"), ("created_at", "id")
# No column has these values.
PARTLY, PASSAGES, UNJUDGED, STOPPED, NOT_NEEDED = "partly", "passages", "unjudged", "stopped", "not_needed"
WINDOWS = (200, 1_000)  # runs checked one by one before an index is used: at most 24,000 candidates
TITLES_MAX = 20
IDS_MAX = 5_000  # ids from an index that are put into a query directly
# The same expressions as the indexes.
QUESTION_WORDS = SearchVector("question", config="simple")
REASON_WORDS = SearchVector("reason", config="simple")
WORD = re.compile(r"\w+")
ERROR_NAME = re.compile(r"\A\w+: ")  # before the words of a recorded failure

Conditions: TypeAlias = Mapping[str, Callable[[Any], Q]]  # by the names of filters


class RunKey(NamedTuple):
    """The end of a page: the last run's time and id. Unlike an offset, it costs the same on every page."""

    created_at: datetime
    run_id: uuid.UUID

    def __str__(self) -> str:
        return f"{time_text(self.created_at)}_{self.run_id}"

    @classmethod
    def read(cls, text: str) -> "RunKey":
        """Parse the key of an address. Raises BadRequest if it is invalid."""
        moment, _, run_id = text.partition("_")
        try:
            key = cls(datetime.fromisoformat(moment), uuid.UUID(run_id))
        except ValueError as error:
            raise BadRequest("The page address is not one of ours.") from error
        if key.created_at.tzinfo is None:
            raise BadRequest("The page address is not one of ours.")
        return key


class RunsWanted(TypedDict, total=False):
    """The filters of the list; one candidate must match all those of candidates."""

    text: str
    base: KnowledgeBase
    status: str
    arbiter: str
    since: date
    until: date
    asked_by: str
    document: str
    model: str
    review: str
    sign: str
    role: str
    method: str
    repair: str
    page: int


@dataclass(frozen=True)
class Listed:
    """One run in the list, with its numbers of candidates and kept ones."""

    run: RetrievalRun
    outcome: str  # its code
    judge: str
    candidates: int
    kept: int
    why: str  # it failed or found nothing, in the reader's language
    verdict: str = ""  # what stands on its answer, "" if nothing does
    is_disputed: bool = False  # somebody has objected since, see `standing_verdicts`
    is_overruled: bool = False  # the passage that decides the answer, see `chat.objections`
    typed: str = ""  # what the person wrote, where a follow-up was completed before it was searched
    chosen: str = ""  # the documents it was asked of, where the run got nowhere and lists none

    @property
    def reviewed_as(self) -> Outcome:
        return OUTCOMES[OVERRULED] if self.is_overruled and not self.verdict else verdict_named(self.verdict)

    @property
    def is_wrong(self) -> bool:
        return self.is_overruled or self.verdict in WRONG

    @property
    def document(self) -> str:
        """The title of the only document that was asked; "" where there were several."""
        return str(self.run.scope[0]["title"]) if len(self.run.scope) == 1 else self.chosen


@dataclass(frozen=True)
class RunPage:
    rows: tuple[Listed, ...]
    newer: RunKey | None
    older: RunKey | None


def filter_runs(runs: RetrievalRunQuerySet, wanted: RunsWanted) -> RetrievalRunQuerySet:
    runs = filter_rows(runs, OF_RUN, wanted)
    return runs.filter(pk__in=ids_of(wanted)) if asks_candidates(wanted) else runs


def read_run_page(
    runs: RetrievalRunQuerySet, *, before: str = "", after: str = "", wanted: RunsWanted | None = None
) -> RunPage:
    """The newest runs that match, or those just before or after a key. Raises BadRequest for an invalid key."""
    wanted = wanted or RunsWanted()
    runs = filter_rows(runs, OF_RUN, wanted)
    found = rows_after(runs, NEWEST_FIRST, RunKey.read(before)) if before else runs.order_by(*NEWEST_FIRST)
    if after:
        found = rows_after(runs, OLDEST_FIRST, RunKey.read(after))
    some = first_of(found, wanted, RUNS_A_PAGE + 1)
    has_more = len(some) > RUNS_A_PAGE
    shown = some[:RUNS_A_PAGE][:: -1 if after else 1]
    if not shown:
        return RunPage((), None, None)
    newest, oldest = key_of_run(shown[0]), key_of_run(shown[-1])
    is_first, is_last = (not has_more, False) if after else (not before, not has_more)
    return RunPage(tuple(list_runs(shown)), None if is_first else newest, None if is_last else oldest)


def first_of(ordered: RetrievalRunQuerySet, wanted: RunsWanted, count: int) -> list[RetrievalRun]:
    """The first matching runs of an order, by their words and candidates.

    Frequent matches are found among the first few runs, rare ones through an index. Either way alone takes seconds at
    2,000,000 candidates: the former for rare words, the latter for common ones.
    """
    light = ordered.defer(*HEAVY)
    if not asks_candidates(wanted):
        return list(light[:count])
    begin, fitting = 0, set[uuid.UUID]()
    for size in WINDOWS:
        window = list(ordered.values_list("pk", flat=True)[begin : begin + size])
        fitting |= fitting_among(window, wanted)
        if len(fitting) >= count or len(window) < size:
            return list(light.filter(pk__in=fitting)[:count])
        begin += size
    ids = list(ids_of(wanted)[: IDS_MAX + 1])  # separate: joined with the order, the planner walks all runs
    return list(light.filter(pk__in=ids if len(ids) <= IDS_MAX else ids_of(wanted))[:count])


def filter_rows(rows: AnyRows, conditions: Conditions, wanted: RunsWanted) -> AnyRows:
    """Filter by those of the wanted values that have a condition."""
    for name, value in wanted.items():
        if value and name in conditions:
            rows = rows.filter(conditions[name](value))
    return rows


def ended_as(outcome: str) -> Q:
    """Runs of an outcome as the list names it, which calls stopped what people stopped, whatever had been found."""
    return was_stopped() if outcome == STOPPED else ended_by_itself(outcome) & ~was_stopped()


def was_stopped() -> Q:
    """Runs whose asker ended the search, or the writing of the answer."""
    turns = Turn.objects.filter(run=OuterRef("pk"), state=Turn.State.STOPPED)
    answers = Answer.objects.filter(run=OuterRef("pk"), ended="stopped")
    return Q(failure__in=STOPPED_RUNS) | Q(Exists(turns)) | Q(Exists(answers))


def ended_by_itself(outcome: str) -> Q:
    """Runs of an outcome, stopped ones too: what was found is told apart by who judged it, see `as_judged`."""
    unjudged = Q(arbiter_status="not_run") | Q(arbiter="none")
    judged = {"found": Q(arbiter="model") & ~unjudged, PASSAGES: ~Q(arbiter="model") & ~unjudged, UNJUDGED: unjudged}
    if outcome == PARTLY:
        return answered_in_part()
    return Q(status="found") & judged[outcome] & ~answered_in_part() if outcome in judged else Q(status=outcome)


def answered_in_part() -> Q:
    """Runs that found something and whose answer lacks a part of what was asked."""
    answers = Answer.objects.filter(run=OuterRef("pk")).exclude(kind__in=UNANSWERED)
    lacking = Q()
    for outcome in ABSENT:
        lacking |= Q(items__contains=[{"outcome": outcome}])
    return Q(status="found") & (Q(Exists(answers), answerable=False) | Q(Exists(answers.filter(lacking))))


def start_of(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)


def scope_of(text: str) -> Q:
    """Runs over a document: by its id, which also matches deleted ones, or by words of its title."""
    try:
        ids = [uuid.UUID(text)]
    except ValueError:
        ids = list(Document.objects.filter(title__icontains=text).values_list("pk", flat=True)[:TITLES_MAX])
    found = Q(pk__in=[])
    for document_id in ids:
        found |= Q(scope__contains=[{"document_id": str(document_id)}])
    return found


def reviewed_as(review: str) -> Q:
    """Runs by the verdicts of auditors or readers."""
    reviews, standing = Review.objects.filter(run=OuterRef("pk")), standing_verdicts(RetrievalRun.objects.all())
    conditions = {
        "none": ~Q(Exists(reviews)),
        "any": Q(Exists(reviews)),
        "wrong": Q(pk__in=Review.objects.filter(pk__in=standing.values("pk"), outcome__in=WRONG).values("run")),
        "overruled": Q(Exists(reviews.filter(outcome=Review.Outcome.OVERRULE))),
        "objected": Q(Exists(reviews.exclude(outcome=Review.Outcome.AGREE))),
        "complaint": Q(Exists(complaints_of_run())),
    }
    return conditions[review]


def asked_by(said: str) -> Q:
    """Runs of people by a part of their name, or by their address."""
    return Q(asked_by__in=User.objects.filter(Q(name__icontains=said) | Q(email__iexact=said)).values("pk"))


# What a run must be, in columns of its own or of the few rows beside it, for each filter that is not of candidates.
OF_RUN: Conditions = {
    "base": lambda base: Q(base=base),
    "status": ended_as,
    "arbiter": lambda name: Q(arbiter_status=NOT_NEEDED) if name == NOT_NEEDED else Q(arbiter=name),
    "asked_by": asked_by,
    "since": lambda day: Q(created_at__gte=start_of(day)),
    "until": lambda day: Q(created_at__lt=start_of(day) + timedelta(days=1)),
    "model": lambda name: Q(llm_call__model__istartswith=name) | Q(llm_call__model_returned__istartswith=name),
    "document": scope_of,
    "sign": lambda name: RISKS[name].condition,
    "review": reviewed_as,
}
OF_CANDIDATE: Conditions = {
    "role": lambda role: Q(role=role),
    "method": lambda method: Q(methods__contains=[method]),
    "repair": lambda status: Q(anchor_repair__status__in=[status]),
    "page": lambda number: Q(anchor_first_page=number),
}


def asks_candidates(wanted: RunsWanted) -> bool:
    return any(wanted.get(name) for name in ("text", *OF_CANDIDATE))


def fitting_among(run_ids: Sequence[uuid.UUID], wanted: RunsWanted) -> set[uuid.UUID]:
    """Those of the given runs that match, checked one by one."""
    # By an expression, not the indexed words: the index would fetch every matching candidate of 2,000,000 first.
    rows = candidates_with(wanted).filter(beginning("reason", wanted), run__in=run_ids)
    found = set(rows.values_list("run_id", flat=True).distinct())
    if wanted.get("text") and not any(wanted.get(name) for name in OF_CANDIDATE):
        questions = RetrievalRun.objects.filter(beginning("question", wanted), pk__in=run_ids)
        found |= set(questions.order_by().values_list("pk", flat=True))
    return found


def beginning(column: str, wanted: RunsWanted) -> Q:
    """Each word of the text must begin a word of the column; empty text filters nothing."""
    words = WORD.findall(wanted.get("text", ""))
    if wanted.get("text") and not words:
        return Q(pk__in=[])
    return reduce(and_, (Q(**{f"{column}__iregex": rf"\m{word}"}) for word in words), Q())


def ids_of(wanted: RunsWanted) -> QuerySet[Any]:
    """The ids of all matching runs, by index; one candidate must match all candidate filters."""
    rows, query = candidates_with(wanted), query_of(wanted.get("text", ""))
    if not wanted.get("text"):
        return rows.values_list("run", flat=True).distinct()
    if not query:
        return RetrievalRun.objects.none().values_list("pk", flat=True)
    found = rows.alias(words=REASON_WORDS).filter(words=query).values_list("run", flat=True)
    return found.union(asked_with(wanted, query).values_list("pk", flat=True))


def asked_with(wanted: RunsWanted, query: SearchQuery) -> QuerySet[RetrievalRun]:
    """The runs whose question has the words, unless other candidate filters than the reason are set."""
    if any(wanted.get(name) for name in OF_CANDIDATE):
        return RetrievalRun.objects.none()
    return RetrievalRun.objects.alias(words=QUESTION_WORDS).filter(words=query).order_by()


def candidates_with(wanted: RunsWanted) -> QuerySet[RunCandidate]:
    return filter_rows(RunCandidate.objects.order_by(), OF_CANDIDATE, wanted)


def query_of(text: str) -> SearchQuery | None:
    """Each word of a text as a prefix query; None if there is none."""
    words = WORD.findall(text)
    return SearchQuery(" & ".join(f"{word}:*" for word in words), search_type="raw", config="simple") if words else None


# Columns only a trail needs; a run's hits alone may be a megabyte.
HEAVY = ("hits", "toc_shown", "parsed", "plan", "settings", "gates", "searched", "coverage")


def key_of_run(run: RetrievalRun) -> RunKey:
    return RunKey(run.created_at, run.pk)


def list_runs(runs: Sequence[RetrievalRun]) -> list[Listed]:
    """The runs with the data of their lines, in a fixed number of queries however many there are."""
    ids = [run.pk for run in runs]
    counts: dict[uuid.UUID, Counter[str]] = defaultdict(Counter)
    roles = RunCandidate.objects.filter(run__in=ids).order_by().values_list("run_id", "role")
    for run_id, role, number in roles.annotate(number=Count("pk")):
        counts[run_id][role] = number
    answers = {
        answer.run_id: answer for answer in Answer.objects.filter(run__in=ids).only("run_id", "kind", "ended", "items")
    }
    for run in runs:
        if run.pk in answers:
            answers[run.pk].run = run
    columns = ("turn", "turn__state", "plan__told__reason", "parsed__typed")
    beside = {pk: each for pk, *each in RetrievalRun.objects.filter(pk__in=ids).order_by().values_list("pk", *columns)}
    objections = find_objections([turn for turn, *_ in beside.values() if turn], None)
    standing = standing_verdicts(ids).values_list("run_id", "outcome", "is_disputed")
    verdicts = {run_id: (outcome, is_disputed) for run_id, outcome, is_disputed in standing}
    chosen = chosen_names(nowhere) if (nowhere := [run.pk for run in runs if not run.scope]) else {}
    return [
        Listed(
            run=run,
            outcome=outcome_of_run(run, answers.get(run.pk), state if state == Turn.State.STOPPED else ""),
            judge=judge_of_run(run),
            candidates=counts[run.pk].total(),
            kept=sum(counts[run.pk][role] for role in KEPT_ROLES),
            why=ERROR_NAME.sub("", run.failure) or say_clause(told or {}) or run.not_found_reason,
            verdict=verdicts.get(run.pk, ("", False))[0],
            is_disputed=verdicts.get(run.pk, ("", False))[1],
            is_overruled=turn in objections and objections[turn].code == OVERRULED,
            typed=typed or "",
            chosen=chosen.get(run.pk, ""),
        )
        for run in runs
        for turn, state, told, typed in [beside.get(run.pk, (None, "", None, ""))]  # it may be erased meanwhile
    ]
