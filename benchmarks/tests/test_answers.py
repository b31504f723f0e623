"""The measure of answers: figures told and cited, and what the claim check did, from the checks that are kept."""

from typing import Any

import pytest

from benchmarks.answers import count_gate, judge_figure
from benchmarks.questions import GoldQuestion
from chat.models import Answer, Citation

MARGIN = GoldQuestion(
    id="margin",
    question="What was the operating margin?",
    document="report.pdf",
    type="",
    answer="24.6 %",
    not_found=False,
    pages=(1,),
    alt_pages=(),
    sections=(),
    quotes=(),
)


def computed(shown: str = "24.6 %", printed: str = "Operating income 246") -> dict[str, Any]:
    inputs = [{"printed": printed, "marker": 1}]
    return {"sentence": "x", "problems": [], "computed": {"shown": shown, "inputs": inputs}}


@pytest.mark.parametrize(
    ("text", "checks", "quote", "judged"),
    [
        ("It was 24.6 % [1].", [{"problems": []}], "margin 24.6 %", (True, True)),
        ("It was {c1}.", [computed()], "Operating income 246 212", (True, True)),
        ("It was {c1}.", [computed()], "Operating income 212", (True, False)),
        ("It was {c1}.", [computed("23.1 %")], "Operating income 246 212", (False, True)),
        ("It was 24.6 % [1].", [{"problems": ["number_not_cited"]}], "margin", (True, False)),
    ],
)
def test_a_figure_is_right_and_cited(
    text: str, checks: list[dict[str, Any]], quote: str, judged: tuple[bool, bool]
) -> None:
    answer = Answer(kind="generated", text=text, checks=checks)
    assert judge_figure(MARGIN, answer, [Citation(marker=1, quote=quote)]) == judged


def test_the_findings_of_the_claim_check_are_counted() -> None:
    checks: list[dict[str, Any]] = [
        {"verdict": "supported"},
        {"verdict": "contradicted", "left_out": True},
        {"verdict": ""},
        {"typed": {"type": "amount"}},
    ]
    assert count_gate(checks) == {"supported": 1, "contradicted": 1, "unchecked": 1, "left_out": 1}
    assert count_gate([{"typed": {}}]) == {}
