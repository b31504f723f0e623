"""The figures of a period: how often nothing was found, whether auditors agree, what detectors and quotes come to."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, Max, OuterRef, Q, Sum, Value
from django.db.models.functions import Coalesce, NullIf, TruncDay, TruncMonth

from audit.charts import Chart, Point, bars, columns
from audit.disagreement import KEPT_ROLES
from audit.models import Review
from chat.models import Answer, Citation
from documents.models import Document
from llm.models import LLMCall
from retrieval.models import RetrievalRunQuerySet, RunCandidate
from retrieval.types import METHODS

ROLES = ("primary", "supporting", "tangential", "discarded")
ROWS = (*ROLES, "unjudged")
ABSENT = ("not_found", "cannot_tell")
NEWEST_MAX = 2_000  # runs of the period whose candidates and times are counted
REPAIRS = ("exact", "truncated", "rejected")
DAYS_AS_DAYS = 62  # a longer period is shown by month
STEPS = {
    "parse": "Reading the question",
    "detect": "Detectors",
    "aggregate": "Merging hits",
    "arbitrate": "Arbiter",
    "calibrate": "Quotes and contexts",
    "compose": "Writing the answer",
}


class Rate(NamedTuple):
    """A share in a span of time; `part` is counted, out of `of`."""

    when: str
    part: int
    of: int

    @property
    def percent(self) -> float:
        return round(100 * self.part / self.of, 1) if self.of else 0.0


class MatrixRow(NamedTuple):
    """What auditors made of one role of the arbiter's; `cells` in the order of ROLES."""

    role: str
    cells: tuple[int, ...]


class Repairs(NamedTuple):
    who: str
    counts: dict[str, int]
    total: int


class Contribution(NamedTuple):
    method: str
    candidates: int
    only: int
    kept: int
    kept_only: int

    @property
    def refused(self) -> int:
        return self.candidates - self.kept


class Latency(NamedTuple):
    """Milliseconds of one step over the newest runs."""

    step: str
    runs: int
    p50: float
    p95: float


@dataclass(frozen=True)
class Figures:
    runs: int
    absent: tuple[Rate, ...]
    absent_chart: Chart
    matrix: tuple[MatrixRow, ...]
    reviewed: int
    agreement: Rate
    agreements: tuple[Rate, ...]
    agreement_chart: Chart
    blind: Rate
    repairs: tuple[Repairs, ...]
    repairs_chart: Chart
    contributions: tuple[Contribution, ...]
    contributions_chart: Chart
    latencies: tuple[Latency, ...]
    latency_chart: Chart
    calls: list[dict[str, Any]]


def figures_of(runs: RetrievalRunQuerySet, days: int) -> Figures:
    """All figures over some runs, each from stored rows alone."""
    absent = tuple(rates_of(runs, days))
    standing = standing_reviews(runs)
    agreements = tuple(agreements_of(standing))
    repairs, contributions, latencies = (
        tuple(repairs_of(runs)),
        tuple(contributions_of(runs)),
        tuple(latencies_of(runs)),
    )
    agreed = sum(rate.part for rate in agreements)
    judged = sum(rate.of for rate in agreements)
    return Figures(
        runs=sum(rate.of for rate in absent),
        absent=absent,
        absent_chart=columns(points_of(absent), "Share of questions not found, over time", most=100.0),
        matrix=matrix_of(standing),
        reviewed=judged,
        agreement=Rate("", agreed, judged),
        agreements=agreements,
        agreement_chart=columns(points_of(agreements), "Share of roles auditors agreed with, by month", most=100.0),
        blind=blind_agreement(runs),
        repairs=repairs,
        repairs_chart=bars(
            [(row.who, [(name, row.counts[name]) for name in REPAIRS]) for row in repairs],
            "Quotes kept, shortened and rejected, by model and prompt",
        ),
        contributions=contributions,
        contributions_chart=bars(
            [(row.method, [("kept", row.kept), ("refused", row.refused)]) for row in contributions],
            "Candidates of each detector, kept and refused",
        ),
        latencies=latencies,
        latency_chart=bars(
            [
                (row.step, [("median ms", row.p50), ("more until the 95th percentile, ms", row.p95 - row.p50)])
                for row in latencies
            ],
            "Median and 95th percentile of each step",
        ),
        calls=list(calls_of(runs)),
    )


