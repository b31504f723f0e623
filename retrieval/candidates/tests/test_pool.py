"""Which candidates an arbiter is given."""

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from retrieval import dispatch
from retrieval.candidates.pool import pool_size, propose
from retrieval.question.parse import parse_question
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.types import Hit, LineRange, Mode


def proposed_in(mode: Mode, content: DocumentContent) -> tuple[list[str], int, bool]:
    question = parse_question("Where are the fees shown?", [content])
    plan = dispatch.plan(question, [content], SETTINGS, mode)
    hits = [Hit("keywords", content.document_id, LineRange(2, 2), 1.0, ("fees",))]
    proposed = propose("rules", question, [content], hits, plan, pool_size(SETTINGS, mode))
    assert len(hits) == 1
    return [each.referred for each in proposed.candidates], len(proposed.hits), proposed.plan == plan


def test_references_are_followed_where_the_plan_says_so() -> None:
    content = content_of_lines(
        ["# Fees", "The fees are shown in Appendix A.", "---", "# Appendix A", "They are 1 and 2."]
    )
    assert proposed_in("balanced", content) == ([""], 1, True)
    names, hits, is_same_plan = proposed_in("thorough", content)
    assert "Appendix A, named on p. 1" in names and hits == 2 and not is_same_plan


def test_a_thorough_pool_is_the_largest_a_base_may_have() -> None:
    assert pool_size(SETTINGS, "balanced") == SETTINGS.pool_max
    assert pool_size(SETTINGS, "thorough") == BaseSettings.RANGES["pool_max"][1]
