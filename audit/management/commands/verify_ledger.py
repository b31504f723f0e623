"""`manage.py verify_ledger`: is every recorded run and answer still what it was?"""

import json
import time
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from audit.head import BadHeadFile, read_head, write_head
from audit.verification import Report, verify


class Command(BaseCommand):
    help = "Walk the ledger, compare every entry with the row it vouches for, and name the first that differs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the finding as JSON")
        parser.add_argument("--since-head", type=Path, metavar="FILE", help="the chain must still hold this head")
        parser.add_argument("--only-new", action="store_true", help="with --since-head: walk only what came after it")
        parser.add_argument("--write-head", type=Path, metavar="FILE", help="if all is well, write the head here")

    def handle(self, *args: Any, **options: Any) -> None:
        began = time.monotonic()
        try:
            report = verify(**heads(options["since_head"], options["only_new"]))
            if report.ok and options["write_head"]:
                write_head(options["write_head"], report.verification.head)
        except BadHeadFile as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(f"The ledger cannot be read: {str(error).splitlines()[0]}") from error
        seconds = round(time.monotonic() - began, 3)
        if options["json"]:
            self.stdout.write(json.dumps(finding(report, seconds), indent=2))
        elif report.ok:
            self.stdout.write(sentence(report, seconds))
        if not report.ok:
            raise CommandError(report.sentence)


def heads(file: Path | None, only_new: bool) -> dict[str, Any]:
    if file is None and only_new:
        raise CommandError("--only-new needs --since-head FILE.")
    if file is None:
        return {}
    head = read_head(file)
    return {"since": head} if only_new else {"expected": [head]}


def sentence(report: Report, seconds: float) -> str:
    checked, head = report.verification.checked, report.verification.head
    return f"{checked:,} entries verified in {seconds} s. Head: #{head.sequence} {head.hash}"


def finding(report: Report, seconds: float) -> dict[str, Any]:
    found = report.verification
    return {
        "ok": report.ok,
        "checked": found.checked,
        "head": found.head._asdict(),
        "first_bad": asdict(found.first_bad) if found.first_bad else None,
        "unrecorded": asdict(report.unrecorded) if report.unrecorded else None,
        "sentence": report.sentence,
        "seconds": seconds,
    }
