"""The expert dictionary, the rules of reading of a base, and the insert-only record of every retrieval."""

import uuid
from typing import Any

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import models
from django.utils.translation import gettext_lazy as _

from documents.models import Document, KnowledgeBase, Parse, Viewer
from ledger.triggers import erasable, insert_only
from llm.models import LLMCall
from retrieval.injection import PATTERN, SPEAKERS
from retrieval.types import ABSENT, UNANSWERED

# What an erasure leaves of a run and of a candidate, instead of everything a person wrote or that reveals it.
ERASED_RUN = {
    "asked_by_name": "",
    "question": "",
    "parsed": {},
    "plan": {},
    "not_found_reason": "",
    "gates": [],
    "searched": [],
    "hits": [],
    "contradictions": [],
    "violations": [],
    "answerable_reason": "",
    "arbiter_failure": "",
    "toc_shown": "",
    "failure": "",
}
ERASED_CANDIDATE = {
    "matched_keywords": [],
    "section_title": "",
    "breadcrumb": "",
    "reason": "",
    "reason_facts": {},
    "raw_content_anchor": "",
    "content_anchor": "",
    "anchor_pieces": [],
    "anchor_text": "",
    "context_text": "",
    "snippet": "",
    "brief": "",
}
# … of a word that was learned from it: it is searched no longer.
ERASED_WORD = {"topic": "", "asked": "", "word": "", "stems": ""}
ERASED_DOCUMENT: dict[str, Any] = {"reason": "", "words": [], "finding": None}


class Concept(models.Model):
    """A thing an expert names in several ways; a hit on one pulls in every term of the concept (R18)."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="concepts")
    name = models.CharField(max_length=120)
    pack = models.CharField(max_length=20, blank=True)  # the pack that brought it, "" once an expert renamed it

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["base", "name"], name="retrieval_concept_name")]

    def __str__(self) -> str:
        return self.name


class Term(models.Model):
    """A name of a concept in one language ("" is any); naming another concept pulls that one in."""

    concept = models.ForeignKey(Concept, on_delete=models.CASCADE, related_name="terms")
    language = models.CharField(max_length=8, blank=True)
    text = models.CharField(max_length=120)
    priority = models.CharField(max_length=9, choices=[("primary", "Primary"), ("secondary", "Secondary")])
    weight = models.FloatField(default=1.0)
    pack = models.CharField(max_length=20, blank=True)  # the pack that brought it, "" once an expert touched it

    class Meta:
        ordering = ["text"]
        constraints = [models.UniqueConstraint(fields=["concept", "language", "text"], name="retrieval_term_text")]

    def __str__(self) -> str:
        return self.text


class Pack(models.Model):
    """Whether a base uses a bundled pack; without a row nobody has decided, and it will be used."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="packs")
    name = models.CharField(max_length=20)
    is_on = models.BooleanField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["base", "name"], name="retrieval_pack_once")]


class RetrievalRunQuerySet(models.QuerySet["RetrievalRun"]):
    def visible_to(self, user: Viewer) -> "RetrievalRunQuerySet":
        """Auditors and owners of a base see every run in it; others only their own."""
        everything = KnowledgeBase.objects.audited_by(user)
        own = KnowledgeBase.objects.visible_to(user)
        return self.filter(models.Q(base__in=everything) | models.Q(base__in=own, asked_by_id=user.pk))


OUT_OF_THE_ORDINARY = (
    models.Q(status__in=["failed", *UNANSWERED])
    | models.Q(arbiter_status="not_run")
    | ~models.Q(contradictions=[])
    | ~models.Q(violations=[])
)


