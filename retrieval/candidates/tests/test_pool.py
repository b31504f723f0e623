"""Which candidates an arbiter is given."""

from dataclasses import replace

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from llm.conftest import Serve
from retrieval import dispatch
from retrieval.candidates.pool import pool_size
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.search import SearchOptions
from retrieval.steps import propose_candidates
from retrieval.tests.builders import SETTINGS, content_of_lines, search_of
from retrieval.types import Hit, LineRange, Mode


def proposed_in(mode: Mode, content: DocumentContent) -> tuple[list[str], int, bool]:
    question = parse_question("Where are the fees shown?", [content])
    plan = dispatch.plan(question, [content], SETTINGS, mode)
    hits = [Hit("keywords", content.document_id, LineRange(2, 2), 1.0, ("fees",))]
    proposed = propose_candidates(search_of(question, [content], mode, hits=hits, plan=plan))
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
    """R44, R102: as many as the base says."""
    question = parse_question("When is the fee due?", [])
    search = search_of(question, [])
    own = replace(search, options=SearchOptions(replace(SETTINGS, pool_max=7)))
    assert pool_size(own) == 7
    assert pool_size(search) == SETTINGS.pool_max
    assert pool_size(search_of(question, [], "thorough")) == BaseSettings.RANGES["pool_max"][1]


def fees_on_pages(count: int) -> DocumentContent:
    return content_of_lines(["# Fees", *(line for n in range(count) for line in (f"Fee {n} is due.", "---"))])


def test_what_the_pool_has_no_room_for_is_listed() -> None:
    """R44."""
    content = fees_on_pages(45)
    result = retrieve("When is the reminder fee due?", [content], settings=SETTINGS, arbiter="rules")
    assert (len(result.candidates), len(result.left_out)) == (40, 5)
    judged = [(each.candidate_id, each.rrf_rank) for each in result.candidates]
    places = judged + [(each.candidate_id, each.rrf_rank) for each in result.left_out]
    assert len({name for name, _ in places}) == 45
    assert sorted(rank for _, rank in places) == list(range(1, 46))
    last = result.left_out[-1]
    assert (last.page_number, last.section_title, last.matched_keywords) == (45, "Fees", ("fee", "due"))
    assert last.reason == "the 40 places judged rank higher, or are the first of their page"


def test_no_item_of_a_list_is_lost() -> None:
    result = retrieve("List all the fees that are due.", [fees_on_pages(90)], settings=SETTINGS, arbiter="rules")
    assert result.question.intent == "listing"
    assert len(result.candidates) == 90 and not result.left_out


def test_a_request_to_a_model_is_never_longer_than_it_may_be(serve: Serve) -> None:
    words = "the fees of the lease that are due are many and so is this line of it "
    content = content_of_lines(
        [line for n in range(90) for line in (f"# Fees {n} {words * 3}", f"{n} {words * 4}", "---")]
    )
    server = serve("good")
    result = retrieve("List all the fees that are due.", [content], settings=SETTINGS, arbiter="model")
    body = server.requests[0].body
    assert len(body["instructions"] + body["input"] + str(body["text"])) / 4 < 16_000
    assert len(result.candidates) > 40 and len(result.candidates) + len(result.left_out) == 90
    assert {each.reason for each in result.left_out} == {
        f"the request to the model holds {len(result.candidates)} places"
    }
