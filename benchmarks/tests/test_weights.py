"""The weights are fitted on one half of the questions only, and the product is left as it was."""

from pathlib import Path

import pytest

from benchmarks import weights
from benchmarks.library import Library
from benchmarks.questions import GoldQuestion, load_questions
from benchmarks.weights import STRENGTH, WEIGHTS, half_of, measure_of, moves_of, run, weighing

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
TODAY = {weight.label: weight.value for weight in WEIGHTS}


def question(number: int) -> GoldQuestion:
    return GoldQuestion(f"q-{number}", "What?", "a.pdf", "", "", False, (1,), (), (), ())


def test_a_question_is_in_the_same_half_for_ever() -> None:
    halves = [half_of(question(number)) for number in range(200)]
    assert halves[:6] == ["held out", "fitted", "held out", "held out", "held out", "held out"]
    assert 80 < halves.count("fitted") < 120


@pytest.mark.parametrize("weight", STRENGTH, ids=lambda weight: weight.name)
def test_the_weights_of_the_sum_stay_a_sum(weight: weights.Weight) -> None:
    for moved in moves_of(weight, TODAY):
        assert sum(moved[each.label] for each in STRENGTH) == pytest.approx(1, abs=0.003)
        assert moved != TODAY


def test_the_product_has_its_weights_back_afterwards() -> None:
    with pytest.raises(ZeroDivisionError), weighing({label: 0.5 for label in TODAY}):
        assert {weight.value for weight in WEIGHTS} == {0.5}
        raise ZeroDivisionError
    assert {weight.label: weight.value for weight in WEIGHTS} == TODAY


def test_nothing_asked_is_no_measure_of_anything() -> None:
    assert measure_of([])["measure"] == 0


def test_what_is_fitted_is_never_worse_on_the_half_it_is_fitted_on(tmp_path: Path) -> None:
    sets = {"samples": load_questions(SAMPLES / "questions.jsonl")[:8]}
    figures = run(sets, Library(SAMPLES, tmp_path), names=["KEYWORD_WEIGHT"], rounds=1)
    assert figures["after"]["fitted"]["measure"] >= figures["before"]["fitted"]["measure"]
    assert sum(figures["questions"][half]["samples"] for half in weights.HALVES) == 8
    assert set(figures["changed"]) <= {weight.label for weight in STRENGTH}
    again = run(sets, Library(SAMPLES, tmp_path), names=["KEYWORD_WEIGHT"], rounds=1)
    assert {**again, "commit": ""} == {**figures, "commit": ""}
