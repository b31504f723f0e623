"""The measure of the claim check, on a sample and with kept replies."""

import json
from pathlib import Path

import pytest

from benchmarks.claims import SEEDS, half_of, run
from benchmarks.library import Library
from benchmarks.requests import digest_of

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
POLICY = "information-security-policy.md"
KINDS = {"negation", "modal", "parties", "quantifier", "number", "unit", "period", "date", "condition"}


@pytest.fixture
def seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("benchmarks.library.bundled.is_available", lambda: False)
    monkeypatch.setattr("benchmarks.library.CACHE", tmp_path / "cache")
    lines = Library(SAMPLES, tmp_path / "cache").content(POLICY).lines
    gold = next(line for line in lines if "fourteen characters" in line.text)
    seed = {
        "id": "policy-1-0",
        "document": POLICY,
        "page": gold.page_number,
        "form": "text",
        "quote": gold.text,
        "right": ["Passwords have at least fourteen characters."],
        "wrong": [
            {"kind": "number", "sentence": "Passwords have at least four characters."},
            {"kind": "quantifier", "sentence": "Passwords have at most fourteen characters."},
        ],
    }
    path = tmp_path / "claims.jsonl"
    path.write_text(json.dumps(seed) + "\n")
    return path


def test_it_counts_what_the_replies_stop(seeds: Path, tmp_path: Path) -> None:
    requests, replies = tmp_path / "requests", tmp_path / "replies"
    assert run(SAMPLES, None, requests, seeds)["without_reply"] == 1
    (path,) = requests.iterdir()
    request = json.loads(path.read_text())["request"]
    assert path.stem == digest_of(request) and "fourteen characters" in request["input"]
    replies.mkdir()
    verdicts = ["contradicted" if "four c" in line else "supported" for line in request["input"].splitlines()[-3:]]
    claims = [{"number": number, "verdict": verdict, "finding": ""} for number, verdict in enumerate(verdicts, 1)]
    (replies / path.name).write_text(json.dumps({"model": "kept", "text": json.dumps({"claims": claims})}))
    figures = run(SAMPLES, replies, None, seeds)
    half = half_of("policy-1-0")
    assert figures["sentences"] == 3 and figures["right_stopped"][half] == 0.0
    assert figures["wrong_stopped"][half] == 0.5
    assert figures["by_kind"] == {
        "number": {"made on": None, "held out": None} | {half: 1.0},
        "quantifier": {"made on": None, "held out": None} | {half: 0.0},
    }


def test_the_seeds_are_balanced() -> None:
    seeds = [json.loads(line) for line in SEEDS.read_text("utf-8").splitlines()]
    assert len({seed["id"] for seed in seeds}) == len(seeds) > 200
    kinds = [wrong["kind"] for seed in seeds for wrong in seed["wrong"]]
    assert set(kinds) == KINDS and len(kinds) > 1000
    assert min(map(kinds.count, KINDS)) > 0.75 * max(map(kinds.count, KINDS))
    assert all(len(seed["right"]) == 2 for seed in seeds)
