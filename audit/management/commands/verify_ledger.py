"""`manage.py verify_ledger`: check that every recorded run and answer is unchanged."""

import json
import time
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.proof.stamping import find_late, sentence_of_stamps
from audit.proof.verification import Report, verify
from audit.proof.verifier import StampClock, Unreadable, add_stamp_options, chosen_stamps, read_given
from audit.proof.verifier import read_heads as read_head_fields
from ledger.chain import Head
from ledger.heads import BadHeadFile, make_key, read_heads, write_head
from ledger.management.refusals import explain_database_error, explain_error


class Command(BaseCommand):
    help = "Walk the ledger, compare every entry with the row it vouches for, and name the first that differs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the finding as JSON")
        parser.add_argument(
            "--head", "--since-head", type=Path, metavar="FILE", help="the chain must still hold every head in it"
        )
        parser.add_argument("--checkpoint", type=Path, metavar="FILE", help="the same, and each must be signed")
        parser.add_argument("--key", type=Path, metavar="PEM", help="with --checkpoint: the public key, kept elsewhere")
        parser.add_argument("--only-new", action="store_true", help="walk only what came after the newest head")
        parser.add_argument("--write-head", type=Path, metavar="FILE", help="if all is well, write the head here")
        parser.add_argument("--sign", type=Path, metavar="PEM", help="with --write-head: sign it with this private key")
        add_stamp_options(parser)
        parser.add_argument("--make-key", type=Path, metavar="PEM", help="make a key pair, and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        began = time.monotonic()
        with explain_error(BadHeadFile):
            if options["make_key"]:
                public = make_key(options["make_key"])
                self.stdout.write(f"Signing key: {options['make_key']}. Keep {public} where heads are checked.")
                return
            clock = read_clock(options)
            with explain_database_error("The ledger cannot be read"):
                given = options["head"], options["checkpoint"], options["key"]
                heads = read_trusted_heads(*given, only_new=options["only_new"])
                report = verify(since=max(heads)) if options["only_new"] else verify(expected=heads)
                late = find_late(clock) if clock and report.ok else ""
            if report.ok and not late and options["write_head"]:
                write_head(options["write_head"], report.verification.head, options["sign"])
        seconds = round(time.monotonic() - began, 3)
        if options["json"]:
            self.stdout.write(json.dumps(finding(report, seconds) | stamps_told(clock, late), indent=2))
        elif report.ok:
            self.stdout.write(sentence(report, seconds))
            if clock and not late:
                self.stdout.write(sentence_of_stamps(clock))
        if not report.ok or late:
            raise CommandError(report.sentence or late)


def read_trusted_heads(head: Path | None, checkpoint: Path | None, key: Path | None, *, only_new: bool) -> list[Head]:
    """The heads of both files; those of a checkpoint only if they carry the key's signature."""
    if bool(checkpoint) != bool(key):
        raise CommandError("--checkpoint and --key need each other.")
    heads = read_heads(head) if head else []
    heads += read_heads(checkpoint, key) if checkpoint else []
    if only_new and not heads:
        raise CommandError("--only-new needs --head or --checkpoint.")
    return heads


def read_clock(options: dict[str, Any]) -> StampClock | None:
    """What holds the chain against the stamps that were given. Raises BadHeadFile."""
    if not options["stamps"]:
        return None
    try:
        clock: StampClock = read_given(
            lambda path: chosen_stamps(SimpleNamespace(**options), read_head_fields(path)), options["stamps"]
        )
    except (Unreadable, OSError) as error:
        raise BadHeadFile(f"The stamps cannot be checked: {error}.") from error
    if not clock.openssl:
        raise BadHeadFile("The stamps cannot be checked: there is no openssl of version 1.1 or later here.")
    return clock


def stamps_told(clock: StampClock | None, late: str) -> dict[str, object]:
    if clock is None:
        return {}
    last = clock.last.isoformat() if clock.last else None
    told = {"vouched_to": clock.vouched_to, "last": last, "pauses": clock.pauses, "late": late}
    return {"stamps": told, **({"ok": False} if late else {})}


def sentence(report: Report, seconds: float) -> str:
    checked, head = report.verification.checked, report.verification.head
    return f"{checked:,} entries verified in {seconds} s. Head: #{head.sequence} {head.hash}"


def finding(report: Report, seconds: float) -> dict[str, object]:
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
