#!/usr/bin/env python3
"""Django's command line; starts the embedded servers first when no others are named in the environment."""

import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from embedded.errors import EmbeddedError
from embedded.servers import embedded_servers

# They need no row, and have to work where no server can be started, as in the build of an image.
WITHOUT_SERVERS = {"help", "version", "collectstatic", "startapp"}


def main(arguments: list[str]) -> None:
    """Run one management command; a wrong setting or a server that does not start is told in one sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "docintel_site.settings")
    try:
        if needs_servers(arguments[1:]):
            for server in embedded_servers(database_url=settings.DATABASE_URL, redis_url=settings.REDIS_URL):
                server.ensure(settings.HOME)
        execute_from_command_line(arguments)
    except (EmbeddedError, ImproperlyConfigured) as error:
        sys.exit(str(error))


def needs_servers(arguments: list[str]) -> bool:
    """Whether a command works with rows: all do, unless help is asked for."""
    return bool(arguments) and arguments[0] not in WITHOUT_SERVERS and not {"-h", "--help", "--version"} & {*arguments}


if __name__ == "__main__":
    main(sys.argv)
