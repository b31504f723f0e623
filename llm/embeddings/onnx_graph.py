"""Build a BERT sentence encoder as an ONNX graph from its safetensors weights: standard operators, opset 20.

input_ids and attention_mask, int64 [texts, tokens] → embedding, float32 [texts, width]: mean over tokens, normalised.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, checker, helper, numpy_helper, save
from safetensors.numpy import load_file

OPSET = 20  # the first with Gelu
IR_VERSION = 10
INPUTS = ("input_ids", "attention_mask")
MASKED = -1e9  # added to the attention of padding, so that softmax makes it zero

Array = NDArray[Any]


class EncoderConfig(TypedDict):
    """What the graph takes of a model's config.json."""

    num_hidden_layers: int
    hidden_size: int
    num_attention_heads: int
    layer_norm_eps: float


def build_graph(weights_path: Path, config: EncoderConfig, path: Path) -> None:
    """Write the graph of these weights to `path`; the bytes depend on the input only."""
    graph = Graph(load_file(weights_path), config)
    mask = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    _add_mean(graph, add_layers(graph, _embed_tokens(graph), mask), mask)
    save_graph(graph.finish(INPUTS, "embedding", config["hidden_size"]), path)


def save_graph(made: Any, path: Path) -> None:
    """Write a finished graph, if it is a valid one."""
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    checker.check_model(model)
    save(model, path)


class Graph:
    """The nodes and constants so far; values are referred to by name."""

    def __init__(self, weights: dict[str, Array], config: EncoderConfig) -> None:
        self.weights, self.config = weights, config
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def add(self, kind: str, *inputs: str | Array, output: str = "", **attributes: Any) -> str:
        """Add one operator on named values or constants; return the name of its result."""
        names = [value if isinstance(value, str) else self._constant(value) for value in inputs]
        output = output or f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, names, [output], name=output, **attributes))
        return output

    def normalise(self, values: str, name: str) -> str:
        scale, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return self.add("LayerNormalization", values, scale, bias, axis=-1, epsilon=self.config["layer_norm_eps"])

    def dense(self, values: str, name: str) -> str:
        return self.add(
            "Add", self.add("MatMul", values, self.weights[f"{name}.weight"].T), self.weights[f"{name}.bias"]
        )

    def finish(self, inputs: Sequence[str], output: str, width: int) -> Any:
        """The graph: int64 inputs [texts, tokens], one float32 output [texts, width]."""
        given = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in inputs]
        told = helper.make_tensor_value_info(output, TensorProto.FLOAT, ["texts", width])
        return helper.make_graph(self._nodes, "sentence-encoder", given, [told], self._constants)

    def _constant(self, value: Array) -> str:
        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name


def integers(*values: int) -> Array:
    return np.array(values, dtype=np.int64)


def floats(value: float) -> Array:
    return np.array(value, dtype=np.float32)


def _embed_tokens(graph: Graph) -> str:
    weights = graph.weights
    words = graph.add("Gather", weights["embeddings.word_embeddings.weight"], "input_ids")
    # One text, never a pair: the second segment's embedding is not needed.
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    length = graph.add("Shape", "input_ids", start=1, end=2)
    used = graph.add("Slice", places, integers(0), length, integers(0))
    return graph.normalise(graph.add("Add", words, used), "embeddings.LayerNorm")


def add_layers(graph: Graph, tokens: str, mask: str) -> str:
    """All layers over the embedded tokens; `mask` is 1 for each token and 0 for padding, as floats."""
    bias = graph.add("Mul", graph.add("Sub", floats(1), graph.add("Unsqueeze", mask, integers(1, 2))), floats(MASKED))
    for index in range(graph.config["num_hidden_layers"]):
        tokens = _add_layer(graph, f"encoder.layer.{index}", tokens, bias)
    return tokens


def _add_layer(graph: Graph, layer: str, tokens: str, bias: str) -> str:
    attended = graph.dense(_attend(graph, f"{layer}.attention.self", tokens, bias), f"{layer}.attention.output.dense")
    tokens = graph.normalise(graph.add("Add", attended, tokens), f"{layer}.attention.output.LayerNorm")
    inner = graph.add("Gelu", graph.dense(tokens, f"{layer}.intermediate.dense"))
    outer = graph.dense(inner, f"{layer}.output.dense")
    return graph.normalise(graph.add("Add", outer, tokens), f"{layer}.output.LayerNorm")


def _attend(graph: Graph, name: str, tokens: str, bias: str) -> str:
    width, heads = graph.config["hidden_size"], graph.config["num_attention_heads"]

    def split(part: str, order: list[int]) -> str:
        shaped = graph.add("Reshape", graph.dense(tokens, f"{name}.{part}"), integers(0, 0, heads, width // heads))
        return graph.add("Transpose", shaped, perm=order)

    query = graph.add("Mul", split("query", [0, 2, 1, 3]), floats((width // heads) ** -0.5))
    scores = graph.add("Add", graph.add("MatMul", query, split("key", [0, 2, 3, 1])), bias)
    shares = graph.add("Softmax", scores, axis=-1)
    values = graph.add("Transpose", graph.add("MatMul", shares, split("value", [0, 2, 1, 3])), perm=[0, 2, 1, 3])
    return graph.add("Reshape", values, integers(0, 0, width))


def _add_mean(graph: Graph, tokens: str, mask: str) -> None:
    column = graph.add("Unsqueeze", mask, integers(2))
    total = graph.add("ReduceSum", graph.add("Mul", tokens, column), integers(1), keepdims=0)
    count = graph.add("Max", graph.add("ReduceSum", column, integers(1), keepdims=0), floats(1e-9))
    graph.add("LpNormalization", graph.add("Div", total, count), output="embedding", axis=-1, p=2)
