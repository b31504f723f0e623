"""Contextual retrieval whole beside the arbiter: a model's sentence on each passage, a model's order, and their cost.

The replies are files: `annotation/<document>.jsonl` with the sentences, `arbiter/` and `rerank/` by the digest of the
request. What has none is written to `requests` in the same folders. Tokens are counted at four characters, and cost
what the price list of the installation says.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any

from django.conf import settings
from django.test.utils import override_settings

from benchmarks.library import Library
from benchmarks.metrics import is_hit, mean, percentile
from benchmarks.questions import GoldQuestion
from benchmarks.requests import CHARACTERS_PER_TOKEN, ReplyServer, digest_of, kept_replies, tokens_of, write_request
from benchmarks.retrieval import ranked_pages
from benchmarks.strategies import CONTEXTS_MAX, CONTEXTUAL, plain, written_tokens
from benchmarks.vectors import embed_kept
from documents.base_settings import BaseSettings
from documents.ingestion.annotation import INSTRUCTIONS, annotation_of, prompt_of, windows
from documents.storage.content import DocumentContent
from llm.fence import fence_text
from llm.prices import Price
from reading.rows import PassageRow
from retrieval.candidates.rerank_pool import by_meaning
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.types import ArbiterName, ConceptTerms

CUTOFFS = (1, 3, 5)
RERANKED = 40  # of the fused order, as many as the arbiter judges; the product sends its reranker up to 300
SENTENCES_WANTED = 'Reply with one line of JSON for each passage: {"id": 0, "sentence": "…"}'
END = "</document>"


class ReplyFileError(ValueError):
    """A file of replies cannot be used; the message says which, where and why."""


@dataclass(frozen=True)
class Strategy:
    """`context` is what stands before a passage in the index; without an arbiter its vectors alone decide."""

    name: str
    context: str
    settings: BaseSettings = field(default_factory=BaseSettings)
    arbiter: ArbiterName | None = None


STRATEGIES = (
    Strategy("embeddings", "nothing"),
    Strategy("embeddings and BM25", "nothing", CONTEXTUAL["none"], "rerank"),
    Strategy("… under section paths", "path", CONTEXTUAL["none"], "rerank"),
    Strategy("… under section paths, ordered by a model", "path", CONTEXTUAL["model"], "rerank"),
    Strategy("… under a model's sentences", "sentence", CONTEXTUAL["none"], "rerank"),
    Strategy("… and reordered by words", "sentence", CONTEXTUAL["heuristic"], "rerank"),
    Strategy("… or by a model", "sentence", CONTEXTUAL["model"], "rerank"),
    Strategy("detectors, rules judge", "path", arbiter="rules"),
    Strategy("detectors, a model judges", "path", arbiter="model"),
)


@dataclass(frozen=True)
class Outcome:
    """One question by one strategy; `texts` are what the writer is given, best first."""

    question: GoldQuestion
    pages: list[int]
    texts: list[str]
    refused: bool
    written: float
    tokens_in: float
    tokens_out: float
    cost: float | None
    milliseconds: float


# ---- the sentences


def sentences_of(document: str, content: DocumentContent, replies: Path | None) -> dict[int, str]:
    """The model's sentence on each passage, by its index. Raises ReplyFileError."""
    path = replies / "annotation" / f"{Path(document).stem}.jsonl" if replies else None
    if path is None or not path.is_file():
        return {}
    found: dict[int, str] = {}
    known = {passage.index for passage in content.passages}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            index, sentence = row["id"], annotation_of(row["sentence"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ReplyFileError(f"{path}, line {number}: {error!r}") from error
        if index not in known or index in found:
            raise ReplyFileError(f"{path}, line {number}: passage {index} is unknown, or described twice")
        found[index] = sentence
    return {index: sentence for index, sentence in found.items() if sentence}


def write_passages(document: str, content: DocumentContent, folder: Path) -> None:
    """One request for all passages of a document: its text once, as the passages with their numbers and paths."""
    parts = [INSTRUCTIONS, SENTENCES_WANTED, f"<document>\n{fence_text(content.title)}"]
    parts += [
        f'<passage id="{passage.index}">\n{fence_text(passage.context)}\n{fence_text(passage.text)}\n</passage>'
        for passage in content.passages
    ]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{Path(document).stem}.txt").write_text("\n\n".join((*parts, END)), encoding="utf-8")


def document_row(document: str, content: DocumentContent, sentences: Mapping[int, str]) -> dict[str, Any]:
    """What the sentences of a document cost as ingestion asks for them: each passage with the document before it."""
    sent = cached = 0.0
    for window, passages in windows(content.passages):
        prompts = [prompt_of(content.title, window, passage) for passage in passages]
        repeated = (len(INSTRUCTIONS) + prompts[0].index(END) + len(END)) / CHARACTERS_PER_TOKEN
        sent += sum(len(INSTRUCTIONS) + len(prompt) for prompt in prompts) / CHARACTERS_PER_TOKEN
        cached += repeated * (len(prompts) - 1)
    received = sum(map(len, sentences.values())) / CHARACTERS_PER_TOKEN
    return {
        "document": document,
        "passages": len(content.passages),
        "sentences": len(sentences),
        "tokens": round(sum(len(passage.text) for passage in content.passages) / CHARACTERS_PER_TOKEN),
        "tokens_in": round(sent),
        "of_them_cached": round(cached),
        "tokens_out": round(received),
        "cost": cost_of(settings.LLM_MODEL, sent, received, cached),
    }


def cost_of(model: str, sent: float, received: float, cached: float = 0) -> float | None:
    """By the price list; None for a model without a price."""
    price: Price | None = settings.LLM_PRICES.get(model)
    return float(price.cost(round(sent), round(received), round(cached))) if price else None


def in_context(content: DocumentContent, context: str, sentences: Mapping[int, str]) -> DocumentContent:
    """The document as its index has it where passages stand under nothing, their path, or a model's sentence."""
    if context == "path" or content.vectors is None:
        return content
    passages = tuple(
        passage._replace(context="") if context == "nothing" else passage._replace(annotation=sentences[passage.index])
        for passage in content.passages
    )
    texts = [f"{passage.annotation or passage.context}\n{passage.text}".strip() for passage in passages]
    vectors = embed_kept(texts, f"{content.sha256[:24]}-{context}")
    return replace(content, passages=passages, vectors=replace(content.vectors, passages=vectors))


# ---- the order of a model


class RerankReplies(ReplyServer):
    """A reranker of kept replies in the common format; it reads the first passages of a request only."""

    def reply_to(self, body: dict[str, Any]) -> dict[str, Any] | None:
        read = body | {"documents": body["documents"][:RERANKED]}
        self.bodies.append(read)
        path = self.folder / f"{digest_of(read)}.json" if self.folder else None
        if path is None or not path.is_file():
            self.missing.append(digest_of(read))
            return None
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return {"results": kept["results"]}


@contextmanager
def kept_orders(folder: Path | None) -> Iterator[ReplyServer]:
    """Inside the block, every call to a reranker goes to RerankReplies, with the instructions."""
    with (
        RerankReplies(folder) as server,
        override_settings(RERANK_BASE_URL=server.base_url, RERANK_API_KEY="", RERANK_INSTRUCTIONS="field"),
    ):
        yield server


# ---- the questions


def run(
    sets: Mapping[str, Sequence[GoldQuestion]],
    library: Library,
    dictionary: Sequence[ConceptTerms] = (),
    replies: Path | None = None,
    requests: Path | None = None,
) -> dict[str, Any]:
    """A row for each set and strategy, one for all sets, and a row for each document. Raises ReplyFileError."""
    documents = dict.fromkeys(question.document for asked in sets.values() for question in asked)
    sentences = {path: sentences_of(path, library.content(path), replies) for path in documents}
    bare = [path for path in documents if len(sentences[path]) < len(library.content(path).passages)]
    if requests:
        for path in bare:
            write_passages(path, library.content(path), requests / "annotation")
    rows = []
    for strategy in STRATEGIES:
        if strategy.context == "sentence" and bare:
            rows += [{"set": "all", "strategy": strategy.name, "not_run": f"{len(bare)} documents lack sentences"}]
            continue
        asker = Asker(strategy, library, sentences, dictionary)
        with asker.replying(replies):
            outcomes = {name: [asker.ask(question) for question in asked] for name, asked in sets.items()}
        if requests:
            asker.write_missing(requests)
        for name, told in {"all": list(chain.from_iterable(outcomes.values())), **outcomes}.items():
            found = not_answered(told, asker.missing) if asker.missing else summarise(told)
            rows.append({"set": name, "strategy": strategy.name} | found)
    rows.sort(key=lambda row: ["all", *sets].index(row["set"]))
    return {
        "strategies": rows,
        "documents": [document_row(path, library.content(path), sentences[path]) for path in documents],
    }


class Asker:
    """Asks questions by one strategy, with its replies from files."""

    def __init__(
        self,
        strategy: Strategy,
        library: Library,
        sentences: Mapping[str, Mapping[int, str]],
        dictionary: Sequence[ConceptTerms],
    ) -> None:
        self.strategy, self.library, self.sentences, self.dictionary = strategy, library, sentences, dictionary
        self.kind = ""  # the folder of replies
        if strategy.arbiter == "model":
            self.kind = "arbiter"
        elif strategy.settings == CONTEXTUAL["model"]:
            self.kind = "rerank"
        self.server: ReplyServer | None = None
        self.missing: list[str] = []
        self._unanswered: list[tuple[GoldQuestion, dict[str, Any]]] = []
        self._contents: dict[str, DocumentContent] = {}

    @contextmanager
    def replying(self, replies: Path | None) -> Iterator[None]:
        if not self.kind:
            yield
            return
        folder = replies / self.kind if replies else None
        with kept_replies(folder) if self.kind == "arbiter" else kept_orders(folder) as self.server:
            yield
        self.missing = self.server.missing

    def content(self, document: str) -> DocumentContent:
        if document not in self._contents:
            plain_content = self.library.content(document)
            self._contents[document] = in_context(plain_content, self.strategy.context, self.sentences[document])
        return self._contents[document]

    def ask(self, question: GoldQuestion) -> Outcome:
        """One question of its document."""
        content = self.content(question.document)
        if self.strategy.arbiter is None:
            return ask_vectors(question, content)
        before = len(self.server.bodies) if self.server else 0
        started = perf_counter()
        result = retrieve(
            question.question,
            [content],
            settings=self.strategy.settings,
            arbiter=self.strategy.arbiter,
            dictionary=self.dictionary,
        )
        milliseconds = 1000 * (perf_counter() - started)
        bodies = self.server.bodies[before:] if self.server else []
        self._unanswered += [(question, body) for body in bodies]
        sent, received, cost = self.spent(bodies)
        return Outcome(
            question,
            ranked_pages(result.candidates),
            [candidate.context.text for candidate in result.candidates],
            result.status != "found",
            written_tokens(result.candidates),
            sent,
            received,
            cost,
            milliseconds,
        )

    def spent(self, bodies: Sequence[dict[str, Any]]) -> tuple[float, float, float | None]:
        """Tokens sent and received, and their cost; a reranker reads the question with every passage."""
        if self.kind == "rerank":
            sent = sum(tokens_reranked(body) for body in bodies)
            return sent, 0, cost_of(settings.RERANK_MODEL, sent, 0)
        sent = sum(tokens_of(body) for body in bodies)
        received = sum(self.server.tokens_received(body) for body in bodies) if self.server else 0
        return sent, received, cost_of(settings.LLM_MODEL, sent, received) if bodies else 0

    def write_missing(self, folder: Path) -> None:
        for question, body in self._unanswered:
            if digest_of(body) in self.missing:
                (folder / self.kind).mkdir(parents=True, exist_ok=True)
                write_request(question, body, folder / self.kind)


def tokens_reranked(body: Mapping[str, Any]) -> float:
    asked = len(body["query"]) + len(body.get("instruction", ""))
    return sum(asked + len(text) for text in body["documents"]) / CHARACTERS_PER_TOKEN


def ask_vectors(asked: GoldQuestion, content: DocumentContent) -> Outcome:
    """The nearest passages; it refuses nothing."""
    started = perf_counter()
    question = parse_question(asked.question, [content])
    found = by_meaning(question.topic or question.corrected, [content])
    milliseconds = 1000 * (perf_counter() - started)
    passages: list[PassageRow] = [content.passages[row] for _, row in found]
    pages = dict.fromkeys(page for each in passages for page in range(each.first_page, each.last_page + 1))
    texts = [passage.text for passage in passages]
    written = sum(map(len, texts[:CONTEXTS_MAX])) / CHARACTERS_PER_TOKEN
    return Outcome(asked, list(pages), texts, False, written, 0, 0, 0, milliseconds)


# ---- the measures


def summarise(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Shares of the answerable questions, of the absent ones, and the means of what a question costs."""
    answerable = [one for one in outcomes if not one.question.not_found]
    absent = [one for one in outcomes if one.question.not_found]
    paged = [one for one in answerable if one.question.pages]
    quoted = [one for one in answerable if one.question.quotes]
    row: dict[str, Any] = {"questions": len(answerable)}
    for cutoff in CUTOFFS:
        row[f"page_first_{cutoff}"] = mean([float(is_hit(one.pages, one.question.pages, cutoff)) for one in paged])
    for cutoff in (1, CUTOFFS[-1]):
        row[f"quote_first_{cutoff}"] = mean([float(holds_quote(one, cutoff)) for one in quoted])
    costs = [one.cost for one in outcomes if one.cost is not None]
    return row | {
        "answerable_refused": mean([float(one.refused) for one in answerable]),
        "absent": len(absent),
        "absent_refused": mean([float(one.refused) for one in absent]),
        "tokens_in": mean([one.tokens_in for one in outcomes]),
        "tokens_out": mean([one.tokens_out for one in outcomes]),
        "cost": round(sum(costs) / len(costs), 6) if len(costs) == len(outcomes) and costs else None,
        "tokens_written": mean([one.written for one in outcomes]),
        "ms_p50": percentile([one.milliseconds for one in outcomes], 50),
    }


def not_answered(outcomes: Sequence[Outcome], missing: Sequence[str]) -> dict[str, Any]:
    """What is known without replies: what is sent for a question, its cost, and our own time."""
    costs = summarise(outcomes)
    told = f"{len(set(missing))} requests have no reply yet; sent {costs['tokens_in']:.0f} tokens"
    priced = f" for {costs['cost']:.4f}" if costs["cost"] is not None else ""
    return {"not_run": f"{told}{priced} a question, {costs['ms_p50']:.0f} ms"}


def holds_quote(outcome: Outcome, cutoff: int) -> bool:
    """Whether one of the first texts for the writer has a gold quote whole."""
    texts = [plain(text) for text in outcome.texts[:cutoff]]
    return any(plain(quote) in text for quote in outcome.question.quotes for text in texts)
