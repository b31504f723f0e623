"""Streams and waiting calls of people who lose access meanwhile (W5), and how many streams a person may have open."""

import asyncio
import json
import threading
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from statistics import median
from typing import Any

import pytest
import redis
from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings as configured
from django.db import connection
from django.test import AsyncClient, Client
from redis.backoff import NoBackoff
from redis.retry import Retry

from accounts.models import Token, User
from accounts.people import set_active
from accounts.sessions import SEEN_AT
from accounts.tokens import make_token, revoke_token
from chat import stream
from chat.conftest import Ask
from chat.followers import PLACE_S, STREAMS_MAX, Follower, TooManyStreams, keep_place, places_key, take_place
from chat.models import Conversation, Turn
from documents.models import KnowledgeBase, Membership

pytestmark = pytest.mark.django_db(transaction=True)

LOOK_S = 0.5
PATIENCE_S = 200
LOOKS = 25  # at the connections of open streams


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty times as often as in an installation, where nobody hears anything after 30 s."""
    assert stream.LOOK_S == 15
    monkeypatch.setattr(stream, "LOOK_S", LOOK_S)
    monkeypatch.setattr("chat.turns.waiting.LOOK_S", LOOK_S)


def leave_base(user: User, key: str) -> None:
    Membership.objects.filter(user=user).delete()


def end_session(user: User, key: str) -> None:
    import_module(configured.SESSION_ENGINE).SessionStore(key).delete()


def leave_browser_alone(user: User, key: str) -> None:
    session = import_module(configured.SESSION_ENGINE).SessionStore(key)
    session[SEEN_AT] = int(time.time()) - 9 * 3600
    session.save()


def revoke(user: User, key: str) -> None:
    revoke_token(Token.objects.get(user=user), user)


def disable(user: User, key: str) -> None:
    set_active(user, False, User.objects.get(email="tenant@example.org"))


def delete_conversation(user: User, key: str) -> None:
    Conversation.objects.filter(user=user).update(deleted_at="2026-01-01T00:00Z")


def do_nothing(user: User, key: str) -> None:
    pass


Lose = Callable[[User, str], None]
BY_SESSION: list[Lose] = [leave_base, end_session, leave_browser_alone, disable, delete_conversation]
BY_TOKEN: list[Lose] = [leave_base, revoke, disable]


def write(turn_id: uuid.UUID, over: threading.Event) -> None:
    """Words without a pause long enough for a ping."""
    while not over.wait(0.02):
        stream.publish_event(turn_id, "token", text="word ")


@pytest.fixture
def talking(ask: Ask, viewer: User) -> Iterator[Turn]:
    """A turn of the viewer that is being written, for ever."""
    turn = ask(user=viewer)
    over = threading.Event()
    writer = threading.Thread(target=write, args=(turn.pk, over))
    writer.start()
    yield turn
    over.set()
    writer.join()


async def last_after(frames: AsyncIterator[bytes], lose: Callable[[], None], is_enough: Callable[[], bool]) -> str:
    """The last of the frames that say something, of which one was the moment when somebody lost access.

    A ping comes wherever this machine stands still long enough.
    """
    last, is_lost = b"", False

    async def read() -> None:
        nonlocal last, is_lost
        async for each in frames:
            last = last if each.startswith(b": ping") else each
            if not is_lost and b"event: token" in each:
                await sync_to_async(lose)()
                is_lost = True
            if is_enough():
                reading.cancel()

    reading = asyncio.ensure_future(read())
    await asyncio.wait({reading}, timeout=PATIENCE_S)
    reading.cancel()
    await asyncio.wait({reading})
    with suppress(asyncio.CancelledError):
        reading.result()
    await stream.reader_client().aclose()
    return last.decode()


def follow_page(turn: Turn, user: User, lose: Lose, is_enough: Callable[[], bool] = lambda: False) -> str:
    async def read() -> str:
        browser = AsyncClient()
        await browser.aforce_login(user)
        key = str((await browser.asession()).session_key)
        response: Any = await browser.get(f"/ask/turns/{turn.pk}/events")
        assert response.status_code == 200
        return await last_after(response.streaming_content, lambda: lose(user, key), is_enough)

    return async_to_sync(read)()


def follow_by_token(turn: Turn, user: User, lose: Lose, is_enough: Callable[[], bool] = lambda: False) -> str:
    _, secret = make_token(user, "Client", ["ask"], 1)

    async def read() -> str:
        bearer = {"Authorization": f"Bearer {secret}"}
        response: Any = await AsyncClient().get(f"/api/v1/turns/{turn.pk}/events", headers=bearer)
        assert response.status_code == 200
        return await last_after(response.streaming_content, lambda: lose(user, ""), is_enough)

    return async_to_sync(read)()


@pytest.mark.parametrize("lose", BY_SESSION)
def test_a_stream_of_a_page_ends_soon_after_its_reader_lost_access(talking: Turn, viewer: User, lose: Lose) -> None:
    """W5: though words keep coming, so that no ping is ever due."""
    last = follow_page(talking, viewer, lose)
    assert "event: error" in last and "no longer open to you" in last


@pytest.mark.parametrize("lose", BY_TOKEN)
def test_a_stream_of_a_program_ends_soon_after_its_reader_lost_access(talking: Turn, viewer: User, lose: Lose) -> None:
    """W5: and the answer is not in its last event."""
    last = follow_by_token(talking, viewer, lose)
    assert "event: error" in last and "no longer open to you" in last


def test_a_stream_goes_on_for_whoever_keeps_access(
    talking: Turn, viewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[bool] = []
    may_read = Follower.may_read

    def look(follower: Follower, *what: Any) -> bool:
        looks.append(may_read(follower, *what))
        return looks[-1]

    monkeypatch.setattr(Follower, "may_read", look)
    for follow in (follow_page, follow_by_token):
        looks.clear()
        last = follow(talking, viewer, do_nothing, lambda: len(looks) >= 3)
        assert "event: token" in last and len(looks) >= 3 and all(looks)


def test_an_answer_that_comes_just_after_is_not_told(ask: Ask, viewer: User) -> None:
    """Between two looks the last event may come: the answer is read only for whoever still may read it."""
    turn = ask(user=viewer)
    stream.publish_event(turn.pk, "token", text="word ")

    def lose(user: User, key: str) -> None:
        leave_base(user, key)
        stream.publish_event(turn.pk, "done")

    last = follow_by_token(turn, viewer, lose)
    assert "event: error" in last


@pytest.mark.parametrize("lose", [leave_base, revoke, disable])
def test_a_call_that_waits_ends_soon_after_its_caller_lost_access(
    base: KnowledgeBase, document: object, viewer: User, lose: Lose, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W5, for a program that waits for JSON: it was let in, and loses access as its question goes to the workers."""
    monkeypatch.setattr("chat.turns.waiting.LOOK_MS", 50)
    monkeypatch.setattr("jobs.waking.send", lambda task, turn: lose(viewer, ""))
    _, secret = make_token(viewer, "Client", ["ask"], 1)
    asked = {"message": "What is the rent a month?", "knowledge_base_id": str(base.pk)}
    bearer = {"Authorization": f"Bearer {secret}"}
    answer = Client().post("/api/v1/chat", json.dumps(asked), content_type="application/json", headers=bearer)
    assert Turn.objects.exists()
    assert answer.status_code == 404 and answer.json()["code"] == "not_found"


