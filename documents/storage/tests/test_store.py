"""Rows in and out of the database: everything of a reading comes back as it was, whole or not at all."""

from typing import Any, cast

import numpy as np
import pytest
from django.contrib.postgres.search import SearchQuery
from django.db import DataError, connection, transaction

from documents.base_settings import BaseSettings
from documents.models import Embedding, KnowledgeBase, Line, Packed, Page, Parse, Passage, TocEntry
from documents.storage.content import read_content
from documents.storage.store import (
    PARSER_VERSION,
    column_type,
    copy_rows,
    copy_vectors,
    erase_parses,
    index_passages,
    next_number,
    store_passages,
    store_reading,
)
from documents.tests.readings import HANDBOOK, make_document, store_rows, store_text
from reading.passages import cut_passages
from reading.plain_text import read_markdown, read_plain_text
from reading.rows import LineSpan, PageRow, PassageRow, Reading, ReadingReport

pytestmark = pytest.mark.django_db

ROWS = (Embedding, Line, Packed, Page, Passage, TocEntry, Parse)
HOSTILE = "Quote \" ' \\ backslash \\N \\. tab\tend, 漢字 🙂 الإيجار, {json} %s %% $1 --"


def counts() -> list[int]:
    return [model.objects.count() for model in ROWS]


def vectors_of(parse: Parse, owners: list[Any], key: str = "m/2", seed: int = 1) -> None:
    copy_vectors(parse, key, owners, np.random.default_rng(seed).random((len(owners), 2)).astype(np.float32))


def test_a_reading_comes_back_as_it_was(base: KnowledgeBase) -> None:
    reading = read_markdown(HANDBOOK)
    parse = store_rows(make_document(base), reading)
    content = read_content(parse)
    assert (content.pages, content.lines, content.toc) == (reading.pages, reading.lines, reading.toc)
    assert content.passages == tuple(cut_passages(reading, BaseSettings()))
    assert (parse.page_count, parse.line_count) == (len(reading.pages), len(reading.lines))
    assert (parse.language, parse.search_config, parse.parser_version) == ("en", "english", PARSER_VERSION)
    assert parse.report == reading.report and parse.settings == BaseSettings().to_json()


def test_text_that_looks_like_a_statement_is_text(base: KnowledgeBase) -> None:
    reading = read_plain_text(f"{HOSTILE}\n\n'; DROP TABLE documents_line; --\n")
    content = read_content(store_rows(make_document(base), reading))
    assert content.lines == reading.lines and "DROP TABLE" in content.passages[0].text
    assert content.lines[0].text.startswith("Quote \" ' \\ backslash \\N \\.")


def test_what_is_odd_of_a_page_is_kept(base: KnowledgeBase) -> None:
    reading = read_plain_text("One line")
    page = PageRow(1, "A-1", 595.32, 841.9, 270, "none", 3, ("unreadable", "huge_page"))
    line = reading.lines[0]._replace(spans=(LineSpan(0, 3, 1.5, 2.25), LineSpan(4, 8, 3.0, 4.0)), y0=-3.5)
    report = cast(ReadingReport, {"nested": {"é": [1, None]}})
    odd = Reading("", "", (page,), (line,), reading.toc, ("pages_unreadable(1)",), report)
    parse = store_rows(make_document(base), odd)
    content = read_content(parse)
    assert content.pages == (page,) and content.lines == (line,)
    assert (parse.unreadable_pages, parse.warnings, parse.search_config) == ([1], ["pages_unreadable(1)"], "simple")
    assert (parse.toc_origin, parse.toc_strength) == ("none", "none"), "what a report does not say"


def test_parses_are_numbered_by_document_and_old_ones_stay(base: KnowledgeBase) -> None:
    one, other = make_document(base, "one.md"), make_document(base, "other.md")
    assert next_number(one) == 1
    parses = [store_text(one), store_text(one, "# Another\n\ntext"), store_text(other)]
    assert [parse.number for parse in parses] == [1, 2, 1] and next_number(one) == 3
    assert read_content(parses[0]).lines[0].text == "Handbook"
    Parse.objects.filter(pk=parses[0].pk).delete()
    assert next_number(one) == 3, "a number is never given twice"


def test_a_long_title_is_cut_to_its_column(base: KnowledgeBase) -> None:
    reading = read_markdown(HANDBOOK)
    long = Reading("é" * 900, "en", reading.pages, reading.lines, reading.toc, report=reading.report)
    assert store_rows(make_document(base), long).title == "é" * 500


