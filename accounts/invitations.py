"""Invitations: an account without a password, and a one-time link to choose one."""

import secrets

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import Invitation, InvitationQuerySet, User, token_digest
from ledger.events import record

TOKEN_BYTES = 32


class InvitationClosed(Exception):
    """The link was used meanwhile, has expired or been superseded, or the account was disabled."""


class AccountDisabled(Exception):
    """Disabled accounts cannot be invited; the message is for people."""

    def __init__(self) -> None:
        super().__init__(gettext("This account is disabled. Enable it first."))


def invite(email: str, by: User, name: str = "") -> tuple[User, str]:
    """Return the person of an address, created if new, and the token of a fresh link; earlier links become invalid.

    Raises:
        AccountDisabled: an administrator has to enable the account first.
    """
    with transaction.atomic():
        known = User.objects.select_for_update().filter(email=email.lower()).first()
        user = known or make_person(email, name)
        if user.disabled_at:
            raise AccountDisabled
        token = secrets.token_urlsafe(TOKEN_BYTES)
        user.invitations.filter(used_at=None).delete()
        Invitation.objects.create(user=user, digest=token_digest(token))
        kind = "password_link_made" if user.is_active else "person_invited"
        record(kind, str(by), f"user:{user.pk}", {"email": user.email, "name": user.name})
    return user, token


def make_person(email: str, name: str) -> User:
    """A person who has not arrived yet; the one somebody else made in the same moment."""
    try:
        with transaction.atomic():
            return User.objects.create_user(email, None, name=name, is_active=False)
    except IntegrityError:
        return User.objects.select_for_update().get(email=email.lower())


def accept(token: str, *, name: str, password: str) -> User:
    """Activate the person of a link with the password they chose, and use the link up.

    Raises:
        InvitationClosed: the link no longer opens.
    """
    with transaction.atomic():
        invitation = lock_invitation(Invitation.open_for(token))
        if invitation is None:
            raise InvitationClosed
        user = invitation.user
        user.name = name
        user.set_password(password)
        let_in(user, invitation, "link")
    return user


def accept_signed_on(user: User) -> bool:
    """Activate an invited person verified by the sign-on provider; return whether an invitation was open."""
    with transaction.atomic():
        invitation = lock_invitation(user.invitations.open())
        if invitation is None:
            return False
        let_in(invitation.user, invitation, "sign-on")
    user.refresh_from_db()
    return True


def lock_invitation(invitations: InvitationQuerySet) -> Invitation | None:
    """Lock the open invitation of one person, so that nobody uses or disables it until the transaction ends."""
    # The person first, as in disabling; open invitations are read after that.
    User.objects.select_for_update().filter(invitations__in=invitations).first()
    return invitations.select_related("user").select_for_update(of=("self",)).first()


def let_in(user: User, invitation: Invitation, door: str) -> None:
    user.is_active = True
    user.save(update_fields=["name", "password", "is_active"])
    invitation.used_at = timezone.now()
    invitation.save(update_fields=["used_at"])
    record("invitation_accepted", str(user), f"user:{user.pk}", {"email": user.email, "door": door})
