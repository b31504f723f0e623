"""Which model a base is judged and written by: tiers and prices, limits and what is spent today, server and window."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from django.conf import settings

from accounts.models import User
from documents.access import change_settings
from documents.base_settings import EVERY_KEY, BaseSettings
from documents.models import KnowledgeBase, Role
from llm.call import host_of, server_url
from llm.models import Spent
from llm.prices import Price
from llm.spending import Payer, limits_of_payer
from llm.tiers import TIERS, ChosenTier, Tier, asking, is_allowed, model_for
from llm.window import Window, read_window
from retrieval.dispatch import find_named_tier
from retrieval.types import Question

ANY_QUESTION = Question("", "", "en", "field_extraction", "single", "text", ())


class TierInForce(NamedTuple):
    """A tier, its model, its price if it has one, and whether it is asked where a question says nothing else."""

    tier: Tier
    model: str
    price: Price | None
    is_usual: bool


class ModelOffered(NamedTuple):
    """A model that owners may choose, and its price if it has one."""

    name: str
    price: Price | None


class LimitInForce(NamedTuple):
    """A limit of a day: of whom (all, base or user), the amount, and what is spent; None where that is not shown."""

    whose: str
    limit: Decimal
    spent: Decimal | None


class ModelInForce(NamedTuple):
    """What holds in a base now; `chosen` is the model its owners chose, "" for that of the installation."""

    host: str
    window: Window
    tiers: tuple[TierInForce, ...]
    limits: tuple[LimitInForce, ...]
    currency: str
    chosen: str
    is_refused: bool  # it was allowed when it was chosen: nothing is asked in its place
    offered: tuple[ModelOffered, ...]


def read_in_force(base: KnowledgeBase, user: User, role: str) -> ModelInForce | None:
    """What holds in a base; None without a model."""
    if not settings.LLM_CONFIGURED:
        return None
    usual, prices, chosen = usual_tier(base).tier, settings.LLM_PRICES, BaseSettings.from_json(base.settings).model
    with asking(chosen):
        models = [(tier, model_for(tier)) for tier in TIERS]
        window = read_window()
    return ModelInForce(
        host=host_of(server_url()),
        window=window,
        tiers=tuple(TierInForce(tier, model, prices.get(model), tier == usual) for tier, model in models),
        limits=read_limits(base, user, role),
        currency=settings.LLM_CURRENCY,
        chosen=chosen,
        is_refused=not is_allowed(chosen),
        offered=tuple(ModelOffered(model, prices.get(model)) for model in settings.LLM_MODELS),
    )


def choose_model(base: KnowledgeBase, model: str, by: User) -> None:
    """Let a base ask this model in place of the one of the installation, or that one again for "".

    Raises SettingsError if it may not be chosen; the change is recorded.
    """
    base.refresh_from_db(fields=["name", "settings"])
    change_settings(base, base.name, replace(BaseSettings.from_json(base.settings), model=model), by)


def usual_tier(base: KnowledgeBase) -> ChosenTier:
    """The tier that judges and writes where a question says nothing else (R25)."""
    named = {key: tier for key, tier in BaseSettings.from_json(base.settings).tiers.items() if key == EVERY_KEY}
    return find_named_tier(ANY_QUESTION, named, ()) or ChosenTier()


def read_limits(base: KnowledgeBase, user: User, role: str) -> tuple[LimitInForce, ...]:
    """The limits with today's spending. What all bases spent together is for owners: readers know only their own."""
    limits = limits_of_payer(Payer(str(user.pk), str(base.pk)))
    counted = Spent.objects.filter(day=datetime.now(UTC).date(), payer__in=[payer for payer, _, _ in limits])
    spent = dict(counted.values_list("payer", "amount"))
    rows = []
    for payer, limit, _ in limits:
        whose = payer.partition(":")[0]
        is_shown = whose != "all" or role == Role.OWNER
        rows.append(LimitInForce(whose, limit, spent.get(payer, Decimal(0)) if is_shown else None))
    return tuple(rows)
