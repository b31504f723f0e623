"""`manage.py export_ocsf`: write the ledger's entries as OCSF events, one JSON object a line, for a SIEM."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from audit.keeping.siem import convert_entries
from ledger.management.refusals import explain_database_error


class Command(BaseCommand):
    help = "Print the ledger's entries as OCSF events (Entity Management), one JSON object a line, oldest first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--after", type=int, default=0, metavar="SEQUENCE", help="only what came after this metadata.sequence"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with explain_database_error("The ledger cannot be read"):
            for event in convert_entries(options["after"]):
                self.stdout.write(json.dumps(event, ensure_ascii=False))
