"""Run the detectors in parallel over every document; vectors start early and are awaited only if needed."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from typing import NamedTuple

from documents.storage.content import DocumentContent
from llm.embeddings.providers import EMBEDDING_ERRORS
from reading.passages import RUNNING
from reading.rows import UNSEARCHED_KINDS
from retrieval import dispatch
from retrieval.deadline import detection_limited, wait_for
from retrieval.detectors import DETECTORS
from retrieval.question.kinds import SHIPPED, ReadingRules
from retrieval.question.pages import find_named_pages
from retrieval.question.parse import parse_question
from retrieval.told.planned import give_reason
from retrieval.types import ConceptTerms, Hit, LineRange, Method, Plan, Question

THREADS = 4
LATE_METHOD: Method = "vectors"  # of every other detector the hits are awaited

_threads = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="detector")
_encoders = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="encoder")  # words never wait for a slow server


def detect(
    question: Question,
    plan: Plan,
    contents: Sequence[DocumentContent],
    dictionary: Sequence[ConceptTerms] = (),
    rules: ReadingRules = SHIPPED,
) -> tuple[list[Hit], Plan]:
    """The hits of the plan's detectors, for the question and each of its parts, and the plan as it was executed.

    Vectors are started beside the word detectors and awaited only if words do not suffice. Raises DetectionTimeout if
    the word detectors exceed their time.
    """
    asked = [(0, question)]
    asked += [
        (number, parse_question(part, contents, dictionary, rules)) for number, part in enumerate(question.parts, 1)
    ]
    nearest = begin_vectors(asked, contents) if plan.is_on("vectors") else []
    hits = pin_pages(question, contents) if plan.is_on("page_hints") else []
    with detection_limited():
        hits += run_detectors(asked, [method for method in plan.detectors if method != LATE_METHOD], contents)
    plan = dispatch.drop_vectors_if_clear(plan, question, hits)
    if plan.is_on(LATE_METHOD):
        near, plan = await_vectors(nearest, plan)
        hits += near
    else:
        for search in nearest:
            search.found.cancel()
    if plan.is_on("whole_document"):
        hits += pass_whole(contents)
    if plan.is_on("page_hints"):
        hits = [hit for hit in hits if hit.method == "pinned" or is_on_named_page(hit, question, contents)]
    return hits, plan


class NearSearch(NamedTuple):
    """A search by meaning that was started: of a part of the question, in a document embedded by a model."""

    part: int
    model_key: str
    found: Future[list[Hit]]


def begin_vectors(asked: Sequence[tuple[int, Question]], contents: Sequence[DocumentContent]) -> list[NearSearch]:
    """Start the search by meaning in threads of its own; the encoder releases the interpreter's lock."""
    return [
        NearSearch(
            part,
            content.vectors.model_key if content.vectors else "",
            _encoders.submit(copy_context().run, DETECTORS["vectors"], question, content),
        )
        for part, question in asked
        for content in contents
    ]


def await_vectors(nearest: Sequence[NearSearch], plan: Plan) -> tuple[list[Hit], Plan]:
    """What is near in meaning, and the plan with why some documents could not be asked.

    Documents may be embedded by several models, of which one may not answer; words may still find something there.
    """
    hits: list[Hit] = []
    errors: dict[str, str] = {}
    for search in nearest:
        if search.model_key in errors:
            search.found.cancel()
            continue
        try:
            hits += tag(search.found.result(), search.part)
        except EMBEDDING_ERRORS as error:
            errors[search.model_key] = str(error)
    if not errors:
        return hits, plan
    reason = give_reason("not embedded", errors="; ".join(dict.fromkeys(errors.values())))
    if not hits and {search.model_key for search in nearest} - {""} <= errors.keys():
        return hits, dispatch.switch_off(plan, "vectors", reason)
    return hits, dispatch.note_reason(plan, LATE_METHOD, reason)


def run_detectors(
    asked: Sequence[tuple[int, Question]], methods: Sequence[Method], contents: Sequence[DocumentContent]
) -> list[Hit]:
    """The hits of the word detectors, run in parallel and returned in a fixed order."""
    jobs = [
        (part, _threads.submit(copy_context().run, DETECTORS[method], question, content))
        for part, question in asked
        for method in methods
        for content in contents
    ]
    return [hit for part, found in jobs for hit in tag(wait_for(found), part)]


def tag(hits: list[Hit], part: int) -> list[Hit]:
    return [replace(hit, part=part) for hit in hits] if part else hits


def pin_pages(question: Question, contents: Sequence[DocumentContent]) -> list[Hit]:
    """A hit for each page the question names, by file number or printed number (R36)."""
    hits = []
    for content in contents:
        numbers = find_named_pages(question.hints, content)
        spans: dict[int, list[int]] = {}
        for line in content.searched_lines:
            if line.page_number in numbers and line.kind not in UNSEARCHED_KINDS:
                spans.setdefault(line.page_number, []).append(line.number)
        hits += [
            Hit("pinned", content.document_id, LineRange(lines[0], lines[-1]), 1.0, detail=f"page {page}")
            for page, lines in spans.items()
        ]
    return hits


def pass_whole(contents: Sequence[DocumentContent]) -> list[Hit]:
    """A hit for each passage of documents that are too short to be searched: all of it is judged (R36)."""
    return [
        Hit("whole", content.document_id, LineRange(passage.first_line, passage.last_line), 1.0)
        for content in contents
        for passage in content.passages
        if passage.kind != RUNNING
    ]


def is_on_named_page(hit: Hit, question: Question, contents: Sequence[DocumentContent]) -> bool:
    content = next(content for content in contents if content.document_id == hit.document_id)
    pages = find_named_pages(question.hints, content)
    head = content.running_heads.get(hit.lines.first)
    return content.lines[hit.lines.first - 1].page_number in pages or bool(head and not pages.isdisjoint(head.pages))
