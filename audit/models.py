"""The insert-only records of auditors (reviews, comments, samples, sign-offs, reads), and what is derived for them."""

import uuid
from typing import Any, Self, TypeVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from documents.models import Document, KnowledgeBase, Parse, Viewer
from jobs.models import RequestedJob
from ledger.triggers import erasable, insert_only
from retrieval.models import RetrievalRun, RunCandidate

AnyRow = TypeVar("AnyRow", bound=models.Model)
# What an erasure leaves: who reviewed or read remains, the words are gone.
ERASED_REVIEW = {"reason": ""}
ERASED_COMMENT = {"text": ""}
ERASED_READ: dict[str, Any] = {"detail": {}}


def person_key() -> Any:
    """A person as recorded: without a constraint, so that the record outlives the account."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )


class AuditedQuerySet(models.QuerySet[AnyRow]):
    def visible_to(self, user: Viewer) -> Self:
        """The rows of bases a person audits."""
        return self.filter(base__in=KnowledgeBase.objects.with_role(user, "auditor", "owner"))


class RecordQuerySet(models.QuerySet[AnyRow]):
    def visible_to(self, user: Viewer) -> Self:
        """The same, and of those that were deleted."""
        return self.filter(base__in=KnowledgeBase.objects.audited_by(user))


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
        ABSENT = "absent", _("Should be not found")

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


class Comment(models.Model):
    """What somebody says about lines of a document. A reply names the comment that began its thread, not the last one.

    It stays with the parse whose lines it names, and holds none of their words.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    parse = models.ForeignKey(Parse, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    page_number = models.PositiveIntegerField()
    first_line = models.PositiveIntegerField()
    last_line = models.PositiveIntegerField()
    reply_to = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="replies")
    author = person_key()
    author_name = models.CharField(max_length=254)
    text = models.TextField(blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["created_at", "id"]
        indexes = [models.Index(fields=["parse", "page_number"], name="audit_comment_page")]
        triggers = erasable(ERASED_COMMENT)


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

    objects = AuditedQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        triggers = insert_only()


class SignOff(models.Model):
    """A person vouches that a period or sample of a base was reviewed. It takes effect when a second person agrees.

    `figures` are the counts at that moment, `head_…` the end of the ledger they were taken at, `statement_digest` is of
    all that was counted, see audit.review.signing.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    base_name = models.CharField(max_length=120)
    sample = models.ForeignKey(ReviewSample, null=True, on_delete=models.PROTECT, related_name="sign_offs")
    since = models.DateTimeField()
    until = models.DateTimeField()
    figures = models.JSONField()
    statement_digest = models.CharField(max_length=64, blank=True, db_default="")  # rows of older programs have none
    note = models.TextField(blank=True)
    head_sequence = models.PositiveBigIntegerField()
    head_hash = models.CharField(max_length=64)
    first = models.OneToOneField("self", null=True, on_delete=models.PROTECT, related_name="second")
    signer = person_key()
    signer_name = models.CharField(max_length=254)
    created_at = models.DateTimeField()

    objects = RecordQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "id"]
        triggers = insert_only()


class RunSign(models.Model):
    """A sign of risk that takes more than a condition on the rows to see; one row named "" says that a run was read.

    Derived and outside the ledger: the sweep fills it for runs without a row, so deleting rows has them read again.
    """

    run = models.ForeignKey(RetrievalRun, on_delete=models.CASCADE, db_index=False, related_name="+")
    name = models.CharField(max_length=20)  # see audit.runs.risks

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "name"], name="audit_sign_once")]
        indexes = [models.Index(fields=["name", "run"], condition=~models.Q(name=""), name="audit_sign_name")]


class Rejudgement(RequestedJob):
    """Stored briefs that an auditor wants judged again: one run's, or those of the golden set. The row is the truth.

    What comes of it is recorded elsewhere: an event for each run that was judged, another for a golden check. Of kind
    CHANGE it searches the golden set anew, see audit.review.proposed.
    """

    class Kind(models.TextChoices):
        REPLAY = "replay", "Replay"
        CHECK = "check", "Golden check"
        CHANGE = "change", "Golden check of a proposed change"

    kind = models.CharField(max_length=6, choices=Kind.choices)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="rejudgements")
    run = models.ForeignKey(RetrievalRun, null=True, on_delete=models.PROTECT, related_name="rejudgements")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    language = models.CharField(max_length=10)  # of the person, for the sentence on why it failed
    parameters = models.JSONField()  # arbiter, model, prompt, repeats; or the proposal
    done = models.PositiveIntegerField(default=0)  # judgements, of
    total = models.PositiveIntegerField(default=0)
    result = models.JSONField(null=True)  # of a replay, see audit.review.rejudging, or of a proposal's check
    error = models.TextField(blank=True)

    objects = AuditedQuerySet.as_manager()


class RecordCheck(RequestedJob):
    """A verification of the ledger: a whole one that a person asked for, or the hourly one of its new entries.

    What a person asked for is carried out by a worker; the hourly task stores its result as a row that has ended.
    """

    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    by_name = models.CharField(max_length=254, blank=True)  # "" of the hourly one
    is_whole = models.BooleanField(default=True)
    checked = models.PositiveBigIntegerField(default=0)  # entries that are as they were
    head_sequence = models.PositiveBigIntegerField(default=0)
    head_hash = models.CharField(max_length=64, blank=True)
    heads = models.PositiveIntegerField(null=True)  # exported ones it was held against; None where that is not known
    bad_sequence = models.PositiveBigIntegerField(null=True)  # the first entry that is not
    fault = models.TextField(blank=True)  # what is wrong, "" of a record that is unchanged
    error = models.TextField(blank=True)  # why nothing can be said

    class Meta:
        indexes = [models.Index(fields=["-created_at"], name="audit_check_newest")]
        constraints = [
            models.UniqueConstraint(
                fields=["is_whole"], condition=models.Q(state__in=["queued", "running"]), name="audit_one_open_check"
            )
        ]


class SelfCheck(models.Model):
    """What the nightly check of the installation found; see audit.keeping.selfcheck."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    files = models.PositiveIntegerField()  # that rows name
    readings = models.PositiveIntegerField()
    entries = models.PositiveBigIntegerField()  # of the ledger, verified before the first that is bad
    fault_count = models.PositiveIntegerField()
    faults = models.JSONField(default=list)  # the first of them, each with kind, subject and detail
    started_at = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["-created_at"], name="audit_self_check_newest")]
        triggers = insert_only()


