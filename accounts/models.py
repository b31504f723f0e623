"""People, their tokens, and the one-time links for the first owner and for invitations."""

import hashlib
import secrets
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractUser):
    """A person, identified by e-mail: active, disabled (`disabled_at`), or not yet arrived (neither)."""

    username = None  # type: ignore[assignment]
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    disabled_at = models.DateTimeField(null=True, editable=False)
    enabled_at = models.DateTimeField(null=True, editable=False)  # when last disabled and enabled again

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]

    class Meta(AbstractUser.Meta):
        constraints = [
            # No way of signing in opens a disabled account; only enabling it does.
            models.CheckConstraint(
                condition=models.Q(is_active=False) | models.Q(disabled_at=None), name="accounts_disabled_is_inactive"
            )
        ]

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def closings(self) -> str:
        """What changes when the account is disabled or enabled; empty if it never was."""
        return "".join(f"|{moment.timestamp()}" for moment in (self.disabled_at, self.enabled_at) if moment)

    def get_session_auth_hash(self) -> str:
        """Sessions end when this changes: with the password, and when the account is disabled."""
        return super().get_session_auth_hash() + self.closings

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        return (earlier + self.closings for earlier in super().get_session_auth_fallback_hash())


def token_digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class OwnerLink(models.Model):
    """A one-time link to create the first owner; only the token's digest is stored."""

    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)

    @classmethod
    def issue(cls) -> str:
        """Make a new link and void earlier ones; the token is returned once and not stored."""
        token = secrets.token_urlsafe(32)
        cls.objects.filter(used_at=None).delete()
        cls.objects.create(digest=token_digest(token))
        return token

    @classmethod
    def open_for(cls, token: str) -> "models.QuerySet[OwnerLink]":
        """The link of a token, if it is unused and not expired, and no owner exists yet."""
        oldest = timezone.now() - timedelta(hours=settings.FIRST_OWNER_LINK_HOURS)
        if User.objects.filter(is_superuser=True).exists():
            return cls.objects.none()
        return cls.objects.filter(digest=token_digest(token), used_at=None, created_at__gte=oldest)


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self) -> "InvitationQuerySet":
        """Those unused, not expired, and not of disabled people."""
        oldest = timezone.now() - timedelta(days=settings.INVITATION_DAYS)
        return self.filter(used_at=None, created_at__gte=oldest, user__disabled_at=None)


class Invitation(models.Model):
    """A one-time link to choose a password: on arrival, or if the old one is lost."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="invitations")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"invitation of {self.user}"

    @classmethod
    def open_for(cls, token: str) -> InvitationQuerySet:
        """The invitation of a token, if it is still valid."""
        return cls.objects.open().filter(digest=token_digest(token))


class Scope(models.TextChoices):
    """What a token gives access to; its person's roles still apply."""

    READ = "read", _("read bases, documents and the dictionary")
    ASK = "ask", _("ask questions")
    WRITE = "write", _("upload documents, change bases and dictionaries")
    AUDIT = "audit", _("read questions with their evidence, review")
    WITNESS = "witness", _("keep heads of another installation’s ledger")


class TokenQuerySet(models.QuerySet["Token"]):
    def living(self) -> "TokenQuerySet":
        return self.filter(revoked_at=None, expires_at__gt=timezone.now())


class Token(models.Model):
    """A person's API key. Only its digest is stored; `prefix` lets people recognise it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)
    prefix = models.CharField(max_length=12)
    scopes = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = TokenQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def is_expired(self) -> bool:
        return self.expires_at <= timezone.now()
