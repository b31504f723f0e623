# mypy: disallow-untyped-calls=False
"""A sign that only its font knows is never lost beside a number; bullets, icons and leaders stay as they are."""

from pathlib import Path

import pytest

from reading.layout.extracted import Span, SpanLine
from reading.layout.private_use import doubt_private_use
from reading.layout.tests.test_unknown import DIGITS_MAP, WITHOUT_HYPHEN, texts, write_with_map
from reading.limits import Limits
from reading.pdf_reader import read_pdf

PRIVATE_HYPHEN = {DIGITS_MAP: f"{WITHOUT_HYPHEN}\n<000e> <000e> <f02d>"}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Net result -4 684", "Net result \ufffd4 684"),
        ("Net result - 4 684", "Net result \ufffd 4 684"),
        ("Net result -£4 684", "Net result \ufffd£4 684"),
        ("Net result 4 684-", "Net result 4 684\ufffd"),
        ("-4 684", "\ufffd4 684"),
        ("- 4 684 EUR", "\ufffd 4 684 EUR"),
        ("Cost (-4 684) of sales", "Cost (\ufffd4 684) of sales"),
    ],
)
def test_a_private_sign_beside_a_number_cannot_be_read(tmp_path: Path, text: str, seen: str) -> None:
    reading = read_pdf(write_with_map(tmp_path / "loss.pdf", [text], PRIVATE_HYPHEN), Limits())
    assert texts(reading) == [seen] and reading.warnings == ("signs_unread(1)",)


@pytest.mark.parametrize(
    "text", ["A well-known name", "- 3 months of notice are given", "- The rent", "Rent ------- 12", "Rent - of 2020"]
)
def test_other_private_signs_stay_as_they_are(tmp_path: Path, text: str) -> None:
    reading = read_pdf(write_with_map(tmp_path / "list.pdf", [text], PRIVATE_HYPHEN), Limits())
    assert texts(reading) == [text.replace("-", "\uf02d")] and reading.warnings == ()


def test_a_private_sign_without_ink_is_a_blank(tmp_path: Path) -> None:
    blank = {"<0001> <0007> <0020>": "<0001> <0001> <e003>\n<0002> <0007> <0021>"}
    reading = read_pdf(write_with_map(tmp_path / "blank.pdf", ["Sales 188 412"], blank), Limits())
    assert texts(reading) == ["Sales 188 412"] and reading.warnings == ()


def line_of(*spans: tuple[str, float, float, str]) -> SpanLine:
    made: list[Span] = [
        {"text": text, "bbox": (x0, 0.0, x1, 10.0), "size": 10.0, "font": font} for text, x0, x1, font in spans
    ]
    return {"spans": made}


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        (line_of(("Loss \uf02d", 0, 30, "A"), ("614", 30, 45, "B")), "Loss \ufffd|614"),
        (line_of(("Loss \uf02d", 0, 30, "A"), ("614", 60, 75, "B")), "Loss \uf02d|614"),
        (
            line_of(
                ("\uf095 030 1234", 0, 60, "FontAwesome5Free-Solid"),
            ),
            "\uf095 030 1234",
        ),
        (line_of(("614", 0, 15, "A"), ("\ue00b", 15.5, 20, "A")), "614|\ufffd"),
    ],
)
def test_spans_that_follow_on_each_other_are_looked_at_together(line: SpanLine, seen: str) -> None:
    doubt_private_use([line])
    assert "|".join(span["text"] for span in line["spans"]) == seen
