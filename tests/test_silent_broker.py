"""A Redis that takes connections and says nothing: no request waits long for it, and what was accepted is kept."""

import os
import socket
import threading
import uuid
from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
import requests
from celery import Celery, current_app
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.db import connection
from django.db.models.functions import Now
from kombu.exceptions import OperationalError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from accounts.models import Scope, User
from accounts.tokens import make_token
from chat import stream
from chat.models import Conversation, Turn
from docintel_site.cache import SteadyCache
from documents.access import create_base
from documents.ingestion import conductor, tasks
from documents.models import Document, IngestJob
from documents.storage.uploads import accept_upload
from documents.tests.files import make_pdf, upload_of
from documents.tests.test_unlocking import PASSWORD, locked_with
from jobs import silence, waking
from tests.running import PATIENCE_S, web_server

ANSWER_WAIT_S = 2
FILES = 6


class Site(NamedTuple):
    """A web server whose Redis is silent, and who uses it."""

    address: str
    locked: Document
    program: requests.Session
    browser: requests.Session

    def request(self, who: str, method: str, path: str, **fields: Any) -> requests.Response:
        session = self.program if who == "program" else self.browser
        return session.request(method, f"{self.address}{path}", allow_redirects=False, timeout=PATIENCE_S, **fields)


@pytest.fixture(autouse=True)
def usual_patience(settings: Any) -> None:
    """What waits for the silent one in this process waits as long as on a usual machine."""
    settings.REDIS_TIMEOUTS = {name: 2 for name in settings.REDIS_TIMEOUTS}
    options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {**options, **settings.REDIS_TIMEOUTS}


@pytest.fixture(autouse=True)
def own_silence(settings: Any) -> Iterator[None]:
    """What a test learns of its Redis is forgotten with it, and nothing that it owes is done."""
    answering = settings.EVENTS_REDIS_URL
    yield
    silence._silence._owed.clear()
    answer_again(settings, answering)


@pytest.fixture
def taken() -> list[socket.socket]:
    """The connections that the silent one has taken."""
    return []


@pytest.fixture
def silent(taken: list[socket.socket]) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take_and_say_nothing() -> None:
            while True:
                try:
                    taken.append(server.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=take_and_say_nothing)
        thread.start()
        try:
            yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            for opened in taken:
                opened.close()


@pytest.fixture
def site(transactional_db: None, silent: str, tmp_path: Path) -> Iterator[Site]:
    ada = User.objects.create_superuser("ada@example.org", "quiet-harbour-91", name="Ada")
    base = create_base(ada, "Policies")
    locked = accept_upload(base, ada, upload_of(locked_with(PASSWORD), "locked.pdf"))
    conductor.ingest(locked.jobs.get())
    conductor.ingest(accept_upload(base, ada, upload_of(make_pdf(), "read.pdf")).jobs.get())
    IngestJob.objects.filter(state="queued").update(state="done", stage="done")
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY], session[HASH_SESSION_KEY] = str(ada.pk), ada.get_session_auth_hash()
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session.save()
    database = connection.settings_dict
    chosen = {
        "DATABASE_URL": f"postgresql://{quote(database['USER'])}@/{database['NAME']}"
        f"?host={quote(database['HOST'], safe='')}",
        "REDIS_URL": silent,
        "DOCINTEL_API_ANSWER_WAIT_S": str(ANSWER_WAIT_S),
        "DOCINTEL_PATIENCE": "1",
    }
    with (
        web_server({**os.environ, **chosen}, tmp_path / "log") as (address, _),
        requests.Session() as program,
        requests.Session() as browser,
    ):
        program.headers["Authorization"] = f"Bearer {make_token(ada, 'Silence', Scope.values, 1)[1]}"
        browser.cookies.set("sessionid", session.session_key)
        browser.cookies.set("csrftoken", "a" * 32)
        browser.headers["X-CSRFToken"] = "a" * 32
        requests.get(f"{address}/healthz", timeout=PATIENCE_S)
        yield Site(address, locked, program, browser)


def empty_queue() -> int:
    """Empty the queue of documents in the Redis of the tests; how many messages are left."""
    with current_app.connection_for_write() as link:
        channel: Any = link.default_channel
        channel.client.delete("ingest")
    return waking.messages_for(tasks.ingest_document)


def test_one_that_keeps_silent_is_asked_once(silent: str, settings: Any) -> None:
    settings.EVENTS_REDIS_URL = silent
    options = {"serializer": "docintel_site.cache.Json", "retry": settings.REDIS_RETRY, "socket_timeout": 0.2}
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept = SteadyCache(f"redis://127.0.0.1:{server.getsockname()[1]}/0", {"OPTIONS": options})
        assert kept.add("attempts", 0, 60) and silence.lasts()
        server.setblocking(False)
        with server.accept()[0], pytest.raises(BlockingIOError):
            server.accept()


