"""The sessions of a person, and ending them."""

import re
from dataclasses import dataclass
from datetime import datetime

from allauth.usersessions.models import UserSession
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


def end_session(user: User, pk: str, request: HttpRequest) -> int:
    """End one other session of the person; return how many were ended."""
    return end(user, [row for row in others(user, request) if str(row.pk) == pk])


def end_others(user: User, request: HttpRequest) -> int:
    """End all sessions of the person but this one; return how many were ended."""
    return end(user, others(user, request))


def others(user: User, request: HttpRequest) -> list[UserSession]:
    rows = UserSession.objects.purge_and_list(user)
    return [row for row in rows if row.session_key != request.session.session_key]


def end(user: User, rows: list[UserSession]) -> int:
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
