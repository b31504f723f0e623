"""The audit under load and attack: faults, replays, appending, tampering, verifying, lists, trail, exports."""

import asyncio
import json
import multiprocessing
import random
import resource
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django

from benchmarks import faults
from benchmarks.metrics import spread

if TYPE_CHECKING:
    from django.test import Client

QUESTIONS_TO_WORK_ON = 60  # unless the thousand are asked
REPLAYS = 200
TAMPERINGS = 200
WRITERS = 16
APPENDS_A_WRITER = 60
PAUSE_S = 0.5  # at most, between records of one writer: sixteen make about sixty a second, of twenty questions
RECORD_BYTES = 20_000  # a run with all its candidates; AT5 is about records of this size
START_S = 120  # for sixteen processes to be ready on a busy machine
EXTRAPOLATED = 1_000_000
EXPORTED = 10_000  # AT15
SAMPLES = Path(__file__).resolve().parent.parent / "samples"
AUDITOR = "auditor@example.org"
PARTS = ("faults", "replays", "append", "tampering", "verify", "pages", "export")


def run(parts: tuple[str, ...], *, questions: int, entries: int, listed: int) -> dict[str, Any]:
    """Run the chosen parts in order, over one installation that grows from part to part."""
    from benchmarks.retrieval import commit

    found: dict[str, Any] = {"commit": commit()}
    lay()
    measures: dict[str, Callable[[], Any]] = {
        "faults": lambda: faults.run(questions),
        "replays": replays,
        "append": append,
        "tampering": tamper,
        "verify": lambda: verify(entries),
        "pages": lambda: pages(listed),
        "export": export,
    }
    if "faults" not in parts and parts != ("append",):
        faults.run(QUESTIONS_TO_WORK_ON)
    for name in PARTS:
        if name in parts:
            found[name] = measures[name]()
            print(json.dumps({name: found[name]}, ensure_ascii=False, default=str), flush=True)
    return found


def lay() -> None:
    """Create a base of the sample documents with an owner, an auditor and an asker."""
    from django.core.management import call_command

    from accounts.models import User
    from documents.access import create_base, set_role

    owner, auditor, asker = (
        User.objects.create_user(f"{name}@example.org", name=name.capitalize())
        for name in ("owner", "auditor", "asker")
    )
    base = create_base(owner, "Measured")
    set_role(base, auditor, "auditor", owner)
    set_role(base, asker, "viewer", owner)
    documents = [str(path) for path in sorted(SAMPLES.iterdir()) if path.suffix in (".pdf", ".md")]
    with open("/dev/null", "w") as nowhere:
        call_command("ingest", *documents, base=base.name, stdout=nowhere)


def replays() -> dict[str, int]:
    """Requests rebuilt from the rows of model-judged runs, compared by digest, with replies read again."""
    from audit.review.replay import rebuild
    from retrieval.models import RetrievalRun

    runs = RetrievalRun.objects.exclude(llm_call=None).select_related("llm_call")[:REPLAYS]
    rebuilt = [found for found in map(rebuild, runs) if found]
    return {"replayed": len(rebuilt), "byte_equal": sum(found.ok for found in rebuilt)}


# ---- the ledger; a writer process imports this module before setting Django up


def tamper() -> dict[str, Any]:
    from benchmarks import tampering

    return tampering.run(TAMPERINGS)


def append() -> dict[str, Any]:
    """Milliseconds of storing a 20 KB record with its entry, commit included.

    By one writer, by sixteen processes as busy as questions keep them, and by sixteen without a pause.
    """
    return {
        "1_writers": appended(1, 0.0),
        f"{WRITERS}_writers_with_pauses": appended(WRITERS, PAUSE_S),
        f"{WRITERS}_writers": appended(WRITERS, 0.0),
    }


def appended(writers: int, pause_s: float) -> dict[str, float | None]:
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(writers + 1), context.Queue()
    processes = [context.Process(target=write, args=(barrier, results, pause_s), daemon=True) for _ in range(writers)]
    for process in processes:
        process.start()
    barrier.wait(timeout=START_S)
    started = time.monotonic()
    spent = [ms for _ in processes for ms in results.get()]
    seconds = time.monotonic() - started
    for process in processes:
        process.join()
    return spread(spent) | {"per_s": round(len(spent) / seconds, 1)}


