"""Which model is asked: a small one to read and check, a hard one for what needs care, else the normal one (R25).

Each exchange names its tier and why. What the normal one is, owners choose among the models that are allowed
(`BaseSettings.model`; it holds within `asking_for`, where calls are also charged). One that is allowed no longer is
refused like a server that fails, so nothing is asked in its place.
"""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Literal, NamedTuple, get_args

from django.conf import settings

from jobs.block import with_value
from llm.recordings.recorded import current_recording

Tier = Literal["small", "normal", "hard"]
TIERS: tuple[Tier, ...] = get_args(Tier)
# Why a call has its tier where neither the question nor the base says so.
USUAL_REASONS: dict[Tier, str] = {
    "small": "calls of this kind read or check something short",
    "normal": "nothing says otherwise",
    "hard": "calls of this kind need care",
}
NAMED_MODEL = "the model was named for this call"

_chosen: ContextVar[str] = ContextVar("chosen", default="")


class ChosenTier(NamedTuple):
    """A tier, and why a call has it; "" for the usual reason."""

    tier: Tier = "normal"
    why: str = ""


def asking(model: str) -> AbstractContextManager[None]:
    """Let the calls in the block ask this model, which a base chose, in place of the normal one; "" for none."""
    return with_value(_chosen, model)


def is_allowed(model: str) -> bool:
    """Whether a base may choose the model; "" is the one of the installation."""
    return not model or model in settings.LLM_MODELS


def is_refused(model: str) -> bool:
    """Whether this is the model that a base chose while it was allowed: nothing is asked in its place unsaid."""
    return model == _chosen.get() and not is_allowed(model)


def model_for(tier: Tier) -> str:
    """The configured model of a tier, the normal one where it has none of its own; or the one that was recorded.

    The normal one is what `asking` says.
    """
    if recording := current_recording():
        return recording.model
    own = {"small": settings.LLM_MODEL_SMALL, "hard": settings.LLM_MODEL_HARD}
    return own.get(tier) or _chosen.get() or settings.LLM_MODEL


def models_in_use() -> tuple[str, ...]:
    """The models that may be asked, each once, the normal one first."""
    return tuple(dict.fromkeys((settings.LLM_MODEL, model_for("small"), model_for("hard"), *settings.LLM_MODELS)))
