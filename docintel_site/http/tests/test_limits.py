"""Limits of the API: exact under a rush, one for everything and one for questions, and alive without Redis."""

import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from docintel_site.cache import SteadyCache, outage
from docintel_site.http import limits
from llm.breaker import FAILURES_MAX, Breaker

NOWHERE = "redis://127.0.0.1:1"


@pytest.fixture(autouse=True)
def one_minute(monkeypatch: pytest.MonkeyPatch) -> float:
    """The clock stands in the middle of a minute of its own, so that no test crosses from one to the next."""
    moment = time.time() // 60 * 60 + 22
    monkeypatch.setattr(limits, "time", SimpleNamespace(time=lambda: moment))
    cache.clear()
    monkeypatch.setattr(outage, "lasts", False)
    return moment


def steady_without_redis() -> SteadyCache:
    return SteadyCache(NOWHERE, {"OPTIONS": {"serializer": "docintel_site.cache.Json"}})


@pytest.fixture(params=["Redis", "memory"])
def kept_in(request: pytest.FixtureRequest) -> Any:
    """Where limits are counted: in Redis, and in this process while there is none."""
    spare = steady_without_redis()
    spare.spare.clear()
    return cache if request.param == "Redis" else spare


class LinkAt:
    """The limit of links at seconds of a clock of its own."""

    def __init__(self, kept_in: Any, monkeypatch: pytest.MonkeyPatch, settings: Settings, most: int) -> None:
        self.monkeypatch, self.wait_s = monkeypatch, 0.0
        monkeypatch.setattr(limits, "cache", kept_in)
        settings.LINK_RATE = most

    def __call__(self, second: float, *whose: str) -> bool:
        self.monkeypatch.setattr(limits, "time", SimpleNamespace(time=lambda: float(60_000_000 + second)))
        limit = limits.LinkLimit()
        passes = limit.passes(*whose or ("somebody",))
        self.wait_s = limit.wait()
        return passes


@pytest.fixture
def signed_in(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("ada@example.org", "quiet-harbour-91"))
    return client


def test_it_counts_two_hundred_at_once_exactly(settings: Settings) -> None:
    settings.API_RATE = 20
    request = cast(Any, SimpleNamespace(user=SimpleNamespace(pk=7)))
    with ThreadPoolExecutor(32) as pool:
        passed = list(pool.map(lambda _: limits.RequestLimit().allow_request(request, cast(Any, None)), range(200)))
    assert sum(passed) == 20


def test_it_says_when_to_come_back(signed_in: Client, settings: Settings) -> None:
    settings.API_RATE = 2
    codes = [signed_in.get("/api/v1/me").status_code for _ in range(3)]
    refused = signed_in.get("/api/v1/me")
    assert codes == [200, 200, 429]
    assert (refused.headers["Retry-After"], refused.json()["code"]) == ("60", "throttled")


def test_it_lets_in_again_when_sixty_seconds_are_over(
    signed_in: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch, one_minute: float
) -> None:
    settings.API_RATE = 1
    assert [signed_in.get("/api/v1/me").status_code for _ in range(2)] == [200, 429]
    monkeypatch.setattr(limits, "time", SimpleNamespace(time=lambda: one_minute + 60))
    assert signed_in.get("/api/v1/me").status_code == 200


