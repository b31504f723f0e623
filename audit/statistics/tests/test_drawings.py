"""The figures of a period as drawings: which numbers go in, how many, in which colour, and under which words."""

from decimal import Decimal
from typing import Any

import pytest
from django.utils import translation

from audit.statistics.drawings import (
    REPAIR_COLOURS,
    draw,
    points_of,
)
from audit.statistics.period import (
    REPAIRS,
    Contribution,
    Latency,
    PeriodFigures,
    PeriodSpending,
    Rate,
    Repairs,
    Sign,
    compute_figures,
)
from retrieval.models import RetrievalRun


@pytest.fixture
def nothing(db: None) -> PeriodFigures:
    return compute_figures(RetrievalRun.objects.all(), 30)


def with_figures(figures: PeriodFigures, **changes: Any) -> PeriodFigures:
    return PeriodFigures(**(vars(figures) | changes))


def test_a_period_without_a_run_is_drawn_empty(nothing: PeriodFigures) -> None:
    drawn = draw(nothing)
    assert drawn.runs == 0 and drawn.absent == nothing.absent
    for chart in (drawn.agreement_chart, drawn.costs_chart):
        assert chart.summary and all(rect.height == 0 or rect.css == "track" for rect in chart.rects)
    for made in (drawn.contributions_bars, drawn.latency_bars, drawn.repairs_bars, drawn.signs_bars):
        assert made.keys and all(bar.end == 0 for _, bar in made.rows)


@pytest.mark.parametrize(
    ("part", "of", "percent"), [(0, 0, 0.0), (0, 3, 0.0), (1, 3, 33.3), (3, 3, 100.0), (1, 8, 12.5)]
)
def test_a_rate_becomes_a_column_of_its_percentage(part: int, of: int, percent: float) -> None:
    [point] = points_of([Rate("May", part, of)])
    assert (point.label, point.value, point.title) == ("May", percent, f"May: {part} of {of}")


@pytest.mark.parametrize(("field", "name"), [("absent", "absent_chart"), ("agreements", "agreement_chart")])
def test_a_share_is_drawn_against_a_full_column(nothing: PeriodFigures, field: str, name: str) -> None:
    chart = getattr(draw(with_figures(nothing, **{field: (Rate("a", 1, 2), Rate("b", 2, 2))})), name)
    track, half, _, full = chart.rects
    assert track.css == "track" and full.height == track.height == pytest.approx(2 * half.height)
    assert "50 %" in [label.text for label in chart.labels] and half.title == "a: 1 of 2"


def test_signs_are_parted_by_verdict(nothing: PeriodFigures) -> None:
    made = draw(with_figures(nothing, signs=(Sign("low", "Low", 5, 2), Sign("none", "None", 0, 0)))).signs_bars
    (first, bar), (_, empty) = made.rows
    assert first.name == "low" and bar.value == "5" and bar.words == "with a verdict: 2, waiting: 3"
    assert empty.value == "0" and empty.rects == ()


def test_repairs_have_a_colour_each(nothing: PeriodFigures) -> None:
    assert set(REPAIR_COLOURS) == set(REPAIRS)
    counts = {name: number for number, name in enumerate(REPAIRS, 1)}
    [(_, bar)] = draw(with_figures(nothing, repairs=(Repairs("rules", counts, 6),))).repairs_bars.rows
    assert [rect.css for rect in bar.rects] == [REPAIR_COLOURS[name] for name in REPAIRS]
    assert [rect.title.rpartition(": ")[2] for rect in bar.rects] == ["1", "2", "3"]


def test_what_a_detector_proposed_is_kept_or_refused(nothing: PeriodFigures) -> None:
    figures = with_figures(nothing, contributions=(Contribution("titles", 7, 2, 4, 1),))
    [(_, bar)] = draw(figures).contributions_bars.rows
    assert (bar.value, bar.words) == ("7", "kept: 4, refused: 3")


def test_times_end_at_the_slowest_of_twenty(nothing: PeriodFigures) -> None:
    figures = with_figures(nothing, latencies=(Latency("parse", 9, 4.0, 10.5),))
    [(_, bar)] = draw(figures).latency_bars.rows
    assert bar.value == "10.5 ms" and [rect.css for rect in bar.rects] == ["in-blue", "in-pale"]


def test_tokens_that_were_cached_are_not_counted_twice(nothing: PeriodFigures) -> None:
    figures = with_figures(nothing, calls=[{"sent": 10, "cached": 4, "received": 3}])
    [(_, bar)] = draw(figures).calls_bars.rows
    assert (bar.value, bar.words) == ("13", "sent anew: 6, sent, cached: 4, received: 3")


def test_costs_name_their_currencies(nothing: PeriodFigures) -> None:
    assert draw(nothing).costs_chart.rects == ()
    rows = tuple(PeriodSpending("May", 1, Decimal(3), currency) for currency in ("USD", "EUR", "USD"))
    chart = draw(with_figures(nothing, costs=rows)).costs_chart
    assert len(chart.rects) == 3 and "EUR, USD" in chart.keys[0].words and chart.rects[0].title == "May: 3 USD"


def test_drawings_are_in_the_language_of_the_reader(nothing: PeriodFigures) -> None:
    def words() -> tuple[str, str]:
        drawn = draw(nothing)
        return drawn.absent_chart.summary, drawn.calls_bars.keys[0].words

    english = words()
    with translation.override("fr"):
        french = words()
    assert french[0] != english[0]
    assert french[1] != english[1]
