"""Questions asked at once in one process are answered as they are one after the other.

The asking worker has four threads, each of which starts detectors in further ones. A library's object that is shared by
them and keeps state while it works would answer one question with the words of another.
"""

import functools
import json
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, pairwise
from pathlib import Path

import pytest
import snowballstemmer

from reading.limits import Limits
from reading.pdf_reader import read_pdf
from retrieval.pipeline import retrieve
from retrieval.record.as_json import result_json
from retrieval.tests.builders import SETTINGS, content_of_lines, content_of_reading
from retrieval.words import tokens

AGREEMENT = Path(__file__).resolve().parents[2] / "samples" / "outsourcing-agreement.pdf"
ASKED_LINES = slice(80, 120)  # a document short enough for thousands of questions
QUESTIONS, THREADS, ROUNDS = 200, 8, 2  # a stemmer that is shared fails in the first
SWITCH_S = 1e-5  # the interpreter changes threads five hundred times as often as it does by itself


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """The searched lines of a sample contract."""
    return [line.text for line in content_of_reading(read_pdf(AGREEMENT, Limits()), AGREEMENT).searched_lines]


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads that take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    yield
    sys.setswitchinterval(before)


def vocabulary_of(lines: Sequence[str]) -> list[str]:
    return sorted({word for line in lines for word in tokens.normalise_words(line) if word.isalpha()})


def questions_of(lines: Sequence[str]) -> list[str]:
    """Questions in the words of the document, each in other words than the one before."""
    pairs = islice(pairwise(word for word in vocabulary_of(lines) if len(word) > 4), QUESTIONS)
    return [
        f"What does the agreement say about {first} and the {second} of {number} days?"
        for number, (first, second) in enumerate(pairs)
    ]


def forget() -> None:
    """Empty every cache of the process that a question fills."""
    for module in [
        module for name, module in sys.modules.items() if name.split(".")[0] in ("documents", "reading", "retrieval")
    ]:
        for value in vars(module).values():
            if isinstance(value, functools._lru_cache_wrapper) and value.__module__.startswith(
                ("retrieval", "reading", "documents")
            ):
                value.cache_clear()


def ask(questions: Sequence[str], lines: Sequence[str], threads: int) -> list[str]:
    """What a program is given for each question, without milliseconds, on a document seen for the first time."""
    forget()
    content = content_of_lines(lines[ASKED_LINES])
    started = threading.Barrier(threads, timeout=60)

    def answer(question: str) -> str:
        result = result_json(retrieve(question, [content], settings=SETTINGS, arbiter="rules"))
        return json.dumps({**result, "timings_ms": 0}, default=str)

    with ThreadPoolExecutor(threads, initializer=started.wait) as pool:
        return list(pool.map(answer, questions))


def test_parallel_questions_are_answered_like_single_ones(lines: list[str], switching: None) -> None:
    questions = questions_of(lines)
    expected = ask(questions, lines, 1)
    assert len(set(expected)) == QUESTIONS
    for number in range(ROUNDS):
        answers = ask(questions, lines, THREADS)
        wrong = [one for one, answer, right in zip(questions, answers, expected, strict=True) if answer != right]
        assert not wrong, f"round {number}: {len(wrong)} of {QUESTIONS} questions differ, first {wrong[0]!r}"


def test_parallel_stems_are_those_of_a_stemmer_used_alone(lines: list[str], switching: None) -> None:
    vocabulary = vocabulary_of(lines)
    alone = snowballstemmer.stemmer("french")
    expected = [alone.stemWord(tokens.base_form(word, "fr")) for word in vocabulary]
    for _ in range(ROUNDS):
        tokens.stem.cache_clear()
        with ThreadPoolExecutor(THREADS) as pool:
            found = list(pool.map(lambda _: [tokens.stem(word, "fr") for word in vocabulary], range(THREADS)))
        assert found == [expected] * THREADS