class Assignment(models.Model):
    """Who has a run of the queue: for a while since it was opened there, or until it is reviewed if it was given.

    It says whom the queue leaves a run to, and forbids no review.
    """

    run = models.OneToOneField(RetrievalRun, on_delete=models.CASCADE, related_name="+")
    to = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    until = models.DateTimeField(null=True)  # None: it was given


class AlertLimit(models.Model):
    """From where on a measure of a base alarms, as an owner wants it; without a row the default holds."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="alert_limits")
    measure = models.CharField(max_length=20)  # see audit.alerts.measures
    limit = models.DecimalField(max_digits=12, decimal_places=2, null=True)  # None: it never alarms
    least = models.PositiveIntegerField()  # with fewer than so many nothing is said

    class Meta:
        constraints = [models.UniqueConstraint(fields=["base", "measure"], name="audit_limit_once")]


class Alert(models.Model):
    """A measure of a base that has left its range, until it is back. The ledger has opening and closing as events."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="alerts")
    measure = models.CharField(max_length=20)
    value = models.DecimalField(max_digits=14, decimal_places=2)  # when it was opened
    limit = models.DecimalField(max_digits=12, decimal_places=2)
    of = models.PositiveIntegerField()  # how many were counted
    currency = models.CharField(max_length=10, blank=True)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    objects = AuditedQuerySet.as_manager()

    class Meta:
        ordering = ["-opened_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["base", "measure"], condition=models.Q(closed_at=None), name="audit_alert_open_once"
            )
        ]


class CarriedArchive(models.Model):
    """The archive of a base of another installation that a base was made from, see audit.carrying.

    Its records are in a file that is kept as it came; the event of the import has its digest and the exporter's head.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="carried")
    from_base = models.UUIDField()
    from_name = models.CharField(max_length=120)
    exported_at = models.DateTimeField()
    program = models.CharField(max_length=80)
    manifest_sha256 = models.CharField(max_length=64)
    head_sequence = models.PositiveBigIntegerField()
    head_hash = models.CharField(max_length=64)
    is_vouched = models.BooleanField()  # by a head given with the import, or (its event says it) by who exported it
    documents = models.JSONField(default=dict)  # the new id of each document by its old one, once it is read
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    removed_at = models.DateTimeField(null=True)  # when an owner had its records removed

    objects = RecordQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]


class CarriedRun(models.Model):
    """One run of an archive, for the list; the record itself is in the archive's file."""

    archive = models.ForeignKey(CarriedArchive, on_delete=models.CASCADE, related_name="runs")
    run_id = models.UUIDField()
    question = models.TextField(blank=True)
    outcome = models.CharField(max_length=20)  # see retrieval.told.outcomes
    asked_by_name = models.CharField(max_length=254, blank=True)
    asked_at = models.DateTimeField()

    class Meta:
        ordering = ["-asked_at", "-run_id"]
        constraints = [models.UniqueConstraint(fields=["archive", "run_id"], name="audit_carried_run_once")]
        indexes = [models.Index(fields=["archive", "-asked_at", "-run_id"], name="audit_carried_run_order")]


class WitnessedHead(models.Model):
    """A head of another installation's ledger, that this one is the witness of, see audit.proof.witnessing.

    The account that gave it stands for that installation. A refused one has another hash than what was kept before.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    source = person_key()
    source_name = models.CharField(max_length=254)
    sequence = models.PositiveBigIntegerField()
    hash = models.CharField(max_length=64)
    fields = models.JSONField()  # as it was given: with its time, signature and stamp
    is_refused = models.BooleanField(default=False)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["-seen_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["source", "sequence"], condition=models.Q(is_refused=False), name="audit_witnessed_once"
            )
        ]
        indexes = [models.Index(fields=["source", "-seen_at"], name="audit_witnessed_order")]
        triggers = insert_only()


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
