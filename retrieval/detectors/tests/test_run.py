"""The detectors side by side: order, parts of a question, pages that are pinned, and vectors that may fail."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from threading import Event

import numpy as np
import pytest

from documents.storage.content import DocumentContent, Vectors
from llm.embeddings.encoder import EncoderMissing
from llm.errors import NotConfigured, Unreachable
from llm.exchange import Exchange
from retrieval.candidates.aggregation import aggregate
from retrieval.detectors import DETECTORS
from retrieval.detectors.run import (
    detect,
    is_on_named_page,
    pin_pages,
    run_detectors,
    tag,
)
from retrieval.question.pages import find_named_pages
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import METHODS, Flag, Hints, Hit, LineRange, Method, Plan, Question

EXCHANGE = Exchange(
    "embedding",
    "llm.example.org",
    "embeddings",
    "m",
    "",
    "",
    {},
    {},
    "",
    datetime(2026, 1, 1, tzinfo=UTC),
    1,
    1,
    "failed",
)

Detector = Callable[[Question, DocumentContent], list[Hit]]


def plan_of(*names: str) -> Plan:
    return Plan(tuple(Flag(name, name in names, "as the test asks") for name in (*METHODS, "page_hints")))


def finds(method: Method, first: int = 1) -> Detector:
    return lambda question, content: [Hit(method, content.document_id, LineRange(first, first), 1.0)]


@pytest.fixture
def paged() -> DocumentContent:
    """Three pages, printed as iv, 1 and 2; the second one has nothing but a running header."""
    content = content_of_lines(["a", "b", "---", ("head", "furniture"), "---", ("head", "furniture"), "c", "d"])
    labels = zip(content.pages, ("iv", "1", "2"), strict=True)
    return replace(content, pages=tuple(page._replace(label=label) for page, label in labels))


def asked(content: DocumentContent, pages: tuple[int | str, ...] = (), parts: tuple[str, ...] = ()) -> Question:
    return replace(parse_question("Why is there a fee?", [content]), hints=Hints(pages=pages), parts=parts)


# ---- pages


@pytest.mark.parametrize(
    ("pages", "pinned"),
    [
        ((), []),
        ((1,), []),  # it is printed on the second, of which nothing can be searched
        (("iv",), [(LineRange(1, 2), "page 1")]),
        ((3,), [(LineRange(5, 6), "page 3")]),
        ((2,), [(LineRange(5, 6), "page 3")]),  # nothing on the second can be searched; the third is printed as 2
        ((3, "iv", "iv"), [(LineRange(1, 2), "page 1"), (LineRange(5, 6), "page 3")]),
        ((0, -1, 99, 10**30), []),
    ],
)
def test_named_pages_are_pinned_in_reading_order(
    pages: tuple[int | str, ...], pinned: list[tuple[LineRange, str]], paged: DocumentContent
) -> None:
    hits = pin_pages(asked(paged, pages), [paged])
    assert [(hit.lines, hit.detail) for hit in hits] == pinned
    assert {hit.method for hit in hits} <= {"pinned"}


def test_a_printed_number_that_is_no_page_of_the_file_is_taken_as_printed(paged: DocumentContent) -> None:
    printed = replace(paged, pages=tuple(page._replace(label=f"{page.number + 100}") for page in paged.pages))
    assert [hit.detail for hit in pin_pages(asked(printed, (103,)), [printed])] == ["page 3"]


def test_a_page_is_pinned_in_every_document_that_has_it(paged: DocumentContent) -> None:
    other = content_of_lines(["x"], number=2)
    hits = pin_pages(asked(paged, (1, 3)), [paged, other])
    assert [hit.document_id == other.document_id for hit in hits] == [False, True]


def test_a_hit_is_on_the_page_of_its_first_line_in_its_own_document(paged: DocumentContent) -> None:
    other = content_of_lines(["x", "---", "y"], number=2)
    hit = Hit("keywords", other.document_id, LineRange(2, 2), 1.0)
    assert is_on_named_page(hit, asked(paged, (2,)), [paged, other])
    assert not is_on_named_page(hit, asked(paged, (1, 3)), [paged, other])


@pytest.mark.parametrize(("pages", "named"), [((), set()), ((1,), {2}), ((3,), {3}), ((7, -1), set())])
def test_a_page_is_named_as_printed_and_else_by_its_place(
    pages: tuple[int, ...], named: set[int], paged: DocumentContent
) -> None:
    assert find_named_pages(Hints(pages=pages), paged) == named


@pytest.mark.parametrize("named", [3, 103])
def test_what_is_found_on_a_named_page_stays_whichever_number_names_it(named: int) -> None:
    content = content_of_lines(["The fee is 1.", "---", "x", "---", "x", "The fee is 12."])
    content = replace(content, pages=tuple(page._replace(label=f"{page.number + 100}") for page in content.pages))
    question = replace(parse_question("fee", [content]), hints=Hints(pages=(named,)))
    hits, _ = detect(question, plan_of("keywords", "page_hints"), [content])
    assert [(hit.method, hit.lines) for hit in hits] == [
        ("pinned", LineRange(3, 4)),
        ("keywords", LineRange(4, 4)),
    ]


def test_a_text_without_pages_has_none_of_those_named(paged: DocumentContent) -> None:
    text = replace(paged, document_id="t", media_type="text/markdown")
    hits, _ = detect(asked(paged, (3,)), plan_of("keywords", "page_hints"), [paged, text])
    assert {hit.document_id for hit in hits} == {paged.document_id}
    assert find_named_pages(Hints(pages=(1,), file_pages=(1,)), text) == set()


def test_hits_elsewhere_are_dropped_and_the_pinned_page_stays(
    paged: DocumentContent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DETECTORS, "titles", finds("titles", 1))
    monkeypatch.setitem(DETECTORS, "keywords", finds("keywords", 6))
    hits, _ = detect(asked(paged, (3,)), plan_of("titles", "keywords", "page_hints"), [paged])
    assert [hit.method for hit in hits] == ["pinned", "keywords"]


# ---- order and parts


def test_hits_come_in_the_order_of_the_plan_however_long_a_detector_takes(
    policy: DocumentContent, monkeypatch: pytest.MonkeyPatch
) -> None:
    patterns_done = Event()

    def wait(question: Question, content: DocumentContent) -> list[Hit]:
        assert patterns_done.wait(120)
        return finds("titles")(question, content)

    def tell(question: Question, content: DocumentContent) -> list[Hit]:
        patterns_done.set()
        return finds("patterns")(question, content)

    monkeypatch.setitem(DETECTORS, "titles", wait)
    monkeypatch.setitem(DETECTORS, "patterns", tell)
    hits = run_detectors([(0, asked(policy))], ["titles", "patterns"], [policy])
    assert [hit.method for hit in hits] == ["titles", "patterns"]


def test_a_part_is_searched_by_its_own_words_and_its_hits_say_so() -> None:
    content = content_of_lines(["the fee is due", "x", "the notice ends"])
    question = replace(parse_question("fee", [content]), parts=("fee", "notice", "zebra"))
    hits, _ = detect(question, plan_of("keywords"), [content])
    assert {(hit.part, hit.lines.first) for hit in hits} == {(0, 1), (1, 1), (2, 3)}


@pytest.mark.parametrize("contents", [[], ["one"], ["one", "two", "three"]])
def test_every_document_is_asked_once(contents: list[str]) -> None:
    read = [content_of_lines([f"the fee {name}"], number=number) for number, name in enumerate(contents, 1)]
    question = parse_question("fee", read)
    hits = run_detectors([(0, question)], ["keywords"], read)
    assert [hit.document_id for hit in hits] == [content.document_id for content in read]
    assert run_detectors([(0, question)], [], read) == run_detectors([], ["keywords"], read) == []


def test_the_whole_question_is_part_zero_and_left_as_it_is() -> None:
    hits = [Hit("titles", "a", LineRange(1, 1), 1.0)]
    assert tag(hits, 0) is hits and [hit.part for hit in tag(hits, 2)] == [2] and hits[0].part == 0


def test_a_detector_that_is_off_does_not_run(policy: DocumentContent, monkeypatch: pytest.MonkeyPatch) -> None:
    for method in METHODS:
        monkeypatch.setitem(DETECTORS, method, finds(method))
    hits, plan = detect(asked(policy), plan_of("patterns"), [policy])
    assert [hit.method for hit in hits] == ["patterns"] and plan.detectors == ("patterns",)


@pytest.mark.parametrize("method", METHODS)
def test_every_detector_that_is_planned_runs_and_its_hit_becomes_a_candidate(
    method: Method, policy: DocumentContent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DETECTORS, method, finds(method))
    question = asked(policy)
    hits, plan = detect(question, plan_of(method), [policy])
    assert [hit.method for hit in hits] == [method] == [*plan.detectors]
    [candidate] = aggregate(hits, question, [policy], pool_max=5).candidates
    assert candidate.methods == (method,)


def test_a_fault_in_a_detector_is_not_taken_for_nothing_found(
    policy: DocumentContent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DETECTORS, "keywords", lambda question, content: [content.toc_by_index[-7]])
    with pytest.raises(KeyError):
        detect(asked(policy), plan_of("keywords"), [policy])


# ---- vectors


@pytest.mark.parametrize(
    "error",
    [
        EncoderMissing("nobody here can embed"),
        Unreachable("the server does not answer", False, EXCHANGE),
        NotConfigured("no server is set", True, EXCHANGE),
    ],
)
def test_a_question_that_cannot_be_embedded_is_searched_by_its_words(
    error: Exception, policy: DocumentContent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(question: Question, content: DocumentContent) -> list[Hit]:
        raise error

    monkeypatch.setitem(DETECTORS, "vectors", fail)
    hits, plan = detect(asked(policy), plan_of("keywords", "vectors"), [policy])
    reason = next(flag.reason for flag in plan.flags if flag.name == "vectors")
    assert not plan.is_on("vectors") and "could not be embedded" in reason and str(error) in reason
    assert {hit.method for hit in hits} <= {"keywords"}


def test_a_model_that_does_not_answer_takes_no_other_model_s_documents_with_it(
    policy: DocumentContent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whichever order: what the plan says ran is what has hits."""
    nothing = np.zeros((0, 2), dtype=np.float32)
    gone, there = (
        replace(content_of_lines(["x"], number=number), vectors=Vectors(f"model-{number}", nothing, nothing))
        for number in (2, 3)
    )

    def find(question: Question, content: DocumentContent) -> list[Hit]:
        if content.document_id == gone.document_id:
            raise EncoderMissing("model-2 is gone")
        return finds("vectors")(question, content)

    monkeypatch.setitem(DETECTORS, "vectors", find)
    for contents in ([gone, there, gone], [there, gone]):
        hits, plan = detect(asked(policy), plan_of("vectors"), contents)
        assert [hit.document_id for hit in hits] == [there.document_id]
        flag = next(flag for flag in plan.flags if flag.name == "vectors")
        assert flag.on and flag.reason == "the question could not be embedded: model-2 is gone"


def test_vectors_of_each_part_and_document_are_told_apart(
    policy: DocumentContent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DETECTORS, "vectors", finds("vectors"))
    other = content_of_lines(["x"], number=2)
    hits, _ = detect(asked(policy, parts=("zebra", "lion")), plan_of("vectors"), [policy, other])
    assert [(hit.part, hit.document_id) for hit in hits] == [
        (part, content.document_id) for part in (0, 1, 2) for content in (policy, other)
    ]
