"""Vectors for the passages and sections of a parse, in batches, so that an interrupted job can continue.

A base whose model changes keeps searching with its old vectors until every document has new ones; then all are
switched in one transaction.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from documents.base_settings import BaseSettings
from documents.ingestion.reporting import IngestLease
from documents.models import Document, Embedding, IngestJob, KnowledgeBase, Parse, Passage, TocEntry
from documents.storage.store import copy_vectors
from jobs.lease import LeaseLost
from ledger.events import record
from llm.embeddings import providers
from llm.embeddings.providers import Embedder
from llm.errors import LLMError
from llm.exchange import Exchange
from llm.models import LLMCall
from llm.spending import paid_by

BATCH = 64  # texts per commit: what a killed worker loses is a few seconds of work
WITHOUT = "keyword, title and pattern search work without {what}."

Owners = Sequence[Passage] | Sequence[TocEntry]


def find_embedding_obstacle(chosen: BaseSettings) -> str:
    """Why a document gets no vectors, or ""."""
    if chosen.embeddings == "none":
        return f"Embeddings are switched off for this base; {WITHOUT.format(what='them')}"
    reason = providers.find_provider_obstacle(chosen.embeddings)
    return f"{reason}; {WITHOUT.format(what='it')}" if reason else ""


def embedder_of(base: KnowledgeBase) -> Embedder | None:
    """The embedder a base wants, None if it wants none or its choice is not configured."""
    chosen = BaseSettings.from_json(base.settings)
    return None if find_embedding_obstacle(chosen) else providers.embedder_of(chosen.embeddings)


def embed_parse(lease: IngestLease) -> None:
    """Embed everything without a vector, then activate the vectors. Raises LeaseLost, Cancelled.

    If the server refuses, or fails for the last time, only words are searched, and the parse reports why.
    """
    found = Parse.objects.select_related("document__base")
    parse = found.filter(pk=lease.job.parse_id).first() if lease.job.parse_id else None
    if parse is None:  # purged meanwhile
        raise LeaseLost
    embedder = embedder_of(parse.document.base)
    while embedder is not None:
        try:
            with paid_by("", parse.document.base_id):
                fill(parse, embedder, lease)
        except LLMError as error:
            if not error.permanent and lease.job.attempts < settings.ATTEMPTS_MAX:
                raise
            LLMCall.objects.record(error.exchange)
            return report_embedding(parse, f"{error} Until then {WITHOUT.format(what='vectors')}")
        put_to_use(parse, embedder.model_key, lease)
        parse.document.base.refresh_from_db(fields=["settings"])
        wanted = embedder_of(parse.document.base)
        embedder = wanted if wanted and wanted.model_key != embedder.model_key else None  # chosen meanwhile


def fill(parse: Parse, embedder: Embedder, lease: IngestLease) -> None:
    """Compute this model's vectors for all passages and sections without one."""
    total = parse.passages.count() + parse.toc_entries.count()
    done = Embedding.objects.filter(parse=parse, model_key=embedder.model_key).count()
    lease.report(IngestJob.Stage.EMBED, done, total)
    for batch in [*batch_owners(passages_without(parse, embedder)), *batch_owners(entries_without(parse, embedder))]:
        exchanges: list[Exchange] = []
        texts = [text_to_embed(owner) for owner in batch]
        vectors = embedder.embed_documents(texts, counting_from(done, total, lease), exchanges.append)
        with transaction.atomic():
            lease.hold()
            for exchange in exchanges:
                LLMCall.objects.record(exchange)
            copy_vectors(parse, embedder.model_key, batch, vectors)
        done += len(batch)
        lease.report(IngestJob.Stage.EMBED, done, total)


def report_embedding(parse: Parse, words: str) -> None:
    """Record on the parse what people should know about its vectors."""
    parse.refresh_from_db(fields=["report"])
    parse.report["embeddings"] = words
    parse.save(update_fields=["report"])


def counting_from(done: int, total: int, lease: IngestLease) -> Callable[[int, int], None]:
    """Progress within a batch, as a count of the total."""
    return lambda embedded, _: lease.report(IngestJob.Stage.EMBED, done + embedded, total)


def passages_without(parse: Parse, embedder: Embedder) -> list[Passage]:
    done = Embedding.objects.filter(parse=parse, model_key=embedder.model_key).exclude(passage=None)
    return list(parse.passages.exclude(pk__in=done.values("passage_id")).defer("search"))


def entries_without(parse: Parse, embedder: Embedder) -> list[TocEntry]:
    done = Embedding.objects.filter(parse=parse, model_key=embedder.model_key).exclude(toc_entry=None)
    return list(parse.toc_entries.exclude(pk__in=done.values("toc_entry_id")))


def batch_owners(owners: Owners) -> Iterator[Owners]:
    for start in range(0, len(owners), BATCH):
        yield owners[start : start + BATCH]


def text_to_embed(owner: Passage | TocEntry) -> str:
    """The embedded text: a passage with its annotation or section path, a section by its breadcrumb."""
    if isinstance(owner, TocEntry):
        return owner.breadcrumb or owner.title
    return f"{owner.annotation or owner.context}\n{owner.text}".strip()


# ---- which vectors are searched


def put_to_use(parse: Parse, model_key: str, lease: IngestLease) -> None:
    """Activate a parse's complete vectors: at once if nothing else is possible, else with the rest of the base."""
    with transaction.atomic():
        lease.hold()
        # Two documents finishing at once must not each take the other for unfinished.
        base = KnowledgeBase.objects.select_for_update(no_key=True).get(pk=parse.document.base_id)
        parse.refresh_from_db(fields=["embedding_model", "report"])
        if not parse.embedding_model or providers.embedder_for(parse.embedding_model) is None:
            parse.embedding_model = model_key
        parse.embedded_at = timezone.now()
        parse.report.pop("embeddings", None)
        parse.save(update_fields=["embedding_model", "embedded_at", "report"])
        if not find_unfilled(base, model_key).exists():
            switch(base, model_key)


def switch(base: KnowledgeBase, model_key: str) -> None:
    """Switch every document of a base to this model's vectors, and delete the old ones."""
    parses = Parse.objects.filter(pk__in=read_documents(base).values("current_parse"))
    left = parses.exclude(embedding_model__in=("", model_key))
    before = sorted(set(left.values_list("embedding_model", flat=True)))
    count = parses.update(embedding_model=model_key)
    Embedding.objects.filter(parse__in=parses).exclude(model_key=model_key).delete()
    if before:
        details = {"from": before, "to": model_key, "documents": count}
        record("embedding_switched", "console", f"base:{base.pk}", details)


def read_documents(base: KnowledgeBase) -> "QuerySet[Document]":
    return base.documents.answering()


def find_unfilled(base: KnowledgeBase, model_key: str) -> "QuerySet[Any]":
    """The read documents of a base that lack some vectors of a model."""
    return with_counts(base, model_key).filter(vectors_made__lt=F("vectors_wanted"))


def with_counts(base: KnowledgeBase, model_key: str) -> "QuerySet[Any]":
    """The read documents, each with its number of vectors of a model and the number it should have."""
    parse = OuterRef("current_parse")
    return read_documents(base).annotate(
        vectors_made=count_by_parse(Embedding.objects.filter(parse=parse, model_key=model_key)),
        vectors_wanted=count_by_parse(Passage.objects.filter(parse=parse))
        + count_by_parse(TocEntry.objects.filter(parse=parse)),
    )


def count_by_parse(rows: "QuerySet[Any]") -> Coalesce:
    return Coalesce(Subquery(rows.order_by().values("parse").annotate(count=Count("pk")).values("count")), 0)
