"""Draw a period's statistics as charts: which numbers, in which colour, under which labels."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter, itemgetter

from django.utils.translation import gettext

from audit.runs.outcomes import REPAIR_NAMES
from audit.statistics.charts import Bars, Chart, LegendKey, Point, Series, bars, columns
from audit.statistics.period import REPAIRS, PeriodFigures, Rate, Repairs

PER_CENT = " %"
REPAIR_COLOURS = {"exact": "in-good", "truncated": "in-warn", "rejected": "in-bad"}


@dataclass(frozen=True, kw_only=True)
class DrawnFigures(PeriodFigures):
    """The figures with their charts, as the page shows them, drawn in the language of the request."""

    @cached_property
    def absent_chart(self) -> Chart:
        return columns(
            points_of(self.absent),
            LegendKey("in-warn", gettext("share of the questions without an answer, or without a clear one")),
            gettext("Share of questions without an answer, over time"),
            unit=PER_CENT,
            most=100.0,
        )

    @cached_property
    def agreement_chart(self) -> Chart:
        return columns(
            points_of(self.agreements),
            LegendKey("in-good", gettext("share of the reviewed roles that the auditor agreed with")),
            gettext("Share of roles auditors agreed with, by month"),
            unit=PER_CENT,
            most=100.0,
        )

    @cached_property
    def signs_bars(self) -> Bars:
        return bars(
            self.signs,
            Series("in-good", gettext("with a verdict"), attrgetter("reviewed")),
            Series("in-other", gettext("waiting"), attrgetter("waiting")),
        )

    @cached_property
    def repairs_bars(self) -> Bars:
        series = (Series(REPAIR_COLOURS[name], str(REPAIR_NAMES[name]), count_of_repair(name)) for name in REPAIRS)
        return bars(self.repairs, *series)

    @cached_property
    def contributions_bars(self) -> Bars:
        return bars(
            self.contributions,
            Series("in-good", gettext("kept"), attrgetter("kept")),
            Series("in-other", gettext("refused"), attrgetter("refused")),
        )

    @cached_property
    def latency_bars(self) -> Bars:
        return bars(
            self.latencies,
            Series("in-blue", gettext("half of the questions took at most this"), attrgetter("p50")),
            Series("in-pale", gettext("95 of 100 took at most this"), attrgetter("beyond")),
            unit=" ms",
        )

    @cached_property
    def calls_bars(self) -> Bars:
        return bars(
            self.calls,
            Series("in-blue", gettext("sent anew"), lambda row: row["sent"] - row["cached"]),
            Series("in-pale", gettext("sent, cached"), itemgetter("cached")),
            Series("in-violet", gettext("received"), itemgetter("received")),
        )

    @cached_property
    def costs_chart(self) -> Chart:
        currencies = ", ".join(sorted({row.currency for row in self.costs}))
        return columns(
            [Point(row.when, float(row.amount), f"{row.when}: {row.amount} {row.currency}") for row in self.costs],
            LegendKey("in-blue", gettext("what the priced calls cost, in %(currency)s") % {"currency": currencies}),
            gettext("Cost of the calls, over time"),
        )


def draw(figures: PeriodFigures) -> DrawnFigures:
    return DrawnFigures(**vars(figures))


def count_of_repair(name: str) -> Callable[[Repairs], float]:
    return lambda row: row.counts[name]


def points_of(rates: Iterable[Rate]) -> list[Point]:
    return [
        Point(
            rate.when,
            rate.percent,
            f"{rate.when}: " + gettext("%(part)s of %(all)s") % {"part": rate.part, "all": rate.of},
        )
        for rate in rates
    ]
