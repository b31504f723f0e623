"""Vectors for the passages and sections of a parse, in batches that an interrupted job can go on from."""

from collections.abc import Callable, Iterator, Sequence

from django.db import transaction
from django.utils import timezone

from documents.base_settings import BaseSettings
from documents.lease import Lease, LeaseLost
from documents.models import Embedding, IngestJob, Parse, Passage, TocEntry
from documents.store import copy_vectors
from llm import embedding as encoder

BATCH = 64  # texts between two commits: a few seconds of work that a killed worker loses

Owners = Sequence[Passage] | Sequence[TocEntry]


def obstacle(settings: BaseSettings) -> str:
    """Why a document gets no vectors, or "" when it gets them."""
    if settings.embeddings == "none":
        return "Embeddings are switched off for this base; keyword, title and pattern search work without them."
    if not encoder.is_available():
        return "The embedding model is not installed; keyword, title and pattern search work without it."
    return ""


def embed_parse(lease: Lease) -> None:
    """Embed what has no vector yet, and when all have one, say so on the parse. Raises LeaseLost, Cancelled."""
    parse = Parse.objects.filter(pk=lease.job.parse_id).first() if lease.job.parse_id else None
    if parse is None:  # purged in between
        raise LeaseLost
    total = parse.passages.count() + parse.toc_entries.count()
    done = Embedding.objects.filter(parse=parse, model_key=encoder.MODEL_KEY).count()
    lease.report(IngestJob.Stage.EMBED, done, total)
    for batch in [*batches(passages_without(parse)), *batches(entries_without(parse))]:
        vectors = encoder.embed_texts([text_of(owner) for owner in batch], counting_from(done, total, lease))
        with transaction.atomic():
            lease.hold()
            copy_vectors(parse, encoder.MODEL_KEY, batch, vectors)
        done += len(batch)
        lease.report(IngestJob.Stage.EMBED, done, total)
    Parse.objects.filter(pk=parse.pk).update(embedding_model=encoder.MODEL_KEY, embedded_at=timezone.now())


def counting_from(done: int, total: int, lease: Lease) -> Callable[[int, int], None]:
    """Reports inside a batch, as so many of all."""
    return lambda embedded, _: lease.report(IngestJob.Stage.EMBED, done + embedded, total)


def passages_without(parse: Parse) -> list[Passage]:
    done = Embedding.objects.filter(parse=parse, model_key=encoder.MODEL_KEY).exclude(passage=None)
    return list(parse.passages.exclude(pk__in=done.values("passage_id")).defer("search"))


def entries_without(parse: Parse) -> list[TocEntry]:
    done = Embedding.objects.filter(parse=parse, model_key=encoder.MODEL_KEY).exclude(toc_entry=None)
    return list(parse.toc_entries.exclude(pk__in=done.values("toc_entry_id")))


def batches(owners: Owners) -> Iterator[Owners]:
    for start in range(0, len(owners), BATCH):
        yield owners[start : start + BATCH]


def text_of(owner: Passage | TocEntry) -> str:
    """What is embedded: a passage with its annotation or section path, a section by its breadcrumb."""
    if isinstance(owner, TocEntry):
        return owner.breadcrumb or owner.title
    return f"{owner.annotation or owner.context}\n{owner.text}".strip()
