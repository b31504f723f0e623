"""`manage.py build_index BASE`: read, describe and embed what a base still needs; says first what it costs (R93b)."""

from argparse import ArgumentParser
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from documents.access import find_base
from documents.ingestion import indexing
from documents.ingestion.conductor import finish
from documents.ingestion.indexing import Estimate
from documents.management.commands.ingest import vectors_in_words, watch_of
from documents.models import IngestJob


class Command(BaseCommand):
    help = (
        "Build the index of a base: read what is not read or was read with other settings, describe passages and make "
        "vectors as the base asks for. It goes on where it stopped, and does nothing when all is done."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("base", metavar="BASE", help="its name or id")
        parser.add_argument("--yes", action="store_true", help="begin without asking")
        parser.add_argument("--estimate", action="store_true", help="say what it costs, and end")

    def handle(self, *args: Any, **options: Any) -> None:
        base = find_base(options["base"])
        told = indexing.estimate(base)
        for line in lines_of(told):
            self.stdout.write(line)
        if options["estimate"]:
            return
        if not (told.is_done or options["yes"] or self.is_agreed()):
            raise CommandError("Nothing was begun. With --yes it does not ask.")
        jobs = indexing.begin(base)
        for number, job in enumerate(jobs, 1):
            self.complete(job, f"{number} of {len(jobs)}: {job.document.title}")
        failed = indexing.faults(base)
        for document, reason in failed:
            self.stderr.write(f"{document.title}: {reason}")
        if failed:
            raise CommandError(f"{len(failed)} of {told.documents} documents are not complete.")
        self.stdout.write(f"The index of {base.name} is complete.")

    def is_agreed(self) -> bool:
        try:
            return input("Begin? [y/N] ").strip().lower() in ("y", "yes")
        except EOFError:  # nobody is there
            return False

    def complete(self, job: IngestJob, name: str) -> None:
        """Do a job here, or wait for whoever has it: a worker, or a dead process until its lease has ended."""
        if job.state == IngestJob.State.RUNNING:
            self.stdout.write(f"{name}: another process has it; if that is dead, it is taken over within a minute")
        parse = finish(job, watch_of(self.stdout, name)).current_parse
        if parse and (vectors := vectors_in_words(parse)):
            self.stdout.write(f"{name}: {vectors}")


def lines_of(told: Estimate) -> list[str]:
    """The estimate in words."""
    if told.is_done:
        return [f"{told.documents} documents, nothing left to do."]
    lines = [f"{told.documents} documents; {told.passages} passages to work on, about {told.tokens} tokens."]
    if told.copied:
        lines.append(f"{told.copied} of them get the vector that an equal text has here, at no cost.")
    if told.outdated:
        lines.append(f"{told.outdated} documents were read with other settings and are read again.")
    if told.unread:
        lines.append(f"{told.unread} documents are not read yet; their passages are not counted.")
    lines += [
        f"{bill.model}: about {bill.sent} tokens sent, {bill.cached} of them cached, {bill.received} received: "
        f"{price_in_words(bill.cost)}."
        for bill in told.bills
    ]
    if not told.bills:
        lines.append("No model is asked over the network; it costs time only.")
    elif len(told.bills) > 1:
        lines.append(f"Together: {price_in_words(told.cost)}.")
    return lines


def price_in_words(cost: Decimal | None) -> str:
    if cost is None:
        return "not priced, DOCINTEL_PRICES has no price for it"
    return f"about {cost:.4f} {settings.LLM_CURRENCY}"
