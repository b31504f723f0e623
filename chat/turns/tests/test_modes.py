"""Every ranking and mode from question to cited answer, with a model, embeddings and a reranker over HTTP."""

import uuid
from pathlib import Path

import pytest
from pytest_django import Settings

from accounts.models import User
from chat.asking import keep_question
from chat.conftest import Serve
from chat.models import Answer
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from chat.writing.fragments import FRAGMENTS
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase
from retrieval.detectors.vectors import query_vector

pytestmark = pytest.mark.django_db(transaction=True)
QUESTION = "What is the rent of the office?"
LEASE = "# Lease\n\n" + "\n".join(
    f"## Office {number}\n\nThe rent of the office {number} is {1000 + number:,} euros a month.\n"
    for number in range(1, 9)
)


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


def test_each_mode_keeps_to_its_size(leases: list[Document], base: KnowledgeBase, tenant: User) -> None:
    """(R98)"""
    quoted, briefs, told = {}, {}, {}
    for mode in ("fast", "balanced", "thorough"):
        answer = answered(base, tenant, mode)
        run = answer.run
        assert run.arbiter == ("rules" if mode == "fast" else "model")
        assert run.parsed["parsed_by"] == ("model" if mode == "thorough" else "rules")
        request = answer.llm_call.request if answer.llm_call else {}
        quoted[mode] = str(request.get("input", "")).count("<excerpt ")
        briefs[mode] = run.candidates.count()
        told[mode] = [name for name in ("fast", "thorough") if FRAGMENTS[name] in str(request.get("instructions", ""))]
    assert told == {"fast": ["fast"], "balanced": [], "thorough": ["thorough"]}
    assert 0 < quoted["fast"] <= 3 and quoted["fast"] <= quoted["balanced"] <= 8
    assert quoted["balanced"] <= quoted["thorough"] <= 12
    assert briefs["balanced"] <= 40 and briefs["thorough"] <= 60


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
