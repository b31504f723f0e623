"""The cache of rate limits and of failing model servers: Redis, or this process's memory while Redis is down."""

import json
import logging
import threading
from collections.abc import Sequence
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

from jobs import silence

logger = logging.getLogger(__name__)

# Times of what was admitted, oldest first; one step for Redis, so that nothing slips in between look and count.
ADMIT = """
local now, most, window, wait = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), 0
for _, key in ipairs(KEYS) do
    local first = redis.call("LINDEX", key, 0)
    while first and now - tonumber(first) >= window do
        redis.call("LPOP", key)
        first = redis.call("LINDEX", key, 0)
    end
    local count = redis.call("LLEN", key)
    if count >= most then
        local leaves = redis.call("LINDEX", key, count - most) or now
        wait = math.max(wait, math.min(window, window - now + tonumber(leaves)))
    end
end
if wait == 0 then
    for _, key in ipairs(KEYS) do
        redis.call("RPUSH", key, ARGV[1])
        redis.call("PEXPIRE", key, ARGV[3])
    end
end
return wait
"""


class Json:
    """How values are stored in Redis. Django's default, pickle, would execute whatever somebody put there."""

    def dumps(self, value: Any) -> str:
        return json.dumps(value)

    def loads(self, text: bytes) -> Any:
        return json.loads(text)


class CountingCache(RedisCache):
    """Redis, which also counts what happened within the last moments."""

    def admit(self, keys: Sequence[str], most: int, now_ms: int, window_ms: int) -> int:
        """Count one more under each key, unless `most` were counted under one within the window; then none is.

        The milliseconds to wait until there is room, or 0 if it was counted.
        """
        client = self._cache.get_client(write=True)
        named = [self.make_and_validate_key(key) for key in keys]
        wait_ms: int = client.register_script(ADMIT)(keys=named, args=[now_ms, most, window_ms])
        return wait_ms


class SpareCache(LocMemCache):
    """The same in the memory of this process."""

    counting = threading.Lock()

    def admit(self, keys: Sequence[str], most: int, now_ms: int, window_ms: int) -> int:
        with self.counting:
            within = {key: [each for each in self.get(key, []) if now_ms - each < window_ms] for key in keys}
            leave = [([*times, now_ms])[len(times) - most] for times in within.values() if len(times) >= most]
            for key, times in within.items() if not leave else ():
                self.set(key, [*times, now_ms], window_ms / 1000)
        return max((min(window_ms, window_ms - now_ms + each) for each in leave), default=0)


class CacheOutage:
    """Whether Redis is away, as this process knows; a line in the log when that begins and another when it ends."""

    def __init__(self) -> None:
        self.changing = threading.Lock()
        self.lasts = False

    def begin(self, error: RedisError) -> None:
        with self.changing:
            has_begun, self.lasts = not self.lasts, True
        if has_begun:
            logger.warning("The cache is kept in this process, because Redis does not answer: %s", error)

    def end(self) -> None:
        with self.changing:
            has_ended, self.lasts = self.lasts, False
        if has_ended:
            logger.warning("Redis answers again: the cache is kept there")


outage = CacheOutage()


def steady(name: str) -> Any:
    """The method of this name, of the cache in this process while Redis does not answer."""

    def method(self: "SteadyCache", *arguments: Any, **named: Any) -> Any:
        if not silence.lasts():
            try:
                value = getattr(CountingCache, name)(self, *arguments, **named)
            except RedisError as error:
                outage.begin(error)
                silence.note(error)
            else:
                if outage.lasts:
                    outage.end()
                return value
        return getattr(self.spare, name)(*arguments, **named)

    return method


class SteadyCache(CountingCache):
    """Redis as a cache that never delays or fails a request: without it, limits and outages are counted per process."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.spare = SpareCache("rate-limits", params)

    get, set, add, incr = steady("get"), steady("set"), steady("add"), steady("incr")
    touch, delete, has_key = steady("touch"), steady("delete"), steady("has_key")
    admit = steady("admit")
