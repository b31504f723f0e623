"""Check that nothing of one base reaches a person of another: canary facts, and every way text leaves DocIntel."""

import io
import json
import random
import secrets
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.scripted_llm import ScriptedLLM

FACTS = 50
SHARED_FACTS = 25  # with the same name in both bases and different values: the easiest to confuse
NAMES = ("North", "South")
KINDS = ("access code", "supervisor", "deposit reference", "alarm word", "storage licence")
TOWNS = ("Aldover", "Brinmouth", "Carrick", "Dunmere", "Eastwick", "Farrow", "Gresham", "Holt", "Ilmer", "Jarrow")
PREFIX = "canary"
FOLLOW_UPS = 5  # after this many questions, one more in the same conversation


@dataclass
class Side:
    """One base with its facts, the person who asks there, and what that person has made."""

    name: str
    facts: dict[str, str]  # subject → the value nobody else may see
    owner: Any
    asker: Any
    base: Any
    document: Any
    headers: dict[str, str]
    runs: list[str] = field(default_factory=list)
    conversations: list[str] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)


@dataclass
class Watch:
    """Every text that left DocIntel, by channel, checked for what it must not contain."""

    texts: Counter[str] = field(default_factory=Counter)
    leaks: list[str] = field(default_factory=list)
    own: set[str] = field(default_factory=set)

    def look(self, way: str, text: str, allowed: dict[str, str], forbidden: dict[str, str]) -> None:
        """Count a text; record which allowed and forbidden facts it contains."""
        self.texts[way] += 1
        self.own |= {value for value in allowed.values() if value in text}
        self.leaks += [f"{way}: {subject}" for subject, value in forbidden.items() if value in text]


def run(questions: int, seed: int = 1) -> dict[str, Any]:
    """Ask `questions` questions in two bases in turn, half with a model, and try every access from one to the other."""
    from benchmarks.retrieval import commit
    from docintel_site.celery import app

    chance, watch, started = random.Random(seed), Watch(), time.monotonic()
    app.conf.task_always_eager = True  # tasks run where they are called
    try:
        with tempfile.TemporaryDirectory() as folder, settled(Path(folder)), ScriptedLLM("good") as model:
            sides = lay(Path(folder))
            for number in range(questions):
                side, other = sides if number % 2 else sides[::-1]
                with answered_by(model if number % 4 < 2 else None):
                    ask(side, other, number, chance, watch)
            for side, other in (sides, sides[::-1]):
                take_away(side, other, watch)
                try_doors(side, other, watch)
                send_away(side, watch)
            prompts(model, sides, watch)
    finally:
        app.conf.task_always_eager = False
    return {
        "commit": commit(),
        "facts": sum(len(side.facts) for side in sides),
        "questions": sum(len(side.runs) for side in sides),
        "texts": dict(watch.texts),
        "texts_in_all": watch.texts.total(),
        "facts_seen_by_their_own": len(watch.own),
        "leaks": len(watch.leaks),
        "leaked": watch.leaks[:20],
        "seconds": round(time.monotonic() - started, 1),
    }


# ---- two bases


@contextmanager
def settled(folder: Path) -> Iterator[None]:
    """Separate files, the host of Django's test client, and no limits per minute."""
    from django.test import override_settings

    free = {"API_RATE": 1_000_000, "ASK_RATE": 1_000_000, "ALLOWED_HOSTS": ["testserver"]}
    with override_settings(MEDIA_ROOT=folder / "files", **free):
        yield


@contextmanager
def answered_by(model: ScriptedLLM | None) -> Iterator[None]:
    """With the scripted model, or with rules alone."""
    from django.test import override_settings

    there = {"LLM_BASE_URL": model.base_url, "LLM_API_KEY": "scripted", "LLM_MODEL": "scripted-1"} if model else {}
    with override_settings(LLM_CONFIGURED=model is not None, **there):
        yield


