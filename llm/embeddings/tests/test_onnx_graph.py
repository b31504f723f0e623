"""The graph computes what the encoder's layers say: compared with the same layers in plain numpy, on random weights."""

import math
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save_file

from llm.embeddings.onnx_graph import INPUTS, OPSET, EncoderConfig, Graph, build_graph, floats, integers

Array = NDArray[np.float32]

CONFIG: EncoderConfig = {"num_hidden_layers": 2, "hidden_size": 8, "num_attention_heads": 2, "layer_norm_eps": 1e-12}
WORDS, PLACES, INNER = 30, 12, 16


def make_weights(config: EncoderConfig = CONFIG, seed: int = 7) -> dict[str, Array]:
    """Random weights under the names a BERT encoder has."""
    random = np.random.default_rng(seed)
    width = config["hidden_size"]
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (WORDS, width),
        "embeddings.position_embeddings.weight": (PLACES, width),
        "embeddings.token_type_embeddings.weight": (2, width),
        "embeddings.LayerNorm.weight": (width,),
        "embeddings.LayerNorm.bias": (width,),
    }
    for index in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{index}"
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes |= {f"{layer}.{name}.weight": (width, width), f"{layer}.{name}.bias": (width,)}
        shapes |= {f"{layer}.intermediate.dense.weight": (INNER, width), f"{layer}.intermediate.dense.bias": (INNER,)}
        shapes |= {f"{layer}.output.dense.weight": (width, INNER), f"{layer}.output.dense.bias": (width,)}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{layer}.{name}.weight": (width,), f"{layer}.{name}.bias": (width,)}
    return {name: random.normal(0, 0.7, shape).astype(np.float32) for name, shape in shapes.items()}


def build(folder: Path, config: EncoderConfig = CONFIG, weights: dict[str, Array] | None = None) -> Path:
    save_file(weights or make_weights(config), folder / "weights.safetensors")
    build_graph(folder / "weights.safetensors", config, folder / "model.onnx")
    return folder / "model.onnx"


def run(path: Path, texts: list[list[int]], mask: list[list[int]] | None = None) -> Array:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    ids = np.array(texts, dtype=np.int64)
    given = np.array(mask, dtype=np.int64) if mask else np.ones_like(ids)
    embedding: Array = session.run(["embedding"], {"input_ids": ids, "attention_mask": given})[0]
    return embedding


# ---- the same in plain numpy


def normalise(values: Array, weights: dict[str, Array], name: str, epsilon: float) -> Array:
    centred = values - values.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon)
    return np.asarray(scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"])


def dense(values: Array, weights: dict[str, Array], name: str) -> Array:
    return np.asarray(values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])


def gelu(values: Array) -> Array:
    return np.asarray(values * 0.5 * (1 + np.vectorize(math.erf)(values / math.sqrt(2))))


def encode(ids: list[int], weights: dict[str, Array], config: EncoderConfig) -> Array:
    """The embedding of one text without padding."""
    mean = encode_tokens(ids, weights, config, [0] * len(ids)).mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


def encode_tokens(ids: list[int], weights: dict[str, Array], config: EncoderConfig, segments: list[int]) -> Array:
    """What the layers make of each token, one head after the other."""
    epsilon, heads = config["layer_norm_eps"], config["num_attention_heads"]
    size = config["hidden_size"] // heads
    values = weights["embeddings.word_embeddings.weight"][ids]
    values = values + weights["embeddings.position_embeddings.weight"][: len(ids)]
    values = values + weights["embeddings.token_type_embeddings.weight"][segments]
    values = normalise(values, weights, "embeddings.LayerNorm", epsilon)
    for index in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{index}"
        parts = [dense(values, weights, f"{layer}.attention.self.{part}") for part in ("query", "key", "value")]
        attended = []
        for head in range(heads):
            query, key, value = (part[:, head * size : (head + 1) * size] for part in parts)
            scores = query @ key.T / math.sqrt(size)
            shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
            attended.append(shares / shares.sum(axis=-1, keepdims=True) @ value)
        joined = dense(np.concatenate(attended, axis=-1), weights, f"{layer}.attention.output.dense")
        values = normalise(joined + values, weights, f"{layer}.attention.output.LayerNorm", epsilon)
        inner = gelu(dense(values, weights, f"{layer}.intermediate.dense"))
        values = normalise(
            dense(inner, weights, f"{layer}.output.dense") + values, weights, f"{layer}.output.LayerNorm", epsilon
        )
    return values


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("model"))


