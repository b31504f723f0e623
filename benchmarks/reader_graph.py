"""The trained reader as the ONNX graph that is shipped: each matrix in bytes with a scale for each of its columns.

input_ids, attention_mask and segments, int64 [pairs, tokens] → scores, float32 [pairs, 2]. It calculates in
floats, so that what a pair scores does not depend on the pairs beside it.
"""

from pathlib import Path

import numpy as np
from onnx import TensorProto

from llm.embeddings.onnx_graph import INPUTS, Array, EncoderConfig, Graph, add_layers, integers, save_graph

BYTE_MAX = 127
WIDTH = 2


def write_graph(weights: dict[str, Array], config: EncoderConfig, path: Path) -> None:
    """Write the graph of a reader's weights, named as they were trained: `bert.…`, `head.0.…` and `head.3.…`."""
    graph = ByteGraph({name.removeprefix("bert."): array for name, array in weights.items()}, config)
    mask = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    tokens = add_layers(graph, embed_pairs(graph), mask)
    first = graph.add("Squeeze", graph.add("Slice", tokens, integers(0), integers(1), integers(1)), integers(1))
    graph.add("Identity", graph.dense(graph.add("Tanh", graph.dense(first, "head.0")), "head.3"), output="scores")
    save_graph(graph.finish((*INPUTS, "segments"), "scores", WIDTH), path)


class ByteGraph(Graph):
    """A graph whose matrices are bytes and are made floats when it is loaded."""

    def dense(self, values: str, name: str) -> str:
        made = self.floats_of(self.weights[f"{name}.weight"].T)
        return self.add("Add", self.add("MatMul", values, made), self.weights[f"{name}.bias"])

    def floats_of(self, matrix: Array) -> str:
        scale = np.maximum(np.abs(matrix).max(0, keepdims=True), 1e-9).astype(np.float32) / BYTE_MAX
        return self.add("Mul", self.add("Cast", in_bytes(matrix, scale), to=TensorProto.FLOAT), scale)


def in_bytes(matrix: Array, scale: Array) -> Array:
    return np.rint(matrix / scale).astype(np.int8)


def embed_pairs(graph: Graph) -> str:
    """The words, of which only those read are made floats, their places and whether they are of the question."""
    table = graph.weights["embeddings.word_embeddings.weight"]
    scale = np.maximum(np.abs(table).max(1, keepdims=True), 1e-9).astype(np.float32) / BYTE_MAX
    read = graph.add("Cast", graph.add("Gather", in_bytes(table, scale), "input_ids"), to=TensorProto.FLOAT)
    words = graph.add("Mul", read, graph.add("Gather", scale, "input_ids"))
    sides = graph.add("Gather", graph.weights["embeddings.token_type_embeddings.weight"], "segments")
    length = graph.add("Shape", "input_ids", start=1, end=2)
    places = graph.weights["embeddings.position_embeddings.weight"]
    used = graph.add("Slice", places, integers(0), length, integers(0))
    return graph.normalise(graph.add("Add", graph.add("Add", words, sides), used), "embeddings.LayerNorm")
