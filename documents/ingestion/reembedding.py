"""Change a base's embedding model: what is still to do, and the jobs that do it while the old vectors are used."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Sum

from accounts.models import User
from documents.access import actor_of
from documents.ingestion import embedding
from documents.ingestion.queueing import queue_again
from documents.models import IngestJob, KnowledgeBase
from ledger.events import record


@dataclass(frozen=True)
class Progress:
    """A base's progress towards the vectors it wants. `serving` are the models searched now."""

    wanted: str
    serving: tuple[str, ...]
    documents: int
    documents_left: int
    vectors: int
    vectors_of: int
    is_running: bool

    @property
    def is_needed(self) -> bool:
        """Whether some document lacks vectors of the wanted model."""
        return bool(self.documents_left)

    @property
    def is_filling(self) -> bool:
        """Whether the model stays the same and only some documents have no vectors yet."""
        return self.serving == (self.wanted,)


def progress(base: KnowledgeBase) -> Progress | None:
    """The progress; None if the base wants no vectors, or its provider is not configured."""
    embedder = embedding.embedder_of(base)
    if embedder is None:
        return None
    documents = embedding.with_counts(base, embedder.model_key)
    summed = documents.aggregate(made=Sum("vectors_made"), wanted=Sum("vectors_wanted"))
    serving = documents.exclude(current_parse__embedding_model="").order_by()
    left = embedding.find_unfilled(base, embedder.model_key)
    open_jobs = IngestJob.objects.filter(document__in=left, stage=IngestJob.Stage.EMBED, state__in=IngestJob.OPEN)
    return Progress(
        wanted=embedder.model_key,
        serving=tuple(sorted(set(serving.values_list("current_parse__embedding_model", flat=True)))),
        documents=documents.count(),
        documents_left=left.count(),
        vectors=summed["made"] or 0,
        vectors_of=summed["wanted"] or 0,
        is_running=open_jobs.exists(),
    )


def begin_reembedding(base: KnowledgeBase, by: User | None = None) -> list[IngestJob]:
    """Queue the documents without vectors of the wanted model; search switches over when the last is done."""
    found = progress(base)
    if found is None or not found.is_needed:
        return []
    with transaction.atomic():
        left = embedding.find_unfilled(base, found.wanted)
        jobs = [queue_again(document, IngestJob.Stage.EMBED) for document in left]
        details = {"from": list(found.serving), "to": found.wanted, "documents": len(jobs)}
        record("embedding_begun", actor_of(by), f"base:{base.pk}", details)
    return jobs
