"""The cache of rate limits and of failing model servers: Redis, or this process's memory while Redis is down."""

import json
import logging
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

from jobs import silence

logger = logging.getLogger(__name__)


class Json:
    """How values are stored in Redis. Django's default, pickle, would execute whatever somebody put there."""

    def dumps(self, value: Any) -> str:
        return json.dumps(value)

    def loads(self, text: bytes) -> Any:
        return json.loads(text)


def steady(name: str) -> Any:
    """The method of this name, of the cache in this process while Redis does not answer."""

    def method(self: "SteadyCache", *arguments: Any, **named: Any) -> Any:
        if not silence.lasts():
            try:
                return getattr(RedisCache, name)(self, *arguments, **named)
            except RedisError as error:
                logger.warning("The cache is kept in this process, because Redis does not answer: %s", error)
                silence.note(error)
        return getattr(self.spare, name)(*arguments, **named)

    return method


class SteadyCache(RedisCache):
    """Redis as a cache that never delays or fails a request: without it, limits and outages are counted per process."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.spare = LocMemCache("rate-limits", params)

    get, set, add, incr = steady("get"), steady("set"), steady("add"), steady("incr")
    touch, delete, has_key = steady("touch"), steady("delete"), steady("has_key")
