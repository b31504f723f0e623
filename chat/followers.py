"""Who follows a turn or waits for one (W5): whether they still may, and how many streams they have open.

A request is checked when it begins, and may then last for minutes: who reads is asked for again every few seconds.

So a stream ends within 15 s after its reader lost the base, the session, the token or the account; 30 s are promised.
"""

import json
import logging
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from functools import partial
from typing import NamedTuple

import redis
from asgiref.sync import sync_to_async
from django.db import close_old_connections
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.translation import get_language, gettext, override
from rest_framework.request import Request

from accounts.models import Token, User
from accounts.requests import user_of
from accounts.sessions import person_of
from chat import stream
from chat.models import Extraction, Retrieval, Turn
from chat.page.stages import say_stage
from jobs import silence
from retrieval.told.reasons import in_words

STREAMS_MAX = 10  # of one person at once
PLACE_S = 3 * stream.LOOK_S  # a stream whose process died keeps its place no longer
BUSY_RETRY_S = 15
PLACE_KEPT = "A place among the streams of a person is kept for %s s: %s"

logger = logging.getLogger(__name__)


class TooManyStreams(Exception):
    """The person has as many streams open as one may have; the message is for people."""

    def __init__(self) -> None:
        words = gettext("One person may follow %(most)s answers at once. Close one, or wait until one has ended.")
        super().__init__(words % {"most": STREAMS_MAX})


class Follower(NamedTuple):
    """Somebody who reads, and what let them in: a token, or else a session."""

    person: int
    token: uuid.UUID | None
    session: str | None
    language: str | None = None

    def may_read(self, kind: type[Turn] | type[Retrieval] | type[Extraction], pk: uuid.UUID) -> bool:
        """Whether they still may, asked of the rows; no connection is held afterwards."""
        try:
            user = self._signed_in()
            return user is not None and kind._default_manager.visible_to(user).filter(pk=pk).exists()
        finally:
            close_old_connections()

    def _signed_in(self) -> User | None:
        if self.token is None:
            user = person_of(self.session)
        else:
            rows = Token.objects.living().select_related("user").filter(pk=self.token, user__is_active=True)
            user = next((row.user for row in rows), None)
        return user if user is not None and user.pk == self.person else None


def follower_of(request: HttpRequest | Request, user: User | None = None) -> Follower:
    """The reader of a request; `user` where the view knows it already."""
    token = getattr(request, "auth", None)
    held = token.pk if isinstance(token, Token) else None
    session = None if held else request.session.session_key
    return Follower((user or user_of(request)).pk, held, session, get_language())


def say_event(language: str | None, event: stream.StreamEvent) -> stream.StreamEvent:
    """An event in the words of whoever follows: a worker tells figures, and sentences as they are recorded."""
    if event.type not in ("stage", "question"):
        return event
    told = json.loads(event.data)
    with override(language):
        said = say_stage(told) if event.type == "stage" else told | {"note": in_words(told["note"])}
    return event._replace(data=json.dumps(said, ensure_ascii=False))


# ---- places: a person has so many, whichever process serves the stream


def places_key(person: int) -> str:
    return f"streams:{person}"


def take_place(person: int) -> str:
    """A place for one more stream. Raises TooManyStreams; without Redis there is always one."""
    place, key, now = uuid.uuid4().hex, places_key(person), time.time()
    if silence.lasts():
        return place
    try:
        with stream.shared_client().pipeline() as pipe:
            pipe.zremrangebyscore(key, 0, now)
            pipe.zadd(key, {place: now + PLACE_S})
            pipe.expire(key, PLACE_S)
            pipe.zcard(key)
            taken = pipe.execute()[-1]
        if taken > STREAMS_MAX:
            stream.shared_client().zrem(key, place)
            raise TooManyStreams
    except redis.RedisError as error:
        silence.note(error)
        logger.warning("The streams of a person are not counted: %s", error)
    return place


@contextmanager
def taken_place(person: int) -> Iterator[str]:
    """A place for the stream that is begun here; free again at once if it cannot begin. Raises TooManyStreams."""
    place = take_place(person)
    try:
        yield place
    except BaseException:
        try:
            stream.shared_client().zrem(places_key(person), place)
        except redis.RedisError as error:
            logger.warning(PLACE_KEPT, PLACE_S, error)
        raise


def keep_place(person: int, place: str) -> None:
    """Keep a place for as long again."""
    try:
        with stream.shared_client().pipeline() as pipe:
            pipe.zadd(places_key(person), {place: time.time() + PLACE_S})
            pipe.expire(places_key(person), PLACE_S)
            pipe.execute()
    except redis.RedisError as error:
        logger.warning("The streams of a person are not counted: %s", error)


async def follow_as(
    follower: Follower, turn_id: uuid.UUID, last_id: str, *, is_ended: bool, place: str
) -> AsyncGenerator[bytes]:
    """The frames of a turn for as long as the reader may read it; the place taken for it is free again after that."""

    def look() -> bool:
        keep_place(follower.person, place)
        return follower.may_read(Turn, turn_id)

    # In a thread of the pool: a stream shall not hold one of its own while it waits.
    may_go_on = sync_to_async(look, thread_sensitive=False)
    say = partial(say_event, follower.language)
    frames = stream.follow(turn_id, last_id, is_ended=is_ended, may_go_on=may_go_on, say=say)
    try:
        # That of view and middleware, in their thread; it would be held for as long as the stream lasts.
        await sync_to_async(close_old_connections)()
        async with aclosing(frames):
            async for frame in frames:
                yield frame
    finally:
        await leave_place(follower.person, place)


def answer_with(frames: AsyncIterator[bytes], headers: Mapping[str, str] | None = None) -> StreamingHttpResponse:
    """Events as a response that no proxy holds back."""
    headers = {"X-Accel-Buffering": "no", **(headers or {})}
    return StreamingHttpResponse(frames, content_type="text/event-stream", headers=headers)


async def leave_place(person: int, place: str) -> None:
    try:
        await stream.reader_client().zrem(places_key(person), place)
    except redis.RedisError as error:
        logger.warning(PLACE_KEPT, PLACE_S, error)
