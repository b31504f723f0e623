"""The fit of the evidence: it finds what decides, judges each half by the other, and is written where it is read."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.confidence import (
    NAMES,
    Asked,
    costs,
    draw_curve,
    fit,
    probability,
    run,
    swap,
    with_near_misses,
    write_fit,
)
from benchmarks.library import Library
from benchmarks.metrics import area_under_curve
from benchmarks.questions import load_questions
from retrieval.arbiter import evidence
from retrieval.arbiter.evidence import Signals
from retrieval.tests.builders import content_of_lines

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def asked(number: int, coverage: float, kind: str, formed: float = 1.0) -> Asked:
    half = "fitted" if number % 2 else "held out"
    return Asked(f"q{number}", "made", half, kind, Signals(coverage, None, formed, 1.0))


UNKNOWN = {"lead": 0.1}
MADE = [asked(n, 0.5 + 0.05 * (n % 10), "answerable") for n in range(40)]
MADE += [asked(100 + n, 0.1 + 0.05 * (n % 10), "absent") for n in range(20)]


def test_the_signal_that_differs_decides() -> None:
    intercept, weights = fit(MADE, NAMES, UNKNOWN)
    found = dict(zip(NAMES, weights, strict=True))
    assert found["coverage"] > 5
    assert all(abs(found[name]) < 1e-6 for name in ("lead", "formed", "specific"))  # the same in all questions
    high, low = (probability(asked(1, coverage, ""), intercept, weights, NAMES, UNKNOWN) for coverage in (0.9, 0.2))
    assert high > 0.9 and low < 0.1


def test_a_limit_costs_answers_on_both_sides() -> None:
    intercept, weights = fit(MADE, NAMES, UNKNOWN)
    judged = {(one.set, one.id): probability(one, intercept, weights, NAMES, UNKNOWN) for one in MADE}
    everything, nothing = costs(MADE, judged, 0.0), costs(MADE, judged, 1.0)
    assert everything == {"absent_answered": 1.0, "near_miss_answered": None, "answerable_lost": 0.0}
    assert nothing == {"absent_answered": 0.0, "near_miss_answered": None, "answerable_lost": 1.0}
    unformed = [asked(200, 1.0, "answerable", formed=0.0), Asked("none", "made", "fitted", "answerable", None)]
    assert costs(unformed, {("made", "q200"): 1.0, ("made", "none"): 0.0}, 0.0)["answerable_lost"] == 1.0


@pytest.mark.parametrize(
    ("text", "swapped"),
    [
        ("What was the revenue of 2019 and FY 2020?", "What was the revenue of 2010 and FY 2011?"),
        ("Who leads the team of Harbour now?", "Who leads the team of Porto now?"),
        ("Who leads?", ""),
    ],
)
def test_a_near_miss_has_a_year_or_a_name_that_is_not_there(text: str, swapped: str) -> None:
    assert swap(text, ["Harbour", "Porto"], content_of_lines(["The Harbour has a team."])) == swapped


def test_the_picture_has_a_dot_for_each_limit() -> None:
    curve = [{"limit": at / 10, "absent_answered": 1 - at / 10, "answerable_lost": at / 20} for at in range(5)]
    root = ElementTree.fromstring(draw_curve({"curve": curve}))
    dots = root.findall("{http://www.w3.org/2000/svg}circle")
    assert [(dot.get("cx"), dot.get("cy")) for dot in dots][::4] == [("460", "40"), ("380", "200")]


@pytest.mark.parametrize(
    ("higher", "lower", "area"),
    [([0.9, 0.8], [0.1], 1.0), ([0.5], [0.5], 0.5), ([0.1], [0.9, 0.1], 0.25), ([], [0.1], None)],
)
def test_the_area_is_how_often_the_right_one_is_higher(
    higher: list[float], lower: list[float], area: float | None
) -> None:
    assert area_under_curve(higher, lower) == area


@pytest.mark.parametrize("unread", [False, True])
def test_what_is_written_is_what_the_rules_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unread: bool) -> None:
    library, known = Library(SAMPLES, tmp_path / "cache"), load_questions(SAMPLES / "questions.jsonl")
    questions = [*[one for one in known if not one.not_found][:6], *[one for one in known if one.not_found][:4]]
    figures = run({"samples": questions}, library, (), unread)
    asked = len(list(with_near_misses(questions, library)))
    assert 0 < len(figures["per_question"]) <= asked >= len(questions) and (
        not unread or len(figures["per_question"]) == asked
    )
    write_fit(figures, tmp_path / "evidence.toml")
    monkeypatch.setitem(evidence.WEIGHTS, not unread, tmp_path / "evidence.toml")
    evidence.read_fit.cache_clear()
    try:
        read = evidence.read_fit(not unread)
    finally:
        evidence.read_fit.cache_clear()
    assert (read.intercept, dict(read.weights)) == (figures["intercept"], figures["weights"])
    assert [limit for limit, _, _ in read.curve] == [row["limit"] for row in figures["curve"]]
