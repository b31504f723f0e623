"""The arbiter's call with 50 briefs: the size of its request, and our time on top of the model's."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from django.conf import settings

from benchmarks.library import Library
from benchmarks.metrics import spread
from benchmarks.questions import GoldQuestion
from benchmarks.requests import CHARACTERS_PER_TOKEN, digest_of, kept_replies
from benchmarks.retrieval import commit
from chat.writing import writer
from chat.writing.excerpts import Excerpt
from chat.writing.writer import StreamedReply
from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from llm import client
from llm.embeddings.bundled import count_tokens, is_available
from llm.prompts import instruct
from reading.rows import FRONT_INDEX
from retrieval.arbiter.brief import candidate_block, toc_block
from retrieval.arbiter.model import INSTRUCTIONS
from retrieval.pipeline import retrieve
from retrieval.types import ConceptTerms, RetrievalResult
from tests.scripted_llm import Prompt, ScriptedLLM, judge

BRIEFS, TOC_ENTRIES = 50, 350
TOKENS_MAX = 16_000
STREAMS = 60
PRINTED = (
    "briefs",
    "toc_entries",
    "request_tokens",
    "toc_tokens",
    "brief_tokens",
    "arbiter_overhead_ms",
    "arbiter_processor_ms",
    "first_token_ms",
)


def run(questions: Sequence[GoldQuestion], library: Library, dictionary: Sequence[ConceptTerms] = ()) -> dict[str, Any]:
    """Ask every question with a pool of 50 over a table of contents of 350 entries; sizes in tokens, times in ms."""
    chosen = BaseSettings(pool_max=BRIEFS)
    filings = {path: with_long_toc(library, path, questions) for path in {one.document for one in questions}}
    sizes, overheads, stages, briefs, processor = [], [], [], [], []
    with TemporaryDirectory() as folder, kept_replies(Path(folder)) as server:
        for question in questions:
            content = filings[question.document]
            ask = partial(retrieve, settings=chosen, arbiter="model", dictionary=dictionary)
            ask(question.question, [content])
            if not server.bodies:
                continue
            body = server.bodies[-1]
            keep_reply(Path(folder), body)
            clock = StageClock()
            result = ask(question.question, [content], on_stage=clock.on_stage)
            if len(result.candidates) < BRIEFS or result.ranking.status != "ran":
                continue
            sizes.append(sizes_of(body, result, content))
            overheads.append(result.timings_ms["arbitrate"] + result.timings_ms["calibrate"])
            stages.append(result.timings_ms)
            processor.append(clock.spent_ms)
            briefs.append(len(result.candidates))
    return {
        "questions": len(questions),
        "measured": len(sizes),
        "briefs": BRIEFS,
        "toc_entries": TOC_ENTRIES,
        "request_tokens": spread_to_max([size["request"] for size in sizes]),
        "request_wordpieces": spread_to_max([size["wordpieces"] for size in sizes if size["wordpieces"]]),
        "toc_tokens": spread_to_max([size["toc"] for size in sizes]),
        "brief_tokens": spread_to_max([size["briefs"] for size in sizes]),
        "instruction_tokens": round(len(INSTRUCTIONS) / CHARACTERS_PER_TOKEN),
        "over_limit": sum(size["request"] > TOKENS_MAX for size in sizes),
        "arbiter_overhead_ms": spread_to_max(overheads),
        "arbiter_processor_ms": spread_to_max(processor),
        "stages_ms": {name: spread_to_max([each[name] for each in stages]) for name in ("arbitrate", "calibrate")},
        "first_token_ms": spread_to_max(first_tokens()),
        "load": os.getloadavg()[0],
        "commit": commit(),
    }


class StageClock:
    """CPU time of this process in the arbiter's stage, including the server of stored replies.

    A complement to wall-clock time on a busy machine: it does not count waiting for a core.
    """

    def __init__(self) -> None:
        self.spent_ms = 0.0
        self._since = 0.0

    def on_stage(self, stage: str, figures: dict[str, object]) -> None:
        if stage == "arbiter" and figures.get("started"):
            self._since = process_time()
        elif stage == "arbiter":
            self.spent_ms = 1000 * (process_time() - self._since)


def with_long_toc(library: Library, path: str, questions: Sequence[GoldQuestion]) -> DocumentContent:
    """A document whose table of contents has 350 entries: its own, and those of other filings with its page numbers."""
    content = library.content(path)
    own = [entry for entry in content.toc if entry.index != FRONT_INDEX][:TOC_ENTRIES]
    taken = max((entry.index for entry in content.toc), default=0)
    others = (
        entry for other in dict.fromkeys(one.document for one in questions) for entry in library.content(other).toc
    )
    last = len(content.lines)
    extra = [
        entry._replace(index=taken + place, first_line=last, last_line=last)
        for place, entry in zip(range(1, TOC_ENTRIES - len(own) + 1), others, strict=False)
    ]
    return replace(content, toc=(*content.toc, *extra))


def keep_reply(folder: Path, body: dict[str, Any]) -> None:
    """Store a good model's reply to a request where the reply server looks for it."""
    text = json.dumps(judge(Prompt.read(body)), ensure_ascii=False)
    (folder / f"{digest_of(body)}.json").write_text(json.dumps({"model": "scripted", "text": text}))


def sizes_of(body: dict[str, Any], result: RetrievalResult, content: DocumentContent) -> dict[str, int]:
    """The tokens of each part of a request: estimated at four characters each, and by a tokenizer if installed."""
    text = body["instructions"] + body["input"] + json.dumps(body["text"])
    blocks = "\n\n".join(candidate_block(candidate.brief) for candidate in result.candidates)
    return {
        "request": round(len(text) / CHARACTERS_PER_TOKEN),
        "wordpieces": count_tokens(text) if is_available() else 0,
        "toc": round(len(toc_block([content])) / CHARACTERS_PER_TOKEN),
        "briefs": round(len(blocks) / CHARACTERS_PER_TOKEN),
    }


def first_tokens() -> list[float]:
    """Milliseconds from asking for an answer to its first visible characters, with a server that replies at once."""
    excerpts = [
        Excerpt(number, "Report", "Notes", str(number), f"Revenue of unit {number} was {number} million.\n" * 60, "")
        for number in range(1, 9)
    ]
    prompt = writer.build_writer_prompt("What was the revenue of unit 3?", excerpts)
    with kept_replies(None), ScriptedLLM() as server:
        settings.LLM_BASE_URL = server.base_url
        return [first_token(prompt, excerpts) for _ in range(STREAMS)][1:]


def first_token(prompt: str, excerpts: Sequence[Excerpt]) -> float:
    reply = StreamedReply(excerpt.number for excerpt in excerpts)
    started = perf_counter()
    stream = client.stream(
        instructions=instruct(writer.PROMPT),
        prompt=prompt,
        purpose="answer",
        deadline_s=30,
        should_stop=lambda: False,
    )
    shown = 0.0
    for piece in stream:
        if reply.feed(piece) and not shown:
            shown = 1000 * (perf_counter() - started)
    return shown


def spread_to_max(values: Sequence[float]) -> dict[str, float | None]:
    return spread(values) | {"max": max(values, default=None)}
