"""Vectors of the bundled encoder against a forward pass of its own in numpy."""

import json
import math
import os
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from llm.embeddings import bundled, encoder
from llm.embeddings.windows import cut_windows

Array = NDArray[Any]

TEXTS = [
    "Total current liabilities were $2,213,556 thousand at November 27, 2015.",
    "",
    "   \n\t ",
    "Dot-product attention",
    "营业收入 2024 年",
    "Geschäftsführer, Größe, naïve café",
    "a\x00b\ud800c",
    "supercalifragilisticexpialidocious" * 20,
    " ".join(["The company recorded an impairment of goodwill in the fourth quarter."] * 60),
]


def erf(x: Array) -> Array:
    """Abramowitz and Stegun 7.1.26, wrong by 1.5e-7 at most."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = np.polynomial.polynomial.polyval(t, [0, 0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429])
    return np.asarray(np.sign(x) * (1 - series * np.exp(-(x**2))))


class Oracle:
    """BERT in numpy, one text at a time, written from the architecture and not from our graph."""

    def __init__(self) -> None:
        folder = encoder.verified_weights()
        self.weights: dict[str, Array] = load_file(folder / "model.safetensors")
        self.config: dict[str, Any] = json.loads((folder / "config.json").read_text())
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(256)

    def embed(self, text: str) -> Array:
        ids = self.tokenizer.encode(text.replace("\x00", "").replace("\ud800", "?")).ids
        prefix = "embeddings."
        x = self.weights[prefix + "word_embeddings.weight"][ids]
        x = x + self.weights[prefix + "position_embeddings.weight"][: len(ids)]
        x = self.norm(x + self.weights[prefix + "token_type_embeddings.weight"][0], prefix + "LayerNorm")
        for index in range(self.config["num_hidden_layers"]):
            x = self.layer(x, f"encoder.layer.{index}.")
        mean = x.mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean))

    def layer(self, x: Array, name: str) -> Array:
        heads, width = self.config["num_attention_heads"], self.config["hidden_size"]
        size = width // heads
        attended = np.zeros_like(x)
        q, k, v = (self.dense(x, f"{name}attention.self.{part}") for part in ("query", "key", "value"))
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            scores = q[:, part] @ k[:, part].T / math.sqrt(size)
            shares = np.exp(scores - scores.max(axis=1, keepdims=True))
            attended[:, part] = shares / shares.sum(axis=1, keepdims=True) @ v[:, part]
        x = self.norm(x + self.dense(attended, f"{name}attention.output.dense"), f"{name}attention.output.LayerNorm")
        inner = self.dense(x, f"{name}intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner / math.sqrt(2)))
        return self.norm(x + self.dense(inner, f"{name}output.dense"), f"{name}output.LayerNorm")

    def dense(self, x: Array, name: str) -> Array:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, x: Array, name: str) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + self.config["layer_norm_eps"])
        return np.asarray(scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"])


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


def test_it_agrees_with_the_oracle(oracle: Oracle) -> None:
    vectors = bundled.embed_texts(TEXTS)
    assert vectors.shape == (len(TEXTS), bundled.DIMENSIONS) and vectors.dtype == np.float32
    for text, vector in zip(TEXTS, vectors, strict=True):
        pieces = list(cut_windows(text, encoder.MAX_TOKENS - bundled.ADDED_TOKENS, bundled.count_tokens))
        mean = np.sum([bundled.count_tokens(piece) * oracle.embed(piece) for piece in pieces], axis=0)
        assert len(pieces) == 1 or bundled.count_tokens(text) > encoder.MAX_TOKENS
        assert vector @ mean >= 0.9999 * np.linalg.norm(mean)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_it_reads_256_tokens_not_128(oracle: Oracle) -> None:
    text = " ".join(f"word{number}" for number in range(100))
    assert bundled.count_tokens(text) > 200
    assert not np.allclose(bundled.embed_query(text), bundled.embed_query(text[: len(text) // 2]), atol=0.01)
    assert bundled.embed_query(text) @ oracle.embed(text) >= 0.9999


def test_it_keeps_the_order_of_the_texts() -> None:
    texts = [f"{'long ' * (number % 7)}text number {number}" for number in range(30)]
    vectors = bundled.embed_texts(texts)
    for number in (0, 13, 29):
        assert vectors[number] @ bundled.embed_query(texts[number]) >= 0.99999


def test_it_is_deterministic() -> None:
    assert np.array_equal(bundled.embed_texts(TEXTS), bundled.embed_texts(TEXTS))


def test_it_reports_progress() -> None:
    seen: list[tuple[int, int]] = []
    bundled.embed_texts(["text"] * 19, lambda done, of: seen.append((done, of)))
    assert seen == [(8, 19), (16, 19), (19, 19)]


def test_it_embeds_nothing_at_all() -> None:
    assert bundled.embed_texts([]).shape == (0, bundled.DIMENSIONS)


def test_it_finds_the_meaning() -> None:
    question = bundled.embed_query("How much money did the firm earn?")
    near, far = bundled.embed_texts(["Net income was 4 million.", "The parser reads PDF files."])
    assert question @ near > question @ far + 0.2


def test_it_counts_the_tokens_of_the_whole_text() -> None:
    assert [bundled.count_tokens(text) for text in ("", "attention", "attention " * 1000)] == [0, 1, 1000]


def test_it_serves_several_threads() -> None:
    alone = bundled.embed_query("scaled dot-product attention")
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(bundled.embed_query, ["scaled dot-product attention"] * 32))
    assert all(np.array_equal(alone, vector) for vector in together)


def test_it_works_in_a_forked_worker() -> None:
    here = bundled.embed_query("fork")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, bundled.embed_query("fork").tobytes())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        there = np.frombuffer(pipe.read(), dtype=np.float32)
    os.waitpid(child, 0)
    assert np.array_equal(here, there)


def test_a_vector_does_not_depend_on_the_batch() -> None:
    """R108: it may be copied. Padding changes shapes and so the order in which floats are added: last bits only."""
    together = bundled.embed_texts([*TEXTS, *(f"{'long ' * (20 * (number % 9))}text {number}" for number in range(40))])
    for text, vector in zip(TEXTS, together, strict=False):
        assert np.allclose(vector, bundled.embed_query(text), atol=2e-6)


def test_what_is_asked_for_again_is_embedded_once_while_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    embedded: list[str] = []

    def embed_texts(texts: Sequence[str]) -> Array:
        embedded.extend(texts)
        return embed(texts)

    embed = bundled.embed_texts
    monkeypatch.setattr(bundled, "embed_texts", embed_texts)
    monkeypatch.setattr(bundled, "KEPT_MAX", 2)
    monkeypatch.setattr(bundled, "_kept", OrderedDict())
    texts = ["one", "a\ud800c", "one"]
    assert np.allclose(bundled.embed_again(texts), embed(texts), atol=2e-6)
    bundled.embed_again(["two", "one"])
    assert embedded == ["one", "a\ud800c", "two"]
    bundled.embed_again(["a\ud800c"])
    assert embedded[3:] == ["a\ud800c"]