class RetrievalRun(models.Model):
    """One execution of retrieval, frozen (R105, R107). Later changes of a document do not affect what it saw."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.DO_NOTHING, db_constraint=False, related_name="runs")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    asked_by_name = models.CharField(max_length=254, blank=True)
    base_name = models.CharField(max_length=120, blank=True)
    question = models.TextField()
    parsed = models.JSONField()
    plan = models.JSONField()
    scope = models.JSONField()
    settings = models.JSONField()
    mode = models.CharField(max_length=10)
    arbiter = models.CharField(max_length=10)
    arbiter_status = models.CharField(max_length=12)
    arbiter_failure = models.TextField(blank=True)
    status = models.CharField(max_length=12)  # found, weak, not_found, cannot_tell, clarify, failed
    not_found_reason = models.TextField(blank=True)
    gates = models.JSONField()
    searched = models.JSONField()
    coverage = models.JSONField()
    confidence = models.FloatField()
    methods_used = models.JSONField()
    hits = models.JSONField()
    hit_counts = models.JSONField()
    contradictions = models.JSONField()
    violations = models.JSONField()
    answerable = models.BooleanField(null=True)
    answerable_reason = models.TextField(blank=True)
    toc_shown = models.TextField(blank=True)
    timings_ms = models.JSONField()
    failure = models.TextField(blank=True)
    llm_call = models.ForeignKey(LLMCall, null=True, on_delete=models.PROTECT, related_name="+")
    code_version = models.CharField(max_length=80)
    created_at = models.DateTimeField(db_index=True)

    objects = RetrievalRunQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            # For searching the list of runs by words, or by a document of the scope.
            GinIndex(SearchVector("question", config="simple"), name="retrieval_run_words"),
            GinIndex(fields=["scope"], name="retrieval_run_scope", opclasses=["jsonb_path_ops"]),
            # For the review queue, which selects these few among all runs.
            models.Index(fields=["created_at"], condition=OUT_OF_THE_ORDINARY, name="retrieval_run_risky"),
            # For the statistics, which select the few whose question a model read.
            models.Index(
                fields=["created_at"], condition=models.Q(parsed__has_key="reading_call"), name="retrieval_run_read"
            ),
            # … and the few that were judged twice.
            models.Index(
                fields=["created_at"], condition=models.Q(plan__has_key="look_call"), name="retrieval_run_looked"
            ),
            # … and those that shared a request.
            models.Index(
                fields=["created_at"], condition=models.Q(plan__has_key="shared_call"), name="retrieval_run_shared"
            ),
        ]
        triggers = erasable(ERASED_RUN)

    def __str__(self) -> str:
        return self.question[:80]

    @property
    def is_partial(self) -> bool:
        """Whether a part of the question has no answer: the arbiter says so, or nothing that was kept carries it."""
        is_lacking = any(part["outcome"] in ABSENT for part in (self.plan or {}).get("parts", ()))
        return self.status == "found" and (self.answerable is False or is_lacking)

    @property
    def repeat(self) -> dict[str, str]:
        """Of a question answered from the record: the `run` and `answer` it repeats and the day `on` which; else {}."""
        told: dict[str, str] = (self.plan or {}).get("repeat", {})
        return told

    @property
    def judge(self) -> str:
        """Who judged the candidates: model, rules, rerank or nobody."""
        return "nobody" if self.arbiter_status == "not_run" or self.arbiter == "none" else self.arbiter

    @property
    def missing(self) -> str:
        """What the arbiter says is missing from what it kept."""
        return self.answerable_reason if self.is_partial else ""


# Candidates whose text instructs a model; a query with the same expression uses this index.
INSTRUCTING = (
    models.Q(context_text__iregex=PATTERN)
    | models.Q(section_title__iregex=PATTERN)
    | models.Q(context_text__regex=SPEAKERS)
    | models.Q(section_title__regex=SPEAKERS)
)


class RunCandidate(models.Model):
    """One candidate of a run, the discarded ones included, with its text, verdict, repair and boxes."""

    run = models.ForeignKey(RetrievalRun, on_delete=models.PROTECT, related_name="candidates")
    position = models.PositiveIntegerField()  # the arbiter's order, from 1
    candidate_id = models.CharField(max_length=60)
    document = models.ForeignKey(Document, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    parse = models.ForeignKey(Parse, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    document_title = models.CharField(max_length=300)
    methods = models.JSONField()
    matched_keywords = models.JSONField()
    toc_index = models.PositiveIntegerField()
    section_title = models.CharField(max_length=500)
    breadcrumb = models.TextField()
    exact_title = models.BooleanField()
    co_occurrence = models.BooleanField()
    type_match = models.BooleanField()
    line_score = models.FloatField()
    rrf_rank = models.PositiveIntegerField()
    role = models.CharField(max_length=10)
    reason = models.TextField()
    reason_facts = models.JSONField(default=dict, db_default={})  # what a page says of it, see told.reasons; {} before
    rule = models.CharField(max_length=60, blank=True)
    raw_content_anchor = models.TextField(blank=True)  # as the model gave it (R69)
    content_anchor = models.TextField(blank=True)
    anchor_repair = models.JSONField()
    anchor_pieces = models.JSONField()
    boxes = models.JSONField()  # of the content anchor, else of the anchor lines: [{page, x0, y0, x1, y1}]
    context_boxes = models.JSONField()
    anchor_first_line = models.PositiveIntegerField()
    anchor_last_line = models.PositiveIntegerField()
    anchor_first_page = models.PositiveIntegerField()
    anchor_last_page = models.PositiveIntegerField()
    anchor_page_label = models.CharField(max_length=40)
    anchor_text = models.TextField()
    context_first_line = models.PositiveIntegerField()
    context_last_line = models.PositiveIntegerField()
    context_first_page = models.PositiveIntegerField()
    context_last_page = models.PositiveIntegerField()
    context_text = models.TextField()
    snippet = models.TextField()
    brief = models.TextField()  # the exact block the arbiter read
    page_width = models.FloatField()
    page_height = models.FloatField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "candidate_id"], name="retrieval_candidate_once"),
            models.UniqueConstraint(fields=["run", "position"], name="retrieval_candidate_position"),
        ]
        indexes = [
            # For the review queue, which selects these few among all candidates.
            models.Index(
                fields=["run"],
                condition=models.Q(anchor_repair__status__in=["truncated", "rejected"]),
                name="retrieval_candidate_repaired",
            ),
            models.Index(fields=["run"], condition=INSTRUCTING, name="retrieval_candidate_instructs"),
            GinIndex(SearchVector("reason", config="simple"), name="retrieval_candidate_words"),
            models.Index(fields=["anchor_first_page", "role"], name="retrieval_candidate_page"),
        ]
        triggers = erasable(ERASED_CANDIDATE)

    def __str__(self) -> str:
        return f"{self.candidate_id} {self.role}"


class RunDocument(models.Model):
    """One document of a run's scope, whether it was read, counted in or neither, with its place in the shortlist.

    A table and not a column of the run: a base may hold ten thousand. Runs from before it have none.
    """

    run = models.ForeignKey(RetrievalRun, on_delete=models.PROTECT, related_name="documents", db_index=False)
    position = models.PositiveIntegerField()  # in the order of the scope, from 1
    document = models.ForeignKey(
        Document, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    parse = models.ForeignKey(
        Parse, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    parse_number = models.PositiveIntegerField(null=True)
    title = models.CharField(max_length=300)
    sha256 = models.CharField(max_length=64)
    pages = models.PositiveIntegerField(null=True)
    pages_with_text = models.PositiveIntegerField(null=True)
    state = models.CharField(max_length=10)  # read, counted, unreadable, unsearched
    cause = models.CharField(max_length=30, blank=True)
    reason = models.TextField()
    rank = models.PositiveIntegerField(null=True)
    ranked = models.PositiveIntegerField(null=True)  # how many documents the shortlist was made of
    words_score = models.FloatField(null=True)
    meaning_score = models.FloatField(null=True)
    name_score = models.FloatField(null=True)
    fused_score = models.FloatField(null=True)
    words = models.JSONField()
    finding = models.JSONField(null=True)  # of a document that was searched on its own, see types.DocumentResult

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="retrieval_document_position"),
            models.UniqueConstraint(fields=["run", "document"], name="retrieval_document_once"),
        ]
        triggers = erasable(ERASED_DOCUMENT)


class ReadingRuleSet(models.Model):
    """The rows a base added to the rules of reading, or switched off (R103). Insert-only: a change adds a whole set.

    The latest counts. `again_of` is the earlier number whose rows it has, chosen from the history.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    number = models.PositiveIntegerField()
    rows = models.JSONField()  # [kind, name, language, text, is on], see retrieval.question.kinds.RuleRow
    digest = models.CharField(max_length=12, blank=True)
    why = models.TextField()
    again_of = models.PositiveIntegerField(null=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    by_name = models.CharField(max_length=254)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["base", "number"], name="retrieval_rule_set_number")]
        triggers = insert_only()


