"""Which texts are embedded, in which batches, and from when on the vectors of a base are searched."""

from typing import Any

import numpy as np
import pytest
from pytest_django import Settings

from documents.base_settings import BaseSettings
from documents.ingestion.embedding import (
    BATCH,
    batch_owners,
    embedder_of,
    entries_without,
    fill,
    find_embedding_obstacle,
    find_unfilled,
    passages_without,
    put_to_use,
    switch,
    text_to_embed,
    with_counts,
)
from documents.ingestion.reporting import IngestLease, claim_job
from documents.models import Embedding, IngestJob, KnowledgeBase, Parse, Passage, TocEntry
from documents.storage.store import copy_vectors
from documents.tests.readings import make_document, store_text
from jobs.lease import LeaseLost
from ledger.models import Event
from llm.embeddings.providers import Embedder


def embedder(key: str = "m/2", seen: list[list[str]] | None = None) -> Embedder:
    """One that makes vectors of two figures here, and notes the texts."""

    def documents(texts: Any, *_: Any) -> Any:
        if seen is not None:
            seen.append(list(texts))
        return np.ones((len(texts), 2), dtype=np.float32)

    return Embedder("openai", key, "", documents, lambda text: np.ones(2, dtype=np.float32))


@pytest.mark.parametrize(
    ("owner", "text"),
    [
        (Passage(text="The rent.", context="A > B", annotation="Of the lease."), "Of the lease.\nThe rent."),
        (Passage(text="The rent.", context="A > B", annotation=""), "A > B\nThe rent."),
        (Passage(text="The rent.", context="", annotation=""), "The rent."),
        (Passage(text="", context="", annotation=""), ""),
        (TocEntry(title="Scope", breadcrumb="Policy > Scope"), "Policy > Scope"),
        (TocEntry(title="Scope", breadcrumb=""), "Scope"),
    ],
)
def test_what_is_embedded_of_a_passage_and_of_a_section(owner: Passage | TocEntry, text: str) -> None:
    assert text_to_embed(owner) == text


@pytest.mark.parametrize("count", [0, 1, BATCH - 1, BATCH, BATCH + 1, 3 * BATCH])
def test_batches_hold_everything_once_and_in_order(count: int) -> None:
    owners = [Passage(index=index) for index in range(count)]
    batches = [list(batch) for batch in batch_owners(owners)]
    assert [vars(owner)["index"] for batch in batches for owner in batch] == list(range(count))
    assert all(0 < len(batch) <= BATCH for batch in batches)


@pytest.mark.parametrize(
    ("provider", "told"),
    [("none", "switched off"), ("voyage", "VOYAGE_API_KEY"), ("openai", "DOCINTEL_EMBEDDING_BASE_URL")],
)
def test_a_base_without_vectors_says_why_and_what_works(settings: Settings, provider: str, told: str) -> None:
    settings.VOYAGE_API_KEY, settings.EMBEDDING_CONFIGURED = "", False
    words = find_embedding_obstacle(BaseSettings(embeddings=provider))
    assert told in words and words.endswith("search work without it.")
    assert embedder_of(KnowledgeBase(settings={"embeddings": provider})) is None


def test_a_provider_that_is_configured_has_no_obstacle(settings: Settings) -> None:
    settings.VOYAGE_API_KEY = "pa-voyage"
    assert find_embedding_obstacle(BaseSettings(embeddings="voyage")) == ""
    found = embedder_of(KnowledgeBase(settings={"embeddings": "voyage"}))
    assert found is not None and found.provider == "voyage"


# ---- in the database


@pytest.fixture
def base(db: None) -> KnowledgeBase:
    return KnowledgeBase.objects.create(name="Suppliers")


@pytest.fixture
def parse(base: KnowledgeBase) -> Parse:
    return store_text(make_document(base))


@pytest.fixture
def lease(parse: Parse) -> IngestLease:
    claimed = claim_job(parse.document.jobs.create(stage="embed", parse=parse), IngestJob.Stage.values)
    assert claimed is not None
    return claimed


def embed(parse: Parse, key: str) -> None:
    for owners in (list(parse.passages.all()), list(parse.toc_entries.all())):
        copy_vectors(parse, key, owners, np.ones((len(owners), 2), dtype=np.float32))