def test_a_reader_is_who_came_and_nobody_else(ask: Ask, viewer: User, tenant: User, client: Client) -> None:
    turn = ask(user=viewer)
    client.force_login(tenant)
    key = client.session.session_key
    assert not Follower(viewer.pk, None, key).may_read(Turn, turn.pk), "somebody else signed in with the same browser"
    assert not Follower(viewer.pk, None, None).may_read(Turn, turn.pk)
    token, _ = make_token(tenant, "Client", ["ask"], 1)
    assert not Follower(viewer.pk, token.pk, None).may_read(Turn, turn.pk)
    own, _ = make_token(viewer, "Client", ["ask"], 1)
    assert Follower(viewer.pk, own.pk, None).may_read(Turn, turn.pk)


# ---- how many


@pytest.fixture
def person() -> int:
    """Somebody whose places nobody else counts."""
    return uuid.uuid4().int % 10**9 + 10**6


def test_a_person_has_ten_streams_at_once(person: int) -> None:
    for _ in range(STREAMS_MAX):
        take_place(person)
    with pytest.raises(TooManyStreams, match="One person may follow 10 answers at once"):
        take_place(person)
    assert stream.shared_client().zcard(places_key(person)) == STREAMS_MAX
    take_place(person + 1)


def test_the_limit_holds_for_streams_that_begin_together(person: int) -> None:
    def take(_: int) -> bool:
        with suppress(TooManyStreams):
            return bool(take_place(person))
        return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(take, range(40))) == STREAMS_MAX


