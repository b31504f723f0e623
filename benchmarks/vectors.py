"""Vectors cached by text, so that a changed reader re-embeds only changed passages."""

import hashlib
from pathlib import Path

import numpy as np

from llm.embeddings import bundled

CACHE = Path(__file__).parent / "cache"


def embed_kept(texts: list[str], name: str) -> np.ndarray:
    """The vectors of the texts, [texts, dimensions], from the file `name` where it has them."""
    path = CACHE / f"{name}-{bundled.MODEL_KEY}.npz"
    kept = read_kept(path)
    keys = [hashlib.sha256(text.encode()).hexdigest()[:24] for text in texts]
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in kept}
    if missing:
        kept.update(zip(missing, bundled.embed_texts(list(missing.values())), strict=True))
        write_kept(path, kept)
    if not keys:
        return np.empty((0, bundled.DIMENSIONS), dtype=np.float32)
    return np.stack([kept[key] for key in keys])


def read_kept(path: Path) -> dict[str, np.ndarray]:
    if not path.exists():
        return {}
    with np.load(path) as stored:
        return dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))


def write_kept(path: Path, kept: dict[str, np.ndarray]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial.npz")
    np.savez(partial, keys=np.array(list(kept)), vectors=np.stack(list(kept.values())))
    partial.replace(path)
