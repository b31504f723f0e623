"""What a first look shows at length, and what in a sentence: all of it is judged, recorded and quoted alike."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from retrieval.arbiter.brief import candidate_block
from retrieval.arbiter.model import JUDGED_ROLES
from retrieval.arbiter.room import AT_LENGTH
from retrieval.candidates.settle import settle
from retrieval.pipeline import retrieve
from retrieval.tests.builders import content_of_lines
from retrieval.types import FINGERPRINT, Briefed, Verdict
from tests.scripted_llm import ScriptedLLM

Serve = Callable[..., ScriptedLLM]
QUESTION = "What is the notice period?"
BEYOND = (
    "Nothing else is agreed on here, and the landlord of the house was told so by his own agent in the spring of the "
    "year before, as the agent said when he was asked about it."
)
ANNEX = "More of the same is said in the annex, which is not part of the lease and binds nobody at all."


def written_for(whom: str, number: int = 1, sections: int = 40) -> DocumentContent:
    return content_of_lines(
        [
            line
            for n in range(sections)
            for line in (
                f"# Section {n}",
                f"The notice period {'of the lease ' * (n < 3)}is kept in writing by {whom}. {BEYOND}",
                *(ANNEX,) * 9,
            )
        ],
        number=number,
    )


LONG = written_for("whoever ends it")
SEVERAL = [written_for(whom, number, 12) for number, whom in enumerate(("a tenant", "a guest", "a landlord"), 1)]


def test_those_that_look_least_likely_are_shown_in_a_sentence_and_judged_all_the_same(serve: Serve) -> None:
    """R42, R46, R47."""
    server = serve("good")
    result = retrieve(QUESTION, [LONG], settings=BaseSettings(second_look="off"), arbiter="model")
    body = server.requests[0].body
    assert body["input"].count("\ntext:\n") == AT_LENGTH and len(result.candidates) == 40
    assert {each.verdict.role for each in result.candidates} <= set(JUDGED_ROLES)  # none unjudged
    assert all(candidate_block(each.brief) in body["input"] for each in result.candidates)  # seen = shown
    told = [each for each in result.candidates if each.brief.is_sentence]
    assert len(told) == 40 - AT_LENGTH
    for each in told:
        assert "notice period" in each.brief.snippet and len(each.brief.snippet) < 200, "the words it was found by"
        block = candidate_block(each.brief)
        assert f"\nsection: {each.section_title}\npages: 1\nmatched: " in block and "\nmethods: " in block
        assert "\nsignals: (none)" not in block  # which says nothing
    assert body["input"].startswith(f"<toc>\ndocument: {LONG.title}\n") and body["input"].count("document: ") == 1
    assert "shown in one sentence" in body["instructions"]
    assert len(body["instructions"] + body["input"]) / 4 < 8_000


def test_what_a_model_quotes_beyond_the_sentence_it_was_shown_is_found_in_the_document(serve: Serve) -> None:
    serve("good")
    result = retrieve(QUESTION, [LONG], settings=BaseSettings(second_look="off"), arbiter="model")
    told = next(each for each in result.candidates if each.brief.is_sentence)
    assert BEYOND in told.anchor_text and BEYOND not in told.brief.snippet
    ranking = replace(result.ranking, verdicts=(Verdict(told.candidate_id, "primary", "It says so.", BEYOND),))
    briefed = Briefed(**{name: getattr(told, name) for name in Briefed.__dataclass_fields__})
    (settled,) = settle([briefed], ranking, result.question, [LONG])
    assert settled.quote.repair.status == "exact" and settled.quote.text == BEYOND


@pytest.mark.parametrize(
    "question",
    [
        "List all notice periods of the lease.",  # of a list no item may be lost
        "What is the notice period of the lease, and who was told by the agent?",
    ],
)
def test_lists_and_questions_in_parts_are_shown_at_length(serve: Serve, question: str) -> None:
    server = serve("good")
    result = retrieve(question, [LONG], settings=BaseSettings(second_look="off"), arbiter="model")
    assert result.question.intent == "listing" or result.question.parts
    assert "\none sentence:\n" not in server.requests[0].body["input"] and len(result.candidates) > AT_LENGTH


def test_of_several_documents_every_place_is_shown_at_length_and_names_its_own(serve: Serve) -> None:
    server = serve("good")
    result = retrieve(QUESTION, SEVERAL, settings=BaseSettings(second_look="off"), arbiter="model")
    sent = server.requests[0].body["input"]
    assert "\none sentence:\n" not in sent and sent.count("\ndocument: ") == len(result.candidates) > AT_LENGTH
    for content in SEVERAL:
        code = content.sha256[:FINGERPRINT]
        assert f"\ndocument {code}: {content.title}\n" in sent
        assert f'<candidate id="{code}-p1-' in sent
