"""`manage.py export_base BASE OUT.zip`: write a base with its files and records to an archive."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from audit.carrying.packing import CannotExport, write_archive
from audit.carrying.records import Altered
from audit.management.new_file import new_file
from documents.access import find_base
from ledger.management.refusals import explain_error


class Command(BaseCommand):
    help = "Write a base to an archive that import_base takes elsewhere, and that anybody can check with Python alone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("base", metavar="BASE", help="its name or id")
        parser.add_argument("out", type=Path, metavar="OUT.zip")

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path = options["out"]
        with explain_error(CannotExport, Altered), new_file(out, "archive") as file:
            told = write_archive(find_base(options["base"]), file)
        counts = f"{told['documents']:,} documents, {told['questions']:,} questions"
        counts += f" and what came in {told['brought']:,} archives" if told["brought"] else ""
        counts += f", {out.stat().st_size:,} bytes"
        self.stdout.write(f"{out}: {counts}. SHA-256 of its manifest: {told['manifest']}")
        if told["lost"]:
            words = "archives that the base had brought along are damaged or lost (in carried/) and are left out"
            self.stderr.write(f"{told['lost']:,} {words}; the manifest names them.")
        if told["left_out"]:
            words = "records have no ledger entry and are left out; the manifest names them"
            self.stderr.write(f"{told['left_out']:,} {words}.")
