"""How a run ended and who judged, in words: every status, arbiter and role there is, and those nobody foresaw."""

import pytest
from django.utils import translation

from audit.runs import outcomes
from audit.runs.outcomes import (
    ARBITERS,
    KINDS,
    METHOD_NAMES,
    ROLE_NAMES,
    STATUSES,
    judge_in_full,
    judge_of_run,
    outcome_of_run,
)
from chat.models import Answer
from llm.models import LLMCall
from retrieval import api
from retrieval.models import RetrievalRun
from retrieval.types import ROLE_ORDER


def run(**fields: object) -> RetrievalRun:
    return RetrievalRun(**({"status": "found", "arbiter": "rules", "arbiter_status": "ran", "mode": "fast"} | fields))


@pytest.mark.parametrize(
    ("status", "answered", "kind", "words"),
    [
        ("found", "generated", "ok", "Answered"),
        ("found", "extractive", "ok", "Answered"),
        ("found", "", "ok", "Found"),
        ("found", "not_found", "warn", "Not found"),  # a model that read what was found says otherwise
        ("found", "cannot_tell", "warn", "Cannot tell"),
        ("not_found", "not_found", "warn", "Not found"),
        ("not_found", "", "warn", "Not found"),
        ("cannot_tell", "not_found", "warn", "Cannot tell"),
        ("clarify", "clarification", "warn", "Asked back"),
        ("failed", "", "fail", "Failed"),
        ("failed", "generated", "fail", "Failed"),
        ("exploded", "", "fail", "exploded"),
        ("", "", "fail", ""),
    ],
)
def test_how_it_ended(status: str, answered: str, kind: str, words: str) -> None:
    asked = run(status=status)
    assert outcome_of_run(asked, Answer(run=asked, kind=answered) if answered else None) == (kind, words)


@pytest.mark.parametrize(
    ("answerable", "outcome", "words"),
    [
        (True, "found", "Answered"),
        (True, "weak", "Answered"),
        (True, "not_found", "Partly answered"),
        (True, "cannot_tell", "Partly answered"),
        (False, "found", "Partly answered"),
    ],
)
def test_an_answer_that_lacks_something_is_a_part(answerable: bool, outcome: str, words: str) -> None:
    asked = run(answerable=answerable)
    answer = Answer(run=asked, kind="generated", items=[{"outcome": "found"}, {"outcome": outcome}])
    assert outcome_of_run(asked, answer).words == words


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "Fixed rules"),
        ({"arbiter": "model"}, "Language model"),
        ({"arbiter": "rerank"}, "Reranking model"),
        ({"arbiter": "none"}, "Nobody, order of RRF"),
        ({"arbiter": "oracle"}, "oracle"),
        ({"arbiter_status": "not_run"}, "Did not run"),
        ({"arbiter_status": "not_needed"}, "Nobody, there was no candidate"),
        ({"status": "failed", "arbiter_status": "not_run"}, "–"),
        ({"status": "failed", "arbiter_status": "not_needed"}, "–"),
    ],
)
def test_who_judged(fields: dict[str, str], words: str) -> None:
    assert judge_of_run(run(**fields)) == words


CALL = {"model": "large", "model_returned": "large-2026", "prompt_version": "14"}


@pytest.mark.parametrize(
    ("fields", "call", "words"),
    [
        ({"arbiter": "model"}, CALL, "large-2026, prompt 14, fast mode"),
        ({"arbiter": "model"}, CALL | {"model_returned": ""}, "large, prompt 14, fast mode"),
        ({"arbiter": "model", "arbiter_status": "not_run"}, CALL, "did not run; order by rules, fast mode"),
        ({"arbiter": "model", "arbiter_status": "not_run"}, None, "did not run; order by rules, fast mode"),
        ({}, None, "Fixed rules, no language model"),
        ({"arbiter": "none"}, None, "Nobody, order of RRF"),
        ({"arbiter_status": "not_needed"}, None, "Nobody, there was no candidate"),
        ({"status": "failed", "arbiter_status": "not_run"}, None, "–"),
    ],
)
def test_who_judged_in_full(fields: dict[str, str], call: dict[str, str] | None, words: str) -> None:
    assert judge_in_full(run(**fields, llm_call=LLMCall(**call) if call else None)) == words


def test_every_name_a_program_may_store_has_words() -> None:
    assert set(STATUSES) == set(KINDS) == {*api.STATUSES, "failed"}
    assert set(METHOD_NAMES) == set(api.METHOD_NAMES)
    assert set(ROLE_NAMES) == set(ROLE_ORDER) - {"unjudged"}
    assert set(ARBITERS) == {"model", "rules", "rerank", "none"}


@pytest.mark.parametrize("table", ["STATUSES", "ARBITERS", "ROLE_NAMES", "REPAIR_NAMES"])
def test_words_are_in_the_language_of_the_reader(table: str) -> None:
    words = getattr(outcomes, table)
    english = [str(each) for each in words.values()]
    with translation.override("fr"):
        french = [str(each) for each in words.values()]
    assert len(set(english)) == len(english) and french != english
