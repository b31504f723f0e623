"""Bases, documents and what was read from them (R112). Everything belongs to a KnowledgeBase."""

import uuid
from typing import TypeAlias

from django.contrib.auth.models import AnonymousUser
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from pgvector.django import VectorField

from accounts.models import User
from documents.base_settings import BaseSettings
from jobs.models import LeasedJob
from ledger.triggers import insert_only
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

    def of_others(self, administrator: Viewer) -> "KnowledgeBaseQuerySet":
        """The bases an administrator of the site is no member of, whose names alone they may see; nobody else any."""
        if not (administrator.is_authenticated and administrator.is_superuser):
            return self.none()
        return self.living().exclude(membership__user_id=administrator.pk)

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


def unlocked_name(document: "Document", file_name: str) -> str:
    return f"{stored_name(document, file_name)}.unlocked"


class Document(models.Model):
    """One uploaded file. The file never changes; what was read from it is a Parse.

    Of a PDF locked with a password a copy without it is kept beside the file, which is what is read and drawn.

    A newer version is its own document that `replaces` this one. As soon as it answers, `replaced_at` is set and no
    question finds the old one any more; its pages stay for the trails that cite them. One that was attached to another
    has that as its `carrier`.
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
    unlocked = models.FileField(upload_to=unlocked_name, max_length=120, blank=True)
    unlocked_sha256 = models.CharField(max_length=64, blank=True)
    size_bytes = models.BigIntegerField()
    media_type = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    current_parse = models.ForeignKey("Parse", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    trashed_at = models.DateTimeField(null=True, blank=True)
    card = models.ForeignKey("DocumentCard", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    tags = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    metadata = models.JSONField(default=dict, blank=True)  # values by the id of a MetadataField
    cutting = models.JSONField(default=dict, blank=True)  # where the uploader chose another than the base's (R96)
    contents_source = models.CharField(max_length=20, default="automatic")  # see documents.pages.contents_source (R13)
    replaces = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="replacements")
    replaced_at = models.DateTimeField(null=True, blank=True)
    carrier = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="carried")

    objects = DocumentQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            GinIndex(fields=["tags"], name="documents_tags"),
            GinIndex(fields=["metadata"], name="documents_metadata"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["base", "sha256"],
                condition=Q(trashed_at=None, replaced_at=None),
                name="documents_one_living_copy",
            )
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def read_sha256(self) -> str:
        """The digest of the file that is read. What is drawn of it is kept under it.

        An unlocked copy has one of its own, so that whoever has the locked file without its password sees nothing.
        """
        return self.unlocked_sha256 or self.sha256

    def reading_settings(self) -> BaseSettings:
        """How the file is read: the settings of its base, with the cutting that was chosen for it."""
        return BaseSettings.from_json(self.base.settings | self.cutting)


class MetadataField(models.Model):
    """What the people of a base note of its documents; values are in `Document.metadata`."""

    class Kind(models.TextChoices):
        TEXT = "text", _("Text")
        NUMBER = "number", pgettext_lazy("a kind of value", "Number")
        DATE = "date", _("Date")
        CHOICE = "choice", _("Choice")

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="metadata_fields")
    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    choices = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint("base", Lower("name"), name="documents_one_field_a_name")]

    def __str__(self) -> str:
        return self.name


class SavedFilter(models.Model):
    """A filter of the list of documents, kept by a person, for themselves or for everybody in the base."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="saved_filters")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=60)
    query = models.JSONField(default=dict)
    is_shared = models.BooleanField(default=False)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["base", "user", "name"], name="documents_one_filter_a_name")]


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
    profile = models.JSONField(default=dict)  # see reading.pages.profile; empty in readings older than it
    report = models.JSONField(default=dict)  # see reading.rows.ReadingReport
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

    def note(self, name: str, told: object) -> None:
        """Put something in the report, beside what others put there meanwhile."""
        self.refresh_from_db(fields=["report"])
        self.report[name] = told
        self.save(update_fields=["report"])


