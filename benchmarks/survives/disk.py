"""The disk of the stored files is full for a while, under load: nothing half is left and nothing accepted is lost."""

import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.survives.site import TAKEN, Site, have_ended, wait_for
from benchmarks.survives.sources import healthy, questions
from benchmarks.survives.verdicts import Verdict, server_errors, verdict_of

SIZE = 4_000_000  # bytes
FILES_MAX = 200
FIRST = 50_000  # number of the first document
QUESTIONS = 8  # while there is no room
GOAL = (
    "full disk is 507 and leaves no file; what was accepted is read, questions are answered meanwhile, and uploads go "
    "on once there is room"
)


@contextmanager
def small_disk(folder: Path) -> Iterator[str]:
    """A file system of a few megabytes over a folder; yields why there is none, or ""."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=700", "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        yield "there is no program to mount a disk"
        return
    if done.returncode:
        yield done.stderr.strip() or "no disk can be mounted"
        return
    try:
        yield ""
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def drill(site: Site) -> Iterator[Verdict]:
    """Upload until nothing has room, ask, make room, upload once more."""
    from django.conf import settings

    folder = Path(settings.MEDIA_ROOT)
    with small_disk(folder) as missing:
        yield Verdict("disk full", GOAL, f"not tried: {missing}", None) if missing else full(site, folder)


def full(site: Site, folder: Path) -> Verdict:
    from chat.models import Turn
    from documents.models import Document, IngestJob

    base, person = site.new_base("Disk"), site.person()
    ballast = folder / "ballast"
    ballast.write_bytes(b"\0" * (SIZE * 3 // 4))
    sent: Counter[str] = Counter()
    statuses: list[int] = []
    for source in healthy(FILES_MAX, first=FIRST):
        reply = person.send("POST", f"/api/v1/bases/{base}/documents", files={"files": (source.name, source.content)})
        statuses.append(reply.status_code)
        code = reply.json()["outcomes"][0]["code"] if reply.ok else reply.json()["code"]
        sent[code] += 1
        if sent["storage_full"] > 3:
            break
    files = {path.name for path in (folder / str(base)).rglob("*") if path.is_file()}
    stored = {Path(name).name for name in Document.objects.filter(base=base).values_list("file", flat=True)}
    jobs = IngestJob.objects.filter(document__base=base)
    wait_for(lambda: have_ended(jobs))  # before, there may be nothing to ask yet
    asked = [person.ask(each, knowledge_base_id=base) for each in questions(QUESTIONS)]
    turns = Turn.objects.filter(pk__in=[key for key in asked if key])
    wait_for(lambda: have_ended(turns))
    ballast.unlink()
    time.sleep(1)
    [source] = healthy(1, first=FIRST + FILES_MAX)
    after = person.upload(base, source.name, source.content)
    wait_for(lambda: have_ended(jobs))
    counts: dict[str, Any] = {
        "uploads": dict(sent),
        "statuses": dict(Counter(statuses)),
        "files without a row": len(files - stored),
        "rows without a file": len(stored - files),
        "not read": Document.objects.filter(base=base).exclude(state="ready").count(),
        "other 5xx": len(server_errors(person.statuses)),
        "refused with room": int(after["code"] not in TAKEN),
        "questions without an answer": QUESTIONS - turns.filter(state="done", run__isnull=False).count(),
    }
    is_met = sent["storage_full"] > 0 and sent["accepted"] > 0 and 507 in statuses
    return verdict_of("disk full", GOAL, counts, *list(counts)[2:], reached=is_met)
