"""The API against its own description: generated requests, right and wrong, at a real web server with a worker."""

import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hypothesis
import requests
import schemathesis
from hypothesis import HealthCheck, Phase
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from benchmarks.metrics import percentile
from benchmarks.pages import end, serving

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
SCHEMA = "/api/v1/schema/?format=json"
ALWAYS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
PATIENCE_S = 60
KNOWN_SHARE = 0.7
SHOWN = 20
QUESTIONS = ("What is the deductible of the property insurance?", "Is there anything about earthquakes?", "the tenant")
# Requests that would delete everything are sent to unknown ids.
DESTRUCTIVE = {"trash_document"}


@dataclass
class Tally:
    """What was sent and received, and every breach of the contract with the request that causes it."""

    statuses: Counter[int] = field(default_factory=Counter)
    operations: Counter[str] = field(default_factory=Counter)
    spent_ms: list[float] = field(default_factory=list)
    breaks: dict[str, str] = field(default_factory=dict)

    def figures(self) -> dict[str, Any]:
        """Counts, times in milliseconds, and the breaches."""
        return {
            "operations": len(self.operations),
            "cases": sum(self.statuses.values()),
            "server_errors": sum(count for status, count in self.statuses.items() if status >= 500),
            "schema_breaks": len(self.breaks),
            "statuses": {str(status): count for status, count in sorted(self.statuses.items())},
            "p50_ms": percentile(self.spent_ms, 50),
            "p95_ms": percentile(self.spent_ms, 95),
            "max_ms": round(max(self.spent_ms, default=0.0), 1),
            "breaks": dict(list(self.breaks.items())[:SHOWN]),
        }


def run(cases: int) -> dict[str, Any]:
    """At least that many cases over every operation, against a server started here."""
    from benchmarks.retrieval import commit

    os.environ |= {"DOCINTEL_API_RATE": "1000000", "DOCINTEL_ASK_RATE": "1000000", "DOCINTEL_LOG_LEVEL": "ERROR"}
    known, secret = lay()
    with serving() as (port, _), worker():
        headers = {"Authorization": f"Bearer {secret}"}
        address = f"http://127.0.0.1:{port}"
        schema = schemathesis.openapi.from_url(address + SCHEMA, headers=headers, timeout=PATIENCE_S)
        session = requests.Session()
        session.headers.update(headers)
        tally = trial(schema, known, cases, session=session, timeout=PATIENCE_S)
    return {"commit": commit(), **tally.figures()}


def lay() -> tuple[dict[str, list[str]], str]:
    """Create the demonstration and a token with every scope; return the existing ids by their names in the schema."""
    from accounts.models import Scope, User
    from accounts.tokens import make_token
    from chat.turns.demo import load
    from documents.models import Document
    from retrieval.models import Concept

    owner = User.objects.create_superuser("owner@example.org", None, name="Owner")
    turn = load(owner)
    base = turn.conversation.base
    documents = Document.objects.filter(base=base)
    known = {
        "base_id": [str(base.pk)],
        "knowledge_base_id": [str(base.pk)],
        "document_id": [str(document.pk) for document in documents],
        "conversation_id": [str(turn.conversation_id)],
        "turn_id": [str(turn.pk)],
        "run_id": [str(turn.run_id)],
        "concept_id": [str(concept.pk) for concept in Concept.objects.filter(base=base)[:20]],
        "message": list(QUESTIONS),
    }
    return known, make_token(owner, "Contract", Scope.values, 1)[1]


@contextmanager
def worker() -> Iterator[None]:
    """One worker for uploads and questions."""
    command = [sys.executable, "-m", "celery", "-A", "docintel_site", "worker", "-Q", "ask,ingest,embed,sweep"]
    command += ["--pool", "threads", "-c", "4", "--without-gossip", "--without-mingle", "-l", "warning"]
    process = subprocess.Popen(command, cwd=SAMPLES.parent, env={**os.environ})
    try:
        yield
    finally:
        end(process)


def trial(
    schema: Any, known: dict[str, list[str]], cases: int, *, skip: frozenset[str] = frozenset(), **sending: Any
) -> Tally:
    """Send the cases, an equal share per operation; `sending` is passed to the transport of schemathesis."""
    tally = Tally()
    operations = [found.ok() for found in schema.get_all_operations()]
    operations = [each for each in operations if each.definition.raw["operationId"] not in skip]
    share = -(-cases // len(operations))
    for operation in operations:
        try_operation(operation, known, share, tally, sending)
    return tally


def try_operation(
    operation: Any, known: dict[str, list[str]], share: int, tally: Tally, sending: dict[str, Any]
) -> None:
    """Generate one operation's requests: half deliberately wrong where possible, most with ids that exist."""
    has_wrong = bool(list(operation.iter_parameters()) or operation.body)
    wrong_share = share // 2 if has_wrong else 0
    generate(operation, GenerationMode.NEGATIVE, known, wrong_share, tally, sending)
    generate(operation, GenerationMode.POSITIVE, known, share - wrong_share, tally, sending)


def generate(
    operation: Any,
    mode: GenerationMode,
    known: dict[str, list[str]],
    share: int,
    tally: Tally,
    sending: dict[str, Any],
) -> None:
    name = operation.definition.raw["operationId"]
    chance = random.Random(f"{name} {mode}")
    sent = 0

    @hypothesis.settings(
        max_examples=max(share, 1),
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(operation.as_strategy(mode))
    def send(case: Any) -> None:
        nonlocal sent
        if sent == share:
            return
        sent += 1
        is_changed = name not in DESTRUCTIVE and chance.random() < KNOWN_SHARE and insert(case, known, chance)
        is_wrong = mode is GenerationMode.NEGATIVE and not is_changed
        tally.operations[name] += 1
        tried(case, [*ALWAYS, negative_data_rejection] if is_wrong else ALWAYS, tally, sending)

    while sent < share:  # equal examples are generated once, so some operations need more rounds
        hypothesis.seed(chance.getrandbits(32))(send)()


def insert(case: Any, known: dict[str, list[str]], chance: random.Random) -> bool:
    """Fill in existing ids and answerable questions where the case has others."""
    changed = False
    for part in (case.path_parameters, case.body):
        for key in list(part) if isinstance(part, dict) else []:
            if key in known and isinstance(part[key], str):
                part[key] = chance.choice(known[key])
                changed = True
    return changed


def tried(case: Any, checks: list[Any], tally: Tally, sending: dict[str, Any]) -> None:
    """Send one case and record the response."""
    started = time.perf_counter()
    response = case.call(**sending)
    tally.spent_ms.append(1000 * (time.perf_counter() - started))
    tally.statuses[response.status_code] += 1
    try:
        case.validate_response(response, checks=checks)
    except (Failure, FailureGroup) as failure:
        found = failure.exceptions if isinstance(failure, FailureGroup) else [failure]
        for each in found:
            place = f"{case.method} {case.operation.path}: {getattr(each, 'title', type(each).__name__)}"
            tally.breaks.setdefault(place, f"{getattr(each, 'message', each)}\n{case.as_curl_command()}")
