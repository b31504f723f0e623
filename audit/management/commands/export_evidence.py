"""`manage.py export_evidence RUN`: write the evidence pack of a run to a file."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from audit.proof.evidence import NotRecorded, write_evidence
from retrieval.models import RetrievalRun


class Command(BaseCommand):
    help = "Write a run's evidence pack: report, records, pages, ledger entries, and a verifier that needs only Python."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=UUID, help="the run's id, as in the address of its trail")
        parser.add_argument("--out", type=Path, metavar="FILE", help="default: evidence-RUN.zip here")

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path = options["out"] or Path(f"evidence-{options['run']}.zip")
        run = RetrievalRun.objects.select_related("llm_call").filter(pk=options["run"]).first()
        if run is None:
            raise CommandError(f"There is no run {options['run']}.")
        fresh = out.with_name(f"{out.name}.{os.getpid()}")
        try:
            with fresh.open("wb") as file:
                sha256 = write_evidence(run, file, None)
            fresh.replace(out)
        except NotRecorded as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"The pack cannot be written to {out}: {error.strerror}.") from error
        except DatabaseError as error:
            raise CommandError(f"The records cannot be read: {str(error).splitlines()[0]}") from error
        finally:
            fresh.unlink(missing_ok=True)
        self.stdout.write(f"{out}, {out.stat().st_size:,} bytes. SHA-256 of its manifest: {sha256}")
