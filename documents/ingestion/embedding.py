"""Vectors for the passages and sections of a parse, in batches, so that an interrupted job can continue.

A text that this installation has embedded before, in whichever base, gets a copy of the vector it has (R108).
A base whose model changes keeps searching with its old vectors until every document has new ones; then all are
switched in one transaction.

Beside each vector is a digest of the whole text and of model, encoder, options and address (`Embedder.digest_of`). A
copy is its own document's, so erasing one leaves nothing behind and takes nothing away.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from documents.base_settings import BaseSettings, asking_for
from documents.ingestion.reporting import IngestLease
from documents.models import Embedding, IngestJob, KnowledgeBase, Parse, Passage, TocEntry
from documents.storage.store import copy_vectors, find_vectors
from ledger.events import record
from llm.embeddings import providers
from llm.embeddings.providers import Embedder
from llm.errors import LLMError
from llm.exchange import Exchange
from llm.models import LLMCall
from reading.rows import name_in_force

BATCH = 64  # texts per commit: what a killed worker loses is a few seconds of work
AT_HAND = 512  # texts looked up for a turn: all that wait in a long document would take longer than the turn
TURN_S = 2 * settings.PATIENCE  # then others get their turn: a short document is embedded within ten seconds (T8)
WITHOUT = "keyword, title and pattern search work without it."

Owners = Sequence[Passage] | Sequence[TocEntry]


def find_embedding_obstacle(chosen: BaseSettings) -> str:
    """Why a document gets no vectors, or ""."""
    if chosen.embeddings == "none":
        return f"Search by meaning is switched off for this base; {WITHOUT}"
    reason = providers.find_provider_obstacle(chosen.embeddings)
    return f"{reason}; {WITHOUT}" if reason else ""


def embedder_of(base: KnowledgeBase) -> Embedder | None:
    """The embedder a base wants, None if it wants none or its choice is not configured."""
    chosen = BaseSettings.from_json(base.settings)
    return None if find_embedding_obstacle(chosen) else providers.embedder_of(chosen.embeddings)


class TurnOver(Exception):
    """What is left waits for the document's next turn."""


def embed_parse(lease: IngestLease) -> bool:
    """Embed what has no vector, for one turn; activate the vectors and return True once all have one.

    If the server refuses, or fails for the last time, only words are searched, and the parse reports why. Raises
    LeaseLost, Cancelled.
    """
    parse = lease.read_parse()
    embedder = embedder_of(parse.document.base)
    while embedder is not None:
        try:
            with asking_for(parse.document.base):
                fill(parse, embedder, lease)
        except TurnOver:
            return False
        except LLMError as error:
            if not error.permanent and lease.job.attempts < settings.ATTEMPTS_MAX:
                raise
            LLMCall.objects.record(error.exchange)
            parse.note("embeddings", f"{error} Search by meaning waits; {WITHOUT}")
            return True
        put_to_use(parse, embedder.model_key, lease)
        parse.document.base.refresh_from_db(fields=["settings"])
        wanted = embedder_of(parse.document.base)
        embedder = wanted if wanted and wanted.model_key != embedder.model_key else None  # chosen meanwhile
    return True


def fill(parse: Parse, embedder: Embedder, lease: IngestLease) -> None:
    """Give what has no vector of this model one: that of an equal text, else a computed one. Raises TurnOver."""
    filling = Filling(parse, embedder, lease)
    for find_waiting in (passages_without, entries_without):
        while waiting := find_waiting(parse, embedder, AT_HAND):
            filling.compute(filling.copy_from_equals(waiting))  # what is said more than once is copied next time


