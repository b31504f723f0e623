"""Letting people in: an account without a password, and a one-time link by which its person chooses one."""

import secrets

from django.db import transaction
from django.utils import timezone

from accounts.models import Invitation, User, token_digest
from ledger.events import record

TOKEN_BYTES = 32


class InvitationClosed(Exception):
    """The link was used meanwhile, is too old, or another one was made since."""


def invite(email: str, by: User, name: str = "") -> tuple[User, str]:
    """The person of an address, made if new, and the token of a fresh link; earlier links no longer open."""
    with transaction.atomic():
        user = User.objects.filter(email=email.lower()).first()
        if user is None:
            user = User.objects.create_user(email, None, name=name, is_active=False)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        user.invitations.filter(used_at=None).delete()
        Invitation.objects.create(user=user, digest=token_digest(token))
        kind = "password_link_made" if user.is_active else "person_invited"
        record(kind, str(by), f"user:{user.pk}", {"email": user.email, "name": user.name})
    return user, token


def accept(token: str, *, name: str, password: str) -> User:
    """Let the person of a link in, with the password they chose; the link is used up.

    Raises:
        InvitationClosed: the link no longer opens.
    """
    with transaction.atomic():
        invitation = Invitation.open_for(token).select_for_update(of=("self",)).select_related("user").first()
        if invitation is None:
            raise InvitationClosed
        user = invitation.user
        user.name = name
        user.set_password(password)
        let_in(user, invitation, "link")
    return user


def accept_signed_on(user: User) -> bool:
    """Let an invited person in whom the sign-on provider vouches for; whether an invitation was open."""
    with transaction.atomic():
        oldest = user.invitations.filter(used_at=None).select_for_update().first()
        if oldest is None or oldest.is_expired:
            return False
        let_in(user, oldest, "sign-on")
    return True


def let_in(user: User, invitation: Invitation, door: str) -> None:
    user.is_active = True
    user.save(update_fields=["name", "password", "is_active"])
    invitation.used_at = timezone.now()
    invitation.save(update_fields=["used_at"])
    record("invitation_accepted", str(user), f"user:{user.pk}", {"email": user.email, "door": door})
