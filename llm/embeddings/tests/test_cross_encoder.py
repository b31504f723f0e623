"""The shipped weights are those that were trained: their digest, and what they say of twenty pairs."""

import json
from pathlib import Path

import numpy as np
import pytest

from llm.embeddings.cross_encoder import SHA256, WEIGHTS, CrossEncoder, cross_encoder
from llm.embeddings.encoder import EncoderMissing, hash_file

SCORED = Path(__file__).with_name("pairs_scored.json")  # when the weights were shipped
TOLERANCE = 0.005  # processors differ in the last digits


def test_the_file_is_the_one_that_was_trained() -> None:
    assert hash_file(WEIGHTS, WEIGHTS.stat().st_mtime_ns) == SHA256
    assert WEIGHTS.stat().st_size < 25_000_000


def test_twenty_pairs_score_as_they_did_when_it_was_shipped() -> None:
    pairs = json.loads(SCORED.read_text("utf-8"))
    assert len(pairs) == 20
    found = np.concatenate([cross_encoder().read(pair["question"], [pair["text"]]) for pair in pairs])
    assert np.abs(found - [pair["scores"] for pair in pairs]).max() < TOLERANCE
    answers = np.array([pair["answers"] for pair in pairs])
    assert found[answers, 0].mean() > 0.7 and found[~answers, 0].mean() < 0.3


def test_what_a_pair_scores_does_not_depend_on_the_pairs_beside_it() -> None:
    texts = ["The rent is EUR 900.", "No.", "The tenant pays the rent on the first day of each month. " * 20]
    together = cross_encoder().read("How high is the rent?", texts)
    alone = np.concatenate([cross_encoder().read("How high is the rent?", [text]) for text in texts])
    assert together.shape == (3, 2) and np.abs(together - alone).max() < 1e-4
    assert cross_encoder().read("How high is the rent?", []).shape == (0, 2)


def test_another_file_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "other.onnx").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    for name in ("other.onnx", "missing.onnx"):
        with pytest.raises(EncoderMissing, match=name):
            CrossEncoder(tmp_path / name)
