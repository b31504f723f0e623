#!/usr/bin/env python3
"""Django's command line; starts the embedded servers first when no others are named in the environment."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from embedded.errors import EmbeddedError

# Read or write no row, so they have to work where no server can be started, as in the build of an image.
WITHOUT_SERVERS = {"help", "version", "--help", "-h", "--version", "collectstatic", "makemessages", "compilemessages"}


def main(arguments: list[str]) -> None:
    """Run one management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "docintel_site.settings")
    try:
        if len(arguments) > 1 and arguments[1] not in WITHOUT_SERVERS:
            ensure_servers()
        execute_from_command_line(arguments)
    except (EmbeddedError, ImproperlyConfigured) as error:
        sys.exit(str(error))


def ensure_servers() -> None:
    """Start PostgreSQL unless DATABASE_URL names one, Redis unless REDIS_URL does; raises EmbeddedError."""
    from docintel_site import settings  # here, because it reads the environment and may refuse it
    from embedded import postgres, redis

    if not settings.DATABASE_URL:
        postgres.ensure(settings.HOME)
    if not settings.REDIS_URL:
        redis.ensure(settings.HOME)


if __name__ == "__main__":
    main(sys.argv)
