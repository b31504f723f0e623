"""Embed texts with the bundled encoder; without its weights there is no search by meaning, and errors say so."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import sha256
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from llm.embeddings.encoder import MAX_TOKENS, EncoderMissing, encoder, is_built, verified_weights
from llm.embeddings.windows import embed_whole
from llm.exchange import clean_text

MODEL_KEY = "all-MiniLM-L6-v2"
DIMENSIONS = 384
BATCH = 8  # on a CPU, larger batches are slower and need three times the memory
ADDED_TOKENS = 2  # one before and one after the text

KEPT_MAX = 4_096  # vectors, six megabytes

Vectors = NDArray[np.float32]

_kept: OrderedDict[bytes, Vectors] = OrderedDict()
_keeping = Lock()


def is_available() -> bool:
    """Whether texts can be embedded here: the encoder is built, or valid weights are installed."""
    try:
        return is_built() or verified_weights() is not None
    except EncoderMissing:
        return False


def embed_texts(texts: Sequence[str], on_progress: Callable[[int, int], None] | None = None) -> Vectors:
    """Normalised float32 vectors [n, 384] in the order of the texts; on_progress(done, of) after each batch.

    A text beyond 256 tokens is embedded in pieces, whose vectors are averaged. Raises EncoderMissing.
    """

    def report(done: int, of: int) -> None:
        if on_progress:
            on_progress(done * len(texts) // of, len(texts))

    return embed_whole(texts, MAX_TOKENS - ADDED_TOKENS, count_tokens, lambda pieces: embed_pieces(pieces, report))


def embed_again(texts: Sequence[str]) -> Vectors:
    """As `embed_texts`, of texts that further questions will ask for too: the last vectors are kept, by digest."""
    keys = [sha256(clean_text(text).encode()).digest() for text in texts]
    with _keeping:
        vectors = {key: _kept[key] for key in keys if key in _kept}
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
    vectors |= zip(missing, embed_texts([*missing.values()]), strict=True)
    with _keeping:
        for key in keys:
            _kept[key] = vectors[key].copy()  # a row alone would keep its whole batch
            _kept.move_to_end(key)
        while len(_kept) > KEPT_MAX:
            _kept.popitem(last=False)
    return np.stack([vectors[key] for key in keys])


def embed_pieces(texts: Sequence[str], on_progress: Callable[[int, int], None]) -> Vectors:
    vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
    whole = (encoder().tokenize(clean_text(text)) for text in texts)
    texts_ids = [ids if len(ids) <= MAX_TOKENS else [*ids[: MAX_TOKENS - 1], ids[-1]] for ids in whole]
    # Texts of similar length together, to minimise padding.
    order = sorted(range(len(texts)), key=lambda index: len(texts_ids[index]), reverse=True)
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        vectors[batch] = encoder().encode([texts_ids[index] for index in batch])
        on_progress(start + len(batch), len(texts))
    return vectors


def embed_query(text: str) -> Vectors:
    """The normalised float32 vector [384] of a question. Raises EncoderMissing."""
    vector: Vectors = embed_texts([text])[0]
    return vector


def count_tokens(text: str) -> int:
    """The text's own tokens; the encoder reads 254 of them (MAX_TOKENS minus two of its own). Raises EncoderMissing."""
    return len(encoder().tokenize(clean_text(text))) - ADDED_TOKENS