@pytest.mark.parametrize("change", [{"kind": "k" * 50}, {"number": -1}, {"text": None}, {"text": "a\x00b"}])
def test_a_row_no_table_takes_stores_nothing(base: KnowledgeBase, change: dict[str, Any]) -> None:
    reading = read_markdown(HANDBOOK)
    lines = (*reading.lines[:-1], reading.lines[-1]._replace(**change))
    bad = Reading("t", "en", reading.pages, lines, reading.toc, report=reading.report)
    document = make_document(base)
    with pytest.raises(Exception, match=r".") as caught, transaction.atomic():
        store_reading(document, bad, [], {})
    assert not isinstance(caught.value, AssertionError) and counts() == [0] * 7


# ---- full text


def hits(parse: Parse, words: str) -> list[int]:
    query = SearchQuery(words, config=parse.search_config, search_type="websearch")
    return list(parse.passages.filter(search=query).values_list("index", flat=True))


def test_passages_are_found_by_their_words_and_their_sections(base: KnowledgeBase) -> None:
    parse = store_text(make_document(base))
    assert len(hits(parse, "rents")) == len(hits(parse, "scope")) == 1 and hits(parse, "unicorn") == []
    assert hits(parse, '"seven years"') and hits(parse, "records -years") == []


def test_the_index_is_filled_anew_for_the_passages_named(base: KnowledgeBase) -> None:
    parse, other = store_text(make_document(base, "a.md")), store_text(make_document(base, "b.md"))
    first = parse.passages.order_by("index")[0].index
    index_passages(parse, [(first, "The RÉSUMÉ of a supplier"), (999, "nobody")])
    assert hits(parse, "resume") == [first] and hits(parse, "responsible") == []
    assert hits(other, "resume") == [] and hits(other, "responsible")
    index_passages(parse, [])
    assert hits(parse, "resume") == [first]


def test_no_passages_are_stored_as_none(base: KnowledgeBase) -> None:
    parse = store_text(make_document(base))
    parse.passages.all().delete()
    store_passages(parse, [])
    store_passages(parse, [PassageRow(5, 1, 1, 1, 1, 0, "text", HOSTILE, "", "a note")])
    kept = parse.passages.get()
    assert (kept.index, kept.text, kept.annotation) == (5, HOSTILE, "a note") and hits(parse, "backslash") == [5]


# ---- vectors


def test_vectors_lie_beside_what_they_are_of(base: KnowledgeBase) -> None:
    parse = store_text(make_document(base))
    passages, entries = list(parse.passages.all()), list(parse.toc_entries.all())
    vectors_of(parse, passages)
    vectors_of(parse, entries, seed=2)
    rows = Embedding.objects.filter(parse=parse)
    assert rows.exclude(passage=None).count() == len(passages) and rows.exclude(toc_entry=None).count() == len(entries)
    assert set(rows.values_list("dimensions", "base", "document")) == {(2, base.pk, parse.document_id)}
    expected = np.random.default_rng(1).random((len(passages), 2)).astype(np.float32)
    kept = [row.vector for row in rows.exclude(passage=None).order_by("passage__index")]
    assert np.allclose(np.array([np.asarray(vector) for vector in kept]), expected)


def test_a_vector_too_few_or_too_many_is_refused(base: KnowledgeBase) -> None:
    parse = store_text(make_document(base))
    passages = list(parse.passages.all())
    for count in (len(passages) - 1, len(passages) + 1):
        with pytest.raises(ValueError, match="shorter|longer"), transaction.atomic():
            copy_vectors(parse, "m/2", passages, np.ones((count, 2), dtype=np.float32))
    assert not Embedding.objects.exists()
    copy_vectors(parse, "m/2", [], np.ones((0, 2), dtype=np.float32))


# ---- away


def test_erasing_takes_all_rows_of_its_parses_and_no_others(base: KnowledgeBase) -> None:
    kept = store_text(make_document(base, "kept.md"))
    vectors_of(kept, list(kept.passages.all()))
    before = counts()
    gone = store_text(make_document(base, "gone.md"))
    vectors_of(gone, list(gone.toc_entries.all()))
    erase_parses(Parse.objects.filter(pk=gone.pk))
    assert counts() == before and kept.embeddings.exists()
    gone.document.refresh_from_db()
    assert gone.document.current_parse is None
    erase_parses(Parse.objects.none())
    assert counts() == before


@pytest.mark.parametrize(
    ("model", "field", "kind"),
    [
        (Line, "text", "text"),
        (Line, "x0", "double precision"),
        (TocEntry, "title", "varchar"),
        (Line, "spans", "jsonb"),
    ],
)
def test_a_type_is_named_without_its_length(model: Any, field: str, kind: str) -> None:
    assert column_type(model._meta.get_field(field)) == kind


def test_copying_nothing_is_no_fault_and_a_number_that_is_none_is(base: KnowledgeBase) -> None:
    parse = store_text(make_document(base))
    copy_rows(Page, parse, PageRow._fields, [])
    with pytest.raises((DataError, TypeError, ValueError)), transaction.atomic():
        copy_rows(Page, parse, ("number",), [("seven",)])
    assert connection.is_usable() and parse.pages.count() == 1