class DocumentCard(models.Model):
    """One version of a document's card (R15), insert-only: what it says, and who or what made it.

    `content` is documents.cards.types.Card as JSON; `source_sha256` is of the text it was made from. The card that
    holds is `Document.card`: the last one by a person, else by the model, else by the rules.
    """

    class Maker(models.TextChoices):
        RULES = "rules", _("by rules")
        MODEL = "model", _("by a model")
        PERSON = "person", _("edited")

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="cards")
    number = models.PositiveIntegerField()
    made_by = models.CharField(max_length=10, choices=Maker.choices)
    author = models.CharField(max_length=254, blank=True)  # the person's name
    parse_number = models.PositiveIntegerField()
    source_sha256 = models.CharField(max_length=64)
    content = models.JSONField()
    llm_call = models.ForeignKey(LLMCall, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["document", "number"]
        constraints = [models.UniqueConstraint(fields=["document", "number"], name="documents_card_number")]
        triggers = insert_only(may_delete=True)  # a purge takes the cards along

    def __str__(self) -> str:
        return f"{self.document} (card {self.number})"


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
    kind = models.CharField(max_length=12, default="", blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["parse", "number"], name="documents_page_number")]
        indexes = [models.Index(fields=["parse"], condition=Q(text_layer="none"), name="documents_page_without_text")]

    @property
    def called(self) -> str:
        """What the page is cited by: its label, else its number."""
        return self.label or str(self.number)


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
    """One visual line (R2); `number` is document-wide and the only one cited. `toc_index` is its deepest TOC entry."""

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


class Image(models.Model):
    """A picture on a page, by its box in PDF points. Its pixels stay in the file."""

    parse = models.ForeignKey(Parse, on_delete=models.CASCADE, related_name="images", db_index=False)
    page_number = models.PositiveIntegerField()
    number_on_page = models.PositiveSmallIntegerField()
    x0 = models.FloatField()
    y0 = models.FloatField()
    x1 = models.FloatField()
    y1 = models.FloatField()
    width_px = models.PositiveIntegerField()
    height_px = models.PositiveIntegerField()

    class Meta:
        ordering = ["page_number", "number_on_page"]
        constraints = [
            models.UniqueConstraint(fields=["parse", "page_number", "number_on_page"], name="documents_image_number")
        ]


class NamedObject(models.Model):
    """A figure, table, equation, appendix or note (R14), where its caption or heading stands."""

    parse = models.ForeignKey(Parse, on_delete=models.CASCADE, related_name="named_objects", db_index=False)
    index = models.PositiveIntegerField()
    kind = models.CharField(max_length=10)
    label = models.CharField(max_length=40)
    title = models.CharField(max_length=500, blank=True)
    page_number = models.PositiveIntegerField()
    line_number = models.PositiveIntegerField()
    x0 = models.FloatField()
    y0 = models.FloatField()
    x1 = models.FloatField()
    y1 = models.FloatField()

    class Meta:
        ordering = ["index"]
        constraints = [models.UniqueConstraint(fields=["parse", "index"], name="documents_object_index")]


class CrossReference(models.Model):
    """Where the text names such a thing or a section (R14); `target_line` is 0 if the document has none."""

    parse = models.ForeignKey(Parse, on_delete=models.CASCADE, related_name="cross_references", db_index=False)
    line_number = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    kind = models.CharField(max_length=10)
    label = models.CharField(max_length=40)
    row = models.CharField(max_length=8, blank=True)
    target_line = models.PositiveIntegerField()

    class Meta:
        ordering = ["line_number", "start", "row"]
        indexes = [models.Index(fields=["parse", "line_number"], name="documents_reference_line")]


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
    char_start = models.PositiveIntegerField(null=True)
    char_end = models.PositiveIntegerField(null=True)
    parent_first_line = models.PositiveIntegerField(null=True)
    parent_last_line = models.PositiveIntegerField(null=True)
    annotation_call = models.ForeignKey(LLMCall, null=True, on_delete=models.PROTECT, related_name="+")
    search = SearchVectorField(null=True)

    class Meta:
        ordering = ["index"]
        indexes = [GinIndex(fields=["search"], name="documents_passage_search")]
        constraints = [models.UniqueConstraint(fields=["parse", "index"], name="documents_passage_index")]


class Word(models.Model):
    """Where a word of the full text stands in a parse: on how many passages and, packed, at which places.

    Derived from `Passage.search` (`storage.words`), so that a base is counted and ranked without reading its passages.
    """

    pk = models.CompositePrimaryKey("parse", "word")
    parse = models.ForeignKey(Parse, on_delete=models.CASCADE, related_name="words", db_index=False)
    word = models.TextField()
    passages = models.PositiveIntegerField()
    places = models.BinaryField()

    class Meta:
        indexes = [models.Index(fields=["word", "parse"], include=["passages"], name="documents_word_counts")]


