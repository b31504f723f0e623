"""`manage.py export_evidence RUN`: write the evidence pack of a run to a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from audit.management.new_file import new_file
from audit.proof.evidence import NotRecorded, write_evidence
from ledger.management.refusals import explain_error
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
        # For whoever the user's umask lets read it.
        with explain_error(NotRecorded), new_file(out, "pack", 0o666) as file:
            sha256 = write_evidence(run, file, None)
        self.stdout.write(f"{out}, {out.stat().st_size:,} bytes. SHA-256 of its manifest: {sha256}")
