"""The tables of the product as a dump, made once for each state of the migrations: copied, not migrated again."""

import hashlib
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from embedded import postgres

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".pytest_cache" / "schema"
TEMPLATE = "tables"  # the database that PostgreSQL copies for each database of tests


def make_template(address: str) -> None:
    """Make the template beside the database of this address."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {TEMPLATE}")
    fill(urlsplit(address)._replace(path=f"/{TEMPLATE}").geturl())


def fill(address: str) -> None:
    """Make the tables in an empty database: by the dump, or by the migrations, which leave a dump for the next."""
    dump = dump_path()
    if dump.exists():
        _run("psql", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", f"--file={dump}", f"--dbname={address}")
        return
    command = [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity", "0", "--skip-checks"]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"DATABASE_URL": address}, check=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    part = dump.with_suffix(f".{os.getpid()}")
    part.write_text(read_dump(address), encoding="utf-8")
    part.replace(dump)


def dump_path() -> Path:
    """Where the dump for the migrations of today lies, or will."""
    return FOLDER / f"{_digest()}.sql"


def read_dump(address: str) -> str:
    """Tables and rows of a database as SQL. What pg_dump makes up anew for each dump is left out."""
    lines = _run("pg_dump", f"--dbname={address}").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(("\\restrict", "\\unrestrict")))


@cache
def _digest() -> str:
    """Of everything that decides on the tables: the migrations, and the pins, which bring others."""
    files = sorted(path for path in ROOT.glob("*/migrations/*.py")) + [ROOT / "requirements.txt"]
    told = hashlib.sha256()
    for path in files:
        told.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return told.hexdigest()[:16]


def _run(name: str, *arguments: str) -> str:
    command = [str(postgres.client_program(name)), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
