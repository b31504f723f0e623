"""Every exchange with a model, kept for good: the exact request, the raw reply, what it cost, how it ended (R105, R106)."""

import uuid
from dataclasses import asdict

from django.db import models

from ledger.triggers import insert_only
from llm.exchange import Exchange


class LLMCallQuerySet(models.QuerySet["LLMCall"]):
    def record(self, exchange: Exchange) -> "LLMCall":
        """Store an exchange as it happened, failed ones too."""
        return self.create(**asdict(exchange))


class LLMCall(models.Model):
    """One exchange with a model, insert-only."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    purpose = models.CharField(max_length=40)
    host = models.CharField(max_length=255, blank=True)
    api = models.CharField(max_length=20)
    model = models.CharField(max_length=200)
    model_returned = models.CharField(max_length=200, blank=True)
    response_id = models.CharField(max_length=200, blank=True)
    finish_reason = models.CharField(max_length=200, blank=True)
    prompt_name = models.CharField(max_length=100)
    prompt_version = models.CharField(max_length=40)
    parameters = models.JSONField()
    request = models.JSONField()
    request_sha256 = models.CharField(max_length=64)
    raw_reply = models.TextField(blank=True)
    tokens_in = models.PositiveIntegerField(null=True, blank=True)
    tokens_out = models.PositiveIntegerField(null=True, blank=True)
    tokens_cached = models.PositiveIntegerField(null=True, blank=True)
    latency_ms = models.PositiveIntegerField()
    attempts = models.PositiveSmallIntegerField()
    outcome = models.CharField(max_length=20)
    error = models.TextField(blank=True)
    started_at = models.DateTimeField()

    objects = LLMCallQuerySet.as_manager()

    class Meta:
        ordering = ("-started_at",)
        indexes = (models.Index(fields=["started_at"], name="llmcall_started_at"),)
        triggers = insert_only()

    def __str__(self) -> str:
        return f"{self.purpose} by {self.model}: {self.outcome}"
