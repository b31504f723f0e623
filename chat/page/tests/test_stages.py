"""What a browser is told of a stage, out of the figures of a worker."""

from typing import Any

import pytest

from chat.page.stages import describe_work, in_seconds, say_stage
from retrieval.models import RetrievalRun

BRIEFS = "The model reads at most 8 passages"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"arbiter": "model", "of": 8}, BRIEFS),
        ({"arbiter": "hybrid", "of": 8}, BRIEFS),
        ({"arbiter": "model", "of": 1}, "The model reads at most 1 passage."),
        ({"arbiter": "hybrid", "of": 8, "again": True}, "a second call reads it"),
        ({"arbiter": "model", "of": 0}, ""),
        ({"arbiter": "rules", "of": 8}, ""),
    ],
)
def test_a_call_of_a_model_is_announced(told: dict[str, Any], said: str) -> None:
    stage = say_stage({"name": "arbiter", "started": True} | told)
    assert stage["begins"] and (said in stage["note"] if said else "note" not in stage)


@pytest.mark.parametrize(
    "told",
    [
        {"name": "parsed", "begins": True, "done": 2, "of": 9},
        {"name": "arbiter", "detail": "7 kept"},
        {"name": "written", "begins": True, "note": "What appears now is a draft."},
    ],
)
def test_how_far_a_full_search_is_and_what_an_older_worker_said_go_to_the_page_as_they_are(
    told: dict[str, Any],
) -> None:
    assert say_stage(told) == told


def test_what_was_not_searched_says_that_its_time_is_one() -> None:
    asked_back = RetrievalRun(status="clarify", plan={}, coverage={"documents": 2})
    assert describe_work(asked_back, 0, 0, "4.4 s") == "took 4.4 s"
    assert describe_work(asked_back, 0, 3, "4.4 s") == "3 passages, 4.4 s"


@pytest.mark.parametrize(("seconds", "told"), [(1.37, "1.4 s"), (1.96, "2.0 s"), (2.04, "2.0 s"), (0.001, "0.1 s")])
def test_a_time_is_rounded_not_cut_off(seconds: float, told: str) -> None:
    assert in_seconds(seconds) == told
