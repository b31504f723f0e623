"""`manage.py remove_second_factor EMAIL`: for a person who lost both authenticator and recovery codes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.people import find_person, remove_second_factor


class Command(BaseCommand):
    help = "Remove a person's second factor and recovery codes, end their sessions, and record it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--by", default="console", help="who asked for it, as the record says")

    def handle(self, *args: Any, **options: Any) -> None:
        person = find_person(options["email"])
        if not remove_second_factor(person, options["by"]):
            raise CommandError(f"{person} has no second factor.")
        self.stdout.write(f"{person} signs in by password alone until another second factor is set up.")
