"""The pictures that cited lines stand in or caption, and what is said of them (R85)."""

import pytest

from reading.registry.objects import read_registry
from reading.registry.pictures import pictures_at
from reading.rows import ImageRow, LineKind, LineRow, PageRow

PAGE = PageRow(1, "1", 600.0, 800.0, 0, "text", 1, ())


def line(number: int, y0: float, text: str, kind: LineKind = "body", *, method: str = "text") -> LineRow:
    return LineRow(number, number, 1, 0, text, text.lower(), 80.0, y0, 300.0, y0 + 10, 0, kind, method, ())


LINES = (
    line(1, 60, "Some text above the picture."),
    line(2, 150, "Axis of the picture"),
    line(3, 310, "Figure 1: A mill", "caption"),
    line(4, 322, "and its wheel, seen from the river."),
    line(5, 350, "A paragraph of its own begins here."),
)
MILL = ImageRow(1, 1, 80.0, 100.0, 180.0, 300.0, 640, 480)
WHEEL = ImageRow(1, 2, 190.0, 105.0, 300.0, 295.0, 640, 480)
LOGO = ImageRow(1, 3, 80.0, 55.0, 120.0, 75.0, 64, 48)
SCAN = ImageRow(1, 4, 0.0, 0.0, 600.0, 800.0, 2400, 3200)
FAR = ImageRow(1, 5, 80.0, 600.0, 300.0, 760.0, 640, 480)
PICTURES = (MILL, WHEEL, LOGO, SCAN, FAR)


def cite(*numbers: int, lines: tuple[LineRow, ...] = LINES) -> list[tuple[float, str]]:
    """The left edge and the state of each picture of the cited lines."""
    objects = read_registry(lines, [], PICTURES[:2] + PICTURES[4:]).objects
    cited = [each for each in lines if each.number in numbers]
    return [(box.x0, str(box.as_dict()["picture"])) for box in pictures_at(cited, lines, PAGE, PICTURES, objects)]


@pytest.mark.parametrize("number", [3, 4])
def test_a_caption_brings_its_picture_with_the_panel_beside_it(number: int) -> None:
    assert cite(number) == [(80.0, "not_read"), (190.0, "not_read")]


def test_a_line_inside_a_picture_brings_it() -> None:
    within = (LINES[0], line(2, 650, "Axis of the picture"), *LINES[2:])
    assert cite(2, lines=within) == [(80.0, "not_read")]


@pytest.mark.parametrize("number", [1, 5])
def test_other_text_brings_no_picture_nor_logo_nor_the_scan_it_stands_on(number: int) -> None:
    assert cite(number) == []


def test_a_picture_in_which_text_was_recognised_says_so() -> None:
    recognised = LINES[1]._replace(method="ocr_picture", x0=85.0, x1=170.0)
    assert cite(3, lines=(LINES[0], recognised, *LINES[2:])) == [(80.0, "read"), (190.0, "not_read")]


def test_a_table_whose_text_was_read_brings_no_picture_and_one_that_is_a_picture_does() -> None:
    caption = line(3, 310, "Table 1: Mills", "caption")
    lines = (*LINES[:2], caption, *LINES[3:])
    assert cite(3, lines=lines) == [(80.0, "not_read"), (190.0, "not_read")]
    [table] = read_registry(lines, [], PICTURES).objects
    read = table._replace(y1=400.0)
    assert pictures_at([caption], lines, PAGE, [MILL], [read]) == []
