"""Who may sign in at all and who administers; every change is recorded, and somebody always administers."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import Invitation, User, oldest_invitation
from ledger.events import record


class LastAdministrator(Exception):
    """Somebody has to be able to let people in; the message is for people."""


def people() -> QuerySet[User]:
    """Everybody with an account, invited ones included, with what the page of people shows."""
    waiting = Invitation.objects.filter(user=OuterRef("pk"), used_at=None)
    return (
        # The holder of the demonstration and its like: nobody ever could sign in as them.
        User.objects.exclude(is_active=False, last_login=None, invitations=None)
        .annotate(
            is_invited=Exists(waiting),
            is_invitation_open=Exists(waiting.filter(created_at__gte=oldest_invitation())),
        )
        .order_by("name", "email")
    )


def set_active(user: User, is_active: bool, by: User) -> None:
    """Close an account, which ends its sessions and tokens at once, or open it again. Raises LastAdministrator."""
    change(user, by, "person_enabled" if is_active else "person_disabled", is_active=is_active)


def set_administrator(user: User, is_administrator: bool, by: User) -> None:
    """Make a person an administrator of the site, or no longer. Raises LastAdministrator."""
    kind = "administrator_made" if is_administrator else "administrator_removed"
    change(user, by, kind, is_superuser=is_administrator, is_staff=is_administrator)


def remove_second_factor(user: User, by: str) -> bool:
    """Let a person in by password alone again, and end their sessions; whether there was a second factor."""
    with transaction.atomic():
        removed, _ = Authenticator.objects.filter(user=user).delete()
        if not removed:
            return False
        for session in UserSession.objects.filter(user=user):
            session.end()
        record("second_factor_removed", by, f"user:{user.pk}", {"email": user.email, "name": user.name})
    return True


def change(user: User, by: User, kind: str, **fields: Any) -> None:
    with transaction.atomic():
        # Two administrators removing each other at once must not both succeed.
        administrators = list(User.objects.select_for_update().filter(is_superuser=True, is_active=True))
        if not User.objects.filter(pk=user.pk).exclude(**fields).exists():
            return
        User.objects.filter(pk=user.pk).update(**fields)
        if administrators and not User.objects.filter(is_superuser=True, is_active=True).exists():
            raise LastAdministrator
        record(kind, str(by), f"user:{user.pk}", {"email": user.email, "name": user.name})
    user.refresh_from_db()
