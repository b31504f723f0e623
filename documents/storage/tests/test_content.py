"""A document as retrieval sees it: its ranges at the edges, its snapshot, and what the cache keeps and lets go."""

import gc
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier
from typing import Any
from unittest.mock import ANY
from weakref import ref

import numpy as np
import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from benchmarks.library import content_of
from documents.ingestion.trash import move_to_trash, purge_document
from documents.models import Document, KnowledgeBase, Parse
from documents.naming import rename_document
from documents.storage.content import (
    LINES_BESIDE,
    USABLE_TOC_ENTRIES,
    ContentCache,
    DocumentContent,
    Vectors,
    kept_by_key,
    kept_with_content,
    read_content,
    read_vectors,
)
from documents.storage.store import copy_vectors
from documents.tests.readings import HANDBOOK, make_document, store_text
from reading.plain_text import read_markdown
from reading.rows import Reading


def make_content(text: str = HANDBOOK, **changes: Any) -> DocumentContent:
    reading = read_markdown(text)
    values = {name: changes.get(name, getattr(reading, name)) for name in ("pages", "lines", "toc", "title", "report")}
    made = Reading(language="en", **values)
    return content_of(made, [], file_name="handbook.md", media_type="text/markdown", sha256="a1" * 32)


@pytest.mark.parametrize(
    ("first", "last", "numbers"),
    [
        (1, 1, [1]),
        (2, 3, [2, 3]),
        (1, 99, [1, 2, 3, 4, 5, 6]),
        (-5, 2, [1, 2]),
        (0, 0, []),
        (-5, -1, []),
        (3, 2, []),
        (7, 9, []),
        (6, 6, [6]),
    ],
)
def test_lines_outside_the_document_are_cut_off(first: int, last: int, numbers: list[int]) -> None:
    content = make_content()
    assert [line.number for line in content.lines_between(first, last)] == numbers
    assert content.text_between(first, last).count("\n") == max(len(numbers) - 1, 0)


def test_the_text_of_a_range_leaves_out_what_is_not_searched_where_that_is_asked() -> None:
    lines = tuple(
        line._replace(kind=kind) if kind else line  # type: ignore[arg-type]
        for line, kind in zip(make_content().lines, ["furniture", None, "contents", None, None, None], strict=True)
    )
    content = make_content(lines=lines)
    whole, searched = content.text_between(1, 4), content.text_between(1, 4, searched_only=True)
    assert whole.split("\n") == [line.text for line in lines[:4]]
    assert searched.split("\n") == [lines[1].text, lines[3].text]
    assert content.searched_lines == (lines[1], *lines[3:])


@pytest.mark.parametrize("page", [-1, 0, 1, 2, 3, 4, 5, 99])
def test_the_lines_of_a_page_are_found_also_where_pages_have_none(page: int) -> None:
    numbers = [1, 1, 3, 3, 3, 5]
    base = make_content().lines
    lines = tuple(line._replace(page_number=number) for line, number in zip(base, numbers, strict=True))
    content = make_content(lines=lines)
    assert content.lines_on_page(page) == tuple(line for line in lines if line.page_number == page)
    assert content.tables_on_page(page) == []


@pytest.mark.parametrize("entries", [0, USABLE_TOC_ENTRIES - 1, USABLE_TOC_ENTRIES, 20])
def test_contents_of_few_entries_are_of_no_use(entries: int) -> None:
    text = "Front matter\n\n" + "\n\n".join(f"# Part {number}\n\ntext" for number in range(entries))
    content = make_content(text)
    assert content.has_usable_toc is (entries >= USABLE_TOC_ENTRIES)
    assert list(content.toc_by_index) == [entry.index for entry in content.toc]


def test_titles_are_compared_in_their_match_form() -> None:
    content = make_content("# RÉSUMÉ – der Prüfung\n\ntext\n\n# 目次\n\ntext")
    assert list(content.title_forms.values()) == ["resume - der prufung", "目次"]
    assert content.title_forms.keys() == content.toc_by_index.keys()


