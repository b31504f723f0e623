"""Request limits per person and minute, for programs and pages together, counted where every web process sees them."""

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
    """So many requests of a person in each minute of the clock; two minutes side by side are counted apart.

    The framework's own throttle reads a list and writes it back, so that requests at once slip through together.
    """

    name: str
    setting: str

    def allow_request(self, request: Request, view: "APIView") -> bool:
        return self.passes(request.user.pk)

    def passes(self, person: int | None) -> bool:
        """Count a request of a person, and say whether it is still within the limit."""
        now = time.time()
        self.left_s = WINDOW_S - now % WINDOW_S
        return count_request(f"rate:{self.name}:{person}:{int(now // WINDOW_S)}") <= self.most

    @property
    def most(self) -> int:
        """How many are allowed."""
        most: int = getattr(settings, self.setting)
        return most

    def wait(self) -> float:
        return self.left_s


class RequestLimit(Limit):
    """Of every request."""

    name, setting = "requests", "API_RATE"


class CostlyLimit(Limit):
    """Besides, of what costs work or money: of the views that say `is_costly`, and the pages of `page_limits.py`."""

    name, setting = "costly", "ASK_RATE"

    def allow_request(self, request: Request, view: "APIView") -> bool:
        return not getattr(view, "is_costly", False) or super().allow_request(request, view)


def count_request(key: str) -> int:
    """The number of this request among those under a key."""
    cache.add(key, 0, 2 * WINDOW_S)
    try:
        return cache.incr(key)
    except ValueError:  # the counter went between the two, because Redis came or went
        return 1
