"""`manage.py import_base ARCHIVE.zip`: make a base of an archive that export_base wrote elsewhere."""

import zipfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.carrying.bringing import bring_base
from audit.carrying.checker import BadArchive, BadHeads, read_kept_heads
from audit.carrying.keeping import vouched_by
from audit.carrying.restoring import CannotRestore
from audit.models import CarriedArchive
from documents.management.commands.ingest import find_user
from ledger.management.refusals import explain_database_error


class Command(BaseCommand):
    help = "Check an archive, make a base of it, read its files, and keep its records as they came, apart from our own."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("archive", type=Path, metavar="ARCHIVE.zip")
        parser.add_argument("--name", default="", help="of the new base; default: the name it had")
        parser.add_argument("--owner", metavar="EMAIL", help="who owns the new base")
        parser.add_argument("--head", type=Path, metavar="HEADS", help="heads of the exporter's ledger, kept elsewhere")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = find_user(options["owner"])
        try:
            heads = read_kept_heads(options["head"]) if options["head"] else []
            with explain_database_error("The import stopped"):
                archive, failed = bring_base(
                    options["archive"], name=options["name"], owner=owner, heads=heads, tell=self.stdout.write
                )
        except (BadArchive, zipfile.BadZipFile) as error:
            raise CommandError(f"The archive is refused, and nothing was imported: {error}.") from error
        except (BadHeads, CannotRestore) as error:
            raise CommandError(f"Nothing was imported: {error}") from error
        except OSError as error:
            raise CommandError(f"{options['archive']}: {error.strerror}.") from error
        for brought in archive.base.carried.exclude(pk=archive.pk):
            self.stdout.write(f"Brought along before, “{brought.from_name}”: {describe_records(brought)}")
        count = len(archive.documents)
        self.stdout.write(f"{archive.base.name}: {count:,} documents; {describe_records(archive)}")
        if failed:
            raise CommandError(f"Files that could not be read: {failed:,}.")


VOUCHED = {
    "head": "vouched for by the head you gave",
    "installation": "vouched for by the installation they came through",
    "": "consistent in themselves, but vouched for by no head kept elsewhere (--head)",
}


def describe_records(archive: CarriedArchive) -> str:
    told = f"the records of {archive.runs.count():,} questions are kept as they came, {VOUCHED[vouched_by(archive)]}"
    return f"{told}. Head of their ledger: #{archive.head_sequence} {archive.head_hash}"
