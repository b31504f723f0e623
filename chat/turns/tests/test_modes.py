"""Every ranking and mode from question to cited answer, with a model, embeddings and a reranker over HTTP."""

import json
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from chat.asking import keep_question
from chat.conftest import Serve
from chat.models import Answer, Turn
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from chat.writing.fragments import FRAGMENTS
from docintel_site.celery import app
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase
from retrieval.detectors.vectors import query_vector
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
QUESTION = "What is the rent of the office?"
LEASE = "# Lease\n\n" + "\n".join(
    f"## Office {number}\n\nThe rent of the office {number} is {1000 + number:,} euros a month.\n"
    for number in range(1, 9)
)


@pytest.fixture
def at_once() -> Iterator[None]:
    """The worker works where it is called."""
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


@pytest.fixture
def wired(settings: Settings, serve: Serve) -> None:
    server = serve("good")
    settings.VOYAGE_BASE_URL, settings.VOYAGE_API_KEY, settings.VOYAGE_MODEL = (
        server.base_url,
        "pa-voyage",
        "voyage-3.5",
    )
    settings.RERANK_BASE_URL, settings.RERANK_MODEL = "", "rerank-2.5"
    query_vector.cache_clear()


@pytest.fixture
def leases(wired: None, base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> list[Document]:
    settings.MEDIA_ROOT = tmp_path / "files"
    for name in ("north", "south", "west"):
        (tmp_path / f"{name}.md").write_text(
            LEASE.replace("office", f"{name} office").replace("# Lease", f"# Lease {name}")
        )
    return [ingest_path(tmp_path / f"{name}.md", base, tenant) for name in ("north", "south", "west")]


def answered(base: KnowledgeBase, tenant: User, mode: str, **chosen: str) -> Answer:
    KnowledgeBase.objects.filter(pk=base.pk).update(settings={"embeddings": "none", **chosen})
    base.refresh_from_db()
    turn = keep_question(tenant, QuestionScope(base), QUESTION, mode, form_id=uuid.uuid4())
    answer_turn(turn.pk)
    return Answer.objects.select_related("run", "run__llm_call", "turn").get(turn=turn)


@pytest.mark.parametrize(
    ("ranking", "arbiter", "purpose", "said"),
    [
        ("arbiter", "model", "arbiter", ""),
        ("hybrid", "model", "arbiter", ""),
        ("rules", "rules", "", ""),
        ("none", "none", "", "nobody judged"),
        ("rerank", "rerank", "rerank", "ordered by a reranker"),
    ],
)
def test_each_ranking_judges_in_its_way(
    leases: list[Document], base: KnowledgeBase, tenant: User, ranking: str, arbiter: str, purpose: str, said: str
) -> None:
    """(R102)"""
    answer = answered(base, tenant, "balanced", ranking=ranking)
    run = answer.run
    assert (run.arbiter, run.arbiter_status, run.status) == (arbiter, "ran", "found")
    assert (run.llm_call.purpose if run.llm_call else "") == purpose
    assert said in answer.note and answer.kind == ("extractive" if ranking == "none" else "generated")
    assert 0 < answer.citations.count() <= 8
    judged = set(run.candidates.values_list("role", flat=True)) - {"unjudged"}
    assert bool(judged) is (ranking != "none")


PLACES = {"fast": 40, "balanced": 40, "thorough": 60}  # R44: what is judged of more places than any mode reads
QUOTED = {"fast": 3, "balanced": 8, "thorough": 12}  # R95, R98
NARROWED = 15
RERANKED = 20  # R93


@pytest.fixture
def offices(wired: None, base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> Document:
    """Ninety places that say what is asked for: more than any mode or ranking reads."""
    settings.MEDIA_ROOT = tmp_path / "files"
    rents = [
        f"## Office {number}\n\nThe rent of the office {number} is 1,{number:03} euros." for number in range(1, 91)
    ]
    (tmp_path / "offices.md").write_text("\n\n".join(["# Register", *rents]))
    return ingest_path(tmp_path / "offices.md", base, tenant)


def read_by(server: ScriptedLLM) -> dict[str, int]:
    """What each request of a turn showed of the document, by who was asked: how many candidates or excerpts."""
    read = {}
    for request in server.requests:
        told = str(request.body.get("input", ""))
        if request.path.endswith("/rerank"):
            read["reranker"] = len(request.body["documents"])
        elif '"rewrites"' in json.dumps(request.body.get("text", {})):
            read["reader of the question"] = told.count("<candidate ")
        elif "<candidate " in told:
            read["judge"] = told.count("<candidate ")
        elif "<excerpt " in told:
            read.setdefault("writer", told.count("<excerpt "))  # the check of what it wrote comes after it
    return read


MODES = {
    "fast": {"writer": 3},
    "balanced": {"judge": 40, "writer": 8},
    "thorough": {"reader of the question": 0, "judge": 60, "writer": 12},
}


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("mode", MODES)
def test_each_mode_of_the_api_reads_cites_and_writes_in_its_own_way(
    offices: Document, tenant: User, client: Client, serve: Serve, settings: Settings, mode: str
) -> None:
    """R98, by the call of the seed: the same question, of the same document, in three sizes."""
    server = serve("good")
    client.force_login(tenant)
    asked = {"message": QUESTION, "knowledge_base_id": str(offices.base_id), "mode": mode}
    told = client.post("/api/chat", json.dumps(asked), content_type="application/json").json()
    turn = Turn.objects.select_related("answer__llm_call", "answer__run").get()
    answer, run = turn.answer, turn.answer.run
    assert (turn.mode, told["answer"]["kind"], answer.kind) == (mode, "generated", "generated")
    assert read_by(server) == MODES[mode], "the rules judge where no judge was asked"
    assert (run.arbiter, run.parsed["parsed_by"]) == (
        "rules" if mode == "fast" else "model",
        "model" if mode == "thorough" else "rules",
    )
    assert run.candidates.count() == PLACES[mode] and not run.candidates.filter(role="unjudged").exists()
    assert answer.llm_call is not None
    instructions = str(answer.llm_call.request["instructions"])
    written = [name for name in ("fast", "thorough") if FRAGMENTS[name] in instructions]
    assert written == [name for name in (mode,) if name != "balanced"]
    settings.LLM_CONFIGURED = False
    quoted = client.post("/api/chat", json.dumps(asked), content_type="application/json").json()
    assert len(quoted["answer"]["citations"]) == QUOTED[mode], "what is cited where nothing is written"


RANKINGS = {  # the names of the seed: none, heuristic, llm and hybrid, and a reranker
    "none": ({}, {"unjudged": 40}),
    "rules": ({"writer": 8}, {"primary": 3, "supporting": 5, "tangential": 32}),
    "arbiter": ({"judge": 40, "writer": 8}, {"primary": 1, "supporting": 39}),
    "hybrid": ({"judge": NARROWED, "writer": 8}, {"primary": 1, "supporting": NARROWED - 1, "unjudged": 25}),
    "rerank": ({"reranker": 90, "writer": 8}, {"primary": 1, "supporting": RERANKED - 1}),
}


@pytest.mark.parametrize("ranking", RANKINGS)
def test_each_ranking_reads_and_judges_in_its_own_way(
    offices: Document, base: KnowledgeBase, tenant: User, serve: Serve, settings: Settings, ranking: str
) -> None:
    """R102: hybrid shows the model the fifteen best by the rules, the arbiter all; none judges and writes nothing."""
    server = serve("good")
    settings.VOYAGE_BASE_URL = server.base_url
    answer = answered(base, tenant, "balanced", ranking=ranking)
    roles = Counter(answer.run.candidates.values_list("role", flat=True))
    assert (read_by(server), dict(roles)) == RANKINGS[ranking]
    unjudged = answer.run.candidates.filter(role="unjudged")
    if ranking == "hybrid":
        assert all(each.reason.startswith("Left out by the rules, place ") for each in unjudged)
        assert min(unjudged.values_list("position", flat=True)) > NARROWED
    assert answer.kind == ("extractive" if ranking == "none" else "generated")


def test_one_document_fills_the_citations_of_each_mode(
    wired: None, base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings
) -> None:
    """R95, R98: of one document five were shown, in balanced and in thorough mode alike."""
    settings.MEDIA_ROOT = tmp_path / "files"
    rents = [f"## Office {number}\n\nThe rent of the office {number} is 1,{number}00 euros." for number in range(1, 19)]
    (tmp_path / "offices.md").write_text("\n\n".join(["# Offices", *rents]))
    ingest_path(tmp_path / "offices.md", base, tenant)
    quoted = {}
    for mode in ("fast", "balanced", "thorough"):
        answer = answered(base, tenant, mode)
        assert answer.llm_call is not None and answer.run.candidates.filter(role="supporting").count() > 2
        quoted[mode] = str(answer.llm_call.request["input"]).count("<excerpt ")
    assert quoted == {"fast": 3, "balanced": 8, "thorough": 12}
    settings.LLM_CONFIGURED = False
    by_rules = {mode: answered(base, tenant, mode).citations.count() for mode in ("fast", "balanced", "thorough")}
    assert by_rules == quoted, "also where no model judges"
