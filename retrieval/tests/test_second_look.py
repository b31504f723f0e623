"""One more look: what the model asks for is looked up once, judged with the rest, and recorded."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from retrieval.absence import WARNING_CAP
from retrieval.arbiter.model import FIRST_LOOK, SECOND_LOOK
from retrieval.filters import Filters
from retrieval.pipeline import retrieve
from retrieval.record.storing import result_row
from retrieval.tests.builders import Written, content_of_lines
from retrieval.types import Flag, RetrievalResult
from tests.scripted_llm import ScriptedLLM

Serve = Callable[..., ScriptedLLM]
FLATS = 12
QUESTION = "How can the rent of the garden be ended?"
HEATING = [f"Radiator {number} is in the hall, and whoever closes it tells the caretaker." for number in range(80)]
GOING = "You may go at any time, with three months of warning."


@pytest.fixture(scope="module")
def lease() -> DocumentContent:
    """A page on the rent of each flat, and one that says how to leave in other words."""
    written: list[Written] = []
    for flat in range(1, FLATS + 1):
        written += [f"# Flat {flat}", f"The rent of flat {flat} is {flat}00 francs.", "It includes heating.", "---"]
    written += ["# Heating", *HEATING, "---", "# Going away", GOING, "---", "# Hot water", *HEATING, "---"]
    return content_of_lines([*written, "# Keys", "There are two keys to the cellar."])


def ask(contents: DocumentContent | Sequence[DocumentContent], **changes: object) -> RetrievalResult:
    several = [contents] if isinstance(contents, DocumentContent) else contents
    filters = changes.pop("filters", Filters())
    assert isinstance(filters, Filters)
    chosen = replace(BaseSettings(pool_max=5), **changes)  # type: ignore[arg-type]
    return retrieve(QUESTION, several, settings=chosen, arbiter="model", filters=filters)


def flag_of(result: RetrievalResult) -> Flag:
    return next(flag for flag in result.plan.flags if flag.name == "second_look")


def requested(result: RetrievalResult) -> list[str]:
    return [each.anchor_text for each in result.candidates if "requested" in each.methods]


def prompts(server: ScriptedLLM) -> list[str]:
    return [str(request.body["input"]) for request in server.requests]


@pytest.mark.parametrize("name", ["14", "[14]", "Going away"])
def test_a_section_the_model_asks_for_is_judged_with_the_rest(lease: DocumentContent, serve: Serve, name: str) -> None:
    server = serve()
    server.wanted = {"wanted_sections": [name], "wanted_words": []}
    result = ask(lease)
    first, second = prompts(server)
    assert GOING not in first and GOING in second
    assert SECOND_LOOK not in first and second.endswith(SECOND_LOOK)
    assert requested(result) == [GOING]
    assert len(result.candidates) == 6 and result.ranking.answerable is True
    assert flag_of(result) == Flag(
        "second_look",
        True,
        f"the model asked for sections {name}; added and judged again: section “Going away”: 1 place",
    )
    assert result.other_look is not None and result.ranking.exchange is not None
    assert result.other_look.request_sha256 != result.ranking.exchange.request_sha256


def test_what_the_contents_imply_is_found_without_a_word_in_common(serve: Serve) -> None:
    """C1 with a model and without a dictionary: it reads in the contents which sections are on an exit."""
    written: list[Written] = ["# Opening hours", "The early shift begins at six.", *HEATING, "---"]
    written += ["# Termination", "Either party may end the agreement with ninety days of notice.", "---"]
    written += ["# Penalties", "Whoever ends it within a year pays three months of fees.", "---"]
    written += ["# Heating", *HEATING, "---", "# Hot water", *HEATING]
    contract, server = content_of_lines(written), serve()
    server.wanted = {"wanted_sections": ["Termination", "Penalties"], "wanted_words": []}
    server.favours = "ninety days"
    result = retrieve("What happens if we exit early?", [contract], settings=BaseSettings(), arbiter="model")
    first, second = prompts(server)
    assert "Termination" in first and "ninety days" not in first and "ninety days" in second
    assert {each.section_title for each in result.candidates if "requested" in each.methods} == {
        "Termination",
        "Penalties",
    }
    primary = [each.section_title for each in result.candidates if each.verdict.role == "primary"]
    assert (result.status, primary) == ("found", ["Termination"])


def test_what_was_discarded_is_not_shown_again_and_keeps_its_reason(lease: DocumentContent, serve: Serve) -> None:
    server = serve()
    server.wanted = {"wanted_sections": ["1", "14"], "wanted_words": []}
    server.discards = {"p1-l2-2", "p2-l5-5"}
    result = ask(lease)
    first, second = prompts(server)
    (aside,) = [each for each in result.candidates if each.verdict.rule == FIRST_LOOK]
    assert (aside.candidate_id, aside.verdict.role, bool(aside.verdict.reason)) == ("p2-l5-5", "discarded", True)
    assert 'id="p2-l5-5"' in first and 'id="p2-l5-5"' not in second
    assert 'id="p1-l2-2"' in second, "which it asked to see more of"
    assert len(result.candidates) == len(result.ranking.verdicts) == 6


def test_words_the_model_asks_for_are_looked_up(lease: DocumentContent, serve: Serve) -> None:
    serve().wanted = {"wanted_sections": [], "wanted_words": ["months of warning", "cellar"]}
    result = ask(lease)
    assert set(requested(result)) == {GOING, "There are two keys to the cellar."}
    assert "“months of warning”: 1 place; “cellar”: 1 place" in flag_of(result).reason


def test_a_place_that_is_judged_already_is_shown_at_length(lease: DocumentContent, serve: Serve) -> None:
    server = serve()
    server.wanted = {"wanted_sections": ["1"], "wanted_words": []}
    result = ask(lease)
    assert len(result.candidates) == 5, "the same places"
    assert [each.section_title for each in result.candidates if "requested" in each.methods] == ["Flat 1"]
    assert len(server.requests) == 2


def test_two_sections_of_one_name_are_both_looked_up(serve: Serve) -> None:
    flats = [[f"# Flat {flat}", f"The rent of flat {flat} is {flat}00 francs.", "---"] for flat in range(1, 8)]
    leaving = [["# Going away", f"{GOING} It is form {form}.", "---", "# Pipes", *HEATING, "---"] for form in "AB"]
    content = content_of_lines([line for part in (*flats, *leaving) for line in part])
    serve().wanted = {"wanted_sections": ["8", "10"], "wanted_words": []}
    assert requested(ask(content)) == [f"{GOING} It is form A.", f"{GOING} It is form B."]


def test_what_is_not_there_is_not_asked_about_again(lease: DocumentContent, serve: Serve) -> None:
    server = serve()
    server.wanted = {"wanted_sections": ["99"], "wanted_words": ["helicopter"]}
    result = ask(lease)
    assert len(server.requests) == 1 and not requested(result) and result.other_look is None
    assert flag_of(result).reason.endswith("found section 99, which does not exist: 0 places; “helicopter”: 0 places")


def test_a_model_that_has_the_answer_may_ask_for_what_it_turns_on(lease: DocumentContent, serve: Serve) -> None:
    server = serve()
    server.wanted = {"answerable": True, "answerable_reason": "", "wanted_sections": ["14"], "wanted_words": []}
    result = ask(lease)
    assert requested(result) == [GOING] and len(server.requests) == 2 and result.ranking.answerable is True


def test_it_looks_once_at_most(lease: DocumentContent, serve: Serve) -> None:
    server = serve()
    server.missing = "It does not say how the rent ends."
    server.wanted = {"wanted_sections": ["14"], "wanted_words": []}
    result = ask(lease)
    assert len(server.requests) == 2
    assert result_row(result).is_partial and result.ranking.answerable_reason == "It does not say how the rent ends."
    assert 0 < result.confidence <= WARNING_CAP


def test_a_base_can_switch_it_off(lease: DocumentContent, serve: Serve) -> None:
    server = serve()
    server.wanted = {"wanted_sections": ["14"], "wanted_words": []}
    result = ask(lease, second_look="off")
    assert len(server.requests) == 1 and not requested(result)
    assert flag_of(result) == Flag(
        "second_look", False, "the model asked for sections 14, which is switched off in this base"
    )


def test_a_model_that_is_content_is_asked_once(lease: DocumentContent, serve: Serve) -> None:
    server = serve()
    result = ask(lease)
    assert len(server.requests) == 1 and not result_row(result).is_partial
    assert flag_of(result) == Flag("second_look", False, "the model asked for nothing more")


def test_a_failed_second_look_leaves_the_first(lease: DocumentContent, serve: Serve) -> None:
    server = serve("good", "prose")
    server.wanted = {"wanted_sections": ["14"], "wanted_words": []}
    result = ask(lease)
    assert result.ranking.status == "ran" and not requested(result) and len(result.candidates) == 5
    assert "they were looked up, but could not be judged" in flag_of(result).reason
    assert result.other_look is not None and result.other_look.outcome != "ok"


def test_sections_of_several_documents_have_different_ids(lease: DocumentContent, serve: Serve) -> None:
    other = content_of_lines(["# Rent", "The rent is due in May.", "---", "# Leaving", GOING], title="Other", number=2)
    server = serve()
    server.wanted = {"wanted_sections": ["1.14"], "wanted_words": []}
    result = ask([lease, other])
    assert "[1.14] Going away" in result.toc_shown and "[2.1] Rent" in result.toc_shown
    assert [each.document_id for each in result.candidates if "requested" in each.methods] == [lease.document_id]


def test_nothing_is_added_outside_what_was_narrowed_to(lease: DocumentContent, serve: Serve) -> None:
    server = serve()
    server.wanted = {"wanted_sections": ["14"], "wanted_words": ["warning"]}
    result = ask(lease, filters=Filters(pages=(1, 2, 3)))
    assert len(server.requests) == 1 and not requested(result)


def test_what_is_asked_for_is_shown_first_when_the_rules_narrow(lease: DocumentContent, serve: Serve) -> None:
    server = serve()
    server.wanted = {"wanted_sections": ["14"], "wanted_words": []}
    result = retrieve(QUESTION, [lease], settings=BaseSettings(), arbiter="hybrid")
    first, second = prompts(server)
    assert GOING not in first and GOING in second and requested(result) == [GOING]


def test_it_is_told_that_the_model_is_asked_again(lease: DocumentContent, serve: Serve) -> None:
    serve().wanted = {"wanted_sections": ["14"], "wanted_words": []}
    told: list[bool] = []
    retrieve(
        QUESTION,
        [lease],
        settings=BaseSettings(),
        arbiter="model",
        on_stage=lambda name, figures: told.append("again" in figures) if name == "arbiter" else None,
    )
    assert told == [False, True, False]


def test_the_contents_imply_what_no_dictionary_says(serve: Serve) -> None:
    """R35, R38: "exit" is printed nowhere and "early" of something else; titles lead the model to what answers."""
    leaving = "Either party may end the contract with three months of notice."
    written: list[Written] = ["# Termination", leaving, *HEATING[:20], "---"]
    written += ["# Penalties", "Whoever leaves within two years pays one monthly fee.", *HEATING[:20], "---"]
    written += ["# Cover", *HEATING, "---", "# Visits", "Whoever comes early waits in the hall."]
    server = serve()
    server.wanted, server.favours = {"wanted_sections": ["1", "2"], "wanted_words": []}, leaving
    question, contract = "What happens if we exit early?", content_of_lines(written)
    result = retrieve(question, [contract], settings=BaseSettings(), arbiter="model", dictionary=())
    first, second = prompts(server)
    assert "[1] Termination" in first and "[2] Penalties" in first and leaving not in first
    assert leaving in second
    assert result.status == "found" and result.kept()[0].section_title == "Termination"
    assert not any(each.source == "dictionary" for each in result.question.keywords)
