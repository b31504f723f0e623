"""Update and compile the message catalogues of the interface; `--check` changes nothing."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from docintel_site import translations


class Command(BaseCommand):
    help = "Find the messages of pages and scripts, keep the translations, compile; needs requirements-dev.txt."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="only say what is missing, exit 1 if anything is")

    def handle(self, *, check: bool, **options: Any) -> None:
        told = []
        for language in translations.LANGUAGES:
            told += translations.find_catalog_faults(language) if check else translations.refresh(language)
        for line in told:
            self.stdout.write(line)
        if told:
            raise CommandError(f"{len(told)} messages want a translator in locale/, then run this again.")
