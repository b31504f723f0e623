"""Tables in words: a label and, beside it, what is said of it. A row is quoted, and a head with its rows."""

from dataclasses import replace

import pytest

from documents.storage.content import DocumentContent
from reading.rows import LineSpan
from retrieval.candidates.aggregation import sentence_around
from retrieval.candidates.sentences import sentences_at
from retrieval.candidates.units import rows_of_words, units_of
from retrieval.tests.builders import content_of_lines
from retrieval.types import LineRange

HEIGHT, VALUES_AT = 12.0, 220.0
#: Label and value, and the points from the line above: 17 between two rows, 12 inside one.
SUMMARY = [
    ("This summary forms part of the contract and is read", "", 30),
    ("with its articles.", "", 14),
    ("Term", "Agreed position", 30),
    ("Monthly charge of the first", "EUR 113,000", 17),
    ("two years", "", 12),
    ("Premium", "EUR 18,400 for the cover", 17),
    ("", "of the Provider", 12),
    ("Notice to", "One hundred and eighty", 17),
    ("terminate", "(180) days", 12),
    ("Law", "Ireland", 17),
    ("The managers of the contract are named in Annex A", "", 30),
    ("and may be replaced.", "", 14),
]


def laid_out(rows: list[tuple[str, str, int]]) -> DocumentContent:
    content = content_of_lines(["# Summary", *(" ".join(filter(None, row[:2])) for row in rows)])
    lines, y = [content.lines[0]], content.lines[0].y0
    for line, (label, value, step) in zip(content.lines[1:], rows, strict=True):
        y += step
        at = len(line.text) - len(value)
        spans = [LineSpan(0, len(label), 72.0, 72.0 + 5 * len(label))] if label else []
        spans += [LineSpan(at, len(line.text), VALUES_AT, VALUES_AT + 5 * len(value))] if value else []
        x0, x1 = spans[0].x0, spans[-1].x1
        lines.append(line._replace(spans=tuple(spans), x0=x0, x1=x1, y0=y, y1=y + HEIGHT))
    return replace(content, lines=tuple(lines))


@pytest.fixture(scope="module")
def summary() -> DocumentContent:
    return laid_out(SUMMARY)


def line_of(text: str, content: DocumentContent) -> int:
    return next(line.number for line in content.lines if text in line.text)


def quote(text: str, content: DocumentContent) -> str:
    number = line_of(text, content)
    return sentences_at(LineRange(number, number), number, (), content).text


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("113,000", "Monthly charge of the first EUR 113,000\ntwo years"),
        ("two years", "Monthly charge of the first EUR 113,000\ntwo years"),
        ("18,400", "Premium EUR 18,400 for the cover\nof the Provider"),
        ("hundred", "Notice to One hundred and eighty\nterminate (180) days"),
        ("180", "Notice to One hundred and eighty\nterminate (180) days"),
        ("Ireland", "Law Ireland"),
        ("managers", "The managers of the contract are named in Annex A\nand may be replaced."),
    ],
)
def test_a_row_is_quoted_with_its_further_lines_and_nothing_else(text: str, row: str, summary: DocumentContent) -> None:
    assert quote(text, summary) == row
    first = line_of(row.split("\n")[0], summary)
    assert sentence_around(line_of(text, summary), summary) == (first, first + row.count("\n"))


def test_a_head_is_quoted_with_the_rows_below_it(summary: DocumentContent) -> None:
    """Alone it answers nothing."""
    told = quote("Agreed position", summary)
    assert told.startswith("Term Agreed position\nMonthly charge") and told.endswith("Law Ireland")
    assert sentence_around(line_of("Agreed", summary), summary) == (line_of("Agreed", summary), line_of("Law", summary))


def test_a_label_with_a_colon_is_no_head() -> None:
    content = laid_out([("Landlord:", "Mill Lane Estates", 30), ("Tenant:", "Ada Osei", 17), ("Rent:", "EUR 900", 17)])
    assert quote("Mill Lane", content) == "Landlord: Mill Lane Estates"


@pytest.mark.parametrize(
    "rows",
    [
        [("Law", "Ireland", 30), ("is what governs it and all that follows from it", "", 14)],  # one alone
        [("Both", "sides of", 30), ("this text", "stand in lines", 13), ("as close", "as any", 13)],  # not apart
        [("By hand", "or", 30), ("by a letter that is registered", "and paid", 17)],  # no gap
    ],
)
def test_other_text_in_two_parts_is_no_table(rows: list[tuple[str, str, int]]) -> None:
    assert not rows_of_words(laid_out(rows))


def test_each_row_is_a_unit(summary: DocumentContent) -> None:
    starts = {summary.lines[start - 1].text.split()[0] for start in units_of(summary).starts}
    assert {"Term", "Monthly", "Premium", "Notice", "Law", "The"} <= starts and not {"two", "of"} & starts
