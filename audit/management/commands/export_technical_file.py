"""`manage.py export_technical_file BASE SINCE UNTIL OUT.zip`: what a regulator is given of a base and a period."""

from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils.translation import override

from audit.management.new_file import new_file
from audit.proof.technical_file import write_technical_file
from audit.review.signing import of_period
from documents.access import find_base


class Command(BaseCommand):
    help = "Write what is recorded of a base in a period, in the order of Annex IV of the EU AI Act; it claims nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("base", metavar="BASE", help="its name or id")
        parser.add_argument("since", type=date.fromisoformat, metavar="SINCE", help="its first day, as 2026-01-31")
        parser.add_argument("until", type=date.fromisoformat, metavar="UNTIL", help="its last day")
        parser.add_argument("out", type=Path, metavar="OUT.zip")
        parser.add_argument("--language", choices=[code for code, _ in settings.LANGUAGES], default="en")

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path = options["out"]
        with new_file(out, "pack") as file, override(options["language"]):
            base = find_base(options["base"])
            subject = of_period(base, options["since"], options["until"])
            sha256 = write_technical_file(base, subject, file, None)
        self.stdout.write(f"{out}, {out.stat().st_size:,} bytes. SHA-256 of its manifest: {sha256}")
