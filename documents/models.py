"""Bases, documents and what was read from them (R112). Everything belongs to a KnowledgeBase."""

import uuid
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from pgvector.django import VectorField

from accounts.models import User
from jobs.models import LeasedJob
from llm.models import LLMCall

Viewer = User | AnonymousUser


class Role(models.TextChoices):
    VIEWER = "viewer", _("Viewer")
    EDITOR = "editor", _("Editor")
    AUDITOR = "auditor", _("Auditor")
    OWNER = "owner", _("Owner")


class KnowledgeBaseQuerySet(models.QuerySet["KnowledgeBase"]):
    def living(self) -> "KnowledgeBaseQuerySet":
        return self.filter(deleted_at=None)

    def visible_to(self, user: Viewer) -> "KnowledgeBaseQuerySet":
        """The bases a person is a member of; all other access follows from this."""
        return self.living().filter(membership__user_id=user.pk) if user.is_authenticated else self.none()

    def with_role(self, user: Viewer, *roles: str) -> "KnowledgeBaseQuerySet":
        if not user.is_authenticated:
            return self.none()
        return self.living().filter(membership__user_id=user.pk, membership__role__in=roles)

    def audited_by(self, user: Viewer) -> "KnowledgeBaseQuerySet":
        """The bases whose audit trails a person may read; deleting a base does not end its audit."""
        if not user.is_authenticated:
            return self.none()
        return self.filter(membership__user_id=user.pk, membership__role__in=(Role.AUDITOR, Role.OWNER))


class KnowledgeBase(models.Model):
    """A set of documents: the unit of permission and the widest scope of a question.

    A deleted base stays as a bare row with its members, because audit trails refer to it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120)
    settings = models.JSONField(default=dict, blank=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    members = models.ManyToManyField(User, through="Membership", related_name="bases")

    objects = KnowledgeBaseQuerySet.as_manager()

    class Meta:
        ordering = ["name", "created_at"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One person's role in one base."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE)
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    role = models.CharField(max_length=10, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["base", "user"], name="documents_one_membership")]

    def __str__(self) -> str:
        return f"{self.user} {self.role} of {self.base}"


class DocumentQuerySet(models.QuerySet["Document"]):
    def visible_to(self, user: Viewer) -> "DocumentQuerySet":
        return self.filter(base__in=KnowledgeBase.objects.visible_to(user))

    def living(self) -> "DocumentQuerySet":
        """Neither in the trash nor replaced by a newer version."""
        return self.filter(trashed_at=None, replaced_at=None)

    def answering(self) -> "DocumentQuerySet":
        """Documents that can be asked: read, and not in the trash."""
        return self.living().exclude(current_parse=None)


def stored_name(document: "Document", file_name: str) -> str:
    """The server's own name for an uploaded file; the uploader's name is kept as data only (U7)."""
    return f"{document.base_id}/{document.pk}"


class Document(models.Model):
    """One uploaded file. The file never changes; what was read from it is a Parse.

    A newer version is its own document that `replaces` this one. As soon as it answers, `replaced_at` is set and no
    question finds the old one any more; its pages stay for the trails that cite them.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        READING = "reading", "Reading"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="documents")
    title = models.CharField(max_length=300)
    is_title_given = models.BooleanField(default=False)  # by a person: no reading changes it
    file_name = models.CharField(max_length=255)
    file = models.FileField(upload_to=stored_name, max_length=120)
    sha256 = models.CharField(max_length=64)
    size_bytes = models.BigIntegerField()
    media_type = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    current_parse = models.ForeignKey("Parse", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    trashed_at = models.DateTimeField(null=True, blank=True)
    tags = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    replaces = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="replacements")
    replaced_at = models.DateTimeField(null=True, blank=True)

    objects = DocumentQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [GinIndex(fields=["tags"], name="documents_tags")]
        constraints = [
            models.UniqueConstraint(
                fields=["base", "sha256"],
                condition=Q(trashed_at=None, replaced_at=None),
                name="documents_one_living_copy",
            )
        ]

    def __str__(self) -> str:
        return self.title


