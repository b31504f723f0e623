"""The user that runs the PostgreSQL binaries: they refuse uid 0, and a uid without an entry in /etc/passwd.

self    an ordinary user: just run
mapped  root, or an unknown uid: a user namespace in which this uid is called `nobody`; files keep their owner
nobody  root where user namespaces are forbidden (many containers): drop to the user `nobody`
"""

import ctypes
import os
import pwd
import subprocess
from functools import cache
from typing import Any, Literal

from embedded.errors import EmbeddedError

Identity = Literal["self", "mapped", "nobody"]
NOBODY = 65534
CLONE_NEWUSER = 0x10000000


@cache
def identity() -> Identity:
    """The least intrusive way to run PostgreSQL here."""
    if os.geteuid() != 0 and _is_known(os.geteuid()):
        return "self"
    if _can_map():
        return "mapped"
    if os.geteuid() == 0:
        return "nobody"
    raise EmbeddedError(
        f"PostgreSQL needs a user name and uid {os.geteuid()} has none; add it to /etc/passwd, or set DATABASE_URL."
    )


def owner() -> int:
    """The uid that owns the server's files."""
    return NOBODY if identity() == "nobody" else os.geteuid()


def process_options() -> dict[str, Any]:
    """The arguments of `subprocess.run` that give a child this identity."""
    match identity():
        case "mapped":
            return {"preexec_fn": _map_to_nobody}
        case "nobody":
            return {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        case _:
            return {}


def _is_known(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def _can_map() -> bool:
    try:
        subprocess.run(["/bin/true"], preexec_fn=_map_to_nobody, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return _is_known(NOBODY)


def _map_to_nobody() -> None:
    """In the child, before exec: enter a user namespace that calls this user `nobody`."""
    user, group = os.geteuid(), os.getegid()
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWUSER):
        raise OSError(ctypes.get_errno(), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{NOBODY} {user} 1"), ("gid_map", f"{NOBODY} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
