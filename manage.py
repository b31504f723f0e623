#!/usr/bin/env python3
"""Django's command line; starts the embedded servers first when no others are named in the environment."""

import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db.utils import OperationalError, ProgrammingError
from psycopg.errors import UndefinedColumn, UndefinedTable

from embedded.errors import EmbeddedError
from embedded.servers import embedded_servers

# They need no row, and have to work where no server can be started, as in the build of an image.
WITHOUT_SERVERS = {"help", "version", "collectstatic", "startapp", "sbom", "audit_packages"}


def main(arguments: list[str]) -> None:
    """Run one management command; a wrong setting, a missing server and missing tables are told in one sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "docintel_site.settings")
    # Tables are changed, vectors made again and backups taken for hours: whoever started that may end it.
    os.environ.update({"DOCINTEL_DATABASE_STATEMENT_S": "0", "DOCINTEL_DATABASE_IDLE_S": "0"})
    os.environ.setdefault("DOCINTEL_LOG_LEVEL", "WARNING")  # a terminal is shown what a command says, and no log
    try:
        if needs_servers(arguments[1:]):
            for server in embedded_servers(database_url=settings.DATABASE_URL, redis_url=settings.REDIS_URL):
                server.ensure(settings.HOME)
        execute_from_command_line(arguments)
    except (EmbeddedError, ImproperlyConfigured) as error:
        sys.exit(str(error))
    except (ProgrammingError, OperationalError) as error:
        if not (told := in_a_sentence(error)):
            raise
        sys.exit(told)


def in_a_sentence(error: ProgrammingError | OperationalError) -> str:
    """What is wrong with the database and what to do; empty when the fault is the program's."""
    cause = error.__cause__
    if isinstance(cause, UndefinedTable | UndefinedColumn):
        return "The tables are missing or older than this program. Run manage.py migrate; bin/run does it by itself."
    # A statement that fails has a code; a server that cannot be reached has none.
    if isinstance(error, OperationalError) and getattr(cause, "sqlstate", None) is None:
        reason = str(error).partition("\n")[0]
        return f"The database does not answer: {reason}. Mend DATABASE_URL, or start that server."
    return ""


def needs_servers(arguments: list[str]) -> bool:
    """Whether a command works with rows: all do, unless help is asked for."""
    return bool(arguments) and arguments[0] not in WITHOUT_SERVERS and not {"-h", "--help", "--version"} & {*arguments}


if __name__ == "__main__":
    main(sys.argv)
