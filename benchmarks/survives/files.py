"""Hostile files are uploaded, read and asked: each ends in a state with a name and a reason that is true."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

from benchmarks.survives.mutations import READ, Hostile
from benchmarks.survives.site import ENDED, TAKEN, Person, Site, have_ended, wait_for
from benchmarks.survives.verdicts import Verdict, verdict_of

QUESTION = "What does the agreement say about the notice of termination?"
SENDERS = 3
PORTION = 200  # files at once: neither their bytes nor the logs, which are cut as they grow, are held of thousands
PATIENCE_S = 120.0  # and for each file
A_FILE_S = 30.0
NO_REASON = frozenset({"", "internal", "parse_killed"})  # these say that the fault is ours
LAST_OF_TRACEBACK = re.compile(r"Traceback \(most recent call last\)(?::\n(?:[ \t].*\n|\n)*(.*))?")
DATABASE_ERROR = " ERROR:  "


@dataclass(frozen=True)
class Ending:
    """How one file ended: `code` is "ready", or the reason why not, in `words`."""

    file: Hostile
    code: str
    words: str
    document: str = ""

    @property
    def is_named(self) -> bool:
        return self.code == READ or (self.code not in NO_REASON and bool(self.words))

    @property
    def is_true(self) -> bool:
        return not self.file.allowed or self.code in self.file.allowed


@dataclass
class Found:
    """What became of the files so far, and of the question about each."""

    endings: list[Ending] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)  # as `asked_of` has it
    answered: list[str] = field(default_factory=list)  # states of questions
    exceptions: list[str] = field(default_factory=list)
    stopped: int = 0
    open: int = 0

    def counts(self) -> dict[str, Any]:
        refused = [each for each in self.asked if not each.startswith("turn ")]
        return {
            "files": len(self.endings),
            "states": dict(Counter(each.code for each in self.endings)),
            "not read": [(each.file.name, each.code) for each in self.endings if each.code != READ],
            "stopped while vectors were made": self.stopped,
            "still open": self.open,
            "without a named state": [(each.file.name, each.code) for each in self.endings if not each.is_named],
            "untrue": [(each.file.name, each.code) for each in self.endings if not each.is_true],
            "questions": dict(Counter([*self.answered, *refused])),
            "questions without an end": sum(state != "done" for state in self.answered) + refused.count(""),
            "exceptions in the logs": self.exceptions,
        }


def from_folder(folder: Path) -> Iterator[Hostile]:
    """The files below a folder; each is opened when its turn comes."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in (".pdf", ".md", ".txt"):
            yield Hostile(path.name, path.read_bytes())


def drill(site: Site, files: Iterable[Hostile], name: str) -> Iterator[Verdict]:
    """Upload every file, wait until all have ended, and ask one question about each; a portion after the other."""
    database_log = site.database_log()
    base = site.new_base(name)
    person = site.person(site.new_member(base, f"{len(site.people)}@example.org", "editor"))
    rest, found, is_over = iter(files), Found(), True
    while portion := list(islice(rest, PORTION)):
        is_over = take(site, person, base, portion, found) and is_over
    counts = found.counts() | {
        "database errors": site.database_log().count(DATABASE_ERROR) - database_log.count(DATABASE_ERROR),
        "faults of the server": sum(status >= 500 for status in person.statuses),
    }
    expected = ("files", "states", "not read", "questions", "stopped while vectors were made")
    none = [key for key in counts if key not in expected]
    goal = (
        f"{counts['files']} files stored, read and asked: each in a named, true state; no exception, no database error"
    )
    yield verdict_of(name.lower(), goal, counts, *none, reached=is_over)


def take(site: Site, person: Person, base: UUID, files: list[Hostile], found: Found) -> bool:
    """One portion of the files; what was found of it is added. Whether all was read in time."""
    from documents.models import IngestJob

    logs = site.logs()
    with ThreadPoolExecutor(SENDERS) as pool:
        outcomes = list(pool.map(lambda file: person.upload(base, file.name, file.content), files))
    stored = [outcome["document_id"] for outcome in outcomes if outcome["code"] in TAKEN]
    jobs = IngestJob.objects.filter(document__in=stored)
    is_over = wait_for(lambda: have_been_read(jobs), PATIENCE_S + A_FILE_S * len(files))
    told = [file._replace(content=b"") for file in files]
    endings = [ending_of(file, outcome) for file, outcome in zip(told, outcomes, strict=True)]
    with ThreadPoolExecutor(SENDERS) as pool:
        asked = list(pool.map(lambda ending: asked_of(person, base, ending), endings))
    found.answered += states_of([turn.removeprefix("turn ") for turn in asked if turn.startswith("turn ")])
    found.endings += endings
    found.asked += asked
    found.stopped += stop_embedding(jobs)
    found.open += jobs.exclude(state__in=ENDED).count()
    found.exceptions += exceptions_in(site.logs(), exceptions_in(logs))
    return is_over


def exceptions_in(logs: str, known: Sequence[str] = ()) -> list[str]:
    """The last line of every traceback ("" of one in JSON or cut off), without those that were `known` before."""
    found = Counter(LAST_OF_TRACEBACK.findall(logs)) - Counter(known)
    return sorted(found.elements())


def have_been_read(jobs: Any) -> bool:
    """Whether every document can be asked or has failed: the vectors of a hostile one may take an hour."""
    return not jobs.exclude(state__in=ENDED).exclude(document__state__in=("ready", "failed")).exists()


def stop_embedding(jobs: Any) -> int:
    """Stop what is still worked on, as the page of a document does; how many there were."""
    from documents.ingestion.queueing import stop_jobs

    left = list(jobs.exclude(state__in=ENDED).select_related("document"))
    for job in left:
        stop_jobs(job.document)
    wait_for(lambda: have_ended(jobs))
    return len(left)


def ending_of(file: Hostile, outcome: dict[str, Any]) -> Ending:
    from documents.models import Document

    if outcome["code"] not in TAKEN:
        return Ending(file, outcome["code"], outcome["detail"])
    document = Document.objects.get(pk=outcome["document_id"])
    if document.state == Document.State.READY and document.current_parse_id:
        return Ending(file, READ, "", str(document.pk))
    job = document.jobs.order_by("-created_at")[0]
    return Ending(file, job.reason_code, job.error_for_people, str(document.pk))


def asked_of(person: Person, base: UUID, ending: Ending) -> str:
    """The word turn and its id where the question was taken, else the code of the refusal."""
    if not ending.document:
        return "not stored"
    reply = person.insist(
        "POST",
        "/api/v1/chat",
        json={
            "message": QUESTION,
            "fresh": True,
            "knowledge_base_id": str(base),
            "document_id": ending.document,
        },
    )
    return f"turn {reply.json()['turn_id']}" if reply.ok else str(reply.json().get("code", ""))


def states_of(turn_ids: list[str]) -> list[str]:
    """The states in which these questions end."""
    from chat.models import Turn

    turns = Turn.objects.filter(pk__in=turn_ids)
    wait_for(lambda: have_ended(turns), PATIENCE_S + A_FILE_S * len(turn_ids))
    return list(turns.values_list("state", flat=True))
