"""Vectors by other models, from a real ingestion to the switch of a whole base, against the scripted server."""

from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from documents.ingestion import embedding, reembedding
from documents.ingestion.conductor import finish
from documents.ingestion.reporting import claim_job
from documents.models import Embedding, IngestJob, KnowledgeBase, Parse
from documents.storage.store import copy_vectors
from documents.tests.files import make_pdf
from ledger.models import Event
from llm import call
from llm.breaker import Breaker
from llm.embeddings.providers import Embedder
from llm.errors import LLMError
from llm.models import LLMCall
from llm.prices import parse_prices
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Queued = Callable[..., IngestJob]
SMALL, VOYAGE = "openai/small/32", "voyage/voyage-3.5/1024"


@pytest.fixture
def server(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedLLM]:
    monkeypatch.setattr(call, "BACKOFF_S", 0.01)
    with ScriptedLLM() as server:
        settings.EMBEDDING_BASE_URL, settings.EMBEDDING_CONFIGURED = server.base_url, True
        settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS = "small", 32
        settings.VOYAGE_BASE_URL, settings.VOYAGE_API_KEY = server.base_url, "pa-voyage"
        settings.VOYAGE_MODEL = "voyage-3.5"
        yield server


def choose(base: KnowledgeBase, provider: str) -> None:
    base.settings = {"embeddings": provider}
    base.save()


@pytest.fixture
def two_read(server: ScriptedLLM, base: KnowledgeBase, queued: Queued) -> list[Parse]:
    """Two documents embedded by the first model, in a base that now wants the second."""
    choose(base, "openai")
    for number in (1, 2):
        finish(queued(make_pdf(pages=number + 1), f"policy-{number}.pdf"))
    choose(base, "voyage")
    return list(Parse.objects.order_by("created_at"))


def serving() -> list[str]:
    return sorted(Parse.objects.values_list("embedding_model", flat=True))


def test_a_document_is_embedded_by_the_server_its_base_chose(
    server: ScriptedLLM, base: KnowledgeBase, queued: Queued
) -> None:
    choose(base, "voyage")
    finish(queued())
    parse = Parse.objects.get()
    assert parse.embedding_model == VOYAGE and parse.embedded_at
    vectors = Embedding.objects.filter(parse=parse)
    assert vectors.count() == parse.passages.count() + parse.toc_entries.count()
    assert set(vectors.values_list("dimensions", flat=True)) == {1024}
    assert {request.body["input_type"] for request in server.requests} == {"document"}
    kept = LLMCall.objects.filter(purpose="embedding")
    assert kept.count() == len(server.requests) and all(one.tokens_in for one in kept)


def test_old_vectors_serve_until_the_last_document_has_new_ones(
    two_read: list[Parse], base: KnowledgeBase, owner: User
) -> None:
    first, second = reembedding.begin_reembedding(base, owner)
    found = reembedding.progress(base)
    assert found and (found.wanted, found.serving) == (VOYAGE, (SMALL,))
    assert (found.documents, found.documents_left, found.vectors, found.is_running) == (2, 2, 0, True)
    finish(first)
    assert serving() == [SMALL, SMALL]  # one is done, and waits for the other
    halfway = reembedding.progress(base)
    assert halfway and halfway.documents_left == 1 and 0 < halfway.vectors < halfway.vectors_of
    finish(second)
    assert serving() == [VOYAGE, VOYAGE]
    assert set(Embedding.objects.values_list("model_key", flat=True)) == {VOYAGE}
    done = reembedding.progress(base)
    assert done and not done.is_needed and not done.is_running
    kinds = dict(Event.objects.values_list("kind", "details"))
    assert kinds["embedding_begun"] == {"from": [SMALL], "to": VOYAGE, "documents": 2}
    assert kinds["embedding_switched"] == {"from": [SMALL], "to": VOYAGE, "documents": 2}


