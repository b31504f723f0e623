"""Detectors that do not come to an end are ended, and the question with them."""

import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from pytest_django import Settings

from documents.storage.content import DocumentContent
from retrieval.deadline import DetectionTimeout, check_time, detection_limited
from retrieval.detectors import DETECTORS
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.types import Hit, Method, Question

QUESTION = "What amount is the fee?"


@pytest.fixture
def deadline(settings: Settings) -> None:
    settings.DETECTION_DEADLINE_S = 0.2


@pytest.fixture
def many_lines() -> DocumentContent:
    """A document in which a word of the question is on ten thousand lines and no value of its type on any."""
    return content_of_lines(["the fee is due and the amount is open"] * 10_000)


@pytest.fixture
def released() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_a_detector_that_looks_at_the_clock_is_ended(
    monkeypatch: pytest.MonkeyPatch, many_lines: DocumentContent, settings: Settings
) -> None:
    settings.DETECTION_DEADLINE_S = 3600
    now, ended = [0.0], threading.Event()
    monkeypatch.setattr("retrieval.deadline.time", SimpleNamespace(monotonic=lambda: now[0]))

    def look_forever(question: Question, content: DocumentContent) -> list[Hit]:
        try:
            check_time()
            now[0] += 3601
            check_time()
            return []
        finally:
            ended.set()

    monkeypatch.setitem(DETECTORS, "patterns", look_forever)
    with pytest.raises(DetectionTimeout, match="did not end within 3600 seconds"):
        retrieve(QUESTION, [many_lines], settings=SETTINGS, arbiter="rules")
    assert ended.wait(60)


@pytest.mark.usefixtures("deadline")
def test_a_detector_that_never_looks_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, many_lines: DocumentContent, released: threading.Event
) -> None:
    monkeypatch.setitem(DETECTORS, "patterns", lambda question, content: [] * released.wait(60))
    with pytest.raises(DetectionTimeout):
        retrieve(QUESTION, [many_lines], settings=SETTINGS, arbiter="rules")


@pytest.mark.parametrize(
    ("method", "question"), [("titles", QUESTION), ("keywords", 'Where is "due amount" said?'), ("patterns", QUESTION)]
)
def test_every_loop_over_lines_looks_at_the_clock(method: Method, question: str, settings: Settings) -> None:
    settings.DETECTION_DEADLINE_S = -1
    content = content_of_lines(["# The fee amount", *["the fee is due and the amount is open"] * 50])
    asked = parse_question(question, [content])
    with pytest.raises(DetectionTimeout), detection_limited():
        DETECTORS[method](asked, content)


def test_without_a_limit_the_clock_says_nothing() -> None:
    check_time()
