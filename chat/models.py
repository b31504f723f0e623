"""Conversations, turns, answers and their citations."""

import uuid
from typing import Self, TypeVar

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from documents.models import KnowledgeBase, Membership, Parse, Role, Viewer
from jobs.models import RequestedJob, StoppableJob
from ledger.triggers import erasable, insert_only
from llm.models import LLMCall
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.told.outcomes import OUTCOMES
from retrieval.types import ABSENT, UNANSWERED

AnyRow = TypeVar("AnyRow", bound=models.Model)
# What an erasure leaves of a follow-up's rewriting, an answer, a citation and a reader's feedback.
ERASED_REWRITING = {"typed": "", "rewritten": "", "note": ""}
ERASED_ANSWER = {"text": "", "note": "", "checks": [], "items": []}
ERASED_CITATION = {"quote": ""}
ERASED_FEEDBACK = {"by_name": "", "comment": ""}


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def visible_to(self, user: Viewer) -> "ConversationQuerySet":
        """A person's own conversations, in bases that are still open to them."""
        return self.of(user).filter(deleted_at=None)

    def trashed_by(self, user: Viewer) -> "ConversationQuerySet":
        """A person's deleted conversations, in bases still open to them; last deleted first."""
        return self.of(user).exclude(deleted_at=None).order_by("-deleted_at")

    def of(self, user: Viewer) -> "ConversationQuerySet":
        if not user.is_authenticated:
            return self.none()
        return self.filter(user_id=user.pk, base__in=KnowledgeBase.objects.visible_to(user))

    def holding(self, words: str) -> "ConversationQuerySet":
        """Those whose name, questions or answers contain all of these words, in any order."""
        found = self
        for word in words.split():
            turns = Turn.objects.filter(
                models.Q(question__icontains=word) | models.Q(answer__text__icontains=word),
                conversation=models.OuterRef("pk"),
            )
            found = found.filter(models.Q(title__icontains=word) | models.Exists(turns))
        return found


class Conversation(models.Model):
    """Turns of one person in one base. Deleting a conversation hides it; its runs stay for the audit."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="conversations")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations")
    title = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    active_at = models.DateTimeField(auto_now_add=True, db_index=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        ordering = ["-active_at"]

    def __str__(self) -> str:
        return self.title


class TurnQuerySet(models.QuerySet["Turn"]):
    def visible_to(self, user: Viewer) -> "TurnQuerySet":
        return self.filter(conversation__in=Conversation.objects.visible_to(user))


class Turn(StoppableJob):
    """One question and its outcome. The row is the truth; the event stream only reports it."""

    ID_NAME = "turn"

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="turns")
    number = models.PositiveIntegerField()
    question = models.TextField()
    document_ids = models.JSONField(default=list)  # empty: the whole base
    scope_name = models.CharField(max_length=300)
    mode = models.CharField(max_length=10, default="balanced")
    filters = models.JSONField(default=dict, blank=True)  # what narrows it, see retrieval.filters
    is_full_search = models.BooleanField(default=False)  # every document is searched on its own
    documents_done = models.PositiveIntegerField(null=True)  # how far a full search is
    documents_total = models.PositiveIntegerField(null=True)
    as_typed = models.BooleanField(default=False)  # the reader edited the question: nothing may rewrite it
    is_fresh = models.BooleanField(default=False)  # a program wants it asked, whatever the record holds
    asked_key = models.CharField(max_length=64, blank=True, db_index=True)  # what decides its answer, see turns.repeats
    again_of = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="asked_again")
    state = models.CharField(max_length=10, choices=StoppableJob.State.choices, default=StoppableJob.QUEUED)
    run = models.OneToOneField(RetrievalRun, null=True, blank=True, on_delete=models.PROTECT, related_name="turn")
    error_for_people = models.TextField(blank=True)
    error_for_admins = models.TextField(blank=True)

    objects = TurnQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["conversation", "number"], name="chat_turn_number")]

    def __str__(self) -> str:
        return self.question[:80]


class ShareQuerySet(models.QuerySet["Share"]):
    def open(self) -> "ShareQuerySet":
        """Links that open something: not revoked or expired, of a conversation that its asker still has."""
        asker = Membership.objects.filter(
            base=models.OuterRef("conversation__base"), user=models.OuterRef("conversation__user"), user__is_active=True
        )
        living = self.filter(models.Exists(asker), revoked_at=None, conversation__deleted_at=None)
        return living.filter(
            models.Q(expires_at=None) | models.Q(expires_at__gt=timezone.now()), conversation__base__deleted_at=None
        )

    def made_by(self, user: Viewer) -> "ShareQuerySet":
        """Links to a person's own conversations, and those to all conversations of the bases they own."""
        if not user.is_authenticated:
            return self.none()
        own = models.Q(conversation__in=Conversation.objects.of(user))
        return self.filter(own | models.Q(conversation__base__in=KnowledgeBase.objects.with_role(user, Role.OWNER)))


