"""A real installation of its own for the drills: bin/run, its servers, a base, and people who upload and ask.

PostgreSQL and Redis are started here and named to bin/run as somebody else's: it would start its own again at once.
"""

import os
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import django
import psutil
import requests
from urllib3.exceptions import NewConnectionError

from benchmarks.survives.sources import healthy
from embedded import postgres, redis
from tests.running import Running, fresh_home
from tests.scripted_llm import ScriptedLLM

TIMEOUT_S = 60.0  # of one request
PATIENCE_S = 180.0  # until a request that is refused for the moment is taken
LOOK_EVERY_S = 0.25
BUSY = frozenset({429, 503})  # come back later, says the answer
TAKEN = frozenset({"accepted", "duplicate"})
ENDED = ("done", "failed", "cancelled", "stopped")
DEADLINES = {"DOCINTEL_ARBITER_DEADLINE_S": "3", "DOCINTEL_ANSWER_DEADLINE_S": "3"}
FREE = {"DOCINTEL_API_RATE": "1000000", "DOCINTEL_ASK_RATE": "1000000", "DOCINTEL_API_ANSWER_WAIT_S": "0"}
# Of a whole question: the search, the model that judges, the model that writes.
TURN_DEADLINE_S = 30.0 + 3.0 + 3.0


@dataclass
class Person:
    """Somebody with a token who sends requests, notes every status, and sends again what was refused for the moment."""

    site: "Site"
    secret: str
    statuses: list[int] = field(default_factory=list)

    def send(self, method: str, path: str, **options: Any) -> requests.Response:
        """Send a request to one web process; where nobody listens, to the next, as a load balancer does."""
        options["headers"] = {"Authorization": f"Bearer {self.secret}", **options.get("headers", {})}
        *others, last = self.site.addresses
        for address in others:
            try:
                return self.told(requests.request(method, address + path, timeout=TIMEOUT_S, **options))
            except requests.ConnectionError as error:
                if not is_refused(error):
                    raise
        return self.told(requests.request(method, last + path, timeout=TIMEOUT_S, **options))

    def told(self, reply: requests.Response) -> requests.Response:
        self.statuses.append(reply.status_code)
        return reply

    def insist(self, method: str, path: str, **options: Any) -> requests.Response:
        """Send one request with one key until it is taken or refused for good."""
        until = time.monotonic() + PATIENCE_S
        key = {"Idempotency-Key": str(uuid.uuid4())}
        while True:
            try:
                reply = self.send(method, path, headers=key, **options)
                if reply.status_code not in BUSY or time.monotonic() > until:
                    return reply
            except requests.RequestException:  # the program is being started again
                if time.monotonic() > until:
                    raise
            time.sleep(1)

    def upload(self, base: UUID, name: str, content: bytes) -> dict[str, Any]:
        """The outcome of one file: `code`, `detail`, and `document_id` of one that was taken."""
        told = self.insist("POST", f"/api/v1/bases/{base}/documents", files={"files": (name, content)}).json()
        refused = {"code": told.get("code"), "detail": told.get("detail"), "document_id": None}
        outcome: dict[str, Any] = told.get("outcomes", [refused])[0]
        return outcome

    def fill(self, base: UUID, count: int = 3) -> None:
        """Have healthy documents read, and wait for their end."""
        from documents.models import IngestJob

        for source in healthy(count):
            self.upload(base, source.name, source.content)
        wait_for(lambda: have_ended(IngestJob.objects.filter(document__base=base)))

    def ask(self, question: str, **scope: UUID | str) -> str:
        """The id of the turn that was accepted, or "" where the question was refused."""
        named = {name: str(key) for name, key in scope.items()}
        reply = self.insist("POST", "/api/v1/chat", json={"message": question, "fresh": True, **named})
        return str(reply.json()["turn_id"]) if reply.ok else ""


@dataclass
class Site:
    """The running installation. `model` is the scripted server that stands in for a provider."""

    home: Path
    running: Running
    model: ScriptedLLM
    extra: dict[str, str]
    owner: Any
    people: list[Person] = field(default_factory=list)
    second_web: str = ""  # the address of another web process, if there is one
    sent: Iterator[int] = field(default_factory=count)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.running.port}"

    @property
    def addresses(self) -> list[str]:
        """Where the next request may go, in this order."""
        both = [self.address, *filter(None, [self.second_web])]
        return both[::-1] if next(self.sent) % 2 else both

    def new_base(self, name: str) -> UUID:
        from documents.access import create_base

        return create_base(self.owner, name).pk

    def person(self, user: Any = None) -> Person:
        """Somebody with a token of every scope; without a user, the owner."""
        from accounts.models import Scope
        from accounts.tokens import make_token

        made = Person(self, make_token(user or self.owner, "Drill", Scope.values, 1)[1])
        self.people.append(made)
        return made

    def new_member(self, base_id: UUID, email: str, role: str) -> Any:
        """A new user with a role in a base."""
        from accounts.models import User
        from documents.access import set_role
        from documents.models import KnowledgeBase

        user = User.objects.create_user(email)
        set_role(KnowledgeBase.objects.get(pk=base_id), user, role, self.owner)
        return user

    def deploy(self) -> None:
        """Stop the whole program as an upgrade does, and start it again; the new one has another port."""
        self.running.end()
        self.running = Running(self.home, **self.extra)

    def processes(self) -> set[int]:
        """Everything that bin/run has started and that lives."""
        program = psutil.Process(self.running.process.pid)
        return {one.pid for one in program.children(recursive=True)}

    def logs(self) -> str:
        """Everything the processes have logged so far."""
        return "".join(path.read_text(errors="replace") for path in sorted((self.home / "logs").glob("*.log*")))

    def database_log(self) -> str:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("SHOW data_directory")
            return Path(cursor.fetchone()[0]).with_name("log").read_text(errors="replace")


def is_refused(error: requests.ConnectionError) -> bool:
    """Whether nobody listened, so that nothing was sent."""
    return isinstance(getattr(error.args[0], "reason", None), NewConnectionError)


def wait_for(condition: Callable[[], bool], patience_s: float = PATIENCE_S) -> bool:
    """Whether it came true in time."""
    until = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(LOOK_EVERY_S)
    return True


def have_ended(jobs: Any) -> bool:
    """Whether every row of a table of jobs has come to an end."""
    return not jobs.exclude(state__in=ENDED).exists()


@contextmanager
def installed(kind: type[ScriptedLLM] = ScriptedLLM, waits: Mapping[str, str] = DEADLINES) -> Iterator[Site]:
    """A new installation with an owner and a model; everything is stopped and removed at the end."""
    with fresh_home() as home, kind("good") as model:
        servers = {"DATABASE_URL": postgres.ensure(home), "REDIS_URL": redis.ensure(home)}
        provider = {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "scripted", "DOCINTEL_MODEL": "scripted-1"}
        extra = {**servers, **provider, **waits, **FREE}
        os.environ |= {"DOCINTEL_HOME": str(home), **extra}
        running = Running(home, **extra)
        site = None
        try:
            django.setup()
            site = Site(home, running, model, extra, new_owner())
            yield site
        finally:
            last = site.running if site else running
            if last.process.poll() is None:
                last.end()


def new_owner() -> Any:
    from accounts.models import User

    return User.objects.create_superuser("owner@example.org", None, name="Owner")
