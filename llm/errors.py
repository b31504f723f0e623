"""Why a model gave nothing usable. Every error carries the exchange, so that the caller can store it.

LLMError
├── NotConfigured      no key and no address are set
├── NotAllowed         the model that a base chose is no longer among those allowed
├── LimitReached       today's budget of a person, a base or the installation is spent; nothing was sent
├── Unwanted           who asked pressed Stop before there was a reply
├── CircuitOpen        the server failed too often recently; nothing was sent
├── Unreachable        refused connection, unknown name, bad certificate, connection cut before a reply
├── ServerFailed       the server answered with its own failure (5xx, 408, 409)
├── RateLimited        429, and waiting does not fit the deadline
├── DeadlinePassed     no complete reply within the deadline
├── Rejected           another 4xx, or a redirect
│   └── PromptTooLong  the prompt does not fit the model's context
├── Refused            the model declined, or a content filter stopped it
├── Truncated          the reply ended early: length limit, connection cut half way, larger than allowed
└── Malformed          the reply does not have the requested form
"""

from typing import ClassVar

from llm.exchange import Exchange


class LLMError(Exception):
    """The model gave nothing usable; `permanent`: asking the same again will not help."""

    outcome: ClassVar[str] = "failed"

    def __init__(self, message: str, permanent: bool, exchange: Exchange) -> None:
        super().__init__(message, permanent, exchange)
        self.message = message
        self.permanent = permanent
        self.exchange = exchange

    def __str__(self) -> str:
        return self.message


class NotConfigured(LLMError):
    outcome = "not_configured"


class NotAllowed(LLMError):
    outcome = "not_allowed"


class LimitReached(LLMError):
    outcome = "limit_reached"


class Unwanted(LLMError):
    outcome = "stopped"


class CircuitOpen(LLMError):
    outcome = "circuit_open"


class Unreachable(LLMError):
    outcome = "unreachable"


class ServerFailed(LLMError):
    outcome = "server_failed"


class RateLimited(LLMError):
    outcome = "rate_limited"


class DeadlinePassed(LLMError):
    outcome = "timeout"


class Rejected(LLMError):
    outcome = "rejected"


class PromptTooLong(Rejected):
    outcome = "prompt_too_long"


class Refused(LLMError):
    outcome = "refused"


class Truncated(LLMError):
    outcome = "truncated"


class Malformed(LLMError):
    outcome = "malformed"
