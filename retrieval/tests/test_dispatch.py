"""One test for each rule of the dispatcher."""

from dataclasses import replace
from typing import Any

import pytest

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from llm.embeddings import providers
from retrieval import dispatch
from retrieval.filters import Filters
from retrieval.question.parse import parse_question
from retrieval.tests.builders import SETTINGS, content_of_lines, with_vectors
from retrieval.types import METHODS, Flag, Hit, LineRange, Plan


def flag(
    name: str, text: str, *contents: DocumentContent, settings: BaseSettings = SETTINGS, mode: str = "balanced"
) -> Flag:
    plan = dispatch.plan(parse_question(text, contents), contents, settings, mode)
    return next(each for each in plan.flags if each.name == name)


@pytest.fixture
def long_policy(policy: DocumentContent) -> DocumentContent:
    return replace(policy, pages=policy.pages * 2)


def test_every_flag_has_a_reason(policy: DocumentContent) -> None:
    plan = dispatch.plan(parse_question("What is the premium?", [policy]), [policy], SETTINGS, "balanced")
    assert all(each.reason for each in plan.flags)
    assert len(plan.flags) == len(dispatch.RULES) == len({each.name for each in plan.flags})
    assert {each.name for each in plan.flags}.issuperset(METHODS)  # a detector without a rule never runs


def test_keywords_always_run(policy: DocumentContent) -> None:
    """R27."""
    assert flag("keywords", "x", policy).on


def test_titles_need_a_usable_table_of_contents(policy: DocumentContent) -> None:
    assert flag("titles", "premium", policy).on
    assert flag("sections", "premium", policy).on
    flat = content_of_lines(["no sections"])
    assert not flag("titles", "premium", flat).on
    assert not flag("sections", "premium", flat).on


@pytest.mark.parametrize(
    ("text", "on"), [("What does ID.AM say?", True), ("How much is it?", True), ("Is it covered?", False)]
)
def test_patterns_need_a_form_or_an_identifier(policy: DocumentContent, text: str, on: bool) -> None:
    assert flag("patterns", text, policy).on is on


def test_vectors_are_off_where_the_base_says_so(policy: DocumentContent) -> None:
    assert "off in this base" in flag("vectors", "premium", policy, settings=BaseSettings(embeddings="none")).reason


def test_vectors_are_off_without_weights(policy: DocumentContent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "find_provider_obstacle", lambda provider: "the weights are not installed")
    assert "weights" in flag("vectors", "premium", policy).reason


def test_vectors_are_off_until_they_are_ready(policy: DocumentContent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "find_provider_obstacle", lambda provider: "")
    assert "no embeddings yet" in flag("vectors", "premium", policy).reason


@pytest.mark.parametrize(("text", "said"), [("Why is flood covered?", "conceptual"), ("premium?", "no other words")])
def test_vectors_run_when_words_may_not_suffice(policy: DocumentContent, text: str, said: str) -> None:
    """R33."""
    found = flag("vectors", text, with_vectors(policy))
    assert found.on and said in found.reason


ON = Plan((Flag("vectors", True, "ready"),))


def hit(**fields: Any) -> Hit:
    return Hit("keywords", "d", LineRange(1, 1), 1.0, **fields)


def test_vectors_are_skipped_when_a_title_is_what_is_asked_for(policy: DocumentContent) -> None:
    question = parse_question("positional cover", [policy])
    exact = hit(exact_title=True, matched_keywords=("positional", "cover"), detail="Positional cover")
    assert not dispatch.drop_vectors_if_clear(ON, question, [exact]).is_on("vectors")


def test_vectors_are_skipped_when_one_line_leads(policy: DocumentContent) -> None:
    """R33, R39."""
    question = parse_question("premium due", [policy])
    assert not dispatch.drop_vectors_if_clear(ON, question, [hit(line_score=6), hit(line_score=3)]).is_on("vectors")
    assert dispatch.drop_vectors_if_clear(ON, question, [hit(line_score=6), hit(line_score=4)]).is_on("vectors")
    assert dispatch.drop_vectors_if_clear(ON, question, [hit(line_score=3)]).is_on("vectors")