class Share(models.Model):
    """A link to a conversation or one answer: for the people of its base, or for whoever has it, for some days."""

    class For(models.TextChoices):
        MEMBERS = "members", _("the people of the base")
        OUTSIDE = "outside", _("somebody outside")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="shares")
    turn = models.ForeignKey(Turn, null=True, on_delete=models.CASCADE, related_name="shares")  # None: all of it
    whom = models.CharField(max_length=8, choices=For.choices)
    digest = models.CharField(max_length=64, null=True, unique=True)  # of the token of one for outside
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    openings = models.PositiveIntegerField(default=0)
    opened_at = models.DateTimeField(null=True)  # last

    objects = ShareQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    @property
    def is_outside(self) -> bool:
        return self.whom == self.For.OUTSIDE


class AskedQuerySet(models.QuerySet[AnyRow]):
    def visible_to(self, user: Viewer) -> Self:
        """What a person asked for, in bases that are still open to them."""
        if not user.is_authenticated:
            return self.none()
        return self.filter(user_id=user.pk, base__in=KnowledgeBase.objects.visible_to(user))


class Retrieval(RequestedJob):
    """A program's question whose evidence is wanted without an answer, and its run. The row is the truth."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="retrievals")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="retrievals")
    question = models.TextField()
    document_ids = models.JSONField(default=list)  # empty: the whole base
    mode = models.CharField(max_length=10, default="balanced")
    filters = models.JSONField(default=dict, blank=True)  # what narrows it, see retrieval.filters
    run = models.OneToOneField(RetrievalRun, null=True, blank=True, on_delete=models.PROTECT, related_name="retrieval")
    error_for_people = models.TextField(blank=True)
    error_for_admins = models.TextField(blank=True)

    objects = AskedQuerySet.as_manager()


class ModelTest(RequestedJob):
    """An owner asks whether the model works: it judges three fixed passages. The row is the truth."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="model_tests")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    call = models.OneToOneField(LLMCall, null=True, on_delete=models.PROTECT, related_name="+")
    judged = models.PositiveSmallIntegerField(default=0)  # passages with a valid verdict
    is_right = models.BooleanField(default=False)  # the passage that answers, and no other, is primary
    error = models.TextField(blank=True)  # for people


NAMES_SHOWN = 4


class Extraction(StoppableJob):
    """Several named fields asked at once of the same documents (R87). The row is the truth."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="extractions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="extractions")
    grid = models.UUIDField(null=True, blank=True, db_index=True)  # of those that ask each document the same
    document_ids = models.JSONField(default=list)  # empty: the whole base
    scope_name = models.CharField(max_length=300)
    mode = models.CharField(max_length=10, default="balanced")
    filters = models.JSONField(default=dict, blank=True)  # what narrows it, see retrieval.filters
    error_for_people = models.TextField(blank=True)
    error_for_admins = models.TextField(blank=True)

    objects = AskedQuerySet.as_manager()

    @property
    def first_names(self) -> str:
        """The names of the first fields, for lists."""
        names = [field.name for field in self.fields.all()]
        return ", ".join(names[:NAMES_SHOWN]) + (" …" if len(names) > NAMES_SHOWN else "")


class ExtractionField(models.Model):
    """One of the fields, and its run once it has been asked; the answer to that run has its value."""

    extraction = models.ForeignKey(Extraction, on_delete=models.CASCADE, related_name="fields")
    position = models.PositiveIntegerField()  # from 1
    name = models.CharField(max_length=120)
    question = models.TextField()
    answer_type = models.CharField(max_length=20, blank=True)  # expected; "" as the question tells
    instruction = models.TextField(blank=True)
    run = models.OneToOneField(RetrievalRun, null=True, blank=True, on_delete=models.PROTECT, related_name="field")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["extraction", "position"], name="chat_field_position"),
            models.UniqueConstraint(fields=["extraction", "name"], name="chat_field_name"),
        ]


class PromptGuidance(models.Model):
    """What the owner of a base adds to a prompt (R110). Insert-only: a change adds a row, and the latest counts.

    An empty text takes the guidance away. `again_of` is the earlier number whose text it has, chosen from the history.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    prompt = models.CharField(max_length=40)
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    why = models.TextField()
    again_of = models.PositiveIntegerField(null=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    by_name = models.CharField(max_length=254)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["base", "prompt", "number"], name="chat_guidance_number")]
        triggers = insert_only()


