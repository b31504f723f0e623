"""How much one person may ask of the API in a minute, counted where every web process sees it."""

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
        now = time.time()
        self.left_s = WINDOW_S - now % WINDOW_S
        most: int = getattr(settings, self.setting)
        return counted(f"rate:{self.name}:{request.user.pk}:{int(now // WINDOW_S)}") <= most

    def wait(self) -> float:
        return self.left_s


class RequestLimit(Limit):
    """Of every request."""

    name, setting = "requests", "API_RATE"


class QuestionLimit(Limit):
    """Of questions besides, which cost work and money: of the views that say `asks`."""

    name, setting = "questions", "ASK_RATE"

    def allow_request(self, request: Request, view: "APIView") -> bool:
        return not getattr(view, "asks", False) or super().allow_request(request, view)


def counted(key: str) -> int:
    """The number of this request among those under a key."""
    cache.add(key, 0, 2 * WINDOW_S)
    try:
        return cache.incr(key)
    except ValueError:  # the counter went between the two, because Redis came or went
        return 1
