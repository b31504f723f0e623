"""The bundled cross-encoder: it reads a question and a sentence together and says how much the one answers the other.

Trained by us (`python -m benchmarks train_reader`; weights/README.md is its card), on English alone. It reads words as
the encoder does, whose tokenizer it shares. Where that is not installed, nothing is read.
"""

import os
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from llm.embeddings.encoder import EncoderMissing, ensure_built, hash_file, open_session
from llm.exchange import clean_text

WEIGHTS = Path(__file__).parent / "weights" / "cross_encoder.onnx"
SHA256 = "a36e5b59833fe12f40fc6b3ca3d58607d2c3f278105c4f6809e16b4ce736d9bc"
TOKENS_MAX = 160  # of question and sentence together, as it was trained; the longer of the two is cut
QUESTION_CHARS, TEXT_CHARS = 600, 2_000  # more is cut anyway, and takes gigabytes until it is
BATCH = 8  # on a processor larger batches are slower

_lock = threading.Lock()
_loaded: dict[int, "CrossEncoder"] = {}


class CrossEncoder:
    """The loaded weights: thread-safe, but not fork-safe. Raises EncoderMissing if the file is not the one trained."""

    def __init__(self, weights: Path = WEIGHTS) -> None:
        from tokenizers import Tokenizer

        verify_trained_weights(weights)
        self._session = open_session(weights)
        self._tokenizer = Tokenizer.from_file(str(ensure_built() / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(TOKENS_MAX)

    def read(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Two chances for each text, float32 [n, 2], 0..1: that it answers the question, that it speaks of it."""
        asked = clean_text(question)[:QUESTION_CHARS]
        # One pair at a time: a batch would start a thread pool, and forking is unsafe afterwards.
        pairs = [self._tokenizer.encode(asked, clean_text(text)[:TEXT_CHARS]) for text in texts]
        scores = np.zeros((len(texts), 2), dtype=np.float32)
        order = sorted(range(len(pairs)), key=lambda at: len(pairs[at].ids))  # of like length together
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            longest = max(len(pairs[at].ids) for at in batch)
            given = np.zeros((3, len(batch), longest), dtype=np.int64)
            for row, at in enumerate(batch):
                size = len(pairs[at].ids)
                given[:, row, :size] = pairs[at].ids, pairs[at].attention_mask, pairs[at].type_ids
            names = ("input_ids", "attention_mask", "segments")
            (scores[batch],) = self._session.run(["scores"], dict(zip(names, given, strict=True)))
        chances: NDArray[np.float32] = np.asarray(1 / (1 + np.exp(-scores)), dtype=np.float32)
        return chances


def verify_trained_weights(weights: Path = WEIGHTS) -> None:
    """Raises EncoderMissing if the file is not the one trained."""
    found = hash_file(weights, weights.stat().st_mtime_ns) if weights.is_file() else "no file"
    if found != SHA256:
        raise EncoderMissing(f"{weights} is not the file that was trained (SHA-256 {found[:12]}…); fetch it again.")


def cross_encoder() -> CrossEncoder:
    """That of this process, loaded on first use. Raises EncoderMissing."""
    with _lock:  # by process id: a session's threads do not survive a fork
        if os.getpid() not in _loaded:
            _loaded[os.getpid()] = CrossEncoder()
        return _loaded[os.getpid()]
