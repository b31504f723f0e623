"""Reproducible random samples, by the SHA-256 of a seed and each run's id (AT11)."""

import secrets

from django.db.models import BinaryField, CharField, F, Func, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from accounts.models import User
from audit.auditor_record import store
from audit.models import ReviewSample
from documents.models import KnowledgeBase
from retrieval.models import RetrievalRun, RetrievalRunQuerySet

SEED_BYTES = 8


def take_sample(base: KnowledgeBase, size: int, user: User, seed: str = "") -> ReviewSample:
    """Draw runs of a base at random and store base, moment, seed and result, with a ledger entry."""
    now = timezone.now()
    sample = ReviewSample(
        base=base,
        base_name=base.name,
        seed=seed or secrets.token_hex(SEED_BYTES),
        size=size,
        drawn_by=user,
        drawn_by_name=str(user)[:254],
        until=now,
        created_at=now,
    )
    sample.population = population_of(sample).count()
    sample.run_ids = redraw_sample(sample)
    store(sample)
    return sample


def redraw_sample(sample: ReviewSample) -> list[str]:
    """Redraw the runs of a sample: the lowest by the SHA-256 of "<seed>:<run id>".

    Anybody can repeat that on any machine, which random number generators do not guarantee.
    """
    text = Concat(Value(f"{sample.seed}:"), Cast(F("pk"), CharField()), output_field=CharField())
    digest = Func(Func(text, Value("UTF8"), function="convert_to"), function="sha256", output_field=BinaryField())
    ordered = population_of(sample).annotate(draw=digest).order_by("draw")
    return [str(pk) for pk in ordered.values_list("pk", flat=True)[: sample.size]]


def population_of(sample: ReviewSample) -> RetrievalRunQuerySet:
    return RetrievalRun.objects.filter(base=sample.base_id, created_at__lte=sample.until)
