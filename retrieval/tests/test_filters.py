"""A question for some pages, a section, a number of places or a nearness is kept to it, and the run says so."""

from dataclasses import replace
from typing import Any

import pytest

from documents.storage.content import DocumentContent
from retrieval.filters import Filters
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, Written, content_of_lines, with_vectors
from retrieval.types import RetrievalResult

FOOTER: Written = ("Acme Bakery SARL", "furniture")


@pytest.fixture
def lease() -> DocumentContent:
    first: list[Written] = ["# 1 Rent", "The rent is EUR 900 a month.", FOOTER, "---"]
    second: list[Written] = ["# 2 Deposit", "The deposit is two rents.", FOOTER, "---"]
    third: list[Written] = ["# 3 Term", "The rent ends with the term.", FOOTER, "---"]
    return content_of_lines([*first, *second, *third, "# 4 Keys", "There are two keys.", FOOTER])


def ask(content: DocumentContent, question: str = "What is the rent?", **filters: Any) -> RetrievalResult:
    return retrieve(question, [content], settings=SETTINGS, arbiter="rules", filters=Filters(**filters))


def pages(result: RetrievalResult) -> set[int]:
    return {each.anchor_pages[0] for each in result.candidates}


def test_only_the_pages_asked_for_are_searched(lease: DocumentContent) -> None:
    """R101."""
    assert pages(ask(lease)) >= {1, 3}
    result = ask(lease, pages=(3, 4))
    assert pages(result) == {3} and result.status == "found"
    assert [word.count for word in result.searched] == [1]
    assert (result.coverage.pages, result.coverage.pages_with_text) == (2, 2)
    assert result.settings["filters"] == {"pages": (3, 4)}
    assert next(flag for flag in result.plan.flags if flag.name == "filters").reason == "only page 3-4"


def test_what_is_missing_there_is_missing_there_only(lease: DocumentContent) -> None:
    result = ask(lease, pages=(4,))
    assert result.status == "not_found" and not result.candidates
    assert result.not_found_reason.endswith("; only page 4 was searched")


@pytest.mark.parametrize("name", ["3", "Term", "3 Term", "term"])
def test_a_section_is_named_by_number_or_title(lease: DocumentContent, name: str) -> None:
    result = ask(lease, section=name)
    assert pages(result) == {3} and not any(each.running for each in result.candidates)


@pytest.mark.parametrize("filters", [{"pages": (9,)}, {"section": "Helicopters"}])
def test_where_nothing_is_nothing_can_be_told(lease: DocumentContent, filters: Any) -> None:
    result = ask(lease, **filters)
    assert result.status == "cannot_tell"
    assert result.not_found_reason.startswith("nothing was searched: there is no ")


def test_a_running_head_answers_for_its_pages(lease: DocumentContent) -> None:
    assert any(each.running for each in ask(lease, "Is Acme Bakery a SARL?", pages=(4,)).candidates)


def test_top_k_judges_so_many_places_and_lists_the_others(lease: DocumentContent) -> None:
    result = ask(lease, top_k=1)
    assert len(result.candidates) == 1 and result.left_out
    assert result.left_out[0].reason.startswith("the 1 places judged")


def test_what_is_less_near_than_the_threshold_is_not_proposed(lease: DocumentContent) -> None:
    content = with_vectors(lease)
    asked = "How much must the tenant pay?"
    near = [hit.score for hit in ask(content, asked).hits if hit.method == "vectors"]
    kept = [hit.score for hit in ask(content, asked, threshold=0.3).hits if hit.method == "vectors"]
    assert kept == [score for score in near if score >= 0.3] and len(kept) < len(near)


def test_a_base_may_ask_for_nearness_and_a_question_for_less(lease: DocumentContent) -> None:
    """(R102)"""
    content = with_vectors(lease)
    asked = "How much must the tenant pay?"
    near = [hit.score for hit in ask(content, asked).hits if hit.method == "vectors"]
    chosen = replace(SETTINGS, nearness_min=30)
    result = retrieve(asked, [content], settings=chosen, arbiter="rules")
    kept = [hit.score for hit in result.hits if hit.method == "vectors"]
    assert kept == [score for score in near if score >= 0.3] and len(kept) < len(near)
    assert result.settings["nearness_min"] == 30
    assert any(flag.name == "filters" and "at least 0.3" in flag.reason for flag in result.plan.flags)
    own = retrieve(asked, [content], settings=chosen, arbiter="rules", filters=Filters(threshold=0.2))
    assert [hit.score for hit in own.hits if hit.method == "vectors"] == [score for score in near if score >= 0.2]


def test_the_pool_of_a_reranker_keeps_to_the_nearness_too(lease: DocumentContent) -> None:
    """(R102) What the plan says holds for passages as for places; words propose them all the same."""
    content = with_vectors(lease)
    chosen = replace(SETTINGS, ranking="rerank", reranking="none")

    def found(nearness: int) -> dict[str, tuple[str, ...]]:
        near = replace(chosen, nearness_min=nearness)
        result = retrieve("How much rent must the tenant pay?", [content], settings=near, arbiter="rerank")
        return {each.candidate_id: each.methods for each in result.candidates}

    every, nearest = found(15), found(95)
    assert any("vectors" in methods for methods in every.values())
    assert nearest and not any("vectors" in methods for methods in nearest.values())
    assert set(nearest) == {place for place, methods in every.items() if "keywords" in methods}


def test_nothing_set_is_nothing_recorded(lease: DocumentContent) -> None:
    result = ask(lease)
    assert "filters" not in result.settings and not any(flag.name == "filters" for flag in result.plan.flags)
