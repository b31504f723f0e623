"""Draw a period's statistics as charts: which numbers, in which colour, under which labels."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter, itemgetter

from django.utils.translation import gettext

from audit.runs.outcomes import REPAIR_NAMES
from audit.statistics.charts import Bars, Chart, LegendKey, Point, Series, bars, columns
from audit.statistics.period import REPAIRS, PeriodFigures, Rate, Repairs

PER_CENT = " %"
REPAIR_COLOURS = {"exact": "in-good", "truncated": "in-warn", "rejected": "in-bad"}


@dataclass(frozen=True, kw_only=True)
class DrawnFigures(PeriodFigures):
    """The figures with their charts, as the page shows them."""

    absent_chart: Chart
    agreement_chart: Chart
    signs_bars: Bars
    repairs_bars: Bars
    contributions_bars: Bars
    latency_bars: Bars
    calls_bars: Bars
    costs_chart: Chart


def draw(figures: PeriodFigures) -> DrawnFigures:
    """Draw every chart in the language of the request."""
    return DrawnFigures(
        **vars(figures),
        absent_chart=draw_absent(figures),
        agreement_chart=draw_agreement(figures),
        signs_bars=draw_signs(figures),
        repairs_bars=draw_repairs(figures),
        contributions_bars=draw_contributions(figures),
        latency_bars=draw_latencies(figures),
        calls_bars=draw_calls(figures),
        costs_chart=draw_costs(figures),
    )


def draw_absent(figures: PeriodFigures) -> Chart:
    return columns(
        points_of(figures.absent),
        LegendKey("in-warn", gettext("share of the questions without an answer, or without a clear one")),
        gettext("Share of questions without an answer, over time"),
        unit=PER_CENT,
        most=100.0,
    )


def draw_agreement(figures: PeriodFigures) -> Chart:
    return columns(
        points_of(figures.agreements),
        LegendKey("in-good", gettext("share of the reviewed roles that the auditor agreed with")),
        gettext("Share of roles auditors agreed with, by month"),
        unit=PER_CENT,
        most=100.0,
    )


def draw_signs(figures: PeriodFigures) -> Bars:
    return bars(
        figures.signs,
        Series("in-good", gettext("with a verdict"), attrgetter("reviewed")),
        Series("in-other", gettext("waiting"), attrgetter("waiting")),
    )


def draw_repairs(figures: PeriodFigures) -> Bars:
    series = (Series(REPAIR_COLOURS[name], str(REPAIR_NAMES[name]), count_of_repair(name)) for name in REPAIRS)
    return bars(figures.repairs, *series)


def count_of_repair(name: str) -> Callable[[Repairs], float]:
    return lambda row: row.counts[name]


def draw_contributions(figures: PeriodFigures) -> Bars:
    return bars(
        figures.contributions,
        Series("in-good", gettext("kept"), attrgetter("kept")),
        Series("in-other", gettext("refused"), attrgetter("refused")),
    )


def draw_latencies(figures: PeriodFigures) -> Bars:
    return bars(
        figures.latencies,
        Series("in-blue", gettext("half of the questions took at most this"), attrgetter("p50")),
        Series("in-pale", gettext("95 of 100 took at most this"), attrgetter("beyond")),
        unit=" ms",
    )


def draw_calls(figures: PeriodFigures) -> Bars:
    return bars(
        figures.calls,
        Series("in-blue", gettext("sent anew"), lambda row: row["sent"] - row["cached"]),
        Series("in-pale", gettext("sent, cached"), itemgetter("cached")),
        Series("in-violet", gettext("received"), itemgetter("received")),
    )


def draw_costs(figures: PeriodFigures) -> Chart:
    currencies = ", ".join(sorted({row.currency for row in figures.costs}))
    return columns(
        [Point(row.when, float(row.amount), f"{row.when}: {row.amount} {row.currency}") for row in figures.costs],
        LegendKey("in-blue", gettext("what the priced calls cost, in %(currency)s") % {"currency": currencies}),
        gettext("Cost of the calls, over time"),
    )


def points_of(rates: Iterable[Rate]) -> list[Point]:
    return [
        Point(
            rate.when,
            rate.percent,
            f"{rate.when}: " + gettext("%(part)s of %(all)s") % {"part": rate.part, "all": rate.of},
        )
        for rate in rates
    ]