def points_of(rates: Iterable[Rate]) -> list[Point]:
    return [
        Point(rate.when, rate.percent, f"{rate.when}: {rate.part} of {rate.of}, {rate.percent} %") for rate in rates
    ]


def rates_of(runs: RetrievalRunQuerySet, days: int) -> Iterable[Rate]:
    """How often nothing was found, by day or by month."""
    by_day = days <= DAYS_AS_DAYS
    span = TruncDay("created_at") if by_day else TruncMonth("created_at")
    rows = (
        runs.order_by()
        .annotate(span=span)
        .values("span")
        .annotate(of=Count("pk"), count=absent_count())
        .order_by("span")
    )
    for row in rows:
        yield Rate(when(row["span"], by_day), row["count"], row["of"])


def absent_count() -> Count:
    return Count("pk", filter=Q(status__in=ABSENT))


def when(moment: datetime, by_day: bool) -> str:
    return f"{moment:%m-%d}" if by_day else f"{moment:%Y-%m}"


# ---- auditors


def standing_reviews(runs: RetrievalRunQuerySet) -> list[tuple[str, str, datetime]]:
    """Of every reviewed candidate the last word: the arbiter's role, the auditor's, and when."""
    followed = Review.objects.filter(previous=OuterRef("pk"))
    rows = Review.objects.filter(~Exists(followed), run__in=runs.order_by(), is_blind=False).exclude(candidate=None)
    return [
        (original, corrected or original, moment)
        for original, corrected, moment in rows.values_list("original_role", "corrected_role", "created_at")
    ]


def matrix_of(reviews: Sequence[tuple[str, str, datetime]]) -> tuple[MatrixRow, ...]:
    counts = Counter((original, given) for original, given, _ in reviews)
    return tuple(MatrixRow(row, tuple(counts[row, column] for column in ROLES)) for row in ROWS)


def agreements_of(reviews: Sequence[tuple[str, str, datetime]]) -> Iterable[Rate]:
    months: dict[str, list[bool]] = defaultdict(list)
    for original, given, moment in sorted(reviews, key=lambda review: review[2]):
        months[f"{moment:%Y-%m}"].append(original == given)
    return [Rate(month, sum(agreed), len(agreed)) for month, agreed in months.items()]


def blind_agreement(runs: RetrievalRunQuerySet) -> Rate:
    """How often a blind reviewer gave a candidate the role it has by the open reviews."""
    followed = Review.objects.filter(previous=OuterRef("pk"))
    reviews = Review.objects.filter(~Exists(followed), run__in=runs.order_by()).exclude(candidate=None)
    given: dict[bool, dict[int, list[str]]] = {True: defaultdict(list), False: defaultdict(list)}
    for review in reviews:
        given[review.is_blind][review.candidate_id or 0].append(review.corrected_role or review.original_role)
    pairs = [(role, given[False][pk][0]) for pk, roles in given[True].items() for role in roles if given[False].get(pk)]
    return Rate("", sum(one == other for one, other in pairs), len(pairs))


# ---- detectors, quotes, time


def candidates_of(runs: RetrievalRunQuerySet) -> Any:
    return RunCandidate.objects.filter(run__in=runs.order_by()).order_by()


def newest_candidates(runs: RetrievalRunQuerySet) -> Any:
    """The candidates of the newest runs: shares over more change little, and take seconds at 2,000,000 rows."""
    return RunCandidate.objects.filter(run__in=list(runs.values_list("pk", flat=True)[:NEWEST_MAX])).order_by()


