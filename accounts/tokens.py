"""Tokens for programs: made once, shown once, kept as a digest, limited in what and how long they open."""

import secrets
from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import Scope, Token, User, token_digest
from ledger.events import record

PREFIX = "dit_"  # lets a scanner of repositories recognise one
SECRET_BYTES = 32  # 256 bits: a plain SHA-256 is enough against guessing, a slow hash would cost every request
SHOWN_CHARACTERS = 10
DAYS_MAX = 366
TOKENS_MAX = 50  # living ones of one person
USE_NOTED_S = 60  # a row written at every request would cost more than the request


class TooManyTokens(Exception):
    """A person has as many living tokens as one may have; the message is for people."""

    def __init__(self) -> None:
        super().__init__(f"You have {TOKENS_MAX} tokens. Revoke one that is not needed any more first.")


def make_token(user: User, name: str, scopes: Sequence[str], days: int) -> tuple[Token, str]:
    """A new token and its secret, which is not kept and cannot be shown again. Raises TooManyTokens."""
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    with transaction.atomic():
        # Two forms sent at once must not pass the limit together.
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
    """End a token at once; whether it was open."""
    with transaction.atomic():
        open_tokens = Token.objects.filter(pk=token.pk, revoked_at=None)
        if not open_tokens.update(revoked_at=timezone.now()):
            return False
        record("token_revoked", str(by), f"token:{token.pk}", describe_token(token))
    return True


def describe_token(token: Token) -> dict[str, object]:
    """What tells later which token it was; nothing that opens anything."""
    return {
        "user": token.user_id,
        "name": token.name,
        "prefix": token.prefix,
        "scopes": token.scopes,
        "expires_at": token.expires_at.isoformat(),
    }


def find_token(secret: str) -> Token | None:
    """The living token of a secret, whose person may still sign in; its use is noted once a minute."""
    token = Token.objects.living().select_related("user").filter(digest=token_digest(secret)).first()
    if token is None or not token.user.is_active:
        return None
    now = timezone.now()
    unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - timedelta(seconds=USE_NOTED_S))
    Token.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)
    return token