def lay(folder: Path) -> tuple[Side, Side]:
    """Create two bases of one document each, with an owner and an asker each; half the facts share names."""
    subjects = [f"{kind} of the warehouse in {town}" for town in TOWNS for kind in KINDS]
    first = make_side(NAMES[0], subjects[:FACTS], folder)
    foreign = [f"{subject} harbour" for subject in subjects[SHARED_FACTS:FACTS]]
    return first, make_side(NAMES[1], subjects[:SHARED_FACTS] + foreign, folder)


def make_side(name: str, subjects: list[str], folder: Path) -> Side:
    from accounts.models import Scope, User
    from accounts.tokens import make_token
    from documents.access import create_base, set_role
    from documents.ingestion.conductor import ingest_path
    from documents.models import KnowledgeBase

    owner, asker = (User.objects.create_user(f"{who}@{name.lower()}.example") for who in ("owner", "asker"))
    base = create_base(owner, name)
    KnowledgeBase.objects.filter(pk=base.pk).update(settings={"embeddings": "none"})
    base.refresh_from_db()
    set_role(base, asker, "editor", owner)
    facts = {subject: f"{PREFIX}{secrets.token_hex(6)}" for subject in subjects}
    path = folder / "warehouses.md"
    path.write_text(
        "# Warehouses\n\n" + "\n".join(f"## {s.capitalize()}\n\nThe {s} is {v}.\n" for s, v in facts.items())
    )
    document = ingest_path(path, base, owner)
    secret = make_token(asker, "Canaries", Scope.values, 1)[1]
    return Side(name, facts, owner, asker, base, document, {"Authorization": f"Bearer {secret}"})


# ---- asking


def ask(side: Side, other: Side, number: int, chance: random.Random, watch: Watch) -> None:
    """One question about a fact of either base, by one of the ways a question can be asked."""
    subject = chance.choice(list({**side.facts, **other.facts}))
    question = f"What is the {subject}?"
    way = ("chat", "stream", "retrieve", "page")[number // 2 % 4]
    if number % FOLLOW_UPS == 0 and side.conversations:
        follow_up = {"message": question, "conversation_id": side.conversations[-1]}
        watch.look("follow-up", kept(side, post(side, "chat", **follow_up)), side.facts, other.facts)
    elif way == "page":
        watch.look(way, page_of(side, question), side.facts, other.facts)
    elif way == "stream":
        watch.look(way, kept(side, post(side, "chat", message=question, stream=True)), side.facts, other.facts)
    else:
        told = post(side, way, message=question)
        watch.look(way, kept(side, told), side.facts, other.facts)


def post(side: Side, address: str, **fields: Any) -> Any:
    from django.test import Client

    body = json.dumps({"knowledge_base_id": str(side.base.pk), **fields})
    return Client().post(f"/api/v1/{address}", body, content_type="application/json", headers=side.headers)


def kept(side: Side, response: Any) -> str:
    """The text of an answer; everything it created is remembered."""
    text = text_of(response)
    frames = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith('data: {"turn_id"')]
    told = json.loads(frames[0] if frames else text)
    side.runs.append(told["run_id"])
    if "turn_id" in told:
        side.turns.append(told["turn_id"])
        side.conversations.append(told["conversation_id"])
    return text


def page_of(side: Side, question: str) -> str:
    """The page of a conversation begun by a form."""
    import uuid

    from chat.models import Turn

    form = {"question": question, "scope": f"base:{side.base.pk}", "mode": "balanced", "form_id": str(uuid.uuid4())}
    text = text_of(browser(side.asker).post("/ask/", form, follow=True))
    turn = Turn.objects.filter(conversation__user=side.asker).latest("created_at")
    side.runs.append(str(turn.run_id))
    return text