def repairs_of(runs: RetrievalRunQuerySet) -> Iterable[Repairs]:
    """What became of the quotes, by model and prompt version; the rules quote without a model."""
    model = Coalesce(NullIf("run__llm_call__model_returned", Value("")), "run__llm_call__model")
    quoted = newest_candidates(runs).filter(anchor_repair__status__in=REPAIRS)
    rows = quoted.annotate(model=model, prompt=F("run__llm_call__prompt_version"), repair=F("anchor_repair__status"))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows.values("model", "prompt", "repair").annotate(number=Count("pk")):
        who = f"{row['model']}, prompt {row['prompt']}" if row["model"] else "rules"
        counts[who][row["repair"]] += row["number"]
    for who, found in sorted(counts.items()):
        yield Repairs(who, {name: found[name] for name in REPAIRS}, found.total())


def contributions_of(runs: RetrievalRunQuerySet) -> Iterable[Contribution]:
    kept = Q(role__in=KEPT_ROLES)
    counted: dict[str, Count] = {}
    for method in METHODS:
        found, only = Q(methods__contains=[method]), Q(methods=[method])
        counted |= {
            f"{method}_all": Count("pk", filter=found),
            f"{method}_only": Count("pk", filter=only),
            f"{method}_kept": Count("pk", filter=found & kept),
            f"{method}_kept_only": Count("pk", filter=only & kept),
        }
    row = newest_candidates(runs).aggregate(**counted)
    for name in METHODS:
        yield Contribution(name, row[f"{name}_all"], row[f"{name}_only"], row[f"{name}_kept"], row[f"{name}_kept_only"])


def latencies_of(runs: RetrievalRunQuerySet) -> Iterable[Latency]:
    newest = runs.exclude(status="failed")[:NEWEST_MAX]
    times: dict[str, list[float]] = defaultdict(list)
    stored = list(newest.values_list("pk", "timings_ms"))
    written = Answer.objects.filter(run__in=[pk for pk, _ in stored]).values_list("timings_ms", flat=True)
    for timings in (*(timings for _, timings in stored), *written):
        for step in STEPS.keys() & timings.keys():
            times[step].append(timings[step])
    for step, name in STEPS.items():
        if times[step]:
            yield Latency(name, len(times[step]), percentile(times[step], 50), percentile(times[step], 95))


def percentile(values: Sequence[float], share: int) -> float:
    """The smallest value that at least `share` per cent of all do not exceed."""
    ordered = sorted(values)
    return round(ordered[max(-(-len(ordered) * share // 100) - 1, 0)], 1)


def calls_of(runs: RetrievalRunQuerySet) -> Iterable[dict[str, Any]]:
    """Calls, failures and tokens by purpose, model and prompt version."""
    of_run = runs.order_by().exclude(llm_call=None).values("llm_call")
    of_answer = Answer.objects.filter(run__in=runs.order_by()).exclude(llm_call=None).values("llm_call")
    calls = LLMCall.objects.filter(Q(pk__in=of_run) | Q(pk__in=of_answer)).order_by()
    rows = calls.values("purpose", "model", "prompt_version").annotate(
        number=Count("pk"),
        failed=Count("pk", filter=~Q(outcome="ok")),
        sent=Coalesce(Sum("tokens_in"), 0),
        cached=Coalesce(Sum("tokens_cached"), 0),
        received=Coalesce(Sum("tokens_out"), 0),
        ms=Sum("latency_ms"),
        cost=Sum("charge__amount"),
        currency=Max("charge__currency"),
        unpriced=Count("pk", filter=Q(charge=None)),
    )
    for row in rows.order_by("purpose", "model", "prompt_version"):
        yield row | {"mean_ms": round(row["ms"] / row["number"])}


# ---- coverage of one document


class PageUse(NamedTuple):
    """How often a page was proposed, kept and cited."""

    number: int
    proposed: int
    kept: int
    cited: int

    @property
    def state(self) -> str:
        return "cited" if self.cited else "kept" if self.kept else "proposed" if self.proposed else "never"


def coverage_of(document: Document, runs: RetrievalRunQuerySet) -> list[PageUse]:
    """Every page of a document with what questions have made of it; a candidate counts on its first page."""
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
