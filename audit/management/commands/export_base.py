"""`manage.py export_base BASE OUT.zip`: write a base with its files and records to an archive."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from audit.carrying.packing import CannotExport, write_archive
from audit.carrying.records import Altered
from documents.access import BaseNotFound, find_base


class Command(BaseCommand):
    help = "Write a base to an archive that import_base takes elsewhere, and that anybody can check with Python alone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("base", metavar="BASE", help="its name or id")
        parser.add_argument("out", type=Path, metavar="OUT.zip")

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path = options["out"]
        fresh = out.with_name(f"{out.name}.{os.getpid()}")
        try:
            base = find_base(options["base"])
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                told = write_archive(base, file)
            fresh.replace(out)
        except (BaseNotFound, CannotExport, Altered) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"The archive cannot be written to {out}: {error.strerror}.") from error
        except DatabaseError as error:
            raise CommandError(f"The records cannot be read: {str(error).splitlines()[0]}") from error
        finally:
            fresh.unlink(missing_ok=True)
        counts = f"{told['documents']:,} documents, {told['questions']:,} questions, {out.stat().st_size:,} bytes"
        self.stdout.write(f"{out}: {counts}. SHA-256 of its manifest: {told['manifest']}")
        if told["left_out"]:
            words = "records have no ledger entry and are left out; the manifest names them"
            self.stderr.write(f"{told['left_out']:,} {words}.")
