"""Statistics of a period: how often nothing was found (R60), auditors' verdicts, detectors, quotes, time and cost."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import CharField, Count, Exists, F, Func, Max, OuterRef, Q, QuerySet, Sum, UUIDField, Value
from django.db.models.fields.json import KT, KeyTransform
from django.db.models.functions import Cast, Coalesce, Concat, NullIf, TruncDay, TruncMonth
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from audit.models import Review
from audit.review.own import without_own
from audit.review.queue import can_be_reviewed, is_reviewed
from audit.runs.disagreement import REFUSED_ROLES
from audit.runs.outcomes import ARBITERS, METHOD_NAMES
from audit.runs.risks import RISKS
from chat.models import Answer
from documents.models import Viewer
from ledger.models import Event
from llm.models import REUSED, UNPRICED, LLMCall
from retrieval.models import RetrievalRunQuerySet, RunCandidate
from retrieval.record.storing import ANSWER_UNSTORED, BESIDE, CALLS
from retrieval.types import KEPT_ROLES, METHODS, UNANSWERED

ROLES = ("primary", "supporting", "tangential", "discarded")
ROWS = (*ROLES, "unjudged")
NEWEST_MAX = 2_000  # runs of the period whose candidates and times are counted
REPAIRS = ("exact", "truncated", "rejected")
DAYS_AS_DAYS = 62  # a longer period is shown by month
STEPS = {
    "parse": _("Reading the question"),
    "detect": _("Detectors"),
    "aggregate": _("Merging hits"),
    "arbitrate": _("Arbiter"),
    "calibrate": _("Quotes and contexts"),
    "compose": _("Writing the answer"),
}
PURPOSES = {
    "question": STEPS["parse"],
    "arbiter": STEPS["arbitrate"],
    "passages": _("Reading of passages"),
    "answer": STEPS["compose"],
    "claims": _("Claim check"),
}


class Rate(NamedTuple):
    """A share in a period: `part` out of `of`."""

    when: str
    part: int
    of: int

    @property
    def percent(self) -> float:
        return round(100 * self.part / self.of, 1) if self.of else 0.0


class MatrixRow(NamedTuple):
    """Auditors' verdicts on one role of the arbiter; `cells` in the order of ROLES."""

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


class Sign(NamedTuple):
    """A sign of risk in the period: on how many runs, and how many of these have a verdict."""

    name: str
    words: str
    runs: int
    reviewed: int
    own: int = 0  # of those without a verdict, which their reader has to leave to others

    @property
    def waiting(self) -> int:
        return self.runs - self.reviewed


class Latency(NamedTuple):
    """Milliseconds of one step over the newest runs."""

    step: str
    runs: int
    p50: float
    p95: float

    @property
    def beyond(self) -> float:
        """The difference between the 95th percentile, where the bar ends, and the median."""
        return round(self.p95 - self.p50, 1)


class PeriodSpending(NamedTuple):
    """The cost of the calls of a period."""

    when: str
    calls: int
    amount: Decimal
    currency: str


@dataclass(frozen=True)
class PeriodFigures:
    """All statistics over the runs of a period."""

    runs: int
    absent: tuple[Rate, ...]
    matrix: tuple[MatrixRow, ...]
    reviewed: int
    agreement: Rate
    agreements: tuple[Rate, ...]
    by_judge: tuple[Rate, ...]
    by_detector: tuple[Rate, ...]
    blind: Rate
    signs: tuple[Sign, ...]
    repairs: tuple[Repairs, ...]
    contributions: tuple[Contribution, ...]
    latencies: tuple[Latency, ...]
    calls: list[dict[str, Any]]
    costs: tuple[PeriodSpending, ...]

    @property
    def is_cut(self) -> bool:
        """Whether there are more questions than are examined one by one."""
        return self.runs > NEWEST_MAX

    @property
    def refused_reviewed(self) -> int:
        """How many refused candidates an auditor has looked at; without any, nothing shows what the arbiter missed."""
        return sum(sum(row.cells) for row in self.matrix if row.role in REFUSED_ROLES)