class Packed(models.Model):
    """A parse with what is derived of it as one value that is read at once, beside its rows (`storage.packed`)."""

    parse = models.OneToOneField(  # the database cascades, for processes of a version before this table too
        Parse, on_delete=models.DO_NOTHING, primary_key=True, related_name="packed", db_constraint=False
    )
    version = models.CharField(max_length=40)  # of the program that can read it
    value = models.BinaryField()


class Embedding(models.Model):
    """The vector of a passage or TOC entry. `document` and `base` are repeated so that scope is one filter.

    `digest` is of all that decided on it (`Embedder.digest_of`); rows from before there were digests have none.
    """

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="+")
    parse = models.ForeignKey(Parse, on_delete=models.CASCADE, related_name="embeddings")
    passage = models.ForeignKey(Passage, null=True, on_delete=models.CASCADE)
    toc_entry = models.ForeignKey(TocEntry, null=True, on_delete=models.CASCADE)
    model_key = models.CharField(max_length=80)
    dimensions = models.PositiveIntegerField()
    vector = VectorField()
    digest = models.CharField(max_length=64, blank=True)
    is_copied = models.BooleanField(default=False)  # from an equal text, so that nothing was computed for it

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["passage", "model_key"], name="documents_one_passage_vector"),
            models.UniqueConstraint(fields=["toc_entry", "model_key"], name="documents_one_toc_vector"),
            models.CheckConstraint(
                condition=Q(passage=None, toc_entry__isnull=False) | Q(passage__isnull=False, toc_entry=None),
                name="documents_vector_of_one_thing",
            ),
        ]
        indexes = [models.Index(fields=["digest"], condition=~Q(digest=""), name="documents_vector_digest")]


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
        CONTENTS = "contents", _("Checking the contents")
        CARD = "card", _("Describing the document")
        ANNOTATE = "annotate", _("Describing passages")
        EMBED = "embed", _("Embedding passages")
        DONE = "done", _("Done")

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="jobs")
    parse = models.ForeignKey(Parse, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    stage = models.CharField(max_length=10, choices=Stage.choices, default=Stage.CHECK)
    pages = models.JSONField(default=list, blank=True)  # in stage recognise: only these, as a person asked (R83)
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
    def percent(self) -> int | None:
        """How much of its stage is done; None while the total is unknown."""
        return round(100 * self.done_count / self.total_count) if self.total_count else None


Stage: TypeAlias = IngestJob.Stage
JobState: TypeAlias = IngestJob.State


class LastTurn(models.Model):
    """When the documents of somebody last had a turn in a queue, see documents.ingestion.queueing."""

    queue = models.CharField(max_length=10)
    whose = models.CharField(max_length=40)
    taken_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["queue", "whose"], name="documents_one_last_turn")]


class IdempotencyKey(models.Model):
    """A request that may be repeated: its key, a digest of its content, and what it made. See documents.idempotency."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    key = models.UUIDField()
    digest = models.CharField(max_length=64)
    made = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "base", "key"], name="documents_one_request_a_key")]


class ProposedChangeQuerySet(models.QuerySet["ProposedChange"]):
    def visible_to(self, user: Viewer) -> "ProposedChangeQuerySet":
        return self.filter(base__in=KnowledgeBase.objects.audited_by(user))

    def open(self) -> "ProposedChangeQuerySet":
        return self.filter(end=None)


class ProposedChange(models.Model):
    """A change that waits for a golden check, see documents.guarding. Insert-only; how it ended is a ProposalEnd."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    kind = models.CharField(max_length=20)
    call = models.JSONField()  # what to do: a function of that kind with its arguments
    changed = models.JSONField()  # by name what was and what would be, when it was proposed
    by = models.ForeignKey(User, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    by_name = models.CharField(max_length=254)
    created_at = models.DateTimeField()

    objects = ProposedChangeQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["base", "-created_at"], name="documents_proposed_newest")]
        triggers = insert_only()


class ProposalEnd(models.Model):
    """How a proposed change ended: it took effect, or was withdrawn. Insert-only."""

    class How(models.TextChoices):
        EFFECT = "effect", _("in effect")
        WITHDRAWN = "withdrawn", _("withdrawn")

    proposal = models.OneToOneField(ProposedChange, on_delete=models.PROTECT, related_name="end")
    how = models.CharField(max_length=10, choices=How.choices)
    check_id = models.UUIDField(null=True)  # of the check it rests on
    reason = models.TextField(blank=True)  # why in spite of its check
    by = models.ForeignKey(User, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    by_name = models.CharField(max_length=254)
    created_at = models.DateTimeField()

    class Meta:
        triggers = insert_only()
