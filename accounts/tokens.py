"""API tokens: shown once, stored as a digest, limited in scope and lifetime."""

import secrets
from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import Scope, Token, User, token_digest
from ledger.events import record

PREFIX = "dit_"  # lets secret scanners recognise one
SECRET_BYTES = 32  # 256 bits: a plain SHA-256 is enough against guessing, a slow hash would cost every request
SHOWN_CHARACTERS = 10
DAYS_MAX = 366
TOKENS_MAX = 50  # active ones per person
USE_NOTED_S = 60  # writing a row on every request would cost more than the request


class TooManyTokens(Exception):
    """A person has the maximum number of active tokens; the message is for people."""

    def __init__(self) -> None:
        super().__init__(f"You have {TOKENS_MAX} tokens. Revoke one that is not needed any more first.")


def make_token(user: User, name: str, scopes: Sequence[str], days: int) -> tuple[Token, str]:
    """Create a token; return it with its secret, which is not stored. Raises TooManyTokens."""
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    with transaction.atomic():
        # Two forms sent at once must not exceed the limit together.
        User.objects.select_for_update().get(pk=user.pk)
        if Token.objects.living().filter(user=user).count() >= TOKENS_MAX:
            raise TooManyTokens
        token = Token.objects.create(
            user=user,
            name=name,
            digest=token_digest(secret),
            prefix=secret[:SHOWN_CHARACTERS],
            scopes=[scope for scope in Scope.values if scope in scopes],
            expires_at=timezone.now() + timedelta(days=min(days, DAYS_MAX)),
        )
        record("token_made", str(user), f"token:{token.pk}", describe_token(token))
    return token, secret


def revoke_token(token: Token, by: User) -> bool:
    """Revoke a token at once; return whether it was active."""
    with transaction.atomic():
        open_tokens = Token.objects.filter(pk=token.pk, revoked_at=None)
        if not open_tokens.update(revoked_at=timezone.now()):
            return False
        record("token_revoked", str(by), f"token:{token.pk}", describe_token(token))
    return True


def describe_token(token: Token) -> dict[str, object]:
    """Details to identify the token later, without anything secret."""
    return {
        "user": token.user_id,
        "name": token.name,
        "prefix": token.prefix,
        "scopes": token.scopes,
        "expires_at": token.expires_at.isoformat(),
    }


def find_token(secret: str) -> Token | None:
    """The active token of a secret, if its person may sign in; its use is recorded once a minute."""
    token = Token.objects.living().select_related("user").filter(digest=token_digest(secret)).first()
    if token is None or not token.user.is_active:
        return None
    now = timezone.now()
    unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - timedelta(seconds=USE_NOTED_S))
    Token.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)
    return token