def compute_figures(runs: RetrievalRunQuerySet, days: int, reader: Viewer | None = None) -> PeriodFigures:
    """All statistics over some runs, from stored rows alone; for a `reader` who reviews, with what is their own."""
    absent = tuple(rates_of(runs, days))
    standing = standing_reviews(runs)
    in_order = sorted(standing, key=lambda review: review.moment)
    agreements = tuple(agreement_by(in_order, lambda review: [f"{review.moment:%Y-%m}"]))
    agreed = sum(rate.part for rate in agreements)
    judged = sum(rate.of for rate in agreements)
    return PeriodFigures(
        runs=sum(rate.of for rate in absent),
        absent=absent,
        matrix=matrix_of(standing),
        reviewed=judged,
        agreement=Rate("", agreed, judged),
        agreements=agreements,
        by_judge=tuple(agreement_by(standing, lambda review: [review.judge])),
        by_detector=tuple(agreement_by(standing, lambda review: review.methods)),
        blind=blind_agreement(runs),
        signs=tuple(signs_in(runs, reader)),
        repairs=tuple(repairs_of(runs)),
        contributions=tuple(contributions_of(runs)),
        latencies=tuple(latencies_of(runs)),
        calls=list(calls_of(runs)),
        costs=tuple(costs_of(runs, days)),
    )


def rates_of(runs: RetrievalRunQuerySet, days: int) -> Iterable[Rate]:
    """How often nothing was found, by day or month."""
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
        yield Rate(label_moment(row["span"], by_day), row["count"], row["of"])


def absent_count() -> Count:
    return Count("pk", filter=Q(status__in=UNANSWERED) | Q(answer__kind__in=UNANSWERED))


def label_moment(moment: datetime, by_day: bool) -> str:
    return f"{moment:%m-%d}" if by_day else f"{moment:%Y-%m}"


# ---- auditors


class Reviewed(NamedTuple):
    """The final verdict on one candidate: the arbiter's role, the auditor's, when, who judged, who proposed it."""

    original: str
    given: str
    moment: datetime
    judge: str
    methods: list[str]


def standing_reviews(runs: RetrievalRunQuerySet) -> list[Reviewed]:
    """The latest verdict on every reviewed candidate."""
    followed = Review.objects.filter(previous=OuterRef("pk"))
    rows = Review.objects.filter(~Exists(followed), run__in=runs.order_by(), is_blind=False).exclude(candidate=None)
    rows = rows.select_related("candidate", "run__llm_call").only(
        *("original_role", "corrected_role", "created_at", "candidate__methods", "run__arbiter"),
        *("run__llm_call__model", "run__llm_call__model_returned", "run__llm_call__prompt_version"),
    )
    return [
        Reviewed(
            row.original_role,
            row.corrected_role or row.original_role,
            row.created_at,
            judge_of_review(row),
            row.candidate.methods if row.candidate else [],
        )
        for row in rows
    ]


def judge_of_review(review: Review) -> str:
    call = review.run.llm_call
    if call is None:
        return str(ARBITERS.get(review.run.arbiter, review.run.arbiter))
    return f"{call.model_returned or call.model}, " + gettext("prompt") + f" {call.prompt_version}"


def matrix_of(reviews: Sequence[Reviewed]) -> tuple[MatrixRow, ...]:
    counts = Counter((review.original, review.given) for review in reviews)
    return tuple(MatrixRow(row, tuple(counts[row, column] for column in ROLES)) for row in ROWS)


def agreement_by(reviews: Sequence[Reviewed], names_of: Callable[[Reviewed], Sequence[str]]) -> Iterable[Rate]:
    """How often auditors agreed, by some attribute of a review; one with two values counts under both."""
    agreed: dict[str, list[bool]] = defaultdict(list)
    for review in reviews:
        for name in names_of(review):
            agreed[str(METHOD_NAMES.get(name, name))].append(review.original == review.given)
    return [Rate(name, sum(given), len(given)) for name, given in agreed.items()]