def test_a_reading_of_a_notebook_is_named_by_its_bytes() -> None:
    content = make_content("just text", title="")
    assert content.document_id == "a1" * 16 and content.parse_id == f"{'a1' * 16}-en"
    assert (content.title, content.search_config, content.toc_origin) == ("handbook.md", "simple", "none")
    assert content.page(1).number == 1 and content.unreadable_pages == ()


def test_a_snapshot_says_what_was_read_and_is_plain_json() -> None:
    page = make_content().pages[0]
    content = make_content(pages=(page, page._replace(number=2, text_layer="none")))
    assert content.snapshot() == {
        "document_id": "a1" * 16, "title": "Handbook", "file_name": "handbook.md", "sha256": "a1" * 32, "parse_id": ANY,
        "parse_number": 1, "parser_version": "", "pages": 2, "lines": 6, "toc_origin": "markdown",
        "toc_strength": ANY, "unreadable_pages": [2], "embedding_model": "", "language": "en",
    }  # fmt: skip


def test_a_snapshot_names_the_model_of_its_vectors() -> None:
    reading = read_markdown(HANDBOOK)
    vectors = Vectors("m/2", np.zeros((0, 2)), np.zeros((0, 2)))
    content = content_of(reading, [], file_name="a", media_type="b", sha256="c" * 64, vectors=vectors)
    assert content.snapshot()["embedding_model"] == "m/2"


# ---- from the database


def embed(parse: Parse, key: str = "m/2") -> None:
    for owners in (list(parse.passages.all()), list(parse.toc_entries.all())):
        copy_vectors(parse, key, owners, np.arange(2 * len(owners), dtype=np.float32).reshape(-1, 2))


@pytest.mark.django_db
def test_vectors_are_none_until_they_are_complete_and_then_in_order(base: KnowledgeBase) -> None:
    parse = store_text(make_document(base))
    embed(parse)
    embed(parse, "other/2")
    assert read_vectors(parse) is None
    parse.embedding_model = "m/2"
    vectors = read_vectors(parse)
    assert vectors is not None and vectors.model_key == "m/2"
    assert len(vectors.passages) == parse.passages.count() and len(vectors.toc) == parse.toc_entries.count()
    assert all(before[0] < after[0] for before, after in pairwise(vectors.passages.tolist()))
    assert np.array_equal(vectors.toc, np.arange(vectors.toc.size, dtype=np.float32).reshape(-1, 2))
    assert {vectors.toc.dtype.name, vectors.passages.dtype.name} == {"float32"}


@pytest.mark.django_db
def test_of_no_rows_there_is_an_empty_matrix(base: KnowledgeBase) -> None:
    parse = store_text(make_document(base))
    parse.embedding_model = "never/2"
    vectors = read_vectors(parse)
    assert vectors is not None and vectors.passages.size == vectors.toc.size == 0


