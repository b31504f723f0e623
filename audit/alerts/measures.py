"""What is watched of a base: rates and costs of the last days, each with the limit beyond which it alarms."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Count, Q, Sum
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext, npgettext_lazy
from django.utils.translation import gettext_lazy as _

from audit.statistics.period import REPAIRS, absent_count, newest_candidates, paid_calls
from audit.statistics.quality import quality_of
from chat.page.outcomes import STOPPED_RUNS
from documents.models import KnowledgeBase
from retrieval.models import RetrievalRun, RetrievalRunQuerySet


class Measured(NamedTuple):
    """A measure now: its value (per cent, or an amount of a currency) and how many were counted for it."""

    value: Decimal
    of: int
    currency: str = ""

    @property
    def words(self) -> str:
        return say_value(self.value, self.currency)


class Measure(NamedTuple):
    """One thing that is watched over some days. With fewer than `least` counted, nothing is said."""

    words: Promise
    counted: Any  # what is counted: a lazy word for one and for several
    read: Callable[[RetrievalRunQuerySet], Measured]
    limit: Decimal
    least: int
    days: int = 7
    is_rate: bool = True

    def say_counted(self, number: int) -> str:
        """What is counted, for so many of it."""
        return str(self.counted % {"n": number})


def say_value(value: Decimal, unit: str = "") -> str:
    if unit:
        return f"{number_format(round(value, 2), 2)} {unit}"
    return gettext("%(number)s %%") % {"number": number_format(round(value, 1), 1)}


def rate(part: int, of: int) -> Measured:
    return Measured(Decimal(100 * part) / of if of else Decimal(0), of)


def read_wrong(runs: RetrievalRunQuerySet) -> Measured:
    found = quality_of(runs, "")
    return rate(found.wrong, found.reviewed)


def read_absent(runs: RetrievalRunQuerySet) -> Measured:
    found = runs.order_by().aggregate(of=Count("pk"), part=absent_count())
    return rate(found["part"], found["of"])


def read_failures(runs: RetrievalRunQuerySet) -> Measured:
    """What people stopped themselves is no error."""
    failed = Q(status="failed") & ~Q(failure__in=STOPPED_RUNS)
    found = runs.order_by().aggregate(of=Count("pk"), part=Count("pk", filter=failed))
    return rate(found["part"], found["of"])


def read_repairs(runs: RetrievalRunQuerySet) -> Measured:
    quoted = newest_candidates(runs).filter(anchor_repair__status__in=REPAIRS)
    found = quoted.aggregate(of=Count("pk"), part=Count("pk", filter=~Q(anchor_repair__status="exact")))
    return rate(found["part"], found["of"])


def read_cost(runs: RetrievalRunQuerySet) -> Measured:
    """The currency most was paid in; `of` are the calls that were paid."""
    rows = paid_calls(runs).values("charge__currency").annotate(of=Count("pk"), amount=Sum("charge__amount"))
    most = max(rows, key=lambda row: row["amount"], default=None)
    return Measured(most["amount"], most["of"], most["charge__currency"]) if most else Measured(Decimal(0), 0)


QUESTIONS = npgettext_lazy("counted", "question", "questions", "n")
# The defaults want enough of everything that three questions alarm nobody.
MEASURES = {
    "wrong": Measure(
        _("Wrong answers"),
        npgettext_lazy("counted", "reviewed answer", "reviewed answers", "n"),
        read_wrong,
        Decimal(10),
        10,
        days=30,
    ),
    "not_found": Measure(_("Without an answer"), QUESTIONS, read_absent, Decimal(40), 20),
    "repairs": Measure(
        _("Quotes shortened or rejected"),
        npgettext_lazy("counted", "quote", "quotes", "n"),
        read_repairs,
        Decimal(25),
        40,
    ),
    "failures": Measure(_("Stopped by an error"), QUESTIONS, read_failures, Decimal(5), 20),
    "cost": Measure(
        _("Cost"), npgettext_lazy("counted", "call", "calls", "n"), read_cost, Decimal(20), 20, is_rate=False
    ),
}


def read_measure(base: KnowledgeBase, name: str) -> Measured:
    measure = MEASURES[name]
    since = timezone.now() - timedelta(days=measure.days)
    return measure.read(RetrievalRun.objects.filter(base=base, created_at__gte=since))
