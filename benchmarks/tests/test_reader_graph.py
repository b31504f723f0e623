"""The graph of a trained reader: bytes in place of floats, the same scores."""

from pathlib import Path

import numpy as np
import onnxruntime

from benchmarks.reader_graph import BYTE_MAX, write_graph
from llm.embeddings.tests.test_onnx_graph import CONFIG, Array, dense, encode_tokens, make_weights

WIDTH = CONFIG["hidden_size"]


def test_it_scores_pairs_as_the_layers_do(tmp_path: Path) -> None:
    weights = make_weights()
    random = np.random.default_rng(3)
    shapes = {
        "head.0.weight": (WIDTH, WIDTH),
        "head.0.bias": (WIDTH,),
        "head.3.weight": (2, WIDTH),
        "head.3.bias": (2,),
    }
    weights |= {name: random.normal(0, 0.7, shape).astype(np.float32) for name, shape in shapes.items()}
    weights = {name: as_bytes_say(name, array) for name, array in weights.items()}
    path = tmp_path / "reader.onnx"
    write_graph(
        {name if name.startswith("head") else f"bert.{name}": each for name, each in weights.items()}, CONFIG, path
    )
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    pairs = [([3, 7, 1, 9, 2], [0, 0, 1, 1, 1]), ([4, 8, 8], [0, 1, 1])]
    given = np.zeros((3, 2, 5), dtype=np.int64)
    for row, (ids, segments) in enumerate(pairs):
        given[:, row, : len(ids)] = ids, [1] * len(ids), segments
    names = ("input_ids", "attention_mask", "segments")
    (scores,) = session.run(["scores"], dict(zip(names, given, strict=True)))
    for found, (ids, segments) in zip(scores, pairs, strict=True):
        first = encode_tokens(ids, weights, CONFIG, segments)[0]
        expected = dense(np.tanh(dense(first, weights, "head.0")), weights, "head.3")
        assert np.allclose(found, expected, atol=1e-4)


def as_bytes_say(name: str, matrix: Array) -> Array:
    """The matrix as its bytes give it again, so that only the graph is compared."""
    if matrix.ndim < 2 or "position" in name or "token_type" in name:
        return matrix
    scale = np.abs(matrix).max(1, keepdims=True) / BYTE_MAX
    return np.asarray(np.rint(matrix / scale) * scale, dtype=np.float32)
