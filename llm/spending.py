"""Spending limits: the maximum cost of a call is booked before it is sent, and corrected afterwards (L9).

One row per day and payer counts bookings: for everybody together, each base, each person. A call is allowed while the
count is below the limit, so concurrent calls can exceed it by no more than the last one's cost.
"""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import NamedTuple

from django.conf import settings
from django.db import connection, transaction

from jobs.block import with_value
from llm.prices import Price

CHARACTERS_PER_TOKEN = 3  # an overestimate of tokens: bookings are corrected downwards
REPLY_TOKENS = 4_000  # verdicts on fifty candidates, or a long answer
BOOKED = """
INSERT INTO llm_spent (day, payer, amount) VALUES (%(day)s, %(payer)s, %(amount)s)
ON CONFLICT (day, payer) DO UPDATE SET amount = llm_spent.amount + EXCLUDED.amount WHERE llm_spent.amount < %(limit)s
"""
CORRECTED = "UPDATE llm_spent SET amount = amount + %s WHERE day = %s AND payer = ANY(%s)"
REACHED = "The spending limit of {limit} {currency} a day {whose} is reached. It is counted anew after midnight UTC."
NO_PRICE = "Spending is limited, but DOCINTEL_PRICES has no price for the model {model}, so it is not asked."


class LimitUsedUp(Exception):
    """One of today's limits is used up, or cannot be checked; the message is for people."""


class Payer(NamedTuple):
    """The account of calls: a person and a base, "" where there is none."""

    user: str = ""
    base: str = ""


_payer: ContextVar[Payer] = ContextVar("payer", default=Payer())  # noqa: B039, an immutable default


def paid_by(user: object, base: object) -> AbstractContextManager[None]:
    """Charge the calls in the block to this person and base (their keys)."""
    return with_value(_payer, Payer(str(user or ""), str(base or "")))


@dataclass(frozen=True)
class Booking:
    """An amount reserved for one call."""

    price: Price
    day: date
    payers: tuple[str, ...]
    amount: Decimal

    def settle(
        self, tokens_in: int | None, tokens_out: int | None, tokens_cached: int | None, *, is_unanswered: bool
    ) -> None:
        """Correct the count to actual use: nothing without an answer, the booking if tokens were not counted."""
        if tokens_in is not None:
            cost = self.price.cost(tokens_in, tokens_out or 0, tokens_cached or 0)
        else:
            cost = Decimal(0) if is_unanswered else self.amount
        with connection.cursor() as cursor:
            cursor.execute(CORRECTED, [cost - self.amount, self.day, list(self.payers)])


def book(model: str, characters: int) -> Booking | None:
    """Reserve the maximum cost of a prompt of that length; None without limits. Raises LimitUsedUp."""
    limits = limits_of_payer(_payer.get())
    if not limits:
        return None
    price: Price | None = settings.LLM_PRICES.get(model)
    if price is None:
        raise LimitUsedUp(NO_PRICE.format(model=model))
    amount = price.cost(characters // CHARACTERS_PER_TOKEN, REPLY_TOKENS)
    day = datetime.now(UTC).date()
    with transaction.atomic(), connection.cursor() as cursor:
        for payer, limit, whose in limits:
            cursor.execute(BOOKED, {"day": day, "payer": payer, "amount": amount, "limit": limit})
            if not cursor.rowcount:
                raise LimitUsedUp(REACHED.format(limit=limit, currency=settings.LLM_CURRENCY, whose=whose))
    return Booking(price, day, tuple(payer for payer, _, _ in limits), amount)


def limits_of_payer(payer: Payer) -> list[tuple[str, Decimal, str]]:
    """The limits of a payer, always in the same order, so that concurrent calls cannot deadlock."""
    limits = settings.SPENDING_LIMITS
    rows = (
        ("all", limits.get("day"), "for everybody together"),
        (f"base:{payer.base}" if payer.base else "", limits.get("base_day"), "for this base"),
        (f"user:{payer.user}" if payer.user else "", limits.get("user_day"), "for one person"),
    )
    return [(name, limit, whose) for name, limit, whose in rows if name and limit is not None]
