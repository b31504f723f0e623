"""Columns and bars: sizes at the edges (nothing, zero, one, very many, more than full), labels and numbers."""

from itertools import pairwise

import pytest

from audit.statistics.charts import (
    BAR_MAX,
    FOOT,
    HEAD,
    HEIGHT,
    LABELS_MAX,
    PLACE_MAX,
    Chart,
    LegendKey,
    Point,
    Series,
    bar,
    bars,
    columns,
    number,
)

KEY = LegendKey("in-good", "kept")
ROOM = HEIGHT - FOOT - HEAD


def drawn(*values: float, most: float = 0.0) -> Chart:
    return columns([Point(f"day {at}", value, f"title {at}") for at, value in enumerate(values)], KEY, "all", most=most)


def heights(chart: Chart) -> list[float]:
    return [rect.height for rect in chart.rects if rect.css == KEY.css]


@pytest.mark.parametrize(
    ("values", "most", "shares"),
    [
        ([], 0.0, []),
        ([0], 0.0, [0]),
        ([7], 0.0, [1]),
        ([0, 0, 0], 0.0, [0, 0, 0]),
        ([1, 2, 4], 0.0, [0.25, 0.5, 1]),
        ([1e-9, 1e9], 0.0, [0, 1]),
        ([25, 50], 100.0, [0.25, 0.5]),
        ([150], 100.0, [1]),  # more than full is full, and leaves the drawing nowhere
    ],
)
def test_columns_are_as_high_as_their_share(values: list[float], most: float, shares: list[float]) -> None:
    assert heights(drawn(*values, most=most)) == pytest.approx([ROOM * share for share in shares], abs=0.01)


@pytest.mark.parametrize("count", [1, 2, 9, 10, 11, 365])
def test_columns_stand_side_by_side_inside_the_drawing(count: int) -> None:
    rects = drawn(*[1.0] * count).rects
    assert len(rects) == count and max(rect.width for rect in rects) <= PLACE_MAX
    assert rects[0].x >= 0 and rects[-1].x + rects[-1].width <= 100.01
    assert all(left.x + left.width <= right.x + 0.011 for left, right in pairwise(rects))
    assert all(rect.y + rect.height == pytest.approx(HEIGHT - FOOT, abs=0.02) for rect in rects)


@pytest.mark.parametrize("count", [0, 1, LABELS_MAX, LABELS_MAX + 1, 90, 365])
def test_labels_do_not_run_into_each_other(count: int) -> None:
    labels = drawn(*[1.0] * count).labels
    named = [label.text for label in labels if label.text.startswith("day")]
    assert len(named) <= LABELS_MAX and len(labels) == 2 * len(named)
    assert named[:1] == (["day 0"] if count else [])


def test_a_full_column_is_drawn_pale_behind_each_only_where_there_is_one() -> None:
    assert [rect.css for rect in drawn(1, 2).rects] == [KEY.css] * 2
    full = drawn(1, 2, most=4)
    assert [rect.css for rect in full.rects] == ["track", KEY.css] * 2
    assert {rect.height for rect in full.rects if rect.css == "track"} == {ROOM}
    assert [rect.title for rect in full.rects] == ["title 0", "title 0", "title 1", "title 1"]


def test_a_chart_says_what_it_shows() -> None:
    chart = drawn(1)
    assert (chart.summary, chart.keys, chart.height, chart.foot) == ("all", (KEY,), HEIGHT, HEIGHT - FOOT)


# ---- bars


KEPT = Series("in-good", "kept", lambda row: row[0])
REFUSED = Series("in-other", "refused", lambda row: row[1])


def test_no_rows_make_no_bars_but_keep_their_key() -> None:
    assert bars([], KEPT, REFUSED) == ((LegendKey("in-good", "kept"), LegendKey("in-other", "refused")), ())


@pytest.mark.parametrize(
    ("rows", "ends"),
    [
        ([(0, 0)], [0]),
        ([(1, 0)], [BAR_MAX]),
        ([(1, 1), (4, 0)], [BAR_MAX / 2, BAR_MAX]),
        ([(1, 1), (0, 0), (1, 3)], [BAR_MAX / 2, 0, BAR_MAX]),
    ],
)
def test_bars_end_on_one_scale(rows: list[tuple[float, float]], ends: list[float]) -> None:
    made = [each for _, each in bars(rows, KEPT, REFUSED).rows]
    assert [each.end for each in made] == pytest.approx(ends)
    assert all(sum(rect.width for rect in each.rects) == pytest.approx(each.end, abs=0.02) for each in made)


def test_a_part_that_is_nothing_is_not_drawn_but_said() -> None:
    made = bar([0, 3], [LegendKey("a", "kept"), LegendKey("b", "refused")], 3.0, " ms")
    assert [rect.css for rect in made.rects] == ["b"] and made.words == "kept: 0 ms, refused: 3 ms"
    assert made.value == "3 ms"


def test_a_part_begins_where_the_one_before_ends() -> None:
    first, second = bar([1, 2], [KEY, KEY], 3.0, "").rects
    assert (first.x, second.x) == (0, first.width)


def test_rows_stay_with_their_bars() -> None:
    rows = [(3, 1), (1, 2)]
    assert [row for row, _ in bars(rows, KEPT).rows] == rows


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (0.0, "0"),
        (7.0, "7"),
        (1234, "1,234"),
        (1234567.5, "1,234,567.5"),
        (0.123456, "0.1235"),
        (99.99999, "100.0"),
        (-3, "-3"),
    ],
)
def test_numbers_as_people_write_them(value: float, written: str) -> None:
    assert number(value) == written