def blind_agreement(runs: RetrievalRunQuerySet) -> Rate:
    """How often a blind reviewer gave a candidate the same role as the open reviews."""
    followed = Review.objects.filter(previous=OuterRef("pk"))
    reviews = Review.objects.filter(~Exists(followed), run__in=runs.order_by()).exclude(candidate=None)
    given: dict[bool, dict[int, list[str]]] = {True: defaultdict(list), False: defaultdict(list)}
    for review in reviews:
        given[review.is_blind][review.candidate_id or 0].append(review.corrected_role or review.original_role)
    pairs = [(role, given[False][pk][0]) for pk, roles in given[True].items() for role in roles if given[False].get(pk)]
    return Rate("", sum(one == other for one, other in pairs), len(pairs))


def signs_in(runs: RetrievalRunQuerySet, reader: Viewer | None = None) -> Iterable[Sign]:
    """How many runs of the period that can be reviewed show each sign of risk; of a `reader` who reviews, how many of
    those that wait are their own.
    """
    runs, reviewed = runs.filter(can_be_reviewed()), is_reviewed()
    others = Q(pk__in=without_own(runs, reader).order_by().values("pk")) if reader else Q(pk__isnull=False)
    for name, risk in RISKS.items():
        found = runs.order_by().filter(risk.condition)
        counts = found.aggregate(
            all=Count("pk"), reviewed=Count("pk", filter=reviewed), own=Count("pk", filter=~reviewed & ~others)
        )
        yield Sign(name, str(risk.words), counts["all"], counts["reviewed"], counts["own"])


# ---- detectors, quotes, time


def candidates_of(runs: RetrievalRunQuerySet) -> Any:
    return RunCandidate.objects.filter(run__in=runs.order_by()).order_by()


def newest_candidates(runs: RetrievalRunQuerySet) -> Any:
    """The candidates of the newest runs: more would change shares little, and takes seconds at 2,000,000 rows."""
    judged = runs.exclude(plan__has_key="repeat")  # of a repeat, nothing was found or quoted anew
    return RunCandidate.objects.filter(run__in=list(judged.values_list("pk", flat=True)[:NEWEST_MAX])).order_by()


def repairs_of(runs: RetrievalRunQuerySet) -> Iterable[Repairs]:
    """The repairs of quotes, by model and prompt version; the rules quote without a model."""
    model = Coalesce(NullIf("run__llm_call__model_returned", Value("")), "run__llm_call__model")
    quoted = newest_candidates(runs).filter(anchor_repair__status__in=REPAIRS)
    rows = quoted.annotate(model=model, prompt=F("run__llm_call__prompt_version"), repair=F("anchor_repair__status"))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows.values("model", "prompt", "repair").annotate(number=Count("pk")):
        by_model = f"{row['model']}, " + gettext("prompt") + f" {row['prompt']}"
        who = by_model if row["model"] else str(ARBITERS["rules"])
        counts[who][row["repair"]] += row["number"]
    for who, found in sorted(counts.items()):
        yield Repairs(who, {name: found[name] for name in REPAIRS}, found.total())


def contributions_of(runs: RetrievalRunQuerySet) -> Iterable[Contribution]:
    kept = Q(role__in=KEPT_ROLES)
    counted: dict[str, Count] = {}
    for method in METHODS:
        found, only = Q(methods__contains=[method]), Q(methods=[method])
        conditions = zip(Contribution._fields[1:], (found, only, found & kept, only & kept), strict=True)
        counted |= {f"{method}_{name}": Count("pk", filter=condition) for name, condition in conditions}
    row = newest_candidates(runs).aggregate(**counted)
    for method in METHODS:
        yield Contribution(str(METHOD_NAMES[method]), *(row[f"{method}_{name}"] for name in Contribution._fields[1:]))


def latencies_of(runs: RetrievalRunQuerySet) -> Iterable[Latency]:
    newest = runs.exclude(status="failed")[:NEWEST_MAX]
    times: dict[str, list[float]] = defaultdict(list)
    stored = list(newest.values_list("pk", "timings_ms"))
    written = Answer.objects.filter(run__in=[pk for pk, timings in stored]).values_list("timings_ms", flat=True)
    for timings in (*(timings for pk, timings in stored), *written):
        for step in STEPS.keys() & timings.keys():
            times[step].append(timings[step])
    for step, name in STEPS.items():
        if times[step]:
            yield Latency(str(name), len(times[step]), percentile(times[step], 50), percentile(times[step], 95))


