"""The rows are plain values: their columns are those of the tables, and they pass between processes unchanged."""

import json
from typing import Any, NamedTuple, cast, get_args

import pytest

from documents.models import Line, Page, Passage, TocEntry
from reading.processes.transfer import decode_reading, encode_reading
from reading.rows import (
    FRONT_INDEX,
    UNSEARCHED_KINDS,
    LineKind,
    LineRow,
    LineSpan,
    PageRow,
    PassageRow,
    Reading,
    ReadingReport,
    TextLayer,
    TocOrigin,
    TocRow,
)

SPANS = (LineSpan(0, 3, 72.0, 80.5), LineSpan(4, 9, 90.0, 120.25))
LINE = LineRow(1, 1, 1, 0, "a\u202eb 漢字\u0007", "ab 漢字", 72.0, 90.0, 120.25, 101.0, 0, "body", "text", SPANS)
PAGE = PageRow(1, "iv", 595.0, 842.0, 90, "ocr", 2, ("recognised", "huge_page"))
ENTRY = TocRow(1, 1, None, "3.2.1", "A “title”", "A > B", 1, 2, 1, 1, "outline", 0.75)
READING = Reading(
    title="Ünïcode 🙂",
    language="fr",
    pages=(PAGE, PAGE._replace(number=2, flags=())),
    lines=(LINE, LINE._replace(number=2, spans=())),
    toc=(ENTRY, ENTRY._replace(index=2, parent_index=1)),
    warnings=("pages_unreadable(1-3, 7)",),
    report=cast(ReadingReport, {"chars": 3, "line_kinds": {"body": 2}, "nested": [None, True, 0.5]}),
    timings_ms={"lines": 1.5},
)


@pytest.mark.parametrize(
    ("row", "model"), [(PageRow, Page), (LineRow, Line), (TocRow, TocEntry), (PassageRow, Passage)]
)
def test_a_row_has_the_columns_of_its_table(row: Any, model: Any) -> None:
    columns = {field.name for field in model._meta.get_fields() if field.concrete}
    assert set(row._fields) <= columns
    own = {"id", "parse", "search", "annotation_call"}
    assert columns - set(row._fields) - own == set(), "a column nobody fills"


@pytest.mark.parametrize(
    ("words", "model", "field"),
    [
        (LineKind, Line, "kind"),
        (TextLayer, Page, "text_layer"),
        (TocOrigin, TocEntry, "origin"),
    ],
)
def test_every_word_fits_its_column(words: Any, model: Any, field: str) -> None:
    width = model._meta.get_field(field).max_length
    assert {word for word in get_args(words) if len(word) > width} == set()


def test_what_is_not_searched_is_a_kind_of_line() -> None:
    assert set(get_args(LineKind)) > UNSEARCHED_KINDS and FRONT_INDEX == 0


@pytest.mark.parametrize(
    "reading",
    [
        READING,
        Reading("", "", (), (), ()),
        Reading("x" * 500, "und", (PAGE,), (), (ENTRY,), report={"embeddings": ""}),
    ],
)
def test_a_reading_passes_between_processes_unchanged(reading: Reading) -> None:
    decoded = decode_reading(json.loads(encode_reading(reading)))
    assert decoded == reading
    for row, kind in ((decoded.pages, PageRow), (decoded.lines, LineRow), (decoded.toc, TocRow)):
        assert {type(one) for one in row} <= {kind}
    assert all(isinstance(span, LineSpan) for line in decoded.lines for span in line.spans)


@pytest.mark.parametrize("value", [LINE, PAGE, ENTRY])
def test_a_row_cannot_be_changed_and_counts_as_its_values(value: NamedTuple) -> None:
    with pytest.raises(AttributeError):
        value.number = 7  # type: ignore[attr-defined]
    assert hash(value) == hash(value._replace()) and value == tuple(value)


def test_readings_do_not_share_what_can_be_changed() -> None:
    one, other = Reading("", "", (), (), ()), Reading("", "", (), (), ())
    one.report["chars"] = 1
    one.timings_ms["rows"] = 1.0
    assert other.report == {} and other.timings_ms == {}


def test_a_passage_is_not_annotated_until_a_model_did() -> None:
    assert PassageRow(0, 1, 2, 1, 1, 0, "text", "words", "A > B").annotation == ""