def test_an_interrupted_document_goes_on_where_it_stopped(
    two_read: list[Parse], server: ScriptedLLM, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "BATCH", 1)
    job = reembedding.begin_reembedding(base)[0]
    server.behaviour = "good"
    asked = len(server.requests)
    lease = claim_job(job, (IngestJob.Stage.EMBED,))
    assert lease is not None
    parse = Parse.objects.get(pk=str(job.parse_id))
    batches = list(embedding.batch_owners(embedding.passages_without(parse, _embedder(base))))
    with lease:
        copy_vectors(
            parse, VOYAGE, batches[0], _embedder(base).embed_documents([embedding.text_to_embed(batches[0][0])])
        )
        embedding.embed_parse(lease)
    total = parse.passages.count() + parse.toc_entries.count()
    assert len(server.requests) - asked == total  # one by hand, and each other once


def _embedder(base: KnowledgeBase) -> Embedder:
    found = embedding.embedder_of(base)
    assert found is not None
    return found


@pytest.mark.parametrize("behaviour", ["unauthorized", "no-quota", "too-few-vectors"])
def test_a_server_that_refuses_leaves_the_document_to_its_words(
    server: ScriptedLLM, base: KnowledgeBase, queued: Queued, behaviour: str
) -> None:
    choose(base, "voyage")
    server.behaviour = behaviour
    document = finish(queued())
    parse = Parse.objects.get()
    assert document.state == "ready" and parse.embedding_model == ""
    assert "keyword" in parse.report["embeddings"] and Embedding.objects.count() == 0
    assert LLMCall.objects.get(purpose="embedding").outcome != "ok"
    server.behaviour = "good"
    for job in reembedding.begin_reembedding(base):
        finish(job)
    assert serving() == [VOYAGE] and "embeddings" not in Parse.objects.get().report


def test_a_server_that_is_away_is_asked_again_and_then_given_up(
    server: ScriptedLLM, base: KnowledgeBase, queued: Queued, settings: Settings
) -> None:
    choose(base, "voyage")
    server.behaviour = "error-500"
    document = queued().document
    for _ in range(settings.ATTEMPTS_MAX):
        Breaker(server.base_url).succeeded()
        job = document.jobs.get()
        try:
            finish(job)
        except LLMError:
            continue
    parse = Parse.objects.get()
    assert document.jobs.get().state == "done" and "status 500" in parse.report["embeddings"]


def test_the_limit_of_a_base_holds_for_its_vectors(
    server: ScriptedLLM, base: KnowledgeBase, queued: Queued, settings: Settings
) -> None:
    settings.LLM_PRICES = parse_prices('{"voyage-3.5": {"in": 999999, "out": 0}}')
    settings.SPENDING_LIMITS = {"base_day": 1}
    choose(base, "voyage")
    finish(queued(make_pdf(pages=2), "a.pdf"))
    finish(queued(make_pdf(pages=3), "b.pdf"))
    assert any("spending limit" in parse.report.get("embeddings", "") for parse in Parse.objects.all())


def test_the_settings_page_offers_it_and_shows_how_far_it_is(
    two_read: list[Parse], base: KnowledgeBase, signed_in: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("documents.views.start", lambda *jobs: None)
    address = reverse("documents:settings", args=[base.pk])
    page = signed_in.get(address).content.decode()
    assert VOYAGE in page and SMALL in page and "Make them in the background" in page
    signed_in.post(reverse("documents:embed_again", args=[base.pk]))
    page = signed_in.get(address).content.decode()
    assert "<progress" in page and "every 3s" in page and "Make them in the background" not in page
    for job in IngestJob.objects.filter(state="queued"):
        finish(job)
    assert "<progress" not in signed_in.get(address).content.decode()


@pytest.mark.parametrize(("name", "value"), [("embeddings", "voyage"), ("ranking", "rerank")])
def test_a_provider_nobody_configured_cannot_be_chosen(
    base: KnowledgeBase, signed_in: Client, settings: Settings, name: str, value: str
) -> None:
    settings.VOYAGE_API_KEY = settings.RERANK_BASE_URL = ""
    address = reverse("documents:settings", args=[base.pk])
    form = signed_in.get(address).context["form"]
    answer = signed_in.post(address, {**form.initial, "name": base.name, name: value})
    assert answer.status_code == 400 and "VOYAGE_API_KEY" in answer.content.decode()
