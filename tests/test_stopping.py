"""A real worker is told to stop while it writes an answer: another has the question at once, and it counts as one."""

import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any

import psycopg
import pytest

from embedded import postgres
from tests.running import PATIENCE_S, environment, manage, program
from tests.scripted_llm import ScriptedLLM

ASK = """
import uuid
from pathlib import Path
from accounts.models import User
from chat.asking import keep_question
from chat.scope import QuestionScope
from chat.turns.tasks import answer_turn
from documents.access import create_base
from documents.ingestion.conductor import ingest_path
ada = User.objects.create_user("POOL@example.org", "quiet-harbour-91", name="Ada")
base = create_base(ada, "Policies of POOL")
base.settings = {"embeddings": "none"}
base.save()
ingest_path(Path("samples/information-security-policy.md"), base, ada)
turn = keep_question(ada, QuestionScope(base), "How often are passwords changed?", "fast", form_id=uuid.uuid4())
answer_turn.apply_async((str(turn.pk),))
print("turn", turn.pk)
"""


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedLLM]:
    with ScriptedLLM("good") as server:
        yield server


def variables(home: Path, model: ScriptedLLM) -> dict[str, str]:
    chosen = {"OPENAI_API_KEY": "sk-scripted", "OPENAI_BASE_URL": model.base_url, "DOCINTEL_STOP_GRACE_S": "1"}
    return environment(home) | chosen


@contextmanager
def worker(home: Path, model: ScriptedLLM, name: str, queues: str, pool: str) -> Iterator["Popen[bytes]"]:
    """A worker that is starting, and ends when it is told to."""
    command = ["celery", "-A", "docintel_site", "worker", "-n", f"{name}@%h", "-Q", queues, "--pool", pool, "-c", "2"]
    with program(command, variables(home, model), home / f"{name}.log") as process:
        yield process
    assert process.returncode != -signal.SIGKILL


def wait_for(condition: Callable[[], Any], log: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, log.read_text()
        time.sleep(0.1)


def row(home: Path, turn: str) -> tuple[str, str, int]:
    """State, owner of the lease and attempts of a question."""
    with psycopg.connect(postgres.url(home)) as connection:
        found = connection.execute("SELECT state, lease_owner, attempts FROM chat_turn WHERE id = %s", [turn])
        [told] = found.fetchall()
    return told


@pytest.mark.parametrize("pool", ["threads", "prefork"])
def test_a_worker_that_is_told_to_stop_passes_its_work_on(servers: Path, model: ScriptedLLM, pool: str) -> None:
    home = servers
    model.hold = threading.Event()  # an answer stands still in the middle of its first sentence
    with worker(home, model, f"first-{pool}", "ask", pool) as first:
        asked = manage(variables(home, model), "shell", "-c", ASK.replace("POOL", pool))
        [turn] = re.findall(r"^turn (\S+)", asked.stdout, re.MULTILINE) or pytest.fail(asked.stderr)
        log = home / f"first-{pool}.log"
        wait_for(lambda: row(home, turn)[0] == "running", log)
        _, before, _ = row(home, turn)
        with worker(home, model, f"second-{pool}", "ask,sweep", pool):
            other = home / f"second-{pool}.log"
            wait_for(lambda: f"second-{pool}@" in other.read_text() and " ready." in other.read_text(), other)
            first.terminate()
            wait_for(lambda: row(home, turn)[1] not in ("", before), log)
            assert row(home, turn)[::2] == ("running", 1), "an attempt that was cut off is none"
            model.hold.set()
            wait_for(lambda: row(home, turn)[0] == "done", other)
    with psycopg.connect(postgres.url(home)) as connection:
        answers = connection.execute("SELECT kind FROM chat_answer WHERE turn_id = %s", [turn]).fetchall()
    assert answers == [("generated",)]
