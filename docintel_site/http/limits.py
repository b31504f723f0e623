"""Request limits per person and minute, for programs and pages together, counted where every web process sees them."""

import hashlib
import time
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

if TYPE_CHECKING:  # the framework's views read the settings, and these name this module
    from rest_framework.views import APIView

WINDOW_S = 60


class Limit(BaseThrottle):
    """A number of requests per person in each clock minute; adjacent minutes count separately.

    The framework's own throttle reads a list and writes it back, so concurrent requests slip through.
    """

    name: str
    setting: str

    def allow_request(self, request: Request, view: "APIView") -> bool:
        return self.passes(request.user.pk)

    def passes(self, person: int | None) -> bool:
        """Count a request of a person; return whether it is within the limit."""
        now = time.time()
        self.left_s = WINDOW_S - now % WINDOW_S
        return count_request(f"rate:{self.name}:{person}:{int(now // WINDOW_S)}") <= self.most

    @property
    def most(self) -> int:
        """The number of requests allowed."""
        most: int = getattr(settings, self.setting)
        return most

    def wait(self) -> float:
        return self.left_s


class RequestLimit(Limit):
    """Applies to every request."""

    name, setting = "requests", "API_RATE"


class CostlyLimit(Limit):
    """Also applies to requests that cost work or money: views with `is_costly`, and the pages of `page_limits.py`."""

    name, setting = "costly", "ASK_RATE"

    def allow_request(self, request: Request, view: "APIView") -> bool:
        return not getattr(view, "is_costly", False) or super().allow_request(request, view)


class LinkLimit:
    """Openings of addresses with a token in them, which need no account: by one network address, and of one link."""

    def __init__(self) -> None:
        self.left_s = 0.0

    def passes(self, address: str, link: str) -> bool:
        """Count a request; return whether it is within both limits."""
        now = time.time()
        self.left_s = WINDOW_S - now % WINDOW_S
        window = int(now // WINDOW_S)
        digest = hashlib.sha256(link.encode()).hexdigest()
        counts = [count_request(f"rate:link:{key}:{window}") for key in (f"from:{address}", f"to:{digest}")]
        return max(counts) <= self.most

    @property
    def most(self) -> int:
        """The number of requests allowed."""
        most: int = settings.LINK_RATE
        return most

    def wait(self) -> float:
        return self.left_s


def count_request(key: str) -> int:
    """The running number of this request under a key."""
    cache.add(key, 0, 2 * WINDOW_S)
    try:
        return cache.incr(key)
    except ValueError:  # the counter vanished in between, because Redis came or went
        return 1
