"""`manage.py restore FOLDER`: make an installation of a backup, and prove that it is the one that was backed up."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from docintel_site.backups.manifest import BadBackup
from docintel_site.backups.restoring import NotRestored, restore_backup
from ledger.management.refusals import explain_database_error, explain_error


class Command(BaseCommand):
    help = "Check a backup, restore it into an empty database, migrate it, and verify its ledger and its files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="as manage.py backup wrote it")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with explain_error(NotRestored), explain_database_error("The database failed"):
                restored = restore_backup(options["folder"].absolute(), self.stdout.write)
        except BadBackup as error:
            raise CommandError(f"Nothing was restored. {error}") from error
        self.stdout.write("\nRestored:")
        for sentence in restored.sentences:
            self.stdout.write(f"- {sentence}")
        self.stdout.write("To do now:")
        for sentence in restored.to_do:
            self.stdout.write(f"- {sentence}")
