"""Exporting the arbiter's requests and replaying kept replies, on the samples, through the real client."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from benchmarks import __main__ as command
from benchmarks import retrieval
from benchmarks.library import Library
from benchmarks.questions import load_questions
from benchmarks.requests import digest_of, export, kept_replies
from retrieval.arbiter.model import SECOND_LOOK
from tests.scripted_llm import Prompt, good_text

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
QUESTIONS = [one for one in load_questions(SAMPLES / "questions.jsonl") if one.document.endswith(".md")][:4]


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr("benchmarks.library.bundled.is_available", lambda: False)
    return Library(SAMPLES, tmp_path / "cache")


def answer_all(requests: Path, replies: Path, doubts: dict[str, Any] | None = None) -> None:
    """What somebody with a model does elsewhere: one reply for each request, under the same name."""
    replies.mkdir()
    for path in requests.glob("*.json"):
        text = good_text(Prompt.read(json.loads(path.read_text())["request"]))
        text = json.dumps(json.loads(text) | (doubts or {}))
        (replies / path.name).write_text(json.dumps({"model": "kept-model", "text": text}))


def test_each_question_has_one_file_named_by_its_request(library: Library, tmp_path: Path) -> None:
    figures = export(QUESTIONS, library, tmp_path / "out")
    files = sorted((tmp_path / "out").glob("*.json"))
    assert figures["questions"] == len(QUESTIONS)
    assert figures["requests"] == len(files) == len(QUESTIONS) - len(figures["without_request"]) > 0
    for path in files:
        kept = json.loads(path.read_text())
        assert path.stem == kept["digest"] == digest_of(kept["request"]) == digest_of(kept["request"] | {"model": "x"})
        assert kept["question"] in kept["request"]["input"] and "<toc>" in kept["request"]["input"]
        assert kept["request"]["text"]["format"]["schema"]["required"]
    assert figures["tokens_estimated"]["max"] <= 16_000


def test_judging_is_measured_beside_embeddings_alone(library: Library) -> None:
    """(R53): on the same questions, in the same run."""
    figures = retrieval.run(QUESTIONS, library, arbiter="rules", baselines=True)
    alone = figures["baselines"]["vectors"]["page_hit"]
    assert figures["page_hit"].keys() == alone.keys() and "1" in alone


def test_a_second_export_writes_the_same_bytes(library: Library, tmp_path: Path) -> None:
    export(QUESTIONS, library, tmp_path / "one")
    export(QUESTIONS, library, tmp_path / "two")
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert one == two and one


def test_kept_replies_are_judged_as_a_model_would_be(library: Library, tmp_path: Path) -> None:
    export(QUESTIONS, library, tmp_path / "requests")
    answer_all(tmp_path / "requests", tmp_path / "replies")
    before = settings.LLM_BASE_URL
    with kept_replies(tmp_path / "replies") as server:
        figures = retrieval.run(QUESTIONS, library, arbiter="model", baselines=False)
    assert before == settings.LLM_BASE_URL
    assert len(server.bodies) > len(server.missing)  # the warm-up question has no kept reply
    assert figures["literal_anchor_rate"] == 1.0
    assert {row["arbiter_status"] for row in figures["per_question"]} <= {"ran", "not_needed"}
    assert figures["arbiter"]["repairs"]["exact"] > 0


def test_what_the_replies_ask_for_is_exported_next(library: Library, tmp_path: Path) -> None:
    export(QUESTIONS, library, tmp_path / "first")
    answer_all(tmp_path / "first", tmp_path / "replies", {"answerable": False, "wanted_words": ["information"]})
    figures = export(QUESTIONS, library, tmp_path / "second", replies=tmp_path / "replies")
    second = [json.loads(path.read_text()) for path in (tmp_path / "second").iterdir()]
    assert len(second) == figures["without_reply"] > 0
    assert all(SECOND_LOOK in one["request"]["input"] for one in second)


def test_a_missing_reply_is_an_arbiter_that_did_not_run(library: Library, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    with kept_replies(tmp_path / "none") as server:
        figures = retrieval.run(QUESTIONS[:1], library, arbiter="model", baselines=False)
    assert server.missing and figures["per_question"][0]["arbiter_status"] == "not_run"


@pytest.mark.parametrize("arguments", [["--replies", "nowhere", "--arbiter", "model"], ["--replies", "."]])
def test_the_command_refuses_replies_it_cannot_use(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start = ["benchmarks", "retrieval", "--data", str(SAMPLES), "--questions", str(SAMPLES / "questions.jsonl")]
    monkeypatch.setattr(sys, "argv", start + arguments)
    assert command.main() == 1
    assert "--replies needs" in capsys.readouterr().err


def test_the_command_writes_the_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchmarks.library.bundled.is_available", lambda: False)
    monkeypatch.setattr("benchmarks.library.CACHE", tmp_path / "cache")
    shutil.copy(SAMPLES / "information-security-policy.md", tmp_path)
    lines = (SAMPLES / "questions.jsonl").read_text().splitlines()
    (tmp_path / "q.jsonl").write_text("\n".join([line for line in lines if "information-security" in line][:2]))
    out = tmp_path / "out"
    where = ["--data", str(tmp_path), "--questions", str(tmp_path / "q.jsonl"), "--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["benchmarks", "requests", *where])
    assert command.main() == 0
    assert len(list(out.iterdir())) == 2 and "tokens_estimated" in capsys.readouterr().out
