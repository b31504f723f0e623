"""A piece of a line gets the box where its characters stand."""

import pytest

from reading.boxes import boxes_of, text_width
from reading.rows import LineRow, LineSpan

TEXT = "Total assets 2,213 2,158"
LINE = LineRow(
    7, 1, 3, 0, TEXT, TEXT.lower(), 70, 100, 500, 112, 0, "table_row", "text",
    (LineSpan(0, 12, 70, 130), LineSpan(13, 18, 400, 430), LineSpan(19, 24, 470, 500)),
)  # fmt: skip
ROTATED = LINE._replace(number=8, spans=())


@pytest.mark.parametrize(
    ("start", "end", "x0", "x1"),
    [(0, 24, 70, 500), (13, 18, 400, 430), (12, 18, 400, 430), (13, 24, 400, 500), (0, 13, 70, 130)],
)
def test_it_ends_boxes_at_spans(start: int, end: int, x0: float, x1: float) -> None:
    assert boxes_of([(7, start, end)], {7: LINE}) == [(3, x0, 100, x1, 112)]


def test_it_shares_a_span_out_by_the_widths_of_its_characters() -> None:
    (box,) = boxes_of([(7, 6, 12)], {7: LINE})
    share = (text_width("Total ") - text_width(" ") / 2) / text_width("Total assets")
    assert box.x0 == pytest.approx(70 + 60 * share) and box.x1 == 130
    (first,) = boxes_of([(7, 0, 5)], {7: LINE})
    assert first.x1 == pytest.approx(box.x0)  # both edges lie in the middle of the space
    assert boxes_of([(7, 0, 1)], {7: LINE})[0].x1 < first.x1


def test_it_gives_one_box_a_piece_and_the_whole_line_where_text_is_turned() -> None:
    boxes = boxes_of([(7, 0, 5), (8, 3, 4), (99, 0, 4), (7, 4, 4)], {7: LINE, 8: ROTATED})
    assert len(boxes) == 2
    assert (boxes[1].x0, boxes[1].x1) == (70, 500)