def test_only_what_has_no_vector_of_the_model_is_embedded(parse: Parse, lease: IngestLease) -> None:
    passages, entries = list(parse.passages.all()), list(parse.toc_entries.all())
    copy_vectors(parse, "m/2", passages[:1], np.ones((1, 2), dtype=np.float32))
    copy_vectors(parse, "other/2", passages, np.ones((len(passages), 2), dtype=np.float32))
    seen: list[list[str]] = []
    fill(parse, embedder(seen=seen), lease)
    assert seen == [[text_to_embed(one) for one in passages[1:]], [text_to_embed(one) for one in entries]]
    assert passages_without(parse, embedder()) == [] == entries_without(parse, embedder())
    job = IngestJob.objects.get()
    assert job.stage == "embed" and job.done_count == job.total_count == len(passages) + len(entries)
    fill(parse, embedder(seen=seen), lease)
    assert len(seen) == 2


def test_a_worker_that_lost_its_job_writes_no_vector(parse: Parse, lease: IngestLease) -> None:
    def steal(texts: Any, *_: Any) -> Any:
        IngestJob.objects.update(lease_owner="another")
        return np.ones((len(texts), 2), dtype=np.float32)

    with pytest.raises(LeaseLost):
        fill(parse, Embedder("openai", "m/2", "", steal, lambda text: np.ones(2, dtype=np.float32)), lease)
    assert not Embedding.objects.exists()
    with pytest.raises(LeaseLost):
        put_to_use(parse, "m/2", lease)
    assert Parse.objects.get().embedding_model == ""


def test_first_vectors_are_searched_at_once(parse: Parse, lease: IngestLease) -> None:
    parse.note("embeddings", "No vectors yet.")
    assert Parse.objects.get().report["embeddings"] == "No vectors yet."
    embed(parse, "m/2")
    put_to_use(parse, "m/2", lease)
    after = Parse.objects.get()
    assert after.embedding_model == "m/2" and after.embedded_at and "embeddings" not in after.report
    assert not Event.objects.exists(), "nothing was switched"


def test_a_base_is_switched_when_the_last_document_is_done(
    base: KnowledgeBase, parse: Parse, lease: IngestLease, settings: Settings
) -> None:
    settings.EMBEDDING_CONFIGURED, settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS = True, "old", 0
    other = store_text(make_document(base, "other.md"))
    for one in (parse, other):
        embed(one, "openai/old")
    Parse.objects.update(embedding_model="openai/old")
    embed(parse, "m/2")
    assert [row.pk for row in find_unfilled(base, "m/2")] == [other.document_id]
    put_to_use(parse, "m/2", lease)
    assert set(Parse.objects.values_list("embedding_model", flat=True)) == {"openai/old"}
    embed(other, "m/2")
    put_to_use(parse, "m/2", lease)
    assert set(Parse.objects.values_list("embedding_model", flat=True)) == {"m/2"}
    assert set(Embedding.objects.values_list("model_key", flat=True)) == {"m/2"}
    assert Event.objects.get().details == {"from": ["openai/old"], "to": "m/2", "documents": 2}


def test_a_switch_touches_no_other_base_and_no_older_parse(base: KnowledgeBase, parse: Parse) -> None:
    foreign = store_text(make_document(KnowledgeBase.objects.create(name="Other")))
    newer = store_text(parse.document, "# Newer\n\ntext")
    for one in (parse, foreign, newer):
        embed(one, "old/2")
    Parse.objects.update(embedding_model="old/2")
    embed(newer, "m/2")
    switch(base, "m/2")
    models = dict(Parse.objects.values_list("pk", "embedding_model"))
    assert models == {parse.pk: "old/2", foreign.pk: "old/2", newer.pk: "m/2"}
    assert foreign.embeddings.exists() and parse.embeddings.exists()


def test_what_is_wanted_is_counted_with_documents_of_no_passage(base: KnowledgeBase, parse: Parse) -> None:
    make_document(base, "unread.md")
    embed(parse, "m/2")
    wanted = parse.passages.count() + parse.toc_entries.count()
    [row] = with_counts(base, "m/2")
    assert (row.vectors_made, row.vectors_wanted) == (wanted, wanted) and not find_unfilled(base, "m/2").exists()
    [row] = with_counts(base, "none/2")
    assert (row.vectors_made, row.vectors_wanted) == (0, wanted)
