"""Print the address of the current database, for pg_dump, pg_restore and psql."""

from typing import Any
from urllib.parse import quote, urlencode

from django.core.management.base import BaseCommand
from django.db import connection


class Command(BaseCommand):
    help = "Print the address of the database in use, for pg_dump, pg_restore and psql. It holds the password."

    def handle(self, **options: Any) -> None:
        self.stdout.write(address_of(connection.settings_dict))


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