def browser(person: Any) -> Any:
    from django.test import Client

    client = Client()
    client.force_login(person, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def text_of(response: Any) -> str:
    """All text in a response: a stream to its end, an archive unpacked."""
    content = streamed(response) if response.streaming else response.content
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            content = b"\n".join(archive.read(name) for name in archive.namelist())
    return str(content.decode(errors="replace"))


def streamed(response: Any) -> bytes:
    from asgiref.sync import async_to_sync

    async def collect() -> bytes:
        return b"".join([part async for part in response])

    return async_to_sync(collect)() if response.is_async else b"".join(response)


# ---- exporting, and trying to get access


def take_away(side: Side, other: Side, watch: Watch) -> None:
    """Everything the asker and the owner of a base can read and export."""
    for person in (side.asker, side.owner):
        client = browser(person)
        for way, address in own_addresses(side):
            watch.look(way, text_of(client.get(address)), side.facts, other.facts)


def own_addresses(side: Side) -> Iterator[tuple[str, str]]:
    document, base = side.document.pk, side.base.pk
    yield from (
        ("lists", f"/{address}") for address in ("bases/", "ask/", "ask/trash/", "audit/", "audit/figures/", "status/")
    )
    yield from (("lists", f"/ask/?find={word}") for word in ("warehouse", PREFIX, "code"))
    yield from (("lists", f"/audit/?text={word}") for word in ("warehouse", PREFIX, "code"))
    yield from (("exports", f"/audit/export.{form}") for form in ("csv", "jsonl", "html"))
    yield "documents", f"/documents/{document}/"
    yield "documents", f"/bases/{base}/?q={PREFIX}"
    yield from (
        ("documents", f"/api/v1/documents/{document}/{name}?format=csv") for name in ("lines", "toc", "passages")
    )
    yield "audit", "/api/v1/runs?limit=500"
    for run_id in side.runs[:: max(1, len(side.runs) // 25)]:
        yield from (("audit", f"/api/v1/runs/{run_id}{rest}") for rest in ("", "/candidates", "/reviews"))
        yield "audit", f"/audit/runs/{run_id}/"
        yield "exports", f"/audit/runs/{run_id}/evidence/"
    for conversation in side.conversations[:: max(1, len(side.conversations) // 25)]:
        yield from (("exports", f"/ask/{conversation}/export.{form}") for form in ("md", "json"))


def try_doors(side: Side, other: Side, watch: Watch) -> None:
    """Open every address of the other base, knowing its ids; all must be errors without content."""
    client = browser(side.asker)
    for _, address in own_addresses(other):
        if any(key in address for key in keys_of(other)):
            watch.look("errors", text_of(client.get(address)), {}, other.facts)
    foreign: list[dict[str, Any]] = [
        {"knowledge_base_id": str(other.base.pk)},
        {"document_id": str(other.document.pk)},
        {"knowledge_base_id": str(other.base.pk), "document_id": str(other.document.pk)},
        {"conversation_id": (other.conversations or [str(other.base.pk)])[0]},
    ]
    for fields in foreign:
        for address in ("retrieve", "chat"):
            answer = post(side, address, message=f"What is the {next(iter(other.facts))}?", **fields)
            watch.look("errors", text_of(answer), {}, other.facts)
    for turn in other.turns[:5]:
        watch.look("errors", text_of(client.get(f"/api/v1/turns/{turn}/events")), {}, other.facts)


def keys_of(side: Side) -> list[str]:
    return [str(side.base.pk), str(side.document.pk), *side.runs, *side.conversations]


def send_away(side: Side, watch: Watch) -> None:
    """Check that a person who has left a base can open nothing of it, neither questions nor exports."""
    from documents.access import remove_member

    remove_member(side.base, side.asker, side.owner)
    client = browser(side.asker)
    for _, address in own_addresses(side):
        watch.look("after leaving", text_of(client.get(address)), {}, side.facts)


def prompts(model: ScriptedLLM, sides: tuple[Side, Side], watch: Watch) -> None:
    """Check what the model was sent: one base at a time."""
    first, second = sides
    for request in model.requests:
        text = json.dumps(request.body)
        has_first = any(value in text for value in first.facts.values())
        own, other = (first, second) if has_first else (second, first)
        watch.look("prompts", text, own.facts, other.facts)
