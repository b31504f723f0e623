"""`manage.py erase_person EMAIL --why TEXT`: erase what a person asked and was answered; the ledger still verifies."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from accounts.people import find_person
from audit.keeping.erasure import CannotErase, Erasing, erase_person
from documents.models import KnowledgeBase
from ledger.holds import Held
from ledger.management.refusals import explain_error

# Erased words stay in these tables' files until their space is reused.
TABLES = (
    "retrieval_retrievalrun, retrieval_runcandidate, retrieval_rundocument, llm_llmcall, chat_answer, chat_citation, "
    "chat_turn, chat_rewriting"
)


class Command(BaseCommand):
    help = (
        "Erase a person's questions and answers. Run as the owner of the database where web and worker may not erase."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--why", required=True, help="recorded with every erased run")
        parser.add_argument("--base", metavar="NAME", help="only what was asked in this base")
        parser.add_argument("--by", default="console", help="who asked for it, as the record says")

    def handle(self, *args: Any, **options: Any) -> None:
        person = find_person(options["email"])
        base = base_named(options["base"]) if options["base"] else None
        with explain_error(Held, CannotErase):
            runs = erase_person(person, Erasing(options["by"], options["why"]), base)
        if not connection.in_atomic_block:
            with connection.cursor() as cursor:
                cursor.execute(f"VACUUM {TABLES}")
        self.stdout.write(f"{runs} runs of {person} are erased. Backups made before today still hold them.")


def base_named(name: str) -> KnowledgeBase:
    found = list(KnowledgeBase.objects.filter(name=name))
    if len(found) != 1:
        raise CommandError(f"There is no base {name!r}." if not found else f"{len(found)} bases are named {name!r}.")
    return found[0]