def test_a_place_of_a_process_that_died_is_free_after_a_while(person: int, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [take_place(person) for _ in range(STREAMS_MAX)]
    now = time.time()
    monkeypatch.setattr("chat.followers.time.time", lambda: now + PLACE_S - 1)
    keep_place(person, places[0])
    monkeypatch.setattr("chat.followers.time.time", lambda: now + PLACE_S + 1)
    for _ in range(STREAMS_MAX - 1):
        take_place(person)
    with pytest.raises(TooManyStreams):
        take_place(person)
    left_s: Any = stream.shared_client().ttl(places_key(person))
    assert 0 < left_s <= PLACE_S


def test_there_is_no_limit_without_redis(person: int, monkeypatch: pytest.MonkeyPatch) -> None:
    away = redis.Redis(host="127.0.0.1", port=1, retry=Retry(NoBackoff(), 0))
    monkeypatch.setattr(stream, "shared_client", lambda: away)
    assert len({take_place(person) for _ in range(STREAMS_MAX + 2)}) == STREAMS_MAX + 2


def count_sessions() -> int:
    """Connections to this database but the one that counts."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


def test_streams_hold_no_connection_to_the_database(talking: Turn, viewer: User) -> None:
    _, secret = make_token(viewer, "Client", ["ask"], 1)
    bearer = {"Authorization": f"Bearer {secret}"}
    arrived = [0] * STREAMS_MAX

    async def follow(number: int) -> None:
        response: Any = await AsyncClient().get(f"/api/v1/turns/{talking.pk}/events", headers=bearer)
        async for each in response.streaming_content:
            arrived[number] += b"event: token" in each

    async def count_while_open() -> list[int]:
        before = await sync_to_async(count_sessions)()
        following = [asyncio.ensure_future(follow(number)) for number in range(STREAMS_MAX)]
        held: list[int] = []
        while len(held) < LOOKS:
            assert not any(each.done() for each in following)
            await asyncio.sleep(0.02)
            if all(arrived):
                held.append(await sync_to_async(count_sessions)() - before)
        for each in following:
            each.cancel()
        await asyncio.wait(following)
        await stream.reader_client().aclose()
        return held

    # Each look whether a reader still may takes one for a moment; streams that hold theirs would have ten.
    assert median(async_to_sync(count_while_open)()) < STREAMS_MAX / 2


def test_a_stream_that_ends_leaves_its_place(talking: Turn, viewer: User) -> None:
    follow_page(talking, viewer, leave_base)
    assert stream.shared_client().zcard(places_key(viewer.pk)) == 0


def test_one_stream_too_many_is_refused_and_keeps_no_question(base: KnowledgeBase, ask: Ask, viewer: User) -> None:
    turn = ask(user=viewer)
    for _ in range(STREAMS_MAX):
        take_place(viewer.pk)
    browser = Client()
    browser.force_login(viewer)
    sent = json.dumps({"message": "What is it?", "knowledge_base_id": str(base.pk), "stream": True})
    for answer in (
        browser.get(f"/ask/turns/{turn.pk}/events"),
        browser.get(f"/api/v1/turns/{turn.pk}/events"),
        browser.post("/api/v1/chat", sent, content_type="application/json"),
    ):
        assert answer.status_code == 429 and answer["Retry-After"] == "15"
        assert answer["Content-Type"] == "application/problem+json" and answer.json()["code"] == "too_many_streams"
    assert list(Turn.objects.all()) == [turn]


def test_a_question_that_is_not_kept_takes_no_place(base: KnowledgeBase, ask: Ask, viewer: User) -> None:
    browser = Client()
    browser.force_login(viewer)
    asked = {"message": "What is it?", "knowledge_base_id": str(base.pk), "stream": True}
    absent = json.dumps(asked | {"conversation_id": str(uuid.uuid4())})
    for _ in range(STREAMS_MAX + 1):
        assert browser.post("/api/v1/chat", absent, content_type="application/json").status_code == 404
    assert stream.shared_client().zcard(places_key(viewer.pk)) == 0
