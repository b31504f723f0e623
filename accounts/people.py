"""Who may sign in and who administers; every change is recorded, and there is always an administrator."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.core.management.base import CommandError
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import Invitation, OwnerLink, User
from accounts.tokens import revoke_token
from ledger.events import record


class LastAdministrator(Exception):
    """There must be somebody who can let people in; the message is for people."""


class OwnRights(Exception):
    """Nobody ends their own administration, as one click would; the message is for people."""

    def __init__(self) -> None:
        super().__init__(
            gettext(
                "You are this administrator: what you give up here, only another one can give back. "
                "Ask another administrator to do it."
            )
        )


def find_person(email: str) -> User:
    """Who has that address, for users of the server's shell. Raises CommandError."""
    person = User.objects.filter(email=email.lower()).first()
    if person is None:
        raise CommandError(f"There is no user {email}.")
    return person


def people() -> QuerySet[User]:
    """Everybody with an account, including invited people, with the data of the people page."""
    return (
        # Not the demonstration's holder and the like, as whom nobody could ever sign in.
        User.objects.exclude(is_active=False, disabled_at=None, last_login=None, invitations=None)
        .annotate(is_invitation_open=Exists(Invitation.objects.open().filter(user=OuterRef("pk"))))
        .order_by("name", "email")
    )


def set_active(user: User, is_active: bool, by: User) -> None:
    """Disable an account, or enable it again; open links, sessions and tokens end for good.

    Raises:
        LastAdministrator: nobody would be left to let people in.
    """
    now = timezone.now()
    with transaction.atomic():
        if is_active:
            is_disabled = Q(disabled_at__isnull=False)
            changed = change(user, by, "person_enabled", is_disabled, is_active=True, disabled_at=None, enabled_at=now)
        else:
            changed = change(user, by, "person_disabled", Q(disabled_at=None), is_active=False, disabled_at=now)
        if changed:
            # Also when enabling: something begun before the account was disabled may have finished later. Sessions and
            # mailed links end by `User.closings`.
            user.invitations.filter(used_at=None).delete()
            for token in user.tokens.living():
                revoke_token(token, by)


def set_administrator(user: User, is_administrator: bool, by: User) -> None:
    """Make a person an administrator of the site, or not. Raises LastAdministrator."""
    kind = "administrator_made" if is_administrator else "administrator_removed"
    is_other = Q(is_superuser=not is_administrator)
    change(user, by, kind, is_other, is_superuser=is_administrator, is_staff=is_administrator)


def remove_second_factor(user: User, by: str) -> bool:
    """Let a person in by password alone, and end their sessions; return whether there was a second factor."""
    with transaction.atomic():
        removed, _ = Authenticator.objects.filter(user=user).delete()
        if not removed:
            return False
        for session in UserSession.objects.filter(user=user):
            session.end()
        record("second_factor_removed", by, f"user:{user.pk}", {"email": user.email, "name": user.name})
    return True


def change(user: User, by: User, kind: str, before: Q, **fields: Any) -> bool:
    """Change a person who still is as in `before`, on record; return whether anything changed."""
    with transaction.atomic():
        # Two administrators must not both succeed in removing each other.
        administrators = list(User.objects.select_for_update().filter(is_superuser=True, is_active=True))
        if not User.objects.filter(before, pk=user.pk).update(**fields):
            return False
        if administrators and not User.objects.filter(is_superuser=True, is_active=True).exists():
            raise LastAdministrator
        record(kind, str(by), f"user:{user.pk}", {"email": user.email, "name": user.name})
    user.refresh_from_db()
    return True


class LinkUsed(Exception):
    """The link was used meanwhile or has expired, or an owner exists already."""


def make_first_owner(token: str, *, name: str, email: str, password: str) -> User:
    """Create the first owner and use the link up in one transaction, on record.

    Raises:
        LinkUsed: the link no longer opens.
    """
    with transaction.atomic():
        link = OwnerLink.open_for(token).select_for_update().first()
        if link is None:
            raise LinkUsed
        link.used_at = timezone.now()
        link.save(update_fields=["used_at"])
        owner = User.objects.create_superuser(email, password, name=name)
        record("first_owner_made", str(owner), f"user:{owner.pk}", {"email": owner.email, "name": owner.name})
    return owner