def test_vectors_are_never_skipped_for_a_conceptual_question(policy: DocumentContent) -> None:
    question = parse_question("Why is the premium due?", [policy])
    assert dispatch.drop_vectors_if_clear(ON, question, [hit(line_score=9)]).is_on("vectors")


def test_a_named_page_restricts_a_long_document(policy: DocumentContent, long_policy: DocumentContent) -> None:
    assert flag("page_hints", "What does page 2 say?", long_policy).on
    assert not flag("page_hints", "What is the premium?", long_policy).on
    assert "read whole" in flag("page_hints", "What does page 2 say?", policy).reason


def test_a_named_page_means_nothing_without_pages(long_policy: DocumentContent) -> None:
    text = replace(long_policy, media_type="text/markdown")
    assert "no pages of its own" in flag("page_hints", "What does page 2 say?", text).reason


def test_a_named_page_restricts_the_documents_that_have_pages(long_policy: DocumentContent) -> None:
    """R36."""
    text = replace(long_policy, document_id="t", title="Notes", media_type="text/markdown")
    decided = flag("page_hints", "What does page 2 say?", long_policy, text)
    assert decided.on
    assert decided.reason.endswith("not searched, for want of pages: Notes")


def test_parts_are_searched_by_themselves(policy: DocumentContent) -> None:
    assert flag("parts", "What is the premium and who signs the notice?", policy).on
    assert not flag("parts", "What is the premium?", policy).on


def test_a_list_is_looked_for_again_if_it_is_too_short(policy: DocumentContent) -> None:
    found = flag("list_pass", "What are the three fees?", policy)
    assert (found.on, found.reason) == (True, "3 fees are asked for")
    assert flag("list_pass", "List all the fees", policy).reason == "the text may say how many fees there are"
    assert not flag("list_pass", "Who signs?", policy).on


def test_a_listing_hands_on_whole_sections(policy: DocumentContent) -> None:
    assert flag("listing", "List all the fees", policy).on
    assert not flag("listing", "Which fee?", policy).on


@pytest.mark.parametrize(
    ("question", "mode", "on", "reason"),
    [
        ("Where is the premium shown?", "thorough", True, "where something stands"),
        ("Où la prime est-elle indiquée ?", "thorough", True, "where something stands"),
        ("Wo steht die Prämie?", "thorough", True, "where something stands"),
        ("¿Dónde figura la prima?", "thorough", True, "where something stands"),
        ("Where is the premium shown?", "balanced", False, "mode is balanced"),
        ("Explain Table 3", "balanced", True, "says where to look"),
        ("What is the premium in the table?", "fast", True, "says where to look"),
        ("What are the premium figures?", "fast", False, "mode is fast"),
        ("What is the premium?", "thorough", False, "points nowhere"),
    ],
)
def test_references_are_followed_where_the_question_points_or_in_thorough_mode(
    policy: DocumentContent, question: str, mode: str, on: bool, reason: str
) -> None:
    """(R21, R75): a section, figure, table or appendix that is named is enough in every mode."""
    found = flag("cross_references", question, policy, mode=mode)
    assert found.on is on
    assert reason in found.reason


def test_lines_that_are_asked_for_are_told_and_a_request_outweighs_them(policy: DocumentContent) -> None:
    """(R21)"""
    asked = "What is the premium? Give 2 lines before and 5 after."
    found = flag("read_around", asked, policy)
    assert (found.on, found.reason) == (True, "2 lines before and 5 after are asked for")
    hints = Filters(context="page").read_around(parse_question(asked, [policy])).hints
    assert (hints.around, hints.lines_before, hints.lines_after) == ("page", 0, 0)


def test_what_a_step_came_to_is_noted_on_its_flag(policy: DocumentContent) -> None:
    before = dispatch.plan(parse_question("Explain Table 3", [policy]), [policy], SETTINGS, "thorough")
    after = dispatch.note_reason(before, "cross_references", "led nowhere: Table 3")
    changed = [new for old, new in zip(before.flags, after.flags, strict=True) if old != new]
    assert [(one.name, one.on, one.reason) for one in changed] == [("cross_references", True, "led nowhere: Table 3")]
