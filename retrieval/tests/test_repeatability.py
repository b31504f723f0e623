"""The same question with the same settings gives the same bytes, ten times and in a process with another hash seed."""

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from reading.limits import Limits
from reading.pdf_reader import read_pdf
from retrieval.dictionary.load import pack_concepts
from retrieval.pipeline import retrieve
from retrieval.record.as_json import result_json
from retrieval.tests.builders import SETTINGS, content_of_reading

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "samples" / "annual-report.pdf"
QUESTIONS = [
    "What is the current ratio of 2024?",
    "Why did revenue grow?",
    "List every risk.",
    "Who holds the trademark?",
]
TIMES = 10


def digest(question: str) -> str:
    """Of everything a program is given, without the milliseconds; the report is read anew each time."""
    content = content_of_reading(read_pdf(REPORT, Limits()), REPORT)
    result = result_json(retrieve(question, [content], settings=SETTINGS, arbiter="rules", dictionary=pack_concepts()))
    del result["timings_ms"]
    return sha256(json.dumps(result, default=str).encode()).hexdigest()


@pytest.mark.parametrize("question", QUESTIONS)
def test_ten_answers_are_one(question: str) -> None:
    """R27."""
    content = content_of_reading(read_pdf(REPORT, Limits()), REPORT)
    ask = {"settings": SETTINGS, "dictionary": pack_concepts()}
    results = [result_json(retrieve(question, [content], arbiter="rules", **ask)) for _ in range(TIMES)]
    assert len({json.dumps({**result, "timings_ms": 0}, default=str) for result in results}) == 1


def test_another_process_gives_the_same_bytes() -> None:
    """R27."""
    here = [digest(question) for question in QUESTIONS]
    code = (
        "import django; django.setup()\n"
        "from retrieval.tests.test_repeatability import QUESTIONS, digest\n"
        "print(*map(digest, QUESTIONS))"
    )
    environment = os.environ | {"PYTHONHASHSEED": "4711", "DJANGO_SETTINGS_MODULE": "docintel_site.settings"}
    del environment["OPENBLAS_NUM_THREADS"]  # the program itself sees to it
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == here
