"""Request limits per person and minute, for programs and pages together, counted where every web process sees them."""

import time
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

if TYPE_CHECKING:  # the framework's views read the settings, and these name this module
    from rest_framework.views import APIView

WINDOW_S = 60


class Limit(BaseThrottle):
    """A number of requests per person within any sixty seconds; those that are refused do not count.

    The framework's own throttle reads a list and writes it back, so concurrent requests slip through.
    """

    name: str
    setting: str

    def allow_request(self, request: Request, view: "APIView") -> bool:
        return self.passes(request.user.pk)

    def passes(self, *whose: int | str | None) -> bool:
        """Count a request of each, such as a person; return whether all are within the limit."""
        keys = [f"rate:{self.name}:{each}" for each in whose]
        wait_ms: int = self.kept_in().admit(keys, self.most, int(time.time() * 1000), WINDOW_S * 1000)
        self.left_s = wait_ms / 1000
        return wait_ms == 0

    def kept_in(self) -> Any:
        return cache

    @property
    def most(self) -> int:
        most: int = getattr(settings, self.setting)
        return most

    def wait(self) -> float:
        return self.left_s


class RequestLimit(Limit):
    """Applies to every request but those that end work."""

    name, setting = "requests", "API_RATE"

    def allow_request(self, request: Request, view: "APIView") -> bool:
        return bool(getattr(view, "ends_work", False)) or super().allow_request(request, view)


class StopLimit(Limit):
    """Applies to requests that end work: views with `ends_work`, and the pages of `page_limits.py`.

    Each process counts them for itself: a Stop must not wait for Redis.
    """

    name, setting = "stops", "API_RATE"

    def allow_request(self, request: Request, view: "APIView") -> bool:
        return not getattr(view, "ends_work", False) or super().allow_request(request, view)

    def kept_in(self) -> Any:
        return cast(Any, cache).spare


class CostlyLimit(Limit):
    """Also applies to requests that cost work or money: views with `is_costly`, and the pages of `page_limits.py`."""

    name, setting = "costly", "ASK_RATE"

    def allow_request(self, request: Request, view: "APIView") -> bool:
        return not getattr(view, "is_costly", False) or super().allow_request(request, view)


class LinkLimit(Limit):
    """Openings of addresses with a token in them, which need no account: by one network address, and of one link."""

    name, setting = "link", "LINK_RATE"
