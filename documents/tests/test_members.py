"""An administrator who adds an address nobody has invites its person, with the role, in one step."""

import re

import pytest
from django.test import Client

from accounts.models import User
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


def test_an_owner_who_is_no_administrator_invites_nobody(root: User, base: KnowledgeBase, client: Client) -> None:
    ada = User.objects.create_user("ada@example.org", "quiet-harbour-91")
    set_role(base, ada, "owner", root)
    client.force_login(ada)
    answer = client.post(f"/bases/{base.pk}/members/", {"email": "nia@example.org", "role": "viewer"})
    assert answer.status_code == 400
    assert not User.objects.filter(email="nia@example.org").exists()
