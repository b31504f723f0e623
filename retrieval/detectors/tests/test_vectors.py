"""Nearness in meaning with vectors made by hand: order, floor, limits, and what happens when nobody can embed."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from documents.storage.content import DocumentContent, Vectors
from llm.embeddings.bundled import MODEL_KEY, is_available
from llm.embeddings.encoder import EncoderMissing
from retrieval.detectors.vectors import (
    FLOOR,
    PASSAGES_MAX,
    TITLES_MAX,
    detect_vectors,
    find_nearest_rows,
    passage_hits,
    query_vector,
    title_hits,
)
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import HEAD_LINES, LineRange

EAST, NORTH = np.eye(2, dtype=np.float32)


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """No vector of one test is kept for the next."""
    query_vector.cache_clear()
    yield
    query_vector.cache_clear()


def at(*cosines: float) -> np.ndarray:
    """Unit vectors whose cosine with EAST is as given."""
    return np.array([(cosine, (1 - cosine**2) ** 0.5) for cosine in cosines], dtype=np.float32).reshape(-1, 2)


def content_at(*cosines: float) -> DocumentContent:
    """A section for each cosine; its passage and its title are as near."""
    written = [line for number in range(len(cosines)) for line in (f"# Title {number}", *["text"] * 8)]
    return replace(content_of_lines(written), vectors=Vectors("by hand", at(*cosines), at(*cosines)))


@pytest.mark.parametrize(
    ("cosines", "count", "rows"),
    [
        ([], 5, []),
        ([0.5], 0, []),
        ([0.2, 0.9, 0.5], 5, [1, 2, 0]),
        ([0.2, 0.9, 0.5], 2, [1, 2]),
        ([0.5, 0.9, 0.5, 0.9], 5, [1, 3, 0, 2]),  # equals in their order
        ([FLOOR + 0.01, FLOOR - 0.01, 0.0, -1.0], 5, [0]),
        ([0.1, 0.05], 5, []),
        ([1.0], 5, [0]),
    ],
)
def test_the_nearest_rows_above_the_floor(cosines: list[float], count: int, rows: list[int]) -> None:
    found = find_nearest_rows(EAST, at(*cosines), count)
    assert [row for row, _ in found] == rows
    assert [score for _, score in found] == pytest.approx([cosines[row] for row in rows], abs=1e-5)


def test_no_row_is_near_where_a_document_has_no_rows() -> None:
    assert find_nearest_rows(EAST, np.zeros((0, 0), dtype=np.float32), 5) == []


def test_the_smallest_differences_do_not_order_rows() -> None:
    matrix = np.array([[0.5, 0], [0.5000001, 0]], dtype=np.float32)
    assert [row for row, _ in find_nearest_rows(EAST, matrix, 2)] == [0, 1]


def test_a_passage_is_hit_whole_and_a_title_with_its_head() -> None:
    """R33."""
    content = content_at(0.3, 0.8)
    [near, far], [title, _] = passage_hits(EAST, content), title_hits(EAST, content)
    assert (near.lines, far.lines, near.detail, near.toc_index) == (LineRange(10, 18), LineRange(1, 9), "passage", 2)
    assert (title.lines, title.detail) == (LineRange(10, 10 + HEAD_LINES - 1), "title: Title 1")
    assert {near.method, title.method} == {"vectors"} and near.matched_keywords == ()
    assert not (near.exact_title or title.exact_title or near.type_match)


def test_a_title_without_text_below_it_is_no_longer_than_itself() -> None:
    content = replace(content_of_lines(["# Title"]), vectors=Vectors("by hand", at(0.5), at(0.5)))
    assert [hit.lines for hit in title_hits(EAST, content)] == [LineRange(1, 1)]


def test_a_huge_document_gives_no_more_than_the_best() -> None:
    content = content_at(*np.linspace(0.2, 0.9, 100).tolist())
    passages, titles = passage_hits(EAST, content), title_hits(EAST, content)
    assert (len(passages), len(titles)) == (PASSAGES_MAX, TITLES_MAX)
    assert titles[0].detail == "title: Title 99" and passages[-1].toc_index == 100 - PASSAGES_MAX + 1


def test_meaning_that_points_elsewhere_finds_nothing() -> None:
    assert passage_hits(-EAST, content_at(0.5, 0.9)) == title_hits(-EAST, content_at(0.5, 0.9)) == []


def test_vectors_of_a_model_nobody_has_any_more_are_told_by_name() -> None:
    content = content_at(0.5)
    with pytest.raises(EncoderMissing, match="as by hand does"):
        detect_vectors(parse_question("What is the fee?", [content]), content)


def test_a_failure_is_not_kept_for_the_next_question() -> None:
    for _ in range(2):
        with pytest.raises(EncoderMissing):
            query_vector("fee", "by hand")
    assert query_vector.cache_info().currsize == 0


@pytest.mark.skipif(not is_available(), reason="the encoder's weights are not installed")
@pytest.mark.parametrize("text", ["fee", "", "通知期限", "fee " * 5_000, "\x00\ufffd"])
def test_a_question_has_one_vector_of_unit_length_that_nobody_can_change(text: str) -> None:
    vector = query_vector(text, MODEL_KEY)
    assert vector is query_vector(text, MODEL_KEY)
    assert np.isfinite(vector).all() and np.linalg.norm(vector) == pytest.approx(1, abs=1e-3)
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 7
