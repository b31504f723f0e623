"""What is to be reviewed: every run with a sign of risk, and random samples that anybody can draw again."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from django.db.models import BinaryField, CharField, Exists, F, Func, OuterRef, Q, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from accounts.models import User
from audit.models import Review, ReviewSample
from audit.record import store
from audit.runs import key_of, runs_after, runs_before
from documents.models import KnowledgeBase, Viewer
from retrieval.models import RetrievalRun, RetrievalRunQuerySet, RunCandidate

QUEUE_SHOWN = 50
SEED_BYTES = 8


class Risk(NamedTuple):
    """A sign that a run deserves a look, in the words of the page and as a condition on runs."""

    words: str
    condition: Q


def repaired(*statuses: str) -> Q:
    found = RunCandidate.objects.filter(run=OuterRef("pk"), anchor_repair__status__in=statuses)
    return Q(Exists(found))


# RELIABILITY A11: each of these is reviewed in full, and not by sample.
RISKS = {
    "degraded": Risk("arbiter did not run", Q(arbiter_status="not_run") & ~Q(status="failed")),
    "failed": Risk("failed", Q(status="failed")),
    "contradiction": Risk("contradiction", ~Q(contradictions=[])),
    "violation": Risk("contract broken", ~Q(violations=[])),
    "not_found": Risk("not found", Q(status__in=["not_found", "cannot_tell"])),
    "rejected": Risk("quote rejected", repaired("rejected")),
    "shortened": Risk("quote shortened", repaired("truncated")),
}


@dataclass(frozen=True)
class Place:
    """Where a run stands in the queue it was opened from. `number` and `of` only in a sample."""

    name: str
    words: str
    previous: UUID | None
    following: UUID | None
    number: int = 0
    of: int = 0


def open_runs(user: Viewer) -> RetrievalRunQuerySet:
    """The runs a person may review and nobody has: not their own."""
    bases = KnowledgeBase.objects.with_role(user, "auditor", "owner")
    reviewed = Review.objects.filter(run=OuterRef("pk"))
    return RetrievalRun.objects.filter(~Exists(reviewed), base__in=bases).exclude(asked_by_id=user.pk)


def risky(user: Viewer, risk: str = "") -> RetrievalRunQuerySet:
    """The open runs with one sign of risk, or with any."""
    wanted = Q()
    for name, each in RISKS.items():
        if risk in ("", name):
            wanted |= each.condition
    return open_runs(user).filter(wanted)


def signs_of(runs: Sequence[RetrievalRun]) -> dict[UUID, list[str]]:
    """The signs of risk of each run, in words."""
    ids = [run.pk for run in runs]
    signs: dict[UUID, list[str]] = {pk: [] for pk in ids}
    for risk in RISKS.values():
        for pk in RetrievalRun.objects.filter(risk.condition, pk__in=ids).values_list("pk", flat=True):
            signs[pk].append(risk.words)
    return signs


# ---- samples


def draw(base: KnowledgeBase, size: int, user: User, seed: str = "") -> ReviewSample:
    """Draw runs of a base at random and keep base, moment, seed and what was drawn, with a ledger entry."""
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
    sample.run_ids = drawn(sample)
    store(sample)
    return sample


def drawn(sample: ReviewSample) -> list[str]:
    """The runs of a sample, drawn again: the first by the SHA-256 of "<seed>:<run id>".

    Everybody can repeat that by hand, on any machine, which no generator of random numbers promises.
    """
    text = Concat(Value(f"{sample.seed}:"), Cast(F("pk"), CharField()), output_field=CharField())
    digest = Func(Func(text, Value("UTF8"), function="convert_to"), function="sha256", output_field=BinaryField())
    ordered = population_of(sample).annotate(draw=digest).order_by("draw")
    return [str(pk) for pk in ordered.values_list("pk", flat=True)[: sample.size]]


def draw_key(seed: str, run_id: str) -> bytes:
    """What a run is drawn by, for checking a sample without a database."""
    return hashlib.sha256(f"{seed}:{run_id}".encode()).digest()


def population_of(sample: ReviewSample) -> RetrievalRunQuerySet:
    return RetrievalRun.objects.filter(base=sample.base_id, created_at__lte=sample.until)


# ---- places


def place_of(run: RetrievalRun, name: str, user: Viewer) -> Place | None:
    """Where a run stands in the queue of that name: a risk, "risk" for any, or a sample's id. None for no queue."""
    if name == "risk" or name in RISKS:
        return place_by_risk(run, name, user)
    try:
        sample = ReviewSample.objects.visible_to(user).filter(pk=UUID(name)).first()
    except ValueError:
        return None
    ids = sample.run_ids if sample else []
    if sample is None or str(run.pk) not in ids:
        return None
    index = ids.index(str(run.pk))
    before, after = ids[index - 1 : index], ids[index + 1 : index + 2]
    words = f"sample of {sample.created_at:%Y-%m-%d}, seed {sample.seed}"
    return Place(
        name, words, UUID(before[0]) if before else None, UUID(after[0]) if after else None, index + 1, len(ids)
    )


def place_by_risk(run: RetrievalRun, name: str, user: Viewer) -> Place:
    runs = risky(user, "" if name == "risk" else name)
    words = "any sign of risk" if name == "risk" else RISKS[name].words
    newer = runs_after(runs, key_of(run)).values_list("pk", flat=True).first()
    older = runs_before(runs, key_of(run)).values_list("pk", flat=True).first()
    return Place(name, words, newer, older)


def reviewed_among(run_ids: Sequence[str]) -> set[UUID]:
    return set(Review.objects.filter(run__in=[UUID(pk) for pk in run_ids]).values_list("run_id", flat=True).distinct())
