"""A question without a model and an ingest, warm, beside what others take: in one run, in turns, on one long filing."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, TypeVar

import pymupdf

from benchmarks import peers
from benchmarks.library import Library
from benchmarks.metrics import spread
from benchmarks.questions import GoldQuestion
from benchmarks.retrieval import commit
from documents.base_settings import BaseSettings
from llm.embeddings import bundled
from llm.embeddings.bundled import BATCH, embed_query, embed_texts
from llm.embeddings.encoder import MAX_TOKENS, encoder
from reading.passages import cut_passages
from reading.processes.sandbox import read_in_child
from retrieval.detectors.vectors import query_vector
from retrieval.pipeline import retrieve
from retrieval.types import ConceptTerms

PAGES_WANTED = 250  # the filing whose length is nearest is asked
ENCODED = 160  # passages, of which both encoders make vectors

Task = TypeVar("Task")
Spent = dict[str, list[float]]


def run(
    questions: Sequence[GoldQuestion],
    library: Library,
    dictionary: Sequence[ConceptTerms] = (),
    rounds: int = 3,
    ingests: int = 2,
) -> dict[str, Any]:
    """Each question of the file is asked of one filing; a ratio is our time by the peer's, so that 1 is as fast.

    `encoder_ratio` alone says how many times as many texts a second an encoder of eight bits makes.
    """
    path = filing(questions, library.folder)
    content, file, left_out = library.content(path), library.folder / path, peers.tell_missing()
    assert content.vectors is not None
    stages: Spent = {}

    def ask(text: str) -> None:
        query_vector.cache_clear()
        bundled._kept.clear()  # as the first question of a document; the next ones find sentences there
        result = retrieve(text, [content], settings=BaseSettings(), arbiter="rules", dictionary=dictionary)
        for name, spent in result.timings_ms.items():
            stages.setdefault(name, []).append(spent)

    passages = [passage.text for passage in content.passages]
    asking = {"ours": ask, "bm25": peers.bm25(passages), "encoder": embed_query}

    def ingest_langchain(path: Path) -> None:
        asking["langchain"] = peers.langchain_pipeline(path)

    ingesting: dict[str, Callable[[Path], object]] = {"ours": ingest}
    if not left_out:
        asking["faiss"] = peers.faiss_flat(content.vectors.passages)
        ingesting["langchain"] = ingest_langchain
    ingested = in_turns(ingesting, [file] * ingests)
    for warm_up in asking.values():
        warm_up("What is told of the year?")
    stages.clear()
    asked = in_turns(asking, [each.question for each in questions] * rounds)
    read = in_turns({"ours": read_in_child, "bare": peers.bare_extraction}, [file] * (rounds + 1))
    encoded, cosine = compare_encoders(passages[:ENCODED])
    return {
        "document": content.file_name,
        "pages": len(content.pages),
        "passages": len(passages),
        "questions": len(questions),
        "rounds": rounds,
        "question_ms": spread(asked["ours"]),
        **{f"ratio_{name}_question": ratio(asked, "ours", name) for name in ("langchain", "faiss", "bm25")},
        "ratio_langchain_ingest": ratio(ingested, "ours", "langchain"),
        "ratio_bare_read": ratio(read, "ours", "bare"),
        "encoder_ratio": ratio(encoded, "fp32", "int8"),
        "encoder_cosine_min": cosine,
        "peers_ms": {name: spread(spent) for name, spent in asked.items() if name != "ours"},
        "read_ms": {name: spread(spent) for name, spent in read.items()},
        "ingest_ms": {name: spread(spent) for name, spent in ingested.items()},
        "stages_ms": {name: spread(spent) for name, spent in stages.items()},
        "left_out": left_out,
        "commit": commit(),
    }


def filing(questions: Sequence[GoldQuestion], folder: Path) -> str:
    """The document of the questions whose length is nearest to the one wanted."""

    def apart(path: str) -> tuple[int, str]:
        with pymupdf.open(folder / path) as pdf:
            return abs(len(pdf) - PAGES_WANTED), path

    return min({question.document for question in questions}, key=apart)


def ingest(path: Path) -> None:
    """Read, cut and embed a file as ingestion does; rows are not written."""
    reading = read_in_child(path)
    embed_texts([f"{passage.context}\n{passage.text}" for passage in cut_passages(reading)])
    embed_texts([entry.breadcrumb or entry.title for entry in reading.toc])


def in_turns(acts: Mapping[str, Callable[[Task], object]], tasks: Sequence[Task]) -> Spent:
    """Milliseconds of each act on each task, one after the other; who is first changes from task to task."""
    names = list(acts)
    spent: Spent = {name: [] for name in names}
    for number, task in enumerate(tasks):
        first = number % len(names)
        for name in (*names[first:], *names[:first]):
            started = perf_counter()
            acts[name](task)
            spent[name].append(1000 * (perf_counter() - started))
    return spent


def compare_encoders(texts: Sequence[str]) -> tuple[Spent, float]:
    """The times of our encoder and of one of eight bits in batches of like length, and the least cosine of the two."""
    ids = sorted((encoder().tokenize(text)[:MAX_TOKENS] for text in texts), key=len)
    batches = [ids[start : start + BATCH] for start in range(0, len(ids), BATCH)]
    with tempfile.TemporaryDirectory() as folder:
        both = {"fp32": encoder().encode, "int8": peers.int8_encoder(Path(folder)).encode}
    for encode in both.values():
        encode(batches[0])
    cosines = [float((both["fp32"](batch) * both["int8"](batch)).sum(axis=1).min()) for batch in batches]
    return in_turns(both, batches), round(min(cosines), 4)


def ratio(spent: Spent, own: str, peer: str) -> float | None:
    """One's middle time as a multiple of the other's; none where the other was not there."""
    return round(median(spent[own]) / median(spent[peer]), 2) if peer in spent else None
