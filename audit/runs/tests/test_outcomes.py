"""Who judged and what was decided, in words: every status, arbiter and role there is, and those nobody foresaw."""

import pytest
from django.utils import translation

from audit.runs import outcomes
from audit.runs.outcomes import (
    ARBITERS,
    METHOD_NAMES,
    ROLE_NAMES,
    STATUSES,
    judge_in_full,
    judge_of_run,
)
from llm.models import LLMCall
from retrieval import api
from retrieval.models import RetrievalRun
from retrieval.types import ROLE_ORDER


def run(**fields: object) -> RetrievalRun:
    return RetrievalRun(**({"status": "found", "arbiter": "rules", "arbiter_status": "ran", "mode": "fast"} | fields))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "Fixed rules"),
        ({"arbiter": "model"}, "Language model"),
        ({"arbiter": "rerank"}, "Reranking model"),
        ({"arbiter": "none"}, "Nobody, order of the search"),
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
        ({"arbiter": "none"}, None, "Nobody, order of the search"),
        ({"arbiter_status": "not_needed"}, None, "Nobody, there was no candidate"),
        ({"status": "failed", "arbiter_status": "not_run"}, None, "–"),
    ],
)
def test_who_judged_in_full(fields: dict[str, str], call: dict[str, str] | None, words: str) -> None:
    assert judge_in_full(run(**fields, llm_call=LLMCall(parameters={}, **call) if call else None)) == words


def test_every_name_a_program_may_store_has_words() -> None:
    assert set(STATUSES) == {*api.STATUSES, "failed"}
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
