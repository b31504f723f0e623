"""Sessions that end by themselves (W8): who for how long, and what counts as activity."""

import itertools
import time

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from accounts.models import Scope, User
from accounts.sessions import SEEN_AT, SIGNED_IN_AT, person_of
from accounts.tokens import make_token
from documents import access
from documents.models import Membership, Role
from tests.pages import on_one_line

pytestmark = pytest.mark.django_db

PASSWORD = "quiet-harbour-91"
MINUTE, HOUR, DAY = 60, 3600, 86_400
STRICT = ("administrator", "auditor")
IDLE = "You were signed out because this browser was not used for a while."
numbers = itertools.count()
LONG = "You were signed out because it is long since you signed in."


def make_person(kind: str) -> User:
    user = User.objects.create_user(f"{kind}@example.org", PASSWORD, name=kind.title())
    if kind == "administrator":
        User.objects.filter(pk=user.pk).update(is_superuser=True)
    elif kind != "nobody":
        base = access.create_base(User.objects.create_user(f"of-{kind}@example.org"), "Contracts")
        Membership.objects.create(base=base, user=user, role=kind)
    user.refresh_from_db()
    return user


def sign_in(client: Client, user: User) -> None:
    """Sign in from an address of its own, as attempts are counted for each."""
    address = f"10.9.{next(numbers) // 250}.{next(numbers) % 250}"
    answer = client.post("/accounts/login/", {"login": user.email, "password": PASSWORD}, REMOTE_ADDR=address)
    assert answer.status_code == 302


def move_back(client: Client, idle_s: float, age_s: float) -> str:
    """Make a session as old as that; return its key."""
    session = client.session
    now = time.time()
    session[SEEN_AT], session[SIGNED_IN_AT] = int(now - idle_s), int(now - age_s)
    session.save()
    assert session.session_key
    return str(session.session_key)


def is_signed_in(client: Client) -> bool:
    return client.get("/bases/").status_code == 200


@pytest.mark.parametrize("kind", ["administrator", Role.AUDITOR, Role.OWNER, Role.EDITOR, Role.VIEWER, "nobody"])
def test_how_long_a_session_lasts_is_told_by_who_it_is(client: Client, kind: str) -> None:
    """W8: 1 h without activity and 12 h in all for auditors and administrators, 8 h and 14 days for others."""
    user = make_person(kind)
    idle_s, longest_s = (HOUR, 12 * HOUR) if kind in STRICT else (8 * HOUR, 14 * DAY)
    for idle, age, lasts, words in [
        (idle_s - MINUTE, idle_s, True, ""),
        (idle_s + MINUTE, idle_s + MINUTE, False, IDLE),
        (MINUTE, longest_s - MINUTE, True, ""),
        (MINUTE, longest_s + MINUTE, False, LONG),
    ]:
        sign_in(client, user)
        key = move_back(client, idle, age)
        assert (person_of(key) == user) is lasts
        answer = client.get("/bases/")
        assert (answer.status_code == 200) is lasts, (idle, age)
        if not lasts:
            assert words in on_one_line(client.get(answer["Location"]))
            assert not Session.objects.filter(pk=key).exists()
        client.post("/accounts/logout/")


def test_an_ended_session_shows_no_page_and_does_nothing(client: Client) -> None:
    user = make_person(Role.AUDITOR)
    sign_in(client, user)
    move_back(client, 2 * HOUR, 2 * HOUR)
    assert client.post("/bases/", {"name": "Late"}).status_code == 302
    assert not user.membership_set.filter(role=Role.OWNER).exists()
    sign_in(client, user)
    assert is_signed_in(client), "a new session begins anew"
    assert IDLE not in on_one_line(client.get("/bases/"))


def test_an_ended_session_opens_no_api_and_a_token_does_not_end(client: Client) -> None:
    user = make_person("administrator")
    _, secret = make_token(user, "script", [Scope.READ], 90)
    sign_in(client, user)
    move_back(client, 2 * HOUR, 2 * HOUR)
    assert client.get("/api/v1/bases").status_code == 401
    assert client.get("/nowhere/").status_code == 404
    bearer = {"Authorization": f"Bearer {secret}"}
    assert client.get("/api/v1/bases", headers=bearer).status_code == 200


@pytest.mark.parametrize(
    ("headers", "counts"),
    [
        ({}, True),
        ({"HX-Request": "true"}, True),
        ({"HX-Request": "true", "X-By-Itself": "yes"}, False),
        ({"Accept": "text/event-stream"}, False),
    ],
)
def test_polls_and_streams_are_no_activity(client: Client, headers: dict[str, str], counts: bool) -> None:
    sign_in(client, make_person(Role.VIEWER))
    move_back(client, HOUR, HOUR)
    now = int(time.time())
    assert client.get("/bases/", headers=headers).status_code == 200
    assert (client.session[SEEN_AT] >= now) is counts


def test_what_somebody_sends_is_activity_whatever_its_headers(client: Client) -> None:
    sign_in(client, make_person(Role.VIEWER))
    move_back(client, HOUR, HOUR)
    now = int(time.time())
    client.post("/bases/", {"name": "Mine"}, headers={"X-By-Itself": "yes"})
    assert client.session[SEEN_AT] >= now


def test_a_session_is_written_once_a_minute_at_most(client: Client) -> None:
    sign_in(client, make_person(Role.VIEWER))
    move_back(client, 1, HOUR)
    before = Session.objects.get(pk=client.session.session_key).session_data
    for _ in range(3):
        assert is_signed_in(client)
    assert Session.objects.get(pk=client.session.session_key).session_data == before
    move_back(client, 61, HOUR)
    now = int(time.time())
    assert is_signed_in(client) and client.session[SEEN_AT] >= now


def test_a_part_of_a_page_and_a_stream_are_refused_and_not_led_elsewhere(client: Client) -> None:
    sign_in(client, make_person(Role.AUDITOR))
    for headers in ({"HX-Request": "true", "X-By-Itself": "yes"}, {"Accept": "text/event-stream"}):
        move_back(client, 2 * HOUR, 2 * HOUR)
        for _ in range(2):
            answer = client.get("/bases/", headers=headers)
            assert answer.status_code == 401 and answer.json()["code"] == "signed_out"
        assert IDLE in on_one_line(client.get("/accounts/login/")), "it says so when the page is loaded again"
        sign_in(client, User.objects.get(email="auditor@example.org"))
