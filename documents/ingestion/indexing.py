"""Build the index of a base (R93b): what is still to do, what that costs, and the jobs of ingestion that do it."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple, TypeAlias

from django.conf import settings
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Length

from documents.base_settings import BaseSettings, asking_for
from documents.ingestion import annotation, embedding
from documents.ingestion.queueing import queue_again
from documents.ingestion.reembedding import begin_reembedding
from documents.models import Document, DocumentQuerySet, IngestJob, JobState, KnowledgeBase, Passage, Stage
from documents.pages.listing import find_outdated, is_busy
from documents.storage.store import find_vectors
from llm.prices import Price
from llm.tiers import model_for

CHARACTERS_PER_TOKEN = 4  # of English prose with current tokenizers; tables have fewer
SENTENCE_TOKENS = 60  # of one description: 40 words with their form
PassageRows: TypeAlias = "QuerySet[Passage]"


class Copies(NamedTuple):
    """Passages that get the vector of an equal text, and their characters."""

    number: int
    characters: int


@dataclass(frozen=True)
class Bill:
    """Tokens for one model: `sent` include those the provider should have `cached`. `cost` is None without a price."""

    model: str
    sent: int
    cached: int
    received: int

    @property
    def cost(self) -> Decimal | None:
        price: Price | None = settings.LLM_PRICES.get(self.model)
        return price.cost(self.sent, self.received, self.cached) if price else None


@dataclass(frozen=True)
class Estimate:
    """What building would do now. The passages of documents that were never read are not known, and not counted."""

    documents: int
    unread: int
    outdated: int
    passages: int  # that are described or embedded, or read again with their document
    copied: int  # of these, that get the vector which an equal text has here (R108)
    tokens: int  # of these passages
    bills: tuple[Bill, ...]

    @property
    def cost(self) -> Decimal | None:
        """The sum, None if a model has no price."""
        costs = [bill.cost for bill in self.bills]
        return None if None in costs else sum((cost for cost in costs if cost is not None), Decimal(0))

    @property
    def is_done(self) -> bool:
        return not (self.unread or self.outdated or self.passages)


def estimate(base: KnowledgeBase) -> Estimate:
    """How much there is to do for a base, and for how many tokens of which model."""
    outdated = find_outdated(base)
    undescribed, unembedded = passages_left(base, outdated)
    left = Passage.objects.filter(
        Q(parse__document__in=outdated) | Q(pk__in=undescribed.values("pk")) | Q(pk__in=unembedded.values("pk"))
    )
    counted = left.aggregate(count=Count("pk"), characters=Sum(Length("text")))
    copies = find_copies(
        base, unembedded.exclude(pk__in=undescribed.values("pk")).exclude(parse__document__in=outdated)
    )
    with asking_for(base):
        described = bill_of_descriptions(undescribed)
    return Estimate(
        documents=base.documents.living().count(),
        unread=find_unread(base).count(),
        outdated=outdated.count(),
        passages=counted["count"],
        copied=copies.number,
        tokens=estimate_tokens(counted["characters"]),
        bills=(*described, *bill_of_vectors(base, unembedded, copies)),
    )


def begin(base: KnowledgeBase) -> list[IngestJob]:
    """The open jobs of a base, with those that building its index still needs; called twice it begins nothing twice."""
    chosen = BaseSettings.from_json(base.settings)
    for document in [*find_unread(base), *find_outdated(base)]:
        queue_again(document)
    if annotation.is_wanted(chosen):
        for document in base.documents.answering().filter(current_parse__passages__annotation="").distinct():
            queue_again(document, Stage.ANNOTATE)
    begin_reembedding(base)
    opened = IngestJob.objects.filter(document__in=base.documents.living(), state__in=IngestJob.OPEN)
    return list(opened.select_related("document").order_by("created_at"))


def find_unread(base: KnowledgeBase) -> DocumentQuerySet:
    """Documents that wait for their first reading; those that cannot be read need a person."""
    return base.documents.living().filter(current_parse=None).filter(is_busy())


def passages_left(base: KnowledgeBase, outdated: DocumentQuerySet) -> tuple[PassageRows, PassageRows]:
    """The passages without a description and those without a vector, where the base wants them.

    All of a document that is read again: its passages may change.
    """
    chosen = BaseSettings.from_json(base.settings)
    current = Passage.objects.filter(parse__in=base.documents.answering().values("current_parse"))
    again = Q(parse__document__in=outdated)
    undescribed = current.filter(again | Q(annotation="")) if annotation.is_wanted(chosen) else current.none()
    embedder = embedding.embedder_of(base)
    if embedder is None:
        return undescribed, current.none()
    made = Q(embedding__model_key=embedder.model_key)
    without = ~Q(pk__in=current.filter(made).values("pk")) | Q(pk__in=undescribed.values("pk"))
    return undescribed, current.filter(again | without)


def find_copies(base: KnowledgeBase, unembedded: PassageRows) -> Copies:
    """The passages for which no vector has to be computed: an equal text has one, or is embedded before them."""
    embedder = embedding.embedder_of(base)
    if embedder is None:
        return Copies(0, 0)
    number = characters = 0
    seen: set[str] = set()
    for parse in unembedded.order_by().values_list("parse", flat=True).distinct():
        passages = list(unembedded.filter(parse=parse).defer("search"))
        digests = [embedder.digest_of(embedding.text_to_embed(passage)) for passage in passages]
        seen.update(find_vectors(digests))
        for passage, digest in zip(passages, digests, strict=True):
            if digest in seen:
                number, characters = number + 1, characters + len(passage.text) + len(passage.context)
            seen.add(digest)
    return Copies(number, characters)


def bill_of_descriptions(undescribed: PassageRows) -> Sequence[Bill]:
    """Each call sends the document's text again, from the second one on out of the provider's cache."""
    sent = cached = calls = 0
    for row in undescribed.values("parse").annotate(count=Count("pk"), own=Sum(Length("text"))):
        whole = Passage.objects.filter(parse=row["parse"]).aggregate(characters=Sum(Length("text")))["characters"]
        window = estimate_tokens(min(whole or 0, annotation.WINDOW_CHARS) + len(annotation.INSTRUCTIONS))
        calls += row["count"]
        sent += window * row["count"] + estimate_tokens(row["own"])
        cached += window * (row["count"] - 1)
    return [Bill(model_for("normal"), sent, cached, calls * SENTENCE_TOKENS)] if calls else []


def bill_of_vectors(base: KnowledgeBase, unembedded: PassageRows, copies: Copies) -> Sequence[Bill]:
    embedder = embedding.embedder_of(base)
    counted = unembedded.aggregate(count=Count("pk"), characters=Sum(Length("text") + Length("context")))
    if embedder is None or embedder.provider == "bundled" or counted["count"] == copies.number:
        return []  # the bundled encoder runs here and costs time only
    characters = counted["characters"] - copies.characters
    return [Bill(embedder.model_key.split("/")[1], estimate_tokens(characters), 0, 0)]


def estimate_tokens(characters: int | None) -> int:
    return -(-(characters or 0) // CHARACTERS_PER_TOKEN)


def faults(base: KnowledgeBase) -> list[tuple[Document, str]]:
    """What could not be done, by document: why it is not read, or lacks descriptions or vectors that are wanted."""
    chosen = BaseSettings.from_json(base.settings)
    found = []
    for document in base.documents.living().select_related("current_parse"):
        parse, job = document.current_parse, document.jobs.first()
        said = [job.error_for_people] if job and job.state == JobState.FAILED else []
        if parse and chosen.embeddings != "none":
            said.append(parse.report.get("embeddings") or "")
        if parse and chosen.contextualisation == "llm":
            told = parse.report.get("annotation") or ""
            said.append(told["failure"] if isinstance(told, dict) else told)
        if reason := " ".join(filter(None, said)):
            found.append((document, reason))
    return found
