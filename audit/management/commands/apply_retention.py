"""`manage.py apply_retention`: erase the words of runs older than their base's rule."""

from typing import Any

from django.core.management.base import BaseCommand

from audit.keeping.erasure import CannotErase
from audit.keeping.retention import expire
from ledger.management.refusals import explain_error


class Command(BaseCommand):
    help = "What the schedule does each hour; run it as the owner of the database where the worker may not erase."

    def handle(self, *args: Any, **options: Any) -> None:
        with explain_error(CannotErase):
            erased = expire()
        self.stdout.write(f"{erased} runs were older than the rule of their base and are erased.")
