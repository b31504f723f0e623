"""The text around an anchor in each scope, out of the reading a run saw and no other."""

import uuid

import pytest

from documents.models import Document, KnowledgeBase, Parse
from documents.storage.store import store_reading
from reading.passages import cut_passages
from reading.plain_text import read_markdown
from retrieval.candidates import widening
from retrieval.candidates.widening import (
    GONE,
    NO_SECTION,
    SCOPES,
    Scope,
    Widened,
    lines_in_scope,
    read_scope,
    read_widened,
)
from retrieval.tests.builders import content_of_lines
from retrieval.types import LineRange

LEASE = "Lease of the hall\n\n# Rent\n\nThe rent is 900 euros.\n\nIt is due on Monday.\n\n# Keys\n\nThere are 2 keys.\n"
RENT = LineRange(3, 3)


@pytest.fixture
def document(db: None) -> Document:
    base = KnowledgeBase.objects.create(name="Library")
    return Document.objects.create(
        base=base, title="Lease", file_name="lease.md", sha256="0" * 64, size_bytes=1, media_type="text/markdown"
    )


def read_as(document: Document, text: str) -> Parse:
    reading = read_markdown(text)
    parse = store_reading(document, reading, cut_passages(reading), {})
    Document.objects.filter(pk=document.pk).update(current_parse=parse)
    return parse


def said(widened: Widened) -> list[str]:
    return [f"{'*' if line.is_anchor else ''}{line.text}" for line in widened.lines]


@pytest.mark.parametrize(
    ("scope", "shown"),
    [
        ("line", ["*The rent is 900 euros."]),
        ("section", ["Rent", "*The rent is 900 euros.", "It is due on Monday."]),
        (
            "page",
            [
                "Lease of the hall",
                "Rent",
                "*The rent is 900 euros.",
                "It is due on Monday.",
                "Keys",
                "There are 2 keys.",
            ],
        ),
    ],
)
def test_each_scope_has_its_lines_and_marks_the_anchor(document: Document, scope: Scope, shown: list[str]) -> None:
    widened = read_widened(read_as(document, LEASE).pk, RENT, scope)
    assert said(widened) == shown and widened.boxes and not widened.is_cut and widened.absence == ""


def test_a_paragraph_is_the_lines_beside_it() -> None:
    content = content_of_lines(["# Rent", *[f"Line {n}." for n in range(20)], "# Keys", "Two keys."])
    assert lines_in_scope("paragraph", LineRange(12, 12), content) == LineRange(7, 17)
    assert lines_in_scope("section", LineRange(12, 12), content) == LineRange(1, 21)


def test_the_text_is_that_of_the_reading_the_run_saw(document: Document) -> None:
    first = read_as(document, LEASE)
    later = read_as(document, LEASE.replace("900", "1,400"))
    assert said(read_widened(first.pk, RENT, "line")) == ["*The rent is 900 euros."]
    assert said(read_widened(later.pk, RENT, "line")) == ["*The rent is 1,400 euros."]


def test_it_says_what_is_missing(document: Document) -> None:
    parse = read_as(document, LEASE)
    assert read_widened(parse.pk, LineRange(1, 1), "section").absence == NO_SECTION
    assert read_widened(parse.pk, LineRange(99, 99), "line").absence == GONE
    assert read_widened(uuid.uuid4(), RENT, "line").absence == GONE


def test_what_is_too_long_is_cut_around_the_anchor(document: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widening, "CHARS_MAX", 60)
    widened = read_widened(read_as(document, LEASE).pk, RENT, "page")
    assert widened.is_cut and "*The rent is 900 euros." in said(widened) and "There are 2 keys." not in said(widened)


def test_a_running_head_is_in_no_section() -> None:
    pages = [line for n in range(3) for line in (("Acme Bakery SARL", "furniture"), f"# Part {n}", f"Text {n}.", "---")]
    content = content_of_lines(pages[:-1])  # type: ignore[arg-type]
    head = LineRange(1, 1)
    assert 1 in content.running_heads
    assert lines_in_scope("section", head, content) is None and lines_in_scope("paragraph", head, content) == head


def test_an_address_names_a_scope_or_nothing() -> None:
    assert [read_scope(name) for name in (*SCOPES, "book", "")] == [*SCOPES, None, None]