class Filling:
    """The vectors that a parse is given by one model, batch by batch, each reported and stored at once."""

    def __init__(self, parse: Parse, embedder: Embedder, lease: IngestLease) -> None:
        self._parse, self._embedder, self._lease = parse, embedder, lease
        self._done = Embedding.objects.filter(parse=parse, model_key=embedder.model_key).count()
        self._total = parse.passages.count() + parse.toc_entries.count()
        self._ends_at = time.monotonic() + TURN_S
        lease.report(IngestJob.Stage.EMBED, self._done, self._total)

    def copy_from_equals(self, waiting: Owners) -> Owners:
        """Copy the vectors that equal texts have, and return the others."""
        left: list[Any] = []
        for batch in batch_owners(waiting):
            known = find_vectors(map(self._digest_of, batch))
            found: Any = [owner for owner in batch if self._digest_of(owner) in known]
            self._store(found, [known[self._digest_of(owner)] for owner in found], are_copied=True)
            left += [owner for owner in batch if self._digest_of(owner) not in known]
        return left

    def compute(self, waiting: Owners) -> None:
        """Compute the vectors, one for each text."""
        first: dict[str, Any] = {}
        for owner in waiting:
            first.setdefault(self._digest_of(owner), owner)
        for batch in batch_owners(list(first.values())):
            exchanges: list[Exchange] = []
            texts = [text_to_embed(owner) for owner in batch]
            vectors = self._embedder.embed_documents(texts, self._report, exchanges.append)
            self._store(batch, vectors, exchanges)

    def _store(
        self, owners: Owners, vectors: Any, exchanges: Sequence[Exchange] = (), *, are_copied: bool = False
    ) -> None:
        with transaction.atomic():
            self._lease.hold()
            for exchange in exchanges:
                LLMCall.objects.record(exchange)
            digests = [self._digest_of(owner) for owner in owners]
            copy_vectors(self._parse, self._embedder.model_key, owners, vectors, digests, are_copied=are_copied)
        self._done += len(owners)
        self._report(0, 0)
        # Only after a stored batch, so that each turn comes further, however slow the machine.
        if owners and self._done < self._total and time.monotonic() >= self._ends_at:
            raise TurnOver

    def _digest_of(self, owner: Passage | TocEntry) -> str:
        return self._embedder.digest_of(text_to_embed(owner))

    def _report(self, embedded: int, _: int) -> None:
        """Progress within a batch, as a count of the total."""
        self._lease.report(IngestJob.Stage.EMBED, self._done + embedded, self._total)


def passages_without(parse: Parse, embedder: Embedder, most: int | None = None) -> list[Passage]:
    done = Embedding.objects.filter(parse=parse, model_key=embedder.model_key).exclude(passage=None)
    return list(parse.passages.exclude(pk__in=done.values("passage_id")).defer("search")[:most])


def entries_without(parse: Parse, embedder: Embedder, most: int | None = None) -> list[TocEntry]:
    done = Embedding.objects.filter(parse=parse, model_key=embedder.model_key).exclude(toc_entry=None)
    return list(parse.toc_entries.exclude(pk__in=done.values("toc_entry_id"))[:most])


def batch_owners(owners: Owners) -> Iterator[Owners]:
    for start in range(0, len(owners), BATCH):
        yield owners[start : start + BATCH]


def text_to_embed(owner: Passage | TocEntry) -> str:
    """The embedded text: a passage with its annotation or section path, a section by its breadcrumb."""
    if isinstance(owner, TocEntry):
        return name_in_force(owner.breadcrumb or owner.title)
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
        made = Embedding.objects.filter(parse=parse, model_key=model_key)
        copied = made.filter(is_copied=True).count()  # from equal texts; the others were computed
        parse.report["vectors"] = {"model": model_key, "computed": made.count() - copied, "copied": copied}
        parse.save(update_fields=["embedding_model", "embedded_at", "report"])
        if not find_unfilled(base, model_key).exists():
            switch(base, model_key)


def switch(base: KnowledgeBase, model_key: str) -> None:
    """Switch every document of a base to this model's vectors, and delete the old ones."""
    parses = Parse.objects.filter(pk__in=base.documents.answering().values("current_parse"))
    left = parses.exclude(embedding_model__in=("", model_key))
    before = sorted(set(left.values_list("embedding_model", flat=True)))
    count = parses.update(embedding_model=model_key)
    Embedding.objects.filter(parse__in=parses).exclude(model_key=model_key).delete()
    if before:
        details = {"from": before, "to": model_key, "documents": count}
        record("embedding_switched", "console", f"base:{base.pk}", details)


def find_unfilled(base: KnowledgeBase, model_key: str) -> "QuerySet[Any]":
    """The read documents of a base that lack some vectors of a model."""
    return with_counts(base, model_key).filter(vectors_made__lt=F("vectors_wanted"))


def with_counts(base: KnowledgeBase, model_key: str) -> "QuerySet[Any]":
    """The read documents, each with its number of vectors of a model and the number it should have."""
    parse = OuterRef("current_parse")
    return base.documents.answering().annotate(
        vectors_made=count_by_parse(Embedding.objects.filter(parse=parse, model_key=model_key)),
        vectors_wanted=count_by_parse(Passage.objects.filter(parse=parse))
        + count_by_parse(TocEntry.objects.filter(parse=parse)),
    )


def count_by_parse(rows: "QuerySet[Any]") -> Coalesce:
    return Coalesce(Subquery(rows.order_by().values("parse").annotate(count=Count("pk")).values("count")), 0)
