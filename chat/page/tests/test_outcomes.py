"""How a question ended, told from its run, its answer and the turn that asked."""

from typing import Any

import pytest

from chat.models import Answer, Turn
from chat.page.outcomes import CLEAR, DOUBTFUL, LIKELY, STOPPED_RUNS, Sureness, outcome_of_run, sureness_of
from chat.page.thread import ShownTurn
from retrieval.models import RetrievalRun, RunCandidate

WORDS = [("heating", 0), ("greenhouse", 0), ("voted", 2)]


def run(status: str = "found", arbiter: str = "rules", answerable: bool | None = None) -> RetrievalRun:
    return RetrievalRun(status=status, arbiter=arbiter, answerable=answerable)


@pytest.mark.parametrize(
    ("status", "answered", "state", "outcome"),
    [
        ("found", "generated", "done", "found"),
        ("found", "extractive", "", "found"),
        ("found", "", "", "found"),
        ("found", "", "stopped", "stopped"),
        ("found", "not_found", "done", "not_found"),  # a model that read what was found says otherwise
        ("cannot_tell", "not_found", "done", "cannot_tell"),
        ("clarify", "clarification", "done", "clarify"),
        ("failed", "", "failed", "failed"),
        ("exploded", "", "", "exploded"),
    ],
)
def test_how_it_ended(status: str, answered: str, state: str, outcome: str) -> None:
    asked = run(status=status, arbiter="model")
    answer = Answer(run=asked, kind=answered, ended="complete") if answered else None
    assert outcome_of_run(asked, answer, state) == outcome


@pytest.mark.parametrize("failure", STOPPED_RUNS)
def test_what_people_stopped_themselves_did_not_fail(failure: str) -> None:
    assert outcome_of_run(RetrievalRun(status="failed", failure=failure), None) == "stopped"


@pytest.mark.parametrize(
    ("arbiter", "arbiter_status", "outcome"),
    [
        ("rules", "ran", "passages"),
        ("rerank", "ran", "passages"),
        ("none", "ran", "unjudged"),
        ("model", "not_run", "unjudged"),
        ("rerank", "not_run", "unjudged"),
    ],
)
def test_what_no_model_judged_is_not_called_an_answer(arbiter: str, arbiter_status: str, outcome: str) -> None:
    asked = RetrievalRun(status="found", arbiter=arbiter, arbiter_status=arbiter_status)
    assert outcome_of_run(asked, Answer(run=asked, kind="extractive", ended="complete")) == outcome
    assert outcome_of_run(asked, None) == outcome


@pytest.mark.parametrize(
    ("answerable", "outcome", "told"),
    [
        (True, "found", "found"),
        (True, "weak", "found"),
        (True, "not_found", "partly"),
        (True, "cannot_tell", "partly"),
        (False, "found", "partly"),
    ],
)
def test_an_answer_that_lacks_something_is_a_part(answerable: bool, outcome: str, told: str) -> None:
    asked = run(answerable=answerable, arbiter="model")
    items = [{"outcome": "found"}, {"outcome": outcome}]
    assert outcome_of_run(asked, Answer(run=asked, kind="generated", ended="complete", items=items)) == told


LEADING = [{"typed": {"type": "sentence"}}]


@pytest.mark.parametrize(
    ("of_run", "of_answer", "sureness"),
    [
        ({"confidence": 0.93}, {"checks": LEADING}, CLEAR),
        ({"confidence": 0.93}, {}, LIKELY),
        ({"confidence": 0.85}, {}, LIKELY),
        ({"confidence": 0.84}, {}, DOUBTFUL),
        ({"confidence": 0.7}, {"checks": LEADING}, CLEAR),
        ({"confidence": 0.69}, {"checks": LEADING}, DOUBTFUL),
        ({"confidence": 0.93, "arbiter": "model"}, {"checks": LEADING}, None),
        ({"confidence": 0.93, "arbiter_status": "not_run"}, {}, None),
        ({"confidence": 0.3, "status": "weak"}, {"kind": "weak"}, None),
        ({"confidence": 0.93}, {"kind": "not_found"}, None),
        ({"confidence": 0.6, "parsed": {"form": "outline"}}, {}, None),
    ],
)
def test_how_sure_fixed_rules_are_is_a_word(
    of_run: dict[str, Any], of_answer: dict[str, Any], sureness: Sureness | None
) -> None:
    asked = RetrievalRun(**({"status": "found", "arbiter": "rules", "arbiter_status": "ran"} | of_run))
    answer = Answer(run=asked, **({"kind": "extractive", "ended": "complete"} | of_answer))
    assert sureness_of(asked, answer, []) == sureness
    assert sureness_of(asked, None, []) is None


@pytest.mark.parametrize(
    ("checks", "reads", "sureness"),
    [([], 0.39, DOUBTFUL), ([], 0.4, LIKELY), (LEADING, 0.1, CLEAR), ([], 0.99, LIKELY)],
)
def test_what_hardly_reads_as_an_answer_is_not_likely(
    checks: list[Any], reads: float, sureness: Sureness | None
) -> None:
    asked = RetrievalRun(status="found", arbiter="rules", arbiter_status="ran", confidence=0.93)
    answer = Answer(run=asked, kind="extractive", ended="complete", checks=checks)
    candidates = [RunCandidate(reason_facts={"reads": reads}), RunCandidate(reason_facts={})]
    assert sureness_of(asked, answer, candidates) == sureness


def test_a_sentence_said_first_only_for_how_it_reads_is_likely() -> None:
    asked = RetrievalRun(status="found", arbiter="rules", arbiter_status="ran", confidence=0.93)
    answer = Answer(run=asked, kind="extractive", ended="complete", checks=LEADING)
    read = RunCandidate(reason_facts={"reads": 0.99, "first_reads": 0.98})
    assert sureness_of(asked, answer, [RunCandidate(reason_facts={}), read]) == LIKELY


@pytest.mark.parametrize(
    ("confidence", "told"),
    [(0.3, ["No page that was read mentions “heating” or “greenhouse”."]), (0.93, [])],
)
def test_a_doubtful_answer_names_the_words_that_no_page_has(confidence: float, told: list[str]) -> None:
    added = [("happens", "direct", "secondary"), ("the term is", "dictionary", "primary")]  # and what asks for it
    searched = [
        {"text": text, "forms": [], "count": count} for text, count in [*WORDS, *((each[0], 0) for each in added)]
    ]
    asked = RetrievalRun(
        status="found",
        arbiter="rules",
        arbiter_status="ran",
        confidence=confidence,
        searched=searched,
        plan={},
        parsed={"keywords": [dict(zip(("text", "source", "priority"), each, strict=True)) for each in added]},
    )
    shown = ShownTurn(Turn(state="done", run=asked))
    shown.answer = Answer(run=asked, kind="extractive", ended="complete")
    shown.candidates, shown.objection = [], None
    assert shown.doubts == told
