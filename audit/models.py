"""The insert-only records of auditors: reviews, samples, sign-offs, and what they read or were refused."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from documents.models import KnowledgeBase, Viewer
from jobs.models import LeasedJob
from ledger.triggers import erasable, insert_only
from retrieval.models import RetrievalRun, RunCandidate

# What an erasure leaves: who reviewed or read remains, the words are gone.
ERASED_REVIEW = {"reason": ""}
ERASED_READ: dict[str, Any] = {"detail": {}}


def person_key() -> Any:
    """A person as recorded: without a constraint, so that the record outlives the account."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )


class Review(models.Model):
    """An auditor's verdict on one candidate, or on the whole answer if `candidate` is empty.

    Reviews of the same thing form a chain: each names the one its author had seen. Two that name the same one conflict,
    and the database accepts only the first. A blind review is outside the chain: its author saw no other.
    """

    class Outcome(models.TextChoices):
        AGREE = "agree", _("Agree")
        OVERRULE = "overrule", _("Overrule")
        WRONG = "wrong", _("Wrong")
        INCOMPLETE = "incomplete", _("Incomplete")
        UNSUPPORTED = "unsupported", _("Not supported by the pages")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(RetrievalRun, on_delete=models.PROTECT, related_name="reviews")
    candidate = models.ForeignKey(RunCandidate, null=True, on_delete=models.PROTECT, related_name="reviews")
    reviewer = person_key()
    reviewer_name = models.CharField(max_length=254)
    outcome = models.CharField(max_length=11, choices=Outcome.choices)
    original_role = models.CharField(max_length=10, blank=True)  # the arbiter's, copied so that it is always at hand
    corrected_role = models.CharField(max_length=10, blank=True)
    reason = models.TextField(blank=True)
    previous = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+")
    is_blind = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["previous"], name="audit_review_follows_once"),
            models.UniqueConstraint(
                fields=["run", "candidate"],
                condition=models.Q(previous=None, is_blind=False),
                nulls_distinct=False,
                name="audit_review_first_once",
            ),
            models.UniqueConstraint(
                fields=["run", "candidate", "reviewer"],
                condition=models.Q(is_blind=True),
                nulls_distinct=False,
                name="audit_review_blind_once",
            ),
        ]
        triggers = erasable(ERASED_REVIEW)

    def __str__(self) -> str:
        return f"{self.outcome} by {self.reviewer_name}"


class ReviewSampleQuerySet(models.QuerySet["ReviewSample"]):
    def visible_to(self, user: Viewer) -> "ReviewSampleQuerySet":
        return self.filter(base__in=KnowledgeBase.objects.with_role(user, "auditor", "owner"))


class ReviewSample(models.Model):
    """A random choice of a base's runs up to a moment. Base, moment, seed and size reproduce it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    base_name = models.CharField(max_length=120)
    seed = models.CharField(max_length=64)
    size = models.PositiveIntegerField()
    population = models.PositiveIntegerField()
    run_ids = models.JSONField()
    drawn_by = person_key()
    drawn_by_name = models.CharField(max_length=254)
    until = models.DateTimeField()
    created_at = models.DateTimeField()

    objects = ReviewSampleQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        triggers = insert_only()

    def __str__(self) -> str:
        return f"{len(self.run_ids)} of {self.population} in {self.base_name}"


class SignOffQuerySet(models.QuerySet["SignOff"]):
    def visible_to(self, user: Viewer) -> "SignOffQuerySet":
        return self.filter(base__in=KnowledgeBase.objects.audited_by(user))


class SignOff(models.Model):
    """A person vouches that a period or sample of a base was reviewed. It takes effect when a second person agrees.

    `figures` are the counts at that moment, `head_…` the end of the ledger they were taken at.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    base_name = models.CharField(max_length=120)
    sample = models.ForeignKey(ReviewSample, null=True, on_delete=models.PROTECT, related_name="sign_offs")
    since = models.DateTimeField()
    until = models.DateTimeField()
    figures = models.JSONField()
    note = models.TextField(blank=True)
    head_sequence = models.PositiveBigIntegerField()
    head_hash = models.CharField(max_length=64)
    first = models.OneToOneField("self", null=True, on_delete=models.PROTECT, related_name="second")
    signer = person_key()
    signer_name = models.CharField(max_length=254)
    created_at = models.DateTimeField()

    objects = SignOffQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "id"]
        triggers = insert_only()

    def __str__(self) -> str:
        return f"{self.base_name}, signed by {self.signer_name}"


class RejudgementQuerySet(models.QuerySet["Rejudgement"]):
    def visible_to(self, user: Viewer) -> "RejudgementQuerySet":
        return self.filter(base__in=KnowledgeBase.objects.with_role(user, "auditor", "owner"))


class Rejudgement(LeasedJob):
    """Stored briefs that an auditor wants judged again: one run's, or those of the golden set. The row is the truth.

    What comes of it is recorded elsewhere: an event for each run that was judged, another for a golden check.
    """

    class State(models.TextChoices):
        QUEUED = LeasedJob.QUEUED, "Queued"
        RUNNING = LeasedJob.RUNNING, "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    class Kind(models.TextChoices):
        REPLAY = "replay", "Replay"
        CHECK = "check", "Golden check"

    kind = models.CharField(max_length=6, choices=Kind.choices)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="rejudgements")
    run = models.ForeignKey(RetrievalRun, null=True, on_delete=models.PROTECT, related_name="rejudgements")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    language = models.CharField(max_length=10)  # of the person, for the sentence on why it failed
    parameters = models.JSONField()  # arbiter, model, prompt, repeats
    done = models.PositiveIntegerField(default=0)  # judgements, of
    total = models.PositiveIntegerField(default=0)
    result = models.JSONField(null=True)  # of a replay, see audit.review.rejudging
    error = models.TextField(blank=True)

    objects = RejudgementQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.kind} by {self.parameters['arbiter']}"

    @property
    def is_pending(self) -> bool:
        return self.state in (self.State.QUEUED, self.State.RUNNING)


class AuditEvent(models.Model):
    """Somebody read or exported another person's record, or was refused: the auditors are audited, too."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    action = models.CharField(max_length=20)  # see audit.access_log
    run_id = models.UUIDField(null=True, db_index=True)
    person = person_key()
    person_name = models.CharField(max_length=254)
    detail = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-created_at"]
        triggers = erasable(ERASED_READ)

    def __str__(self) -> str:
        return f"{self.action} by {self.person_name}"
