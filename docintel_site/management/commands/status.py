"""Print the status of every part; exit 1 if one has failed."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from docintel_site.status import checks, worst


class Command(BaseCommand):
    help = "Database, broker, workers, queues, encoder, model, disk, stuck work: what was seen and what to do."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the checks as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        found = checks()
        if options["json"]:
            report = {"state": worst(found), "checks": [asdict(check) for check in found]}
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=2))
        else:
            for check in found:
                seen = f"{check.what} ({check.detail})" if check.detail else check.what
                self.stdout.write(f"{check.state:<5} {check.name:<10} {seen}")
                if check.what_to_do:
                    self.stdout.write(f"{'':<17}{check.what_to_do}")
        if worst(found) == "fail":
            raise CommandError("Not everything works.")
