"""`python -m benchmarks load`: many follow their answers at once, and one asks while documents are read.

A real installation (`bin/run`) with the scripted model, which writes a piece every `PACE_S`. The model and whoever
follows are this process, on the same cores: what is slow here is slower than of a site alone.
"""

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from itertools import cycle
from typing import Any
from uuid import UUID

import requests

from benchmarks.metrics import percentile, spread
from benchmarks.survives.parallel import different
from benchmarks.survives.site import Person, Site, have_ended, installed, wait_for
from benchmarks.survives.sources import healthy, questions
from tests.scripted_llm import Prompt, ScriptedLLM

PACE_S = 0.05
WAITS = {"DOCINTEL_ARBITER_DEADLINE_S": "120", "DOCINTEL_ANSWER_DEADLINE_S": "240"}
FIRST = 70_000  # number of the first document
ASKED = 40  # while nothing is read
ASKED_MOST = 400
AT_ONCE = 10  # files in a request
STREAM_S = 600.0
LOOK_S = 0.5
SESSIONS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND backend_type = 'client backend'"
)


class Timed(ScriptedLLM):
    """Notes when each question is given to whoever writes the answer."""

    def __init__(self, behaviour: str) -> None:
        super().__init__(behaviour, pace_s=PACE_S)
        self.asked_at: dict[str, float] = {}

    def take(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> str:
        prompt = Prompt.read(body)
        if body.get("stream") and prompt.excerpts:
            self.asked_at[prompt.question.strip()] = time.time()
        return super().take(path, headers, body)


class Stream:
    """What came of one answer that somebody followed; times in seconds of the clock of this machine."""

    def __init__(self, question: str) -> None:
        self.question = question
        self.asked = self.first = 0.0
        self.tokens: list[tuple[float, float]] = []  # when each was told by a worker, and when it came here
        self.error = "never ended"

    def take(self, frame: dict[str, str]) -> None:
        now, kind = time.time(), frame.get("event")
        if kind:
            self.first = self.first or now
        if kind == "token":
            self.tokens.append((int(frame["id"].partition("-")[0]) / 1000, now))
        elif kind in ("done", "error"):
            self.error = "" if kind == "done" else frame["data"]


def run(streams: int, documents: int) -> dict[str, Any]:
    """Streams first, then questions and lists: alone, and while documents are read."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends it, nothing is left behind
    with installed(Timed, WAITS) as site:
        from benchmarks.retrieval import commit

        base, person = site.new_base("Load"), site.person()
        person.fill(base)
        followed = follow_all(site, base, streams) if streams else {}
        site.model.pace_s = 0.0
        return {"commit": commit(), "streams": followed, "beside": measure_beside(site, person, base, documents)}


# ---- many streams


def follow_all(site: Site, base: UUID, count: int) -> dict[str, Any]:
    from chat.followers import STREAMS_MAX

    people = [
        site.person(site.new_member(base, f"follower{number}@example.org", "viewer"))
        for number in range(-(-count // STREAMS_MAX))
    ]
    opened = [Stream(question) for question in different(count)]
    sessions_before = count_sessions()
    seen, took_s = follow_at_once(site, base, people, opened)
    relayed = [1000 * (came - told) for each in opened for told, came in each.tokens]
    gaps = [1000 * (b[1] - a[1]) for each in opened for a, b in zip(each.tokens, each.tokens[1:], strict=False)]
    begun = [each for each in opened if each.tokens]
    written: dict[str, float] = site.model.asked_at  # type: ignore[attr-defined]
    own = [1000 * (each.tokens[0][1] - written[each.question]) for each in begun if each.question in written]
    return {
        "streams": count,
        "errors": sum(bool(each.error) for each in opened),
        "error_texts": sorted({each.error for each in opened if each.error})[:5],
        "with_tokens": len(begun),
        "took_s": round(took_s, 1),
        "first_event_ms": spread([1000 * (each.first - each.asked) for each in opened if each.first]),
        "first_token_of_ours_ms": spread(own),  # from the model being asked to the reader having a word
        "relay_ms": spread(relayed) | {"p99": percentile(relayed, 99)},  # from a worker's word to the reader
        "gap_ms": spread(gaps) | {"p99": percentile(gaps, 99)},
        "asked_to_first_token_ms": spread([1000 * (each.tokens[0][1] - each.asked) for each in begun]),
        "pace_of_model_ms": 1000 * PACE_S,
        "database_sessions": {"before": sessions_before, "most": max(seen, default=0)},
    }


def follow_at_once(site: Site, base: UUID, people: list[Person], opened: list[Stream]) -> tuple[list[int], float]:
    """The sessions of the database that were seen meanwhile, and how long it took until all had ended."""
    began, seen = time.monotonic(), list[int]()
    with ThreadPoolExecutor(len(opened)) as pool:
        pairs = zip(cycle(people), opened, strict=False)
        following = [pool.submit(follow_one, site, person, base, each) for person, each in pairs]
        while not all(each.done() for each in following):
            seen.append(count_sessions())
            time.sleep(LOOK_S)
        for each in following:
            each.result()
    return seen, time.monotonic() - began


def follow_one(site: Site, person: Person, base: UUID, found: Stream) -> None:
    asked: dict[str, Any] = {
        "message": found.question,
        "knowledge_base_id": str(base),
        "fresh": True,
        "stream": True,
    }
    headers = {"Authorization": f"Bearer {person.secret}"}
    found.asked = time.time()
    try:
        with requests.post(
            f"{site.address}/api/v1/chat", json=asked, headers=headers, stream=True, timeout=STREAM_S
        ) as reply:
            if reply.status_code != HTTPStatus.OK:
                found.error = f"status {reply.status_code}"
                return
            for frame in frames_of(reply):
                found.take(frame)
    except requests.RequestException as error:
        found.error = type(error).__name__


def frames_of(reply: requests.Response) -> Iterator[dict[str, str]]:
    """The events as they arrive, each by the names of its lines."""
    buffer = b""
    for piece in reply.iter_content(chunk_size=None):
        *frames, buffer = (buffer + piece).split(b"\n\n")
        for frame in frames:
            pairs = [line.partition(": ") for line in frame.decode().splitlines()]
            yield {name: value for name, _, value in pairs}


def count_sessions() -> int:
    """Connections to the database but the one that counts, which is closed."""
    from django.db import connection

    try:
        with connection.cursor() as cursor:
            cursor.execute(SESSIONS)
            return int(cursor.fetchone()[0])
    finally:
        connection.close()


# ---- questions and lists beside documents that are read


def measure_beside(site: Site, person: Person, base: UUID, count: int) -> dict[str, Any]:
    from documents.models import IngestJob

    chat_idle, list_idle = ask_while(person, base, lambda asked: asked < ASKED)
    reading = site.new_base("Read meanwhile")
    jobs = IngestJob.objects.filter(document__base=reading)
    sources = healthy(count, first=FIRST, is_new_throughout=True)
    for first in range(0, count, AT_ONCE):
        files = [("files", (each.name, each.content)) for each in sources[first : first + AT_ONCE]]
        person.insist("POST", f"/api/v1/bases/{reading}/documents", files=files)
    began = time.monotonic()
    chat, listed = ask_while(person, base, lambda asked: asked < ASKED_MOST and not have_ended(jobs))
    is_over = wait_for(lambda: have_ended(jobs), STREAM_S)
    idle, beside = spread(chat_idle), spread(chat)
    return {
        "chat_idle_ms": idle,
        "chat_beside_ms": beside,
        "chat_p95_ratio": round((beside["p95"] or 0) / (idle["p95"] or 1), 2),
        "list_idle_ms": spread(list_idle),
        "list_beside_ms": spread(listed),
        "questions": [len(chat_idle), len(chat)],
        "documents": count,
        "documents_read": jobs.filter(document__state="ready").count(),
        "read_to_the_end_s": round(time.monotonic() - began, 1) if is_over else None,
        "failed_requests": sum(status >= 400 for each in site.people for status in each.statuses),
    }


def ask_while(person: Person, base: UUID, goes_on: Callable[[int], bool]) -> tuple[list[float], list[float]]:
    """Milliseconds of each question from being kept to its answer, and of the list of runs after it."""
    from chat.models import Turn

    answered, listed = list[float](), list[float]()
    for asked, question in enumerate(questions(ASKED_MOST)):
        if not goes_on(asked):
            break
        turns = Turn.objects.filter(pk=person.ask(question, knowledge_base_id=base))
        wait_for(lambda turns=turns: have_ended(turns))  # type: ignore[misc]
        turn = turns.get()
        assert turn.ended_at
        answered.append(1000 * (turn.ended_at - turn.created_at).total_seconds())
        began = time.monotonic()
        person.send("GET", "/api/v1/runs").raise_for_status()
        listed.append(1000 * (time.monotonic() - began))
    return answered, listed
