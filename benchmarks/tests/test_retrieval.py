"""What is counted of judged questions."""

from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import retrieval
from benchmarks.questions import GoldQuestion
from benchmarks.retrieval import Judged, plain_name, run, summarise
from retrieval.tests.builders import content_of_lines


def row(**changes: Any) -> Judged:
    fields: dict[str, Any] = {
        "id": "q", "type": "fact", "document": "d.pdf", "not_found_expected": False, "status": "found", "pages": [3, 1],
        "confidence": 0.5,
        "sections": ["1 Scope"], "gold_pages": (1,), "alt_pages": (), "gold_sections": ("1 Scope",), "primary_count": 1,
        "anchors": 1, "literal_anchors": 1, "prose_anchors": 1, "cut_anchors": 0, "vectors_on": True,
        "latency_ms": 10.0, "timings_ms": {"detect": 4.0, "arbitrate": 1.0}, "arbiter_status": "ran", "violations": (),
        "repairs": {}, "is_partial": False, "second_look": "",
    }  # fmt: skip
    return Judged(**(fields | changes))


def test_it_counts_hits_and_honesty() -> None:
    figures = summarise(
        [
            row(),
            row(status="not_found"),
            row(not_found_expected=True, status="not_found", gold_pages=(), gold_sections=(), primary_count=0),
            row(not_found_expected=True, gold_pages=(), gold_sections=(), primary_count=0),
            row(not_found_expected=True, gold_pages=(), gold_sections=()),
        ]
    )
    assert (figures["page_hit"]["1"], figures["page_hit"]["3"]) == (0.0, 1.0)
    assert figures["false_not_found"] == 0.5
    assert summarise([row(cut_anchors=1), row(prose_anchors=3)])["cut_anchor_rate"] == 0.25
    assert figures["absent_refused"] == 0.6667
    assert figures["not_found"] == {"precision": 0.5, "recall": 0.3333}


def test_an_outcome_is_answered_weak_or_refused() -> None:
    figures = summarise(
        [
            row(confidence=0.9),
            row(confidence=0.9, is_partial=True),
            row(status="weak", confidence=0.4, primary_count=0),
            row(status="not_found", confidence=0.0, primary_count=0),
            row(not_found_expected=True, status="weak", confidence=0.4, primary_count=0),
            row(not_found_expected=True, status="not_found", confidence=0.0, primary_count=0),
        ]
    )
    assert figures["outcomes"]["answerable"] == {"answered": 0.25, "partly": 0.25, "weak": 0.25, "refused": 0.25}
    assert figures["outcomes"]["absent"] == {"answered": 0.0, "partly": 0.0, "weak": 0.5, "refused": 0.5}
    assert figures["confidence_area"] == 0.75  # five of eight pairs right, two tied


def test_it_tells_the_time_of_each_stage() -> None:
    figures = summarise([row(), row(timings_ms={"detect": 6.0})])
    assert figures["latency_ms"]["by_stage"]["detect"] == {"p50": 5.0, "p95": 5.9}
    assert figures["latency_ms"]["by_stage"]["arbitrate"] == {"p50": 1.0, "p95": 1.0}


def test_a_sections_name_has_no_layout() -> None:
    assert plain_name("3     Categorization of information") == "3 Categorization of information"


def test_vectors_alone_and_the_product_are_measured_on_the_same_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """R53: the effect of judging is the difference, in one run."""
    asked: list[str] = []

    def by_meaning(_content: Any, question: str) -> list[int]:
        asked.append(question)
        return [1, 2]

    monkeypatch.setattr(retrieval, "BASELINES", {"vectors": by_meaning})
    content = content_of_lines(["# Words", "Fees and notice.", "---", "# Rent", "The rent is 900 euros.", "---", "# C"])
    library: Any = SimpleNamespace(content=lambda path: content)

    def gold(text: str, pages: tuple[int, ...], *, is_absent: bool = False) -> GoldQuestion:
        return GoldQuestion(text, text, "lease.pdf", "fact", "", is_absent, pages, (), (), ())

    questions = [
        gold("What is the rent?", (2,)),
        gold("What is the rent, somewhere?", ()),
        gold("A dog?", (), is_absent=True),
    ]
    figures = run(questions, library, arbiter="rules", baselines=True)
    assert asked == ["What is the rent?"]
    assert (figures["page_hit"]["1"], figures["baselines"]["vectors"]["page_hit"]["1"]) == (1.0, 0.0)
    assert figures["baselines"]["vectors"]["page_hit"]["3"] == 1.0
