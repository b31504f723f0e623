"""Generated filings are of a piece, and a run of a benchmark that is killed leaves no server behind."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import filings, scale
from benchmarks.scratch import ROOT
from documents.models import Document, KnowledgeBase
from embedded import postgres
from llm.embeddings.bundled import is_available
from reading.matching import match_form
from retrieval.words.at_scale import rank_by_words

KILLED = """
import sys, time
from pathlib import Path
from benchmarks.scratch import guarded
from embedded import postgres
home = Path(sys.argv[1])
with guarded(home, "remove"):
    postgres.ensure(home, for_tests=True)
    print("ready", flush=True)
    time.sleep(600)
"""


def test_a_base_is_as_large_as_was_asked_for() -> None:
    sizes = filings.sizes_of_documents()
    documents = filings.documents_for(10_000)
    given = [next(sizes) for _ in range(documents)]
    assert sum(given[:-1]) < 10_000 <= sum(given) and all(500 <= size <= 1100 for size in given)
    steps = list(filings.steps_of_facts([documents, 200]))
    homes = [[fact.document for fact in facts if fact.document is not None] for facts in steps]
    assert all(number < documents for number in homes[0]) and all(documents <= number < 200 for number in homes[1])


@pytest.mark.django_db
@pytest.mark.skipif(not is_available(), reason="the encoder's weights are not installed")
def test_a_filing_is_stored_as_one_that_was_read() -> None:
    base = KnowledgeBase.objects.create(name="Filings")
    (facts,) = filings.steps_of_facts([1])
    rows = filings.store_filing(base, 0, 40, facts[:2])
    parse = Document.objects.get(base=base).current_parse
    assert parse is not None and parse.passages.count() == 40 and parse.embeddings.count() == 42
    tables = (parse.pages, parse.lines, parse.toc_entries, parse.passages, parse.embeddings)
    assert rows == sum(table.count() for table in tables)
    lines = list(parse.lines.all())
    assert [line.number for line in lines] == list(range(1, parse.line_count + 1))
    assert all(line.match == match_form(line.text) for line in lines)
    for passage in parse.passages.all():
        held = lines[passage.first_line - 1 : passage.last_line]
        assert passage.text == "\n".join(line.text for line in held)
    text = " ".join(line.text for line in lines)
    assert all(fact.sentence in text for fact in facts[:2])
    assert list(rank_by_words(facts[0].question.split(), list(base.documents.all()))) == [parse.document_id]


def test_growth_is_the_power_of_the_passages() -> None:
    steps = [{"passages": 10, "ms": 5.0}, {"passages": 1000, "ms": 50.0, "stored_mb": 2}]
    assert scale.exponent(steps, "ms") == 0.5 and scale.exponent(steps[:1], "ms") is None
    assert scale.project(steps[1], {"ms": 0.5}, 100_000) == {"passages": 100_000, "ms": 500, "stored_mb": 200}


def test_growth_is_drawn_as_measured_and_as_projected() -> None:
    times = {"question_p95_ms": 100.0, "shortlist_p95_ms": 10.0, "small_scope_p95_ms": 20.0}
    sizes = [{"passages": size} | times for size in (10_000, 100_000)]
    drawn = ElementTree.fromstring(scale.draw_growth({"sizes": sizes, "projected": [{"passages": 10**7} | times]}))
    lines = [each.get("points", "") for each in drawn.iter("{http://www.w3.org/2000/svg}polyline")]
    assert lines[:2] == ["120,218 220,218", "220,218 420,218"] and len(lines) == 2 * len(scale.DRAWN)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_run_leaves_no_server_behind(tmp_path: Path, how: signal.Signals) -> None:
    home = tmp_path / "home"
    home.mkdir()
    run = [sys.executable, "-c", KILLED, str(home)]
    with subprocess.Popen(run, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        assert postgres.answers(home)
        process.send_signal(how)
    deadline = time.monotonic() + 120
    while home.exists() and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not postgres.answers(home) and not home.exists()
