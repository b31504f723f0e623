"""The links for choosing a new password for a forgotten one, as mailed by allauth."""

from allauth.account.forms import EmailAwarePasswordResetTokenGenerator
from django.contrib.auth.models import AbstractBaseUser

from accounts.models import User


class ResetTokens(EmailAwarePasswordResetTokenGenerator):  # type: ignore[misc]  # allauth is untyped
    """A link mailed before an account was disabled stays invalid, even after the account is enabled again."""

    def _make_hash_value(self, user: AbstractBaseUser, timestamp: int) -> str:
        assert isinstance(user, User)
        return f"{super()._make_hash_value(user, timestamp)}{user.closings}"
