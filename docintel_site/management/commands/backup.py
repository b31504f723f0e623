"""`manage.py backup FOLDER`: write everything that has to be kept, while the site runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from docintel_site.backups.making import CannotBackUp, make_backup
from ledger.management.refusals import explain_database_error, explain_error


class Command(BaseCommand):
    help = "Write the database, the files and the head of the ledger to a new folder, whole or not at all."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="it is made, and must not be there yet")
        parser.add_argument(
            "--with-key", action="store_true", help="with the secret key: then keep the backup like a password"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"].absolute()
        with explain_error(CannotBackUp), explain_database_error("The database cannot be read"):
            manifest, digest = make_backup(folder, with_key=options["with_key"])
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        self.stdout.write(f"{folder}: the database and {len(manifest.files) - 1:,} files, {size:,} bytes.")
        self.stdout.write(f"Head of the ledger: #{manifest.head.sequence} {manifest.head.hash}")
        self.stdout.write(f"SHA-256 of the manifest: {digest}. Note both where the backup is not.")
        if not options["with_key"]:
            self.stdout.write("The secret key is not in it; keep it too, somewhere else.")
        for name, subject in manifest.missing.items():
            self.stderr.write(f"{name} of {subject} is not there, so it is not in the backup.")
        for name, subject in manifest.changed.items():
            self.stderr.write(f"{name} of {subject} is not the file that was stored; it was backed up as it is.")