def test_no_more_pass_within_any_sixty_seconds(
    kept_in: Any, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A border between two minutes is none, and what is refused keeps nobody out."""
    limit = LinkAt(kept_in, monkeypatch, settings, most=5)
    passed = [second for second in range(240) for _ in range(3) if limit(second)]
    assert passed[:5] == [0, 0, 0, 1, 1]
    assert max(sum(first <= each < first + 60 for each in passed) for first in passed) == 5
    assert len(passed) == 20


def test_who_comes_back_when_told_is_let_in_and_not_before(
    kept_in: Any, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = LinkAt(kept_in, monkeypatch, settings, most=3)
    assert [limit(second) for second in (0, 50, 59, 61)] == [True] * 4
    assert not limit(61.5)
    assert limit.wait_s == 48.5  # the one of 50 is the first of three
    assert not limit(109.999) and limit(110)


def test_a_lower_limit_is_waited_for_until_enough_are_over(
    kept_in: Any, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all(LinkAt(kept_in, monkeypatch, settings, most=4)(second) for second in (0, 10, 20, 30))
    lower = LinkAt(kept_in, monkeypatch, settings, most=2)
    assert not lower(31) and lower.wait_s == 49
    assert not lower(79) and lower(80)


def test_of_two_counts_neither_grows_when_one_is_reached(
    kept_in: Any, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = LinkAt(kept_in, monkeypatch, settings, most=2)
    assert [limit(1, "from", "to"), limit(2, "from"), limit(3, "from", "to"), limit(4, "to"), limit(5, "to")] == [
        *(True, True, False),
        *(True, False),
    ]


def test_it_limits_each_person_alone(signed_in: Client, settings: Settings) -> None:
    settings.API_RATE = 1
    other = Client()
    other.force_login(User.objects.create_user("bo@example.org", "quiet-harbour-91"))
    assert [client.get("/api/v1/me").status_code for client in (signed_in, signed_in, other)] == [200, 429, 200]


@pytest.mark.parametrize("address", ["/api/v1/retrieve", "/api/v1/chat", "/api/chat"])
def test_it_limits_questions_more(signed_in: Client, settings: Settings, address: str) -> None:
    settings.ASK_RATE = 1
    codes = [signed_in.post(address, {}, content_type="application/json").status_code for _ in range(2)]
    assert codes == [400, 429]
    assert signed_in.get("/api/v1/me").status_code == 200


def test_it_goes_on_in_its_own_memory_without_redis(caplog: pytest.LogCaptureFixture) -> None:
    steady = steady_without_redis()
    assert steady.add("attempts", 0, 60)
    assert not steady.add("attempts", 0, 60)
    assert [steady.incr("attempts"), steady.incr("attempts"), steady.get("attempts")] == [1, 2, 2]
    steady.set("history", [1.5, 2.5], 60)
    assert (steady.get("history"), steady.has_key("history"), steady.touch("history", 60)) == ([1.5, 2.5], True, True)
    assert (steady.delete("history"), steady.get("history", "gone")) == (True, "gone")
    assert caplog.text.count("Redis does not answer") == 1, "one line for all calls of an outage"


def test_the_log_says_once_that_redis_is_away_and_once_that_it_is_back(caplog: pytest.LogCaptureFixture) -> None:
    away, back = "Redis does not answer", "Redis answers again"
    for outages in (1, 2):
        for _ in range(3):
            steady_without_redis().get("history")
        assert (caplog.text.count(away), caplog.text.count(back)) == (outages, outages - 1)
        for _ in range(3):
            cache.get("history")
        assert (caplog.text.count(away), caplog.text.count(back)) == (outages, outages)


def test_a_model_server_that_fails_is_left_alone_without_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """L8: by each process for itself."""
    steady = steady_without_redis()
    monkeypatch.setattr("llm.breaker.cache", steady)
    server = Breaker("http://nowhere.example/v1")
    for _ in range(FAILURES_MAX):
        assert server.allows()
        server.failed()
    assert not server.allows()
    server.succeeded()
    assert server.allows()


def test_it_keeps_values_in_redis_as_json() -> None:
    cache.set("history", [1.5, True, "é"], 60)
    assert cache.get("history") == [1.5, True, "é"]
    stored = cast(Any, cache)._cache.get_client().get(cast(Any, cache).make_and_validate_key("history"))
    assert stored == b'[1.5, true, "\\u00e9"]'


def test_a_count_that_was_lost_begins_again(signed_in: Client, settings: Settings) -> None:
    settings.API_RATE = 1
    assert [signed_in.get("/api/v1/me").status_code for _ in range(2)] == [200, 429]
    cache.clear()
    assert signed_in.get("/api/v1/me").status_code == 200