def write(barrier: Any, results: Any, pause_s: float) -> None:
    django.setup()
    from audit.access_log import record_event

    text = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz ", k=RECORD_BYTES))
    record_event(None, "warm", None, text=text)
    barrier.wait()
    spent = []
    for _ in range(APPENDS_A_WRITER):
        time.sleep(random.uniform(0, pause_s))
        started = time.perf_counter()
        record_event(None, "measured", None, text=text)
        spent.append(1000 * (time.perf_counter() - started))
    results.put(spent)


def verify(entries: int) -> dict[str, Any]:
    """Seconds to verify the given number of real entries (a run, its answer and a read per question)."""
    from django.db import connection

    from audit.proof.verification import verify as walk
    from benchmarks.growth import grow

    grown = grow(entries)
    started = time.monotonic()
    report = walk()
    seconds = time.monotonic() - started
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database()) / 1000000")
        megabytes = cursor.fetchone()[0]
    checked = report.verification.checked
    return grown | {
        "ok": report.ok,
        "sentence": report.sentence,
        "entries": checked,
        "seconds": round(seconds, 1),
        "per_s": round(checked / seconds),
        "minutes_for_a_million": round(EXTRAPOLATED * seconds / checked / 60, 1),
        "database_mb": int(megabytes),
    }


# ---- pages


def pages(listed: int) -> dict[str, Any]:
    """p50 and p95 in milliseconds of the pages an auditor opens, over that many runs with 20 candidates each."""
    from audit.runs.listing import key_of_run
    from benchmarks.growth import thin_runs
    from retrieval.models import RetrievalRun, RunCandidate

    thin_runs(listed)
    client = auditor()
    runs = RetrievalRun.objects.order_by("-created_at", "-id")
    count = runs.count()
    middle, last = (key_of_run(runs[place]) for place in (count // 2, count - 27))
    rare = str(runs[count // 2].pk)[:8]
    widest, most = RunCandidate.objects.order_by("-position").values_list("run", "position")[0]
    addresses = {
        "list": "",
        "list, middle page": f"?before={middle}",
        "list, last page": f"?before={last}",
        "list, not found": "?status=not_found",
        "list, common word": "?text=agreement",
        "list, two words": "?text=termination+notice",
        "list, rare word": f"?text={rare}",
        "list, absent word": "?text=zzzyyyxxx",
        "queue": "queue/",
        f"trail, {most} candidates": f"runs/{widest}/",
        "trail, heatmap": f"runs/{widest}/?heat=1",
        "figures, 30 days": "figures/?days=30",
    }
    return {"runs": count, "candidates": RunCandidate.objects.count()} | {
        name: opened(client, f"/audit/{address}".replace("+", "%2B") if "before" in address else f"/audit/{address}")
        for name, address in addresses.items()
    }


def auditor() -> "Client":
    """A browser signed in as the base's auditor."""
    from django.conf import settings
    from django.test import Client

    from accounts.models import User

    settings.ALLOWED_HOSTS = ["*"]
    client = Client()
    client.force_login(User.objects.get(email=AUDITOR), backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def opened(client: Any, address: str, times: int = 20) -> dict[str, float | None]:
    spent = []
    for _ in range(times):
        started = time.perf_counter()
        response = client.get(address)
        spent.append(1000 * (time.perf_counter() - started))
        assert response.status_code == 200, (address, response.status_code)
    return spread(spent)


def export() -> dict[str, Any]:
    """Measure streaming exports of the newest decisions in each format: seconds, megabytes and memory."""
    from audit.keeping import exports
    from documents.spreadsheet import write_csv
    from retrieval.models import RetrievalRun

    forms = {"csv": write_csv, "jsonl": exports.as_json_lines, "html": exports.as_html}
    oldest = RetrievalRun.objects.order_by("-created_at", "-id")[:EXPORTED].values_list("created_at", flat=True)
    runs = RetrievalRun.objects.filter(created_at__gte=min(oldest))
    found: dict[str, Any] = {"runs": runs.count()}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name, write_rows in forms.items():
        started = time.monotonic()
        size = asyncio.run(streamed(exports.stream_runs(runs, write_rows)))
        found[name] = {"seconds": round(time.monotonic() - started, 1), "mb": round(size / 1e6, 1)}
    return found | {"peak_grew_mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1000}


async def streamed(lines: AsyncIterator[str]) -> int:
    return sum([len(text.encode()) async for text in lines])