class Parse(models.Model):
    """One immutable reading of a document. It is kept as long as any run refers to it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="parses")
    number = models.PositiveIntegerField()
    parser_version = models.CharField(max_length=40)
    settings = models.JSONField(default=dict)
    title = models.CharField(max_length=500, blank=True)
    language = models.CharField(max_length=8)
    search_config = models.CharField(max_length=32, default="simple")
    page_count = models.PositiveIntegerField()
    line_count = models.PositiveIntegerField()
    unreadable_pages = models.JSONField(default=list)
    toc_origin = models.CharField(max_length=20)
    toc_strength = models.CharField(max_length=10)
    warnings = models.JSONField(default=list)
    report = models.JSONField(default=dict)
    timings_ms = models.JSONField(default=dict)
    embedding_model = models.CharField(max_length=80, blank=True)
    embedded_at = models.DateTimeField(null=True, blank=True)
    is_recorded = models.BooleanField(default=False)  # a run refers to it; set with the run, never reset
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["document", "number"]
        constraints = [models.UniqueConstraint(fields=["document", "number"], name="documents_parse_number")]

    def __str__(self) -> str:
        return f"{self.document} (parse {self.number})"


class Page(models.Model):
    parse = models.ForeignKey(Parse, on_delete=models.CASCADE, related_name="pages")
    number = models.PositiveIntegerField()
    label = models.CharField(max_length=40)
    width = models.FloatField()
    height = models.FloatField()
    rotation = models.PositiveSmallIntegerField(default=0)
    text_layer = models.CharField(max_length=4)
    column_count = models.PositiveSmallIntegerField(default=1)
    flags = models.JSONField(default=list)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["parse", "number"], name="documents_page_number")]


class TocEntry(models.Model):
    """A section of a document; its line and page ranges are inclusive and include sub-sections."""

    parse = models.ForeignKey(Parse, on_delete=models.CASCADE, related_name="toc_entries")
    index = models.PositiveIntegerField()
    level = models.PositiveSmallIntegerField()
    parent_index = models.PositiveIntegerField(null=True)
    number = models.CharField(max_length=40, blank=True)
    title = models.CharField(max_length=500)
    breadcrumb = models.TextField()
    first_line = models.PositiveIntegerField()
    last_line = models.PositiveIntegerField()
    first_page = models.PositiveIntegerField()
    last_page = models.PositiveIntegerField()
    origin = models.CharField(max_length=20)
    confidence = models.FloatField()

    class Meta:
        ordering = ["index"]
        verbose_name_plural = "toc entries"
        constraints = [models.UniqueConstraint(fields=["parse", "index"], name="documents_toc_index")]


class Line(models.Model):
    """One visual line; `number` is document-wide and the only one cited. `toc_index` is its deepest TOC entry."""

    parse = models.ForeignKey(Parse, on_delete=models.CASCADE, related_name="lines", db_index=False)
    number = models.PositiveIntegerField()
    number_on_page = models.PositiveIntegerField()
    page_number = models.PositiveIntegerField()
    toc_index = models.PositiveIntegerField()
    text = models.TextField()
    match = models.TextField()
    x0 = models.FloatField()
    y0 = models.FloatField()
    x1 = models.FloatField()
    y1 = models.FloatField()
    column = models.PositiveSmallIntegerField(default=0)
    kind = models.CharField(max_length=10)
    method = models.CharField(max_length=20)
    spans = models.JSONField(default=list)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["parse", "number"], name="documents_line_number")]


class Passage(models.Model):
    """The unit of search at corpus scale and of embedding: consecutive lines inside one section."""

    parse = models.ForeignKey(Parse, on_delete=models.CASCADE, related_name="passages")
    index = models.PositiveIntegerField()
    first_line = models.PositiveIntegerField()
    last_line = models.PositiveIntegerField()
    first_page = models.PositiveIntegerField()
    last_page = models.PositiveIntegerField()
    toc_index = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)
    text = models.TextField()
    context = models.TextField(blank=True)
    annotation = models.TextField(blank=True, db_default="")  # by a model; searched and embedded, never quoted
    annotation_call = models.ForeignKey(LLMCall, null=True, on_delete=models.PROTECT, related_name="+")
    search = SearchVectorField(null=True)

    class Meta:
        ordering = ["index"]
        indexes = [GinIndex(fields=["search"], name="documents_passage_search")]
        constraints = [models.UniqueConstraint(fields=["parse", "index"], name="documents_passage_index")]


class Embedding(models.Model):
    """The vector of a passage or TOC entry. `document` and `base` are repeated so that scope is one filter."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="+")
    parse = models.ForeignKey(Parse, on_delete=models.CASCADE, related_name="embeddings")
    passage = models.ForeignKey(Passage, null=True, on_delete=models.CASCADE)
    toc_entry = models.ForeignKey(TocEntry, null=True, on_delete=models.CASCADE)
    model_key = models.CharField(max_length=80)
    dimensions = models.PositiveIntegerField()
    vector = VectorField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["passage", "model_key"], name="documents_one_passage_vector"),
            models.UniqueConstraint(fields=["toc_entry", "model_key"], name="documents_one_toc_vector"),
            models.CheckConstraint(
                condition=Q(passage=None, toc_entry__isnull=False) | Q(passage__isnull=False, toc_entry=None),
                name="documents_vector_of_one_thing",
            ),
        ]


class IngestJob(LeasedJob):
    """The state of one ingestion: its worker, its progress, its failure (T1-T3, T9)."""

    class State(models.TextChoices):
        QUEUED = LeasedJob.QUEUED, "Queued"
        RUNNING = LeasedJob.RUNNING, "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    class Stage(models.TextChoices):
        CHECK = "check", _("Checking the file")
        PAGES = "pages", _("Reading pages")
        STORE = "store", _("Storing lines and sections")
        RECOGNISE = "recognise", _("Recognising text")
        ANNOTATE = "annotate", _("Describing passages")
        EMBED = "embed", _("Embedding passages")
        DONE = "done", _("Done")

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="jobs")
    parse = models.ForeignKey(Parse, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    stage = models.CharField(max_length=10, choices=Stage.choices, default=Stage.CHECK)
    done_count = models.PositiveIntegerField(default=0)
    total_count = models.PositiveIntegerField(default=0)
    cancel_requested = models.BooleanField(default=False)
    reason_code = models.CharField(max_length=30, blank=True)
    error_for_people = models.TextField(blank=True)
    error_for_admins = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["document"], condition=Q(state__in=["queued", "running"]), name="documents_one_open_job"
            )
        ]

    @property
    def progress(self) -> dict[str, Any]:
        """Stage in words, done, total and percent (None while the total is unknown)."""
        percent = round(100 * self.done_count / self.total_count) if self.total_count else None
        return {"stage": self.get_stage_display(), "done": self.done_count, "of": self.total_count, "percent": percent}


class IdempotencyKey(models.Model):
    """A request that may be repeated: its key, a digest of its content, and what it made. See documents.idempotency."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    key = models.UUIDField()
    digest = models.CharField(max_length=64)
    made = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "base", "key"], name="documents_one_request_a_key"),
        ]
