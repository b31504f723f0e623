"""allauth adapters: people are invited, account changes are recorded, secrets are encrypted."""

import base64
import hashlib
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal.httpkit import clean_client_ip
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from cryptography.fernet import Fernet
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest

from accounts.invitations import accept_signed_on
from accounts.models import User
from ledger.events import record

UNKNOWN = "0.0.0.0"  # over a Unix socket nobody has an address


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """Where a request comes from: what the outermost proxy of ours noted, else who is connected.

        Each proxy adds the address it was asked from at the end; what stands before ours anybody can have written.
        """
        noted = request.headers.get("X-Forwarded-For", "").split(",")
        if 0 < settings.TRUSTED_PROXIES <= len(noted):
            address: str | None = clean_client_ip(noted[-settings.TRUSTED_PROXIES])
            if address:
                return address
        return str(request.META.get("REMOTE_ADDR") or UNKNOWN)

    def send_notification_mail(
        self,
        template_prefix: str,
        user: AbstractBaseUser,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Record allauth's account change (`password_changed`, `totp_activated`, …), and mail it if mail is set up."""
        assert isinstance(user, User)
        kind = template_prefix.rsplit("/", 1)[-1]
        record(kind, str(user), f"user:{user.pk}", {"email": user.email, "name": user.name})
        if settings.MAIL_CONFIGURED:
            super().send_notification_mail(template_prefix, user, context, email)


class SignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    """Sign-on through the organisation's provider. Opens existing accounts; new ones only if OIDC_SIGNUP is set."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return bool(settings.OIDC_SIGNUP)

    def authenticate_by_email(self, sociallogin: Any) -> tuple[User, str] | None:
        """The account of an address the provider has verified; an open invitation of it counts as accepted."""
        found: tuple[User, str] | None = super().authenticate_by_email(sociallogin)
        if found is not None and not found[0].is_active:
            accept_signed_on(found[0])
        return found

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: dict[str, Any]) -> User:
        user: User = super().populate_user(request, sociallogin, data)
        user.name = data.get("name") or ""
        user.email = user.email.lower()
        return user


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth is untyped
    """Second factors, with secrets encrypted by the installation's key."""

    def encrypt(self, text: str) -> str:
        return seal("second-factor").encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return seal("second-factor").decrypt(encrypted_text.encode()).decode()


def seal(purpose: str) -> Fernet:
    """What encrypts secrets of one purpose, with a key derived from the installation's."""
    digest = hashlib.sha256(f"{purpose}:{settings.SECRET_KEY}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