class LearnedWord(models.Model):
    """What happened to a word that a model missed once and that helped (R83). Insert-only; the rows of a word add up.

    It is of a concept of the dictionary, by its name, else of the words of a topic, by their stems.
    """

    class Kind(models.TextChoices):
        LEARNED = "learned", _("learned")
        HELPED = "helped", _("helped")
        OFF = "off", _("switched off")
        ON = "on", _("switched on")
        TAKEN = "taken", _("taken into the dictionary")

    base = models.ForeignKey(KnowledgeBase, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    concept = models.CharField(max_length=120, blank=True)
    topic = models.CharField(max_length=300, blank=True)
    asked = models.CharField(max_length=300)  # the concept, or the words of the topic as they were asked
    word = models.CharField(max_length=120)  # in match form
    stems = models.CharField(max_length=120)
    language = models.CharField(max_length=8, blank=True)
    kind = models.CharField(max_length=7, choices=Kind.choices)
    run = models.ForeignKey(
        RetrievalRun, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="learned_words"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["base", "concept", "topic", "stems"],
                condition=models.Q(kind="learned") & ~models.Q(word=""),
                name="retrieval_word_learned_once",
            ),
            models.UniqueConstraint(
                fields=["run", "concept", "topic", "stems"],
                condition=models.Q(kind="helped") & ~models.Q(word=""),
                name="retrieval_word_helped_once",
            ),
        ]
        indexes = [models.Index(fields=["base"], name="retrieval_word_base")]
        triggers = erasable(ERASED_WORD)


class MeaningVote(models.Model):
    """What a choice says of the meaning of a vague word in a base (R23). Insert-only; a reset ends the votes before."""

    class Kind(models.TextChoices):
        CHOSEN = "chosen", _("chosen")
        REFUSED = "refused", _("refused")
        ACCEPTED = "accepted", _("silently accepted")
        RESET = "reset", _("reset")

    base = models.ForeignKey(KnowledgeBase, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    word = models.CharField(max_length=120)  # in match form
    document_type = models.CharField(max_length=60, blank=True)
    meaning = models.CharField(max_length=300, blank=True)  # its key; "" of a reset, which is of all of them
    text = models.CharField(max_length=300, blank=True)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    weight = models.FloatField()
    run = models.ForeignKey(
        RetrievalRun, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="meaning_votes"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["run", "kind", "meaning"], name="retrieval_vote_once")]
        indexes = [models.Index(fields=["base", "word"], name="retrieval_vote_word")]
        triggers = insert_only()
