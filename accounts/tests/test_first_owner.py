"""The first owner is made by a one-time link, once; nobody signs up by themselves."""

import re
from datetime import timedelta
from io import StringIO
from threading import Barrier, Thread

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import OwnerLink, User
from accounts.people import LinkUsed, make_first_owner
from ledger.models import Event

FORM = {"name": "Ada Osei", "email": "Ada@Example.org", "password": "quiet-harbour-91"}

pytestmark = pytest.mark.django_db


def test_it_makes_the_owner_and_signs_them_in(client: Client) -> None:
    address = f"/welcome/{OwnerLink.issue()}/"
    assert b"no default password" in client.get(address).content
    response = client.post(address, FORM)
    assert response.status_code == 302
    owner = User.objects.get()
    assert (owner.email, owner.name, owner.is_superuser) == ("ada@example.org", "Ada Osei", True)
    assert owner.check_password(FORM["password"])
    assert client.session["_auth_user_id"] == str(owner.pk)
    event = Event.objects.get()
    assert (event.kind, event.actor, event.subject) == ("first_owner_made", "Ada Osei", f"user:{owner.pk}")
    assert "quiet-harbour" not in str(event.details)


def test_it_works_only_once(client: Client) -> None:
    address = f"/welcome/{OwnerLink.issue()}/"
    client.post(address, FORM)
    assert Client().get(address).status_code == 404
    assert Client().post(address, {**FORM, "email": "eve@example.org"}).status_code == 404
    assert User.objects.count() == 1


def test_it_keeps_only_a_digest_of_the_token() -> None:
    token = OwnerLink.issue()
    assert token not in str(list(OwnerLink.objects.values()))


@pytest.mark.parametrize("token", ["x", "x" * 300, "%00", "../admin"])
def test_it_does_not_find_a_wrong_token(client: Client, token: str) -> None:
    OwnerLink.issue()
    assert client.get(f"/welcome/{token}/").status_code == 404


def test_it_does_not_open_an_old_link(client: Client) -> None:
    token = OwnerLink.issue()
    OwnerLink.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert client.get(f"/welcome/{token}/").status_code == 404


def test_it_voids_earlier_links(client: Client) -> None:
    earlier = OwnerLink.issue()
    OwnerLink.issue()
    page = client.get(f"/welcome/{earlier}/")
    assert page.status_code == 404 and b"This link no longer opens" in page.content


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"password": "short"}, b"too short"),
        ({"password": "password123"}, b"too common"),
        ({"email": "not an address"}, b"valid email"),
        ({"name": ""}, b"required"),
    ],
)
def test_it_says_what_is_wrong_and_keeps_the_link(client: Client, change: dict[str, str], words: bytes) -> None:
    address = f"/welcome/{OwnerLink.issue()}/"
    response = client.post(address, {**FORM, **change})
    assert response.status_code == 400
    assert words in response.content
    assert client.post(address, FORM).status_code == 302


@pytest.mark.django_db(transaction=True)
def test_it_makes_one_owner_when_two_post_at_once() -> None:
    token, outcomes, barrier = OwnerLink.issue(), [], Barrier(2, timeout=60)

    def post(email: str) -> None:
        barrier.wait()
        try:
            make_first_owner(token, name="A", email=email, password="quiet-harbour-91")
            outcomes.append("made")
        except LinkUsed:
            outcomes.append("used")
        finally:
            connection.close()

    threads = [Thread(target=post, args=(f"{name}@example.org",)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["made", "used"]
    assert User.objects.count() == 1


def test_it_prints_a_link_only_while_there_is_no_owner(client: Client) -> None:
    out = StringIO()
    call_command("first_owner_link", "--address", "http://127.0.0.1:8000/", stdout=out)
    link = out.getvalue().strip()
    assert link.startswith("http://127.0.0.1:8000/welcome/")
    assert client.get(link.removeprefix("http://127.0.0.1:8000")).status_code == 200
    User.objects.create_superuser("owner@example.org", "quiet-harbour-91")
    out = StringIO()
    call_command("first_owner_link", stdout=out)
    assert out.getvalue() == ""


def test_the_start_page_says_how_to_become_the_owner(client: Client) -> None:
    assert b"first_owner_link" in client.get("/").content


def test_strangers_cannot_sign_up(client: Client) -> None:
    User.objects.create_superuser("owner@example.org", "quiet-harbour-91")
    client.post("/accounts/signup/", {"email": "eve@example.org", "password1": "quiet-9-x!", "password2": "quiet-9-x!"})
    assert not User.objects.filter(email="eve@example.org").exists()


def test_a_person_signs_in_by_email_in_any_case(client: Client) -> None:
    User.objects.create_user("ada@example.org", "quiet-harbour-91")
    response = client.post("/accounts/login/", {"login": "Ada@Example.org", "password": "quiet-harbour-91"})
    assert response.status_code == 302
    assert client.get("/").headers["Location"].endswith("/bases/")


def test_every_page_asks_a_stranger_to_sign_in(client: Client) -> None:
    User.objects.create_superuser("owner@example.org", "quiet-harbour-91")
    for address in ("/bases/", "/ask/", "/audit/", "/status/", "/admin/"):
        response = client.get(address)
        assert response.status_code == 302, address
        assert "login" in response.headers["Location"], address


@pytest.mark.parametrize(
    ("change", "at"),
    [({"email": "ada"}, "email"), ({"password": "short"}, "password"), ({"name": ""}, "name")],
)
def test_an_error_stands_at_its_field(client: Client, change: dict[str, str], at: str) -> None:
    """The field names its error, which follows it, so that a screen reader says both."""
    page = client.post(f"/welcome/{OwnerLink.issue()}/", FORM | change)
    assert page.status_code == 400 and not User.objects.exists()
    words = page.content.decode()
    assert words.count('class="errorlist"') == 1 and words.count('aria-invalid="true"') == 1
    field = words.index(f'id="id_{at}"')
    error = words.index(f'id="id_{at}_error"')
    others = [words.index(f'id="id_{name}"') for name in FORM if name != at]
    assert field < error and not any(field < other < error for other in others)
    described = re.search(r'aria-describedby="([^"]*)"', words[words.rindex("<input", 0, field) : error])
    assert described is not None and f"id_{at}_error" in described[1].split()
