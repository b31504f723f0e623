"""`manage.py restrict_database`: create the application's database role, which can add to the record, not alter it."""

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from ledger.management.refusals import explain_database_error, explain_error
from ledger.roles import APP_ROLE, CannotRestrict, insert_only_tables, restrict


class Command(BaseCommand):
    help = "Run as the owner, after each migrate. Prints the role's new password, for DATABASE_URL of web and worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--role", default=APP_ROLE)
        parser.add_argument(
            "--password-from", metavar="VARIABLE", help="the environment variable that holds its password"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        given = options["password_from"]
        if given and not os.environ.get(given):
            raise CommandError(f"{given} is empty: the role would have no password that its users know.")
        with explain_error(CannotRestrict), explain_database_error("The role cannot be set up"):
            password = restrict(options["role"], os.environ[given] if given else "")
        name = connection.settings_dict["NAME"]
        self.stdout.write(
            f"{options['role']} may read and add to {', '.join(insert_only_tables())}, and no more there."
        )
        if given:
            return
        self.stdout.write(f"DATABASE_URL=postgresql://{options['role']}:{password}@HOST/{name}")