@pytest.mark.parametrize("ids", [[0], [29], [1, 2, 3], [5, 5, 5, 5], list(range(PLACES))])
def test_it_computes_what_the_layers_say(model: Path, ids: list[int]) -> None:
    assert np.allclose(run(model, [ids])[0], encode(ids, make_weights(), CONFIG), atol=1e-5)


@pytest.mark.parametrize(("layers", "heads"), [(0, 1), (1, 1), (1, 8), (3, 4)])
def test_it_follows_the_configuration(tmp_path: Path, layers: int, heads: int) -> None:
    config = CONFIG | {"num_hidden_layers": layers, "num_attention_heads": heads}
    expected = encode([4, 9, 1], make_weights(config), config)
    assert np.allclose(run(build(tmp_path, config), [[4, 9, 1]])[0], expected, atol=1e-5)


def test_every_text_of_a_batch_is_embedded_as_if_it_were_alone(model: Path) -> None:
    texts, mask = [[3, 1, 4, 1], [5, 9, 0, 0], [2, 0, 0, 0]], [[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]]
    together = run(model, texts, mask)
    alone = [run(model, [[3, 1, 4, 1]]), run(model, [[5, 9]]), run(model, [[2]])]
    assert together.shape == (3, 8) and np.allclose(together, np.concatenate(alone), atol=1e-5)


def test_what_stands_in_the_padding_makes_no_difference(model: Path) -> None:
    mask = [[1, 1, 0, 0]]
    first = run(model, [[3, 1, 0, 0]], mask)
    assert np.allclose(first, run(model, [[3, 1, 29, 17]], mask), atol=1e-6)
    assert not np.allclose(first, run(model, [[3, 1, 29, 17]]), atol=1e-3)


def test_order_matters_and_every_embedding_has_length_one(model: Path) -> None:
    embeddings = run(model, [[1, 2, 3], [3, 2, 1], [7, 7, 7]])
    assert np.allclose(np.linalg.norm(embeddings, axis=1), 1, atol=1e-6)
    assert not np.allclose(embeddings[0], embeddings[1], atol=1e-5)


def test_a_text_that_is_all_padding_gives_numbers(model: Path) -> None:
    assert np.isfinite(run(model, [[0, 0]], [[0, 0]])).all()


def test_a_text_longer_than_the_weights_have_places_for_is_refused(model: Path) -> None:
    with pytest.raises(Exception, match=r"(?i)add|broadcast|dimension"):
        run(model, [list(range(PLACES + 1))])


def test_the_bytes_depend_on_the_weights_alone(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two", "other")]
    for folder in folders:
        folder.mkdir()
    one, two = (build(folder).read_bytes() for folder in folders[:2])
    assert one == two
    assert build(folders[2], weights=make_weights(seed=8)).read_bytes() != one


def test_it_uses_standard_operators_of_one_opset(model: Path) -> None:
    graph = onnx.load(model)
    assert [(one.domain, one.version) for one in graph.opset_import] == [("", OPSET)]
    assert {node.domain for node in graph.graph.node} == {""}
    assert [one.name for one in graph.graph.input] == ["input_ids", "attention_mask"]
    assert [one.name for one in graph.graph.output] == ["embedding"]


@pytest.mark.parametrize("name", ["embeddings.LayerNorm.bias", "encoder.layer.1.attention.self.key.weight"])
def test_weights_that_lack_a_part_give_no_graph(tmp_path: Path, name: str) -> None:
    weights = {key: value for key, value in make_weights().items() if key != name}
    with pytest.raises(KeyError, match=name):
        build(tmp_path, weights=weights)
    assert not (tmp_path / "model.onnx").exists()


def test_a_graph_names_each_value_once() -> None:
    graph = Graph({}, CONFIG)
    first = graph.add("Add", floats(1), floats(1))
    second = graph.add("Add", first, integers(1, 2))
    assert len({first, second}) == 2 and graph.add("Relu", second, output="end") == "end"
    made = graph.finish(INPUTS, "end", 1)
    assert len({one.name for one in made.initializer}) == 3 and [node.op_type for node in made.node][-1] == "Relu"
    assert integers(1, 2).dtype == np.int64 and floats(1).dtype == np.float32
