"""An administrator who adds an address nobody has invites its person, with the role, in one step."""

import re

import pytest
from django.test import Client

from accounts.models import User
from accounts.people import set_active
from documents.access import create_base, role_in, set_role
from documents.models import KnowledgeBase
from ledger.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root@example.org", "quiet-harbour-91")


@pytest.fixture
def base(root: User) -> KnowledgeBase:
    return create_base(root, "Contracts")


def test_an_administrator_invites_from_the_members_page(root: User, base: KnowledgeBase, client: Client) -> None:
    client.force_login(root)
    page = client.post(f"/bases/{base.pk}/members/", {"email": "Nia@example.org", "role": "auditor"}).content.decode()
    link = re.search(r"http://testserver(/invitation/[^\"/]+/)", page)
    assert link is not None and "invited, not here yet" in page
    nia = User.objects.get(email="nia@example.org")
    assert role_in(nia, base) == "auditor"
    Client().post(link[1], {"name": "Nia", "password": "quiet-harbour-91"})
    newcomer = Client()
    newcomer.post("/accounts/login/", {"login": "nia@example.org", "password": "quiet-harbour-91"})
    assert "Contracts" in newcomer.get("/bases/").content.decode()
    kinds = list(Event.objects.order_by("created_at").values_list("kind", flat=True))
    assert kinds == ["person_invited", "role_changed", "invitation_accepted"]


def test_whoever_was_invited_is_added_to_further_bases_and_keeps_the_link(
    root: User, base: KnowledgeBase, client: Client
) -> None:
    client.force_login(root)
    page = client.post("/people/", {"email": "nia@example.org", "name": "Nia"}).content.decode()
    link = re.search(r"http://testserver(/invitation/[^\"/]+/)", page)
    assert link is not None
    for place in (base, create_base(root, "Policies")):
        added = client.post(f"/bases/{place.pk}/members/", {"email": "nia@example.org", "role": "viewer"}, follow=True)
        assert "/invitation/" not in added.content.decode() and "invited, not here yet" in added.content.decode()
        assert role_in(User.objects.get(email="nia@example.org"), place) == "viewer"
    assert Client().get(link[1]).status_code == 200, "the link they were given still opens"


def test_an_owner_who_is_no_administrator_invites_nobody(root: User, base: KnowledgeBase, client: Client) -> None:
    ada = User.objects.create_user("ada@example.org", "quiet-harbour-91")
    set_role(base, ada, "owner", root)
    client.force_login(ada)
    answer = client.post(f"/bases/{base.pk}/members/", {"email": "nia@example.org", "role": "viewer"})
    assert answer.status_code == 400
    assert not User.objects.filter(email="nia@example.org").exists()


def test_it_says_who_is_disabled_and_invites_nobody_who_is(root: User, base: KnowledgeBase, client: Client) -> None:
    ada, nia = (User.objects.create_user(f"{name}@example.org", "quiet-harbour-91") for name in ("ada", "nia"))
    set_role(base, ada, "viewer", root)
    for person in (ada, nia):
        set_active(person, False, root)
    client.force_login(root)
    page = client.get(f"/bases/{base.pk}/members/").content.decode()
    assert "disabled" in page and "not here yet" not in page
    answer = client.post(f"/bases/{base.pk}/members/", {"email": "nia@example.org", "role": "viewer"})
    assert answer.status_code == 400 and "This account is disabled. Enable it first." in answer.content.decode()
    assert role_in(nia, base) == ""
