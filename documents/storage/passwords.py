"""The password of a locked PDF on its way to the worker: sealed, for minutes, taken once, and kept nowhere else."""

import json
import logging
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

import redis
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_variables
from redis.exceptions import RedisError

from accounts.adapter import seal
from documents.models import Document, IngestJob

KEPT_S = 600
PASSWORD_MAX = 256  # characters; the longest that a PDF knows has 127 bytes
MISSES_MAX, MISSES_WITHIN = 10, timedelta(hours=1)
LOCKED = ("encrypted", "wrong_password")
PURPOSE = "password-of-a-file"

logger = logging.getLogger(__name__)


class PasswordRefused(Exception):
    """A password was not taken; the message is for people."""


class NotLocked(PasswordRefused):
    """The document waits for no password."""

    def __init__(self) -> None:
        super().__init__(gettext("This document does not wait for a password."))


class TooManyMisses(PasswordRefused):
    """Too many passwords did not open the document."""

    def __init__(self) -> None:
        super().__init__(gettext("Too many passwords did not open this file. Nothing was tried; come back in an hour."))


class NotHandedOn(PasswordRefused):
    """The password cannot reach the worker just now."""

    RETRY_AFTER_S = 10

    def __init__(self) -> None:
        super().__init__(gettext("The password could not be handed on just now. Try again."))


class HandedIn(NamedTuple):
    """A password, and the name of who gave it."""

    password: str
    by: str


def awaits_password(job: IngestJob | None) -> bool:
    """Whether the newest job of a document ended because its file is locked."""
    return job is not None and job.state == IngestJob.State.FAILED and job.reason_code in LOCKED


@sensitive_variables("password")
def hand_in(document: Document, password: str, by: str) -> None:
    """Leave a password for the worker that reads the document next. Raises PasswordRefused."""
    if document.trashed_at or document.current_parse_id or not awaits_password(document.jobs.first()):
        raise NotLocked
    missed = document.jobs.filter(reason_code="wrong_password", ended_at__gt=timezone.now() - MISSES_WITHIN)
    if missed.count() >= MISSES_MAX:
        raise TooManyMisses
    if not 0 < len(password) <= PASSWORD_MAX or not password.isprintable():
        raise PasswordRefused(gettext("Type the password of the file."))
    told = json.dumps({"document": str(document.pk), "password": password, "by": by})
    try:
        client().set(sealed_key(document.pk), seal(PURPOSE).encrypt(told.encode()), ex=KEPT_S)
    except RedisError as error:
        logger.warning("A password could not be handed on: %s", type(error).__name__)
        raise NotHandedOn from None


@sensitive_variables()
def take(document_id: UUID) -> HandedIn | None:
    """The password somebody left for a document; from then on it is nowhere."""
    try:
        sealed = client().getdel(sealed_key(document_id))
        told = json.loads(seal(PURPOSE).decrypt(sealed, ttl=KEPT_S)) if isinstance(sealed, bytes) else {}
    except (RedisError, InvalidToken) as error:
        logger.warning("No password could be taken: %s", type(error).__name__)
        return None
    return HandedIn(told["password"], told["by"]) if told.get("document") == str(document_id) else None


def client() -> "redis.Redis":
    return redis.Redis.from_url(settings.EVENTS_REDIS_URL, retry=settings.REDIS_RETRY, **settings.REDIS_TIMEOUTS)


def sealed_key(document_id: UUID) -> str:
    return f"docintel:password:{document_id}"