def test_no_request_waits_for_a_silent_broker_and_what_is_accepted_is_kept(site: Site) -> None:
    """T5, R99."""
    base = site.locked.base_id
    assert site.request("browser", "GET", "/bases/").status_code == 200
    files = [("files", (f"{number}.pdf", make_pdf(note=str(number)))) for number in range(FILES)]
    taken = site.request("program", "POST", f"/api/v1/bases/{base}/documents", files=files)
    assert taken.status_code == 201, taken.text
    asked = {"message": "What is the notice period?", "knowledge_base_id": str(base), "fresh": True}
    reply = site.request("program", "POST", "/api/v1/chat", json=asked)
    assert reply.status_code == 202, reply.text
    assert Turn.objects.get().state == "queued"
    ready = requests.get(f"{site.address}/readyz", timeout=PATIENCE_S)
    assert (ready.status_code, ready.json()["parts"]["broker"]) == (503, "fail")

    queued = IngestJob.objects.filter(state="queued")
    assert queued.count() == FILES
    queued.update(created_at=Now() - timedelta(hours=1))
    before = empty_queue()
    tasks.sweep()
    assert (before, waking.messages_for(tasks.ingest_document)) == (0, FILES), "swept once Redis answers again"
    empty_queue()


def test_a_password_that_cannot_be_handed_on_is_a_503(site: Site) -> None:
    path = f"/api/v1/documents/{site.locked.pk}/unlock"
    told = site.request("program", "POST", path, json={"password": PASSWORD})
    assert (told.status_code, told.json()["code"], told.headers["Retry-After"]) == (503, "unavailable", "10")
    path = f"/documents/{site.locked.pk}/unlock/"
    page = site.request("browser", "POST", path, data={"password": PASSWORD})
    assert (page.status_code, page.headers["Retry-After"]) == (503, "10")
    assert "could not be handed on" in page.text and PASSWORD not in page.text
    assert site.locked.jobs.count() == 1, "nothing reads it again in vain"


def test_a_silent_redis_is_left_alone_until_it_answers_and_one_that_refuses_is_not(silent: str, settings: Any) -> None:
    """The first part of a process that waits for it in vain saves the others from it; what they owe it is then done."""
    options = {"OPTIONS": {"serializer": "docintel_site.cache.Json", **settings.REDIS_TIMEOUTS}}
    SteadyCache("redis://127.0.0.1:1/0", options).add("refused", 1)
    assert not silence.lasts(), "a refusal takes no time"

    empty_queue()
    turn_id, client, answering = str(uuid.uuid4()), stream.shared_client(), settings.EVENTS_REDIS_URL
    settings.EVENTS_REDIS_URL = silent
    steady = SteadyCache(silent, options)
    steady.add("count", 0)
    assert [steady.incr("count") for _ in range(50)] == [*range(1, 51)]
    waking.send(tasks.ingest_document, IngestJob())
    stream.publish_event(turn_id, "token")
    stream.publish_event(turn_id, "done")
    assert silence.lasts()
    assert (waking.messages_for(tasks.ingest_document), client.exists(stream.stream_key(turn_id))) == (0, 0)

    answer_again(settings, answering)
    assert waking.messages_for(tasks.ingest_document) == 1
    told: Any = client.xrange(stream.stream_key(turn_id))
    assert [fields["type"] for _, fields in told] == ["done"]
    empty_queue()


def answer_again(settings: Any, url: str) -> None:
    """Have Redis answer at this address, and wait for who asks it: its thread ends when what was owed is done."""
    asking = silence._silence._asking
    settings.EVENTS_REDIS_URL = url
    if asking is not None:
        asking.join(PATIENCE_S)
    assert not silence.lasts()


def test_a_process_forked_while_redis_is_silent_asks_for_itself_and_owes_nothing(silent: str, settings: Any) -> None:
    settings.EVENTS_REDIS_URL = silent
    silence.note(RedisTimeoutError(), lambda: None)
    child = os.fork()
    if not child:
        os._exit(silence.lasts() or len(silence._silence._owed))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert silence.lasts()


def test_what_failed_by_a_refusal_is_done_once_redis_answers(settings: Any) -> None:
    answering = settings.EVENTS_REDIS_URL
    settings.EVENTS_REDIS_URL = "redis://127.0.0.1:1/0"
    done: list[str] = []
    silence.note(ResponseError("OOM"), lambda: done.append("although it answers"))
    assert silence._silence._asking is None, "to ask again mends nothing"
    silence.note(RedisConnectionError("refused"), lambda: done[0])
    silence.note(RedisConnectionError("refused"), lambda: done.append("after the fault of another"))
    assert not silence.lasts(), "who asks is refused at once"
    answer_again(settings, answering)
    assert done == ["after the fault of another"]


def test_no_stop_asks_a_silent_redis(site: Site, taken: list[socket.socket]) -> None:
    talk = Conversation.objects.create(base=site.locked.base, user=User.objects.get())
    turns = [Turn.objects.create(conversation=talk, number=number, question="?", state="running") for number in (1, 2)]
    stopped = [
        site.request("program", "POST", f"/api/v1/turns/{turns[0].pk}/stop").status_code,
        site.request("browser", "POST", f"/ask/turns/{turns[1].pk}/stop").status_code,
    ]
    assert (stopped, taken) == ([202, 302], [])
    assert set(Turn.objects.values_list("stop_requested", flat=True)) == {True}


def test_a_broker_that_is_silent_is_noted_by_who_wakes(silent: str, settings: Any) -> None:
    settings.EVENTS_REDIS_URL = silent
    with Celery("silent", broker=silent, set_as_current=False) as app:
        app.conf.broker_transport_options = settings.CELERY_BROKER_TRANSPORT_OPTIONS

        @app.task(name="errand")
        def errand(errand_id: str) -> None: ...

        with pytest.raises(OperationalError):
            waking.send(errand, IngestJob())
        assert silence.lasts()
