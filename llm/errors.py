"""Why a model gave nothing usable. Every error carries the exchange, so that the caller can store it."""

from typing import ClassVar

from llm.exchange import Exchange


class LLMError(Exception):
    """The model gave nothing usable; `permanent`: asking the same again will not help."""

    outcome: ClassVar[str]

    def __init_subclass__(cls, outcome: str) -> None:
        cls.outcome = outcome

    def __init__(self, message: str, permanent: bool, exchange: Exchange) -> None:
        super().__init__(message, permanent, exchange)
        self.message = message
        self.permanent = permanent
        self.exchange = exchange

    def __str__(self) -> str:
        return self.message


class NotConfigured(LLMError, outcome="not_configured"):
    """No key and no address are set."""


class NotAllowed(LLMError, outcome="not_allowed"):
    """The model that a base chose is no longer among those allowed."""


class LimitReached(LLMError, outcome="limit_reached"):
    """Today's budget of a person, a base or the installation is spent; nothing was sent."""


class Unwanted(LLMError, outcome="stopped"):
    """Who asked pressed Stop before there was a reply."""


class CircuitOpen(LLMError, outcome="circuit_open"):
    """The server failed too often recently; nothing was sent."""


class Unreachable(LLMError, outcome="unreachable"):
    """Refused connection, unknown name, bad certificate, connection cut before a reply."""


class ServerFailed(LLMError, outcome="server_failed"):
    """The server answered with its own failure (5xx, 408, 409)."""


class RateLimited(LLMError, outcome="rate_limited"):
    """429, and waiting does not fit the deadline."""


class DeadlinePassed(LLMError, outcome="timeout"):
    """No complete reply within the deadline."""


class Rejected(LLMError, outcome="rejected"):
    """Another 4xx, or a redirect."""


class PromptTooLong(Rejected, outcome="prompt_too_long"):
    """The prompt does not fit the model's context."""


class Refused(LLMError, outcome="refused"):
    """The model declined, or a content filter stopped it."""


class Truncated(LLMError, outcome="truncated"):
    """The reply ended early: length limit, connection cut half way, larger than allowed."""


class Malformed(LLMError, outcome="malformed"):
    """The reply does not have the requested form."""