@pytest.mark.django_db
def test_the_cache_asks_the_database_once_and_again_when_the_vectors_changed(
    base: KnowledgeBase, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    parse, cache = store_text(make_document(base)), ContentCache()
    first = cache.get(parse)
    assert first == read_content(parse)
    with django_assert_num_queries(0):
        assert cache.get(parse) is first
    parse.embedding_model = "m/2"
    second = cache.get(parse)
    assert second is not first and second.vectors is not None
    parse.embedded_at = timezone.now()
    assert cache.get(parse) is not second


@pytest.mark.django_db
def test_a_document_is_told_by_the_name_it_has_now(base: KnowledgeBase) -> None:
    """A run stores it, and answers cite it: a process that read the document before it was renamed tells it too."""
    document = make_document(base)
    parse, cache = store_text(document), ContentCache()
    before = cache.get(parse)
    rename_document(document, "Employee rules 2027")
    Document.objects.update(file_name="rules.md")
    now = cache.get(Parse.objects.get())
    assert [each.snapshot()["title"] for each in (before, now)] == ["Handbook", "Employee rules 2027"]
    assert now.file_name == "rules.md" and now.lines is before.lines and now.derived is before.derived
    assert (
        cache.get(Parse.objects.get(), "policy").title == now.title
        and cache.get(Parse.objects.get()).lines is now.lines
    )


@pytest.mark.django_db
def test_the_cache_lets_go_of_what_was_not_used_for_longest(base: KnowledgeBase) -> None:
    """By lines, since a filing takes as much room as fifty short contracts; the one that is asked for is kept."""
    cache = ContentCache(lines=2 * (len(read_markdown(HANDBOOK).lines) + LINES_BESIDE))
    parses = [store_text(make_document(base, f"{number}.md")) for number in range(3)]
    first, second = cache.get(parses[0]), cache.get(parses[1])
    assert cache.get(parses[0]) is first
    cache.get(parses[2])
    assert cache.get(parses[0]) is first and cache.get(parses[1]) is not second
    long = store_text(make_document(base, "long.md"), HANDBOOK * 3)
    assert cache.get(long) is cache.get(long) and cache.get(parses[0]) is not first


@pytest.mark.django_db
@pytest.mark.parametrize("how", ["asked of those it has", "asked of another"])
def test_nothing_of_an_erased_document_is_kept_after_the_next_question(base: KnowledgeBase, how: str) -> None:
    cache = ContentCache()
    erased, other = (cache.get(store_text(make_document(base, f"{name}.md"))) for name in ("erased", "other"))
    left = ref(erased)
    cache.drop_erased()
    assert cache.get(Parse.objects.get(pk=other.parse_id)) is other and left() is not None
    document = Document.objects.get(pk=erased.document_id)
    del erased
    move_to_trash(document)
    purge_document(document)
    cache.drop_erased() if how == "asked of those it has" else cache.get(store_text(make_document(base, "third.md")))
    gc.collect()
    assert left() is None and cache.get(Parse.objects.get(pk=other.parse_id)) is other


@pytest.mark.django_db
def test_an_older_parse_has_the_registry_that_is_stored_today(base: KnowledgeBase) -> None:
    """(R1, R14) A parse from before there were registers gets the same one, made from its rows."""
    text = "# Fees\n\nSee Appendix A and Section 9.\n\n# Appendix A\n\nWhat is charged.\n"
    parse = store_text(make_document(base), text)
    stored = read_content(parse)
    assert stored.stored_registry is not None and parse.profile["pages"] == 1
    assert [(each.kind, each.label) for each in stored.registry.objects] == [("appendix", "a")]
    assert [(each.kind, each.target_line > 0) for each in stored.registry.references] == [
        ("appendix", True), ("section", False),
    ]  # fmt: skip
    parse.profile = {}
    parse.save()
    older = read_content(parse)
    assert older.stored_registry is None and older.registry == stored.registry


def test_threads_that_compute_a_value_at_once_share_the_first() -> None:
    content, both = make_content(), Barrier(2, timeout=60)

    @kept_with_content
    def value_of(content: DocumentContent) -> object:
        both.wait()
        return object()

    with ThreadPoolExecutor() as pool:
        first, second = pool.map(value_of, [content, content])
    assert first is second is value_of(content)


def test_a_value_is_computed_once_for_each_key() -> None:
    content, asked = make_content(), []

    @kept_by_key
    def value_for(key: str, content: DocumentContent) -> str:
        asked.append(key)
        return key.upper()

    assert [value_for(key, content) for key in "aba"] == ["A", "B", "A"]
    assert asked == ["a", "b"]


def test_no_more_keys_are_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    content, asked = make_content(), []
    monkeypatch.setattr("documents.storage.content.KEYS_KEPT", 2)

    @kept_by_key
    def value_for(key: str, content: DocumentContent) -> str:
        asked.append(key)
        return key.upper()

    assert [value_for(key, content) for key in "abbca"] == ["A", "B", "B", "C", "A"]
    assert asked == ["a", "b", "c", "a"]
