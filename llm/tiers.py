"""Which model is asked: a small one to read and check, a hard one for what needs care, else the normal one (R25)."""

from typing import Literal

from django.conf import settings

Tier = Literal["small", "normal", "hard"]


def model_for(tier: Tier) -> str:
    """The configured model of a tier; the normal one where it has none of its own."""
    own = {"small": settings.LLM_MODEL_SMALL, "hard": settings.LLM_MODEL_HARD}
    return own.get(tier) or settings.LLM_MODEL


def models_in_use() -> tuple[str, ...]:
    """The models that may be asked, each once, the normal one first."""
    return tuple(dict.fromkeys((settings.LLM_MODEL, model_for("small"), model_for("hard"))))
