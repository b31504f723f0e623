"""The same questions one after the other and many at once, while documents are read: the record must be the same."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from benchmarks.survives.site import Person, Site, have_ended, wait_for
from benchmarks.survives.sources import healthy, questions
from benchmarks.survives.verdicts import Verdict, verdict_of

CLIENTS = 8
FIRST = 60_000  # number of the first document
UPLOADS_MAX = 1_000
UPLOAD_EVERY_S = 2.0
# What is new each time a question is asked, and says nothing of what was found.
OF_RUN = {"id", "created_at", "timings_ms", "llm_call_id"}
OF_ROW = {"id", "run_id"}
OF_ANSWER = {"id", "turn_id", "run_id", "llm_call_id", "other_calls", "created_at", "timings_ms"}
OF_CITATION = {"id", "answer_id", "candidate_id"}


def drill(site: Site, count: int) -> Iterator[Verdict]:
    """Ask each question alone, then all of them at once; no answer of before is used again."""
    from documents.models import IngestJob, KnowledgeBase

    base, reading, person = site.new_base("Asked at once"), site.new_base("Read meanwhile"), site.person()
    # The rules judge: where a full machine keeps a model waiting they do so anyway, and that is another record.
    KnowledgeBase.objects.filter(pk=base).update(settings={"ranking": "rules"})
    person.fill(base)
    asked = different(count)
    alone = [ended(person, base, question) for question in asked]
    with uploading(site.person(), reading), ThreadPoolExecutor(CLIENTS) as pool:
        at_once = list(pool.map(lambda question: ended(person, base, question), asked))
    read = IngestJob.objects.filter(document__base=reading)
    is_over = wait_for(lambda: have_ended(read))
    records = [(recorded(one), recorded(other)) for one, other in zip(alone, at_once, strict=True)]
    counts: dict[str, Any] = {
        "questions": count,
        "outcomes": dict(Counter(one["run"]["status"] for one, _ in records if one)),
        "documents read meanwhile": read.count(),
        "without a record": sum(not each for pair in records for each in pair),
        "other than alone": sum(as_bytes(one) != as_bytes(other) for one, other in records),
        "in": dict(Counter(where for one, other in records for where in differences(one, other))),
        "not read": read.exclude(document__state="ready").count(),
    }
    goal = f"{count} questions of {CLIENTS} clients at once while documents are read: the bytes that each has alone"
    none = ("without a record", "other than alone", "not read")
    yield verdict_of("asked at once", goal, counts, *none, reached=is_over and read.exists())


def different(count: int) -> list[str]:
    """The questions of the samples, those of each further round in other words."""
    known = len(set(questions(UPLOADS_MAX)))
    asked = enumerate(questions(count))
    return [f"{text} See clause {at // known}." if at >= known else text for at, text in asked]


@contextmanager
def uploading(person: Person, base: UUID) -> Iterator[None]:
    """Somebody uploads one document after the other."""
    is_over = threading.Event()

    def upload() -> None:
        for number in range(UPLOADS_MAX):
            [source] = healthy(1, first=FIRST + number)
            person.upload(base, source.name, source.content)
            if is_over.wait(UPLOAD_EVERY_S):
                return

    thread = threading.Thread(target=upload)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def ended(person: Person, base: UUID, question: str) -> str:
    """The id of the question's turn once it has ended."""
    from django.db import connection

    from chat.models import Turn

    turn = person.ask(question, knowledge_base_id=base)
    wait_for(lambda: have_ended(Turn.objects.filter(pk=turn)))
    if threading.current_thread() is not threading.main_thread():
        connection.close()
    return turn


def recorded(turn_id: str) -> dict[str, Any]:
    """What the record has of a question, without times and ids of its own; {} if it has nothing."""
    from chat.models import Turn

    turn = Turn.objects.filter(pk=turn_id, state="done", answer__isnull=False).select_related("run", "answer").first()
    if turn is None or turn.run is None:
        return {}
    runs = type(turn.run).objects.filter(pk=turn.run.pk)
    citations = turn.answer.citations.order_by("marker")
    return {
        "run": rows_without(runs, OF_RUN)[0],
        "candidates": rows_without(turn.run.candidates.order_by("position"), OF_ROW),
        "documents": rows_without(turn.run.documents.order_by("position"), OF_ROW),
        "answer": rows_without(type(turn.answer).objects.filter(pk=turn.answer.pk), OF_ANSWER)[0],
        "citations": rows_without(citations, OF_CITATION),
        "cited": list(citations.values_list("candidate__position", flat=True)),
    }


def rows_without(rows: Any, left_out: set[str]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in left_out} for row in rows.values()]


def as_bytes(record: Any) -> bytes:
    return json.dumps(record, sort_keys=True, default=str).encode()


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Where two records differ: the table, and the column of one of a single row."""
    return [
        f"{table}.{name}" if isinstance(value, dict) else table
        for table, value in one.items()
        for name in (value if isinstance(value, dict) else [""])
        if as_bytes(other.get(table)) != as_bytes(value)
        and (not name or as_bytes(other.get(table, {}).get(name)) != as_bytes(value[name]))
    ]
