"""What others do with the same file and the same questions: each is made once, and then asked.

LangChain and FAISS come with requirements-bench.txt; they are imported where they are made.
"""

import shutil
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import pymupdf
from rank_bm25 import BM25Okapi

from benchmarks.baselines import stemmed_words
from llm.embeddings.bundled import Vectors, embed_query, embed_texts
from llm.embeddings.encoder import Encoder, ensure_built

PACKAGES = ("faiss", "langchain_classic", "langchain_community")
FOUND = 40  # places that each returns
CHUNK, OVERLAP = 1000, 200  # characters, as LangChain's own tutorial cuts

Asking = Callable[[str], object]


def tell_missing() -> str:
    """What is not installed, in a sentence; empty if nothing is."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    where = "`pip install -r requirements-bench.txt`"
    return f"{', '.join(missing)} missing: nothing is compared with LangChain and FAISS; {where}" if missing else ""


def bare_extraction(path: Path) -> list[str]:
    """The text of each page, and nothing else."""
    with pymupdf.open(path) as pdf:
        return [page.get_text() for page in pdf]


def bm25(texts: Sequence[str]) -> Asking:
    index = BM25Okapi([stemmed_words(text) or [""] for text in texts])
    return lambda text: index.get_top_n(stemmed_words(text), texts, n=FOUND)


def faiss_flat(vectors: Vectors) -> Asking:
    """Every vector compared with the question's, which our encoder makes."""
    import faiss

    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return lambda text: index.search(embed_query(text)[None], FOUND)


def langchain_pipeline(path: Path) -> Asking:
    """A usual pipeline: pages cut by characters, found by words and by the vectors of our encoder, and fused."""
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_community.document_loaders import PyMuPDFLoader
    from langchain_community.retrievers import BM25Retriever
    from langchain_community.vectorstores import FAISS
    from langchain_core.embeddings import Embeddings
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class Bundled(Embeddings):  # type: ignore[misc]
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            vectors: list[list[float]] = embed_texts(texts).tolist()
            return vectors

        def embed_query(self, text: str) -> list[float]:
            vector: list[float] = embed_query(text).tolist()
            return vector

    cutter = RecursiveCharacterTextSplitter(chunk_size=CHUNK, chunk_overlap=OVERLAP)
    chunks = cutter.split_documents(PyMuPDFLoader(str(path)).load())
    by_meaning = FAISS.from_documents(chunks, Bundled()).as_retriever(search_kwargs={"k": FOUND})
    by_words = BM25Retriever.from_documents(chunks, k=FOUND)
    asking: Asking = EnsembleRetriever(retrievers=[by_words, by_meaning], weights=[0.5, 0.5]).invoke
    return asking


def int8_encoder(folder: Path) -> Encoder:
    """Our encoder with its matrices as integers of eight bits, one scale a channel.

    The product does not use it: a text's vector depends on what else is in its batch, so that a file that is read again
    would get others.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    source = ensure_built()
    shutil.copy(source / "tokenizer.json", folder)
    kinds = {"op_types_to_quantize": ["MatMul"], "per_channel": True, "weight_type": QuantType.QInt8}
    quantize_dynamic(source / "model.onnx", folder / "model.onnx", **kinds)
    return Encoder(folder)
