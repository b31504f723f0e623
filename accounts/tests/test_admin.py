"""An administrator adds people; the admin's door has the same limit of attempts as the site's own."""

from django.test import Client

from accounts.models import User

PASSWORD = "a long pass phrase"


def test_it_adds_a_person_who_can_sign_in(db: None, client: Client) -> None:
    client.force_login(User.objects.create_superuser("root@example.org", PASSWORD))
    filled = {"email": "New@Example.org", "name": "New", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post("/admin/accounts/user/add/", filled).status_code == 302
    person = User.objects.get(email="new@example.org")
    assert not person.is_staff and not person.is_superuser
    arrived = Client().post("/accounts/login/", {"login": "new@example.org", "password": PASSWORD})
    assert arrived.status_code == 302


def test_it_refuses_a_weak_first_password(db: None, client: Client) -> None:
    client.force_login(User.objects.create_superuser("root@example.org", PASSWORD))
    filled = {"email": "new@example.org", "name": "New", "password1": "short", "password2": "short"}
    assert client.post("/admin/accounts/user/add/", filled).status_code == 200
    assert not User.objects.filter(email="new@example.org").exists()


def test_it_leads_strangers_of_the_admin_to_the_one_sign_in(db: None, client: Client) -> None:
    answer = client.get("/admin/login/", {"next": "/admin/"})
    assert answer.status_code == 302 and answer["Location"].startswith("/accounts/login/")
