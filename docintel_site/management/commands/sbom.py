"""Print the bill of materials of this installation, or the licences of its parts as a table."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from docintel_site.supply.bill import bill_of_materials
from docintel_site.supply.parts import UNKNOWN, find_parts


class Command(BaseCommand):
    help = "What is installed, with versions and licences: CycloneDX 1.6 as JSON, or a table."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--out", type=Path, metavar="FILE", help="write it to a file")
        parser.add_argument("--licences", action="store_true", help="a table of the licences instead")

    def handle(self, *, out: Path | None, licences: bool, **options: Any) -> None:
        text = licence_table() if licences else json.dumps(bill_of_materials(), indent=2)
        if out is None:
            self.stdout.write(text)
            return
        try:
            out.write_text(f"{text}\n", encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from error


def licence_table() -> str:
    """A line for each part: name, version, licence, and the package it comes in."""
    rows = [
        (part.name, part.version, "unknown" if part.licence == UNKNOWN else part.licence, part.carrier)
        for part in find_parts()
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(
        f"{name:<{widths[0]}}  {version:<{widths[1]}}  {licence:<{widths[2]}}  {carrier and f'in {carrier}'}".rstrip()
        for name, version, licence, carrier in rows
    )