def percentile(values: Sequence[float], share: int) -> float:
    """The smallest value that at least `share` per cent of all do not exceed."""
    ordered = sorted(values)
    return round(ordered[max(-(-len(ordered) * share // 100) - 1, 0)], 1)


def calls_for(runs: RetrievalRunQuerySet) -> QuerySet[LLMCall]:
    """The calls that read, judged and answered these runs' questions, each look of those judged twice.

    Those of questions that ended without a result, and of answers that could not be stored, are among them.
    """
    of_run = runs.order_by().exclude(llm_call=None).values("llm_call")
    of_answer = Answer.objects.filter(run__in=runs.order_by()).exclude(llm_call=None).values("llm_call")
    beside = Answer.objects.filter(run__in=runs.order_by()).exclude(other_calls=[])
    listed = Func(F("other_calls"), function="jsonb_array_elements_text", output_field=CharField())
    own = Q(pk__in=of_run) | Q(pk__in=of_answer) | Q(pk__in=beside.values(call=Cast(listed, UUIDField())))
    for field, key in BESIDE.values():
        those = runs.order_by().filter(**{f"{field}__has_key": key})
        own |= Q(pk__in=those.values(call=Cast(KT(f"{field}__{key}"), UUIDField())))
    ended = runs.order_by().filter(status="failed", plan__has_key=CALLS)
    named = Concat(Value("run:"), Cast("pk", CharField()))  # as the event of an answer that was not stored names it
    unstored = Event.objects.order_by().filter(kind=ANSWER_UNSTORED, subject__in=runs.order_by().values(of=named))
    for rows, field in ((ended, "plan"), (unstored, "details")):
        made = Func(KeyTransform(CALLS, field), function="jsonb_array_elements_text", output_field=CharField())
        own |= Q(pk__in=rows.values(call=Cast(made, UUIDField())))
    return LLMCall.objects.filter(own).order_by()


def paid_calls(runs: RetrievalRunQuerySet) -> QuerySet[LLMCall]:
    """Those of them that were sent and have a price."""
    return calls_for(runs).exclude(REUSED).exclude(charge=None)


def costs_of(runs: RetrievalRunQuerySet, days: int) -> Iterable[PeriodSpending]:
    """The cost of priced calls, by day or month and currency."""
    by_day = days <= DAYS_AS_DAYS
    span = TruncDay("started_at") if by_day else TruncMonth("started_at")
    rows = paid_calls(runs).annotate(span=span).values("span", "charge__currency")
    for row in rows.annotate(number=Count("pk"), amount=Sum("charge__amount")).order_by("span", "charge__currency"):
        yield PeriodSpending(label_moment(row["span"], by_day), row["number"], row["amount"], row["charge__currency"])


def calls_of(runs: RetrievalRunQuerySet) -> Iterable[dict[str, Any]]:
    """Calls, failures and tokens by purpose, model and prompt version; the mean time is of those that were sent."""
    calls = calls_for(runs)
    rows = calls.values("purpose", "model", "prompt_version").annotate(
        number=Count("pk"),
        failed=Count("pk", filter=~Q(outcome__in=("ok", "stopped"))),
        sent=Coalesce(Sum("tokens_in"), 0),
        cached=Coalesce(Sum("tokens_cached"), 0),
        received=Coalesce(Sum("tokens_out"), 0),
        ms=Coalesce(Sum("latency_ms", filter=~REUSED), 0),
        cost=Sum("charge__amount"),
        currency=Max("charge__currency"),
        free=Count("pk", filter=REUSED),
        unpriced=Count("pk", filter=UNPRICED),
    )
    for row in rows.order_by("purpose", "model", "prompt_version"):
        words = PURPOSES.get(row["purpose"], row["purpose"])
        asked = row["number"] - row["free"]
        yield row | {"words": words, "mean_ms": round(row["ms"] / asked) if asked else 0}
