"""Every exchange with a model, kept for good: exact request, raw reply, cost and outcome (R105, R106)."""

import uuid
from dataclasses import asdict
from decimal import Decimal

from django.conf import settings
from django.db import models, transaction
from django.utils.translation import gettext, gettext_noop

from ledger.triggers import erasable, insert_only
from llm.exchange import Exchange
from llm.prices import Price

gettext_noop("a large language model")  # as whom the demonstration's replies were recorded
KIND_WORDS = {
    "person": gettext_noop("persons"),
    "address": gettext_noop("addresses"),
    "email": gettext_noop("e-mail addresses"),
    "phone": gettext_noop("telephone numbers"),
    "account": gettext_noop("accounts"),
    "card": gettext_noop("cards"),
    "id": gettext_noop("identity numbers"),
}
# What an erasure leaves of an exchange instead of what was asked and answered.
ERASED_CALL = {
    "request": {},
    "request_sha256": "",
    "reuse_key": "",
    "response_id": "",
    "raw_reply": "",
    "error": "",
    "stand_ins": {},
}
# Calls with the reply of an earlier one, or with a recorded one: nothing was sent or paid.
REUSED = models.Q(parameters__has_any_keys=["reused", "recorded"])


UNPRICED = models.Q(charge=None) & ~REUSED


class LLMCallQuerySet(models.QuerySet["LLMCall"]):
    def record(self, exchange: Exchange) -> "LLMCall":
        """Store an exchange, including failed ones, and its cost if its model has a price."""
        with transaction.atomic():
            call = self.create(**asdict(exchange))
            price: Price | None = settings.LLM_PRICES.get(call.model) or settings.LLM_PRICES.get(call.model_returned)
            if price and call.tokens_in is not None and call.tokens_out is not None:
                Charge.objects.create(
                    call=call,
                    amount=price.cost(call.tokens_in, call.tokens_out, call.tokens_cached or 0),
                    currency=settings.LLM_CURRENCY,
                    price=price.model_dump(mode="json", by_alias=True),
                )
        return call

    def cost(self) -> tuple[Decimal | None, int]:
        """The total cost of these calls, None if none has a price, and the number of paid ones without one."""
        spent = self.order_by().aggregate(
            amount=models.Sum("charge__amount"), unpriced=models.Count("pk", filter=UNPRICED)
        )
        return spent["amount"], spent["unpriced"]


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
    reuse_key = models.CharField(max_length=64, blank=True)  # of equal requests, see llm.reuse
    raw_reply = models.TextField(blank=True)
    stand_ins = models.JSONField(default=dict, blank=True)  # in request and reply, and what they stand for
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
        indexes = (
            models.Index(fields=["started_at"], name="llmcall_started_at"),
            models.Index(fields=["reuse_key"], condition=~models.Q(reuse_key=""), name="llmcall_reuse_key"),
        )
        triggers = erasable(ERASED_CALL)

    def __str__(self) -> str:
        return f"{self.purpose} by {self.model}: {self.outcome}"

    @property
    def reused(self) -> dict[str, str]:
        """Of a reply used again: the `call` that got it and the day `on` which; else {}."""
        found: dict[str, str] = self.parameters.get("reused", {})
        return found

    @property
    def recorded(self) -> dict[str, str]:
        """Of a recorded reply: the day `on` which it was recorded, and `by` which model; else {}."""
        found: dict[str, str] = self.parameters.get("recorded", {})
        return found

    @property
    def pseudonyms(self) -> list[str]:
        """The kinds of which stand-ins were sent, in the reader's language, each with how many: "persons 3"."""
        counts: dict[str, int] = self.parameters.get("pseudonyms", {})
        told = ((gettext(word), str(counts[kind])) for kind, word in KIND_WORDS.items() if kind in counts)
        return [" ".join(each) for each in told]

    @property
    def answered_by(self) -> str:
        """The model that replied, of a recorded reply in the reader's language."""
        if by := self.recorded.get("by"):
            return gettext("%(model)s, recorded %(on)s") % {"model": gettext(by), "on": self.recorded["on"]}
        return self.model_returned or self.model


class Charge(models.Model):
    """The cost of one exchange by the price list of its day, insert-only. `price` is per million tokens."""

    call = models.OneToOneField(LLMCall, models.PROTECT, primary_key=True, related_name="charge")
    amount = models.DecimalField(max_digits=18, decimal_places=8)
    currency = models.CharField(max_length=3)
    price = models.JSONField()

    class Meta:
        triggers = insert_only()

    def __str__(self) -> str:
        return f"{self.amount.normalize():f} {self.currency}"


class Spent(models.Model):
    """The amount booked on one day (UTC) for one payer: everybody, a base or a person. A counter, not a record."""

    day = models.DateField()
    payer = models.CharField(max_length=60)
    amount = models.DecimalField(max_digits=18, decimal_places=8)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["day", "payer"], name="llm_spent_day_payer")]

    def __str__(self) -> str:
        return f"{self.payer} {self.day}: {self.amount}"
