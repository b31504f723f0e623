"""The measure of the figures a writer asks for, on the sample report and with kept replies."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from benchmarks import figures
from benchmarks.library import Library
from benchmarks.questions import GoldQuestion
from benchmarks.requests import digest_of

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
MARGIN = GoldQuestion(
    id="margin",
    question="What is the operating margin of 2024, operating income over revenue, in percent?",
    document="annual-report.pdf",
    type="",
    answer="12.0%",
    not_found=False,
    pages=(10,),
    alt_pages=(),
    sections=(),
    quotes=(),
)
ROWS = {"o": ("Operating income 49,910 45,130", "49,910"), "r": ("Revenue 415,890 388,195", "415,890")}


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr("benchmarks.library.bundled.is_available", lambda: False)
    return Library(SAMPLES, tmp_path / "cache")


def reply(period: str) -> str:
    """What a writer says, with its inputs of a period."""
    inputs = [
        {"name": name, "meaning": row.partition(" ")[0], "period": period, "excerpt": 1, "quote": row, "value": value}
        for name, (row, value) in ROWS.items()
    ]
    computations = [{"name": "c1", "label": "Operating margin", "formula": "o / r", "result": "percent", "decimals": 1}]
    return f"COMPUTE\n{json.dumps({'inputs': inputs, 'computations': computations})}\n\nIt was {{c1}}."


def answer_all(requests: Path, replies: Path, text: str) -> None:
    replies.mkdir(exist_ok=True)
    for path in requests.glob("*.json"):
        (replies / path.name).write_text(json.dumps({"model": "kept", "text": text}))


def test_what_the_replies_ask_for_is_held_against_the_gold_answer(library: Library, tmp_path: Path) -> None:
    first = figures.run([MARGIN], library, out=tmp_path / "requests")
    assert (first["asked"], first["right"], first["without_reply"]) == (1, 0, 1)
    (path,) = (tmp_path / "requests").iterdir()
    kept = json.loads(path.read_text())
    assert path.stem == digest_of(kept["request"]) and "Operating income | 49,910" in kept["request"]["input"]
    answer_all(tmp_path / "requests", tmp_path / "replies", reply("2024"))
    found = figures.run([MARGIN], library, replies=tmp_path / "replies")
    assert (found["asked"], found["right"], found["cited"], found["without_reply"]) == (1, 1, 1, 0)
    assert found["per_question"][0]["text"].startswith("It was 12.0% [")


def test_a_draft_that_is_refused_asks_for_a_second(library: Library, tmp_path: Path) -> None:
    figures.run([MARGIN], library, out=tmp_path / "requests")
    answer_all(tmp_path / "requests", tmp_path / "replies", reply("2023"))
    found = figures.run([MARGIN], library, replies=tmp_path / "replies", out=tmp_path / "again")
    assert (found["right"], found["without_reply"]) == (0, 1) and "printed under 2024" in found["refused"][0]
    (path,) = (tmp_path / "again").iterdir()
    assert "printed under 2024, not 2023" in json.loads(path.read_text())["request"]["input"]
    answer_all(tmp_path / "again", tmp_path / "replies", reply("2024"))
    assert figures.run([MARGIN], library, replies=tmp_path / "replies")["right"] == 1


def test_inputs_are_tried_as_printed_and_changed(library: Library) -> None:
    told = figures.run([MARGIN], library)["inputs"]
    assert told.pop("as printed") == {"tried": 30, "accepted": 30}
    assert len(told) == 5 and all(each["tried"] and not each["accepted"] for each in told.values())


@pytest.mark.parametrize(
    ("told", "answer", "is_right"),
    [
        ([1832], "$1832.00", True),
        ([-0.8], "a decline by 0.8%", True),
        ([0.8], "0.83", False),
        ([5], "None", False),
    ],
)
def test_a_figure_is_right_to_the_golds_last_decimal(told: list[float], answer: str, is_right: bool) -> None:
    question = GoldQuestion("x", "What?", "d", "", answer, False, (), (), (), ())
    assert figures.is_right([Decimal(str(each)) for each in told], question) is is_right