class Rewriting(models.Model):
    """How a follow-up was understood in its conversation. Insert-only; the run is of `rewritten`."""

    class Outcome(models.TextChoices):
        REWRITTEN = "rewritten", "Completed from the conversation"
        ALONE = "alone", "Stands alone"
        UNCLEAR = "unclear", "Cannot be completed with certainty"
        FAILED = "failed", "Could not be completed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    turn = models.OneToOneField(Turn, on_delete=models.DO_NOTHING, db_constraint=False, related_name="rewriting")
    typed = models.TextField()
    rewritten = models.TextField()
    by = models.CharField(max_length=10)  # model or rules
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    note = models.TextField(blank=True)  # why it was asked as typed, in plain words
    llm_call = models.ForeignKey(LLMCall, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        triggers = erasable(ERASED_REWRITING)


class Answer(models.Model):
    """The answer as shown, and how it was made. Insert-only."""

    class Kind(models.TextChoices):
        GENERATED = "generated", _("Written by the model")
        EXTRACTIVE = "extractive", _("Quoted from the document")
        WEAK = "weak", "Weak"  # shown on no page: see OUTCOMES
        NOT_FOUND = "not_found", OUTCOMES["not_found"].words
        CANNOT_TELL = "cannot_tell", OUTCOMES["cannot_tell"].words
        CLARIFICATION = "clarification", OUTCOMES["clarify"].words

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # NULL of a field that was asked with others, which is read by its ExtractionField and never by this.
    turn: "models.OneToOneField[Turn | None, Turn]" = models.OneToOneField(  # type: ignore[misc]
        Turn, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="answer"
    )
    run = models.OneToOneField(RetrievalRun, on_delete=models.PROTECT, related_name="answer")
    kind = models.CharField(max_length=13, choices=Kind.choices)
    text = models.TextField()
    ended = models.CharField(max_length=10)  # complete, stopped, failed
    note = models.TextField(blank=True)  # why it is extractive, partial, or without a model, in plain words
    checks = models.JSONField(default=list)
    items = models.JSONField(default=list)  # what it gives for each thing that was asked
    llm_call = models.ForeignKey(LLMCall, null=True, on_delete=models.PROTECT, related_name="+")
    other_calls = models.JSONField(default=list)  # ids of the exchanges of a first draft and of checks against quotes
    examples = models.JSONField(default=list)  # that older writers were shown (R86, struck), as the ledger vouches
    timings_ms = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    class Meta:
        indexes = [
            # The review queue asks for these few among all answers.
            models.Index(fields=["run"], condition=models.Q(kind__in=UNANSWERED), name="chat_answer_absent"),
            # An erasure asks which older writers were shown an answer; nearly all were shown none.
            GinIndex(fields=["examples"], name="chat_answer_examples", opclasses=["jsonb_path_ops"]),
        ]
        triggers = erasable(ERASED_ANSWER)

    def __str__(self) -> str:
        return self.text[:80]

    @property
    def is_partial(self) -> bool:
        """Whether it answers a part of what was asked only."""
        is_lacking = any(item["outcome"] in ABSENT for item in self.items)
        is_answered = self.run.status == "found" and self.kind not in UNANSWERED
        return is_answered and (self.run.answerable is False or is_lacking)


class PageNotice(models.Model):
    """The flagged pages that an answer rests on, or that may hold what it lacks, as they were then (R83). Insert-only.

    `pages` has for each its document, parse, number, label, flags and state, see documents.ingestion.rereading.
    """

    class Why(models.TextChoices):
        RESTS = "rests", _("the answer rests on them")
        LACKS = "lacks", _("what is missing may stand there")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    answer = models.OneToOneField(Answer, on_delete=models.PROTECT, related_name="page_notice")
    why = models.CharField(max_length=5, choices=Why.choices)
    pages = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        triggers = insert_only()


class Citation(models.Model):
    """The link from a marker in an answer to a literal quote on a page. Insert-only."""

    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="citations")
    marker = models.PositiveIntegerField()
    candidate = models.ForeignKey(RunCandidate, on_delete=models.PROTECT, related_name="citations")
    quote = models.TextField()
    page = models.PositiveIntegerField()
    page_label = models.CharField(max_length=40)
    first_line = models.PositiveIntegerField()
    last_line = models.PositiveIntegerField()
    boxes = models.JSONField()

    class Meta:
        ordering = ["marker"]
        constraints = [models.UniqueConstraint(fields=["answer", "marker"], name="chat_citation_marker")]
        triggers = erasable(ERASED_CITATION)

    def __str__(self) -> str:
        return f"[{self.marker}] {self.quote[:60]}"

    @property
    def last_page(self) -> int:
        """The page where the quote ends: a sentence may go on over the end of the page where it begins."""
        return max([self.page, *(int(box["page"]) for box in self.boxes)])


class SuggestedQuestions(models.Model):
    """The first questions of a document that the rules answer, in one language of the interface; made once a parse."""

    parse = models.ForeignKey(Parse, on_delete=models.CASCADE, related_name="+", db_index=False)
    language = models.CharField(max_length=8)
    questions = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["parse", "language"], name="chat_suggested_once")]


class Feedback(models.Model):
    """A reader's feedback on an answer. Insert-only: a change of mind adds a row, and the latest counts."""

    class Kind(models.TextChoices):
        HELPFUL = "helpful", _("Helpful")
        WRONG_ANSWER = "wrong_answer", _("Wrong answer")
        WRONG_EVIDENCE = "wrong_evidence", _("Wrong evidence")
        INCOMPLETE = "incomplete", _("Incomplete")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    turn = models.ForeignKey(Turn, on_delete=models.DO_NOTHING, db_constraint=False, related_name="feedback")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    by_name = models.CharField(max_length=254)
    kind = models.CharField(max_length=14, choices=Kind.choices)
    comment = models.TextField(blank=True)
    created = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["created", "id"]
        triggers = erasable(ERASED_FEEDBACK)

    @property
    def is_complaint(self) -> bool:
        return self.kind != self.Kind.HELPFUL
