"""pg_dump and pg_restore: those of the embedded server, or those on PATH."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from django.conf import settings
from django.db import connection

from embedded import postgres
from embedded.errors import EmbeddedError


class NoProgram(Exception):
    """No program of PostgreSQL fits the server, or one failed; the message is for people."""


def write_dump(file: Path, snapshot: str) -> None:
    """Write the database as of a snapshot to a file, in PostgreSQL's custom format. Raises NoProgram."""
    run("pg_dump", "--format=custom", f"--snapshot={snapshot}", f"--file={file}", f"--dbname={address()}")


def load_dump(file: Path) -> None:
    """Write a dump into the database, all of it or nothing. Raises NoProgram."""
    # Owners and rights belong to the other server, and comments on extensions to its administrator.
    plain = ["--no-owner", "--no-acl", "--no-comments", "--single-transaction", "--exit-on-error"]
    run("pg_restore", *plain, f"--dbname={address()}", str(file))


def address() -> str:
    """The database's address without its password, which every user of the machine could read in the process list."""
    return address_of({**connection.settings_dict, "PASSWORD": ""})


def address_of(database: dict[str, Any]) -> str:
    """A postgresql:// URL of Django's settings; a socket's directory goes into the query."""
    user = quote(str(database["USER"]), safe="")
    secret = f":{quote(str(database['PASSWORD']), safe='')}" if database["PASSWORD"] else ""
    host, port = str(database["HOST"]), str(database["PORT"])
    query = {**database.get("OPTIONS", {})}
    if host.startswith("/"):
        query |= {"host": host} | ({"port": port} if port else {})
        host = port = ""
    place = f"{host}:{port}" if port else host
    known = {name: value for name, value in query.items() if isinstance(value, str)}
    tail = f"?{urlencode(known, quote_via=quote)}" if known else ""
    return f"postgresql://{user}{secret}{'@' if user else ''}{place}/{quote(str(database['NAME']), safe='')}{tail}"


def run(name: str, *arguments: str) -> None:
    password = str(connection.settings_dict["PASSWORD"])
    environment = os.environ | ({"PGPASSWORD": password} if password else {})
    done = subprocess.run(
        [find_program(name), *arguments], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NoProgram(f"{name} failed: {done.stderr.strip() or f'exit code {done.returncode}'}")


def find_program(name: str) -> str:
    """A program of PostgreSQL that is at least as new as the server: an older one refuses to work with it."""
    connection.ensure_connection()
    server = connection.pg_version // 10_000  # type: ignore[attr-defined]  # of Django's PostgreSQL
    on_path, own = shutil.which(name), own_program(name)
    for found in (on_path, own) if settings.DATABASE_URL else (own,):
        if found and major_of(found) >= server:
            return found
    raise NoProgram(f"There is no {name} of PostgreSQL {server} or newer here; install its client programs.")


def own_program(name: str) -> str | None:
    try:
        path = postgres.client_program(name)
    except EmbeddedError:
        return None
    return str(path) if path.exists() else None


def major_of(program: str) -> int:
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"\d+", done.stdout)
    return int(found[0]) if found else 0
