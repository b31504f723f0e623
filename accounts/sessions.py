"""The sessions of a person, and their end (W8): by the person, or by themselves.

By itself a session ends after a time without activity, and some time after signing in whatever is done.
"""

import re
import time
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from typing import Literal, NamedTuple

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import SESSION_KEY, get_user
from django.contrib.sessions.backends.base import SessionBase
from django.db import transaction
from django.http import HttpRequest

from accounts.models import User
from ledger.events import record

# A browser also names its ancestors; the first match in this order is the name people know.
BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari", "curl": "curl"}
SYSTEMS = {
    "Windows": "Windows",
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}

SIGNED_IN_AT, SEEN_AT = "signed_in_at", "seen_at"
ENDED = "ended"  # in the session of nobody that follows: why the one before it ended
NOTED_S = 60  # a session is written at most this often

End = Literal["idle", "long"]


@dataclass(frozen=True)
class SignedIn:
    """One browser in which a person is signed in."""

    pk: int
    browser: str
    address: str
    since: datetime
    is_current: bool


def sessions_of(user: User, request: HttpRequest) -> list[SignedIn]:
    """A person's active sessions, this one first."""
    current = request.session.session_key
    living = [
        SignedIn(row.pk, browser_of(row.user_agent), row.ip, row.created_at, row.session_key == current)
        for row in UserSession.objects.purge_and_list(user)
    ]
    return sorted(living, key=lambda session: (not session.is_current, session.since))


def end_others(user: User, request: HttpRequest, only: str = "") -> int:
    """End all sessions of the person but this one, or `only` one of them; return how many were ended."""
    rows = [
        row
        for row in UserSession.objects.purge_and_list(user)
        if row.session_key != request.session.session_key and only in ("", str(row.pk))
    ]
    if not rows:
        return 0
    with transaction.atomic():
        for row in rows:
            row.end()
        record("sessions_ended", str(user), f"user:{user.pk}", {"email": user.email, "sessions": len(rows)})
    return len(rows)


def browser_of(user_agent: str) -> str:
    """A browser's own description in two words."""
    browser = next((name for mark, name in BROWSERS.items() if re.search(rf"\b{mark}", user_agent)), "")
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), "")
    return ", ".join(part for part in (browser, system) if part) or user_agent[:60]


# ---- how they end by themselves


class Times(NamedTuple):
    """Seconds without activity, and seconds since signing in, after which a session ends."""

    idle_s: float
    longest_s: float


def end_of(session: SessionBase, user: User) -> End | None:
    """Why the session of a person is over; None while it is not."""
    now = time.time()
    idle_s, age_s = now - session.get(SEEN_AT, now), now - session.get(SIGNED_IN_AT, now)
    usual, strict = Times(*settings.SESSION_TIMES), Times(*settings.STRICT_SESSION_TIMES)
    # Who it is costs a query, which is asked only where it matters.
    if idle_s <= min(usual.idle_s, strict.idle_s) and age_s <= min(usual.longest_s, strict.longest_s):
        return None
    # Stricter for administrators and auditors; the roles are documents' own, which this app must not import.
    sees_others = user.is_superuser or user.membership_set.filter(role="auditor").exists()
    times = strict if sees_others else usual
    if age_s > times.longest_s:
        return "long"
    return "idle" if idle_s > times.idle_s else None


def note_activity(session: SessionBase) -> None:
    """Keep when the person was last seen, to the minute, and when a session that is new began."""
    now = int(time.time())
    if not has_begun(session):
        session[SIGNED_IN_AT] = now
        session.pop(ENDED, None)
    if now - session.get(SEEN_AT, 0) >= NOTED_S:
        session[SEEN_AT] = now


def has_begun(session: SessionBase) -> bool:
    """Whether it is known when the person of a session signed in."""
    return SIGNED_IN_AT in session


def is_signed_in(session: SessionBase) -> bool:
    """Whether somebody has signed in with a session, whose account and password may have changed since."""
    return SESSION_KEY in session


def person_of(session_key: str | None) -> User | None:
    """Who is signed in by a session, asked anew; None if it has ended."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user = get_user(request)
    return user if isinstance(user, User) and end_of(request.session, user) is None else None
