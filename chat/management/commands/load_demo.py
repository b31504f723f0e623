"""`manage.py load_demo`: load the samples and ask five questions, so that chat and audit have something to show."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from chat.turns import demo
from chat.turns.conductor import AnsweringFailed
from documents.storage.uploads import UploadRefused


class Command(BaseCommand):
    help = "Load the sample documents into the base Demo and ask five questions of them, three by recorded replies."

    def handle(self, *args: Any, **options: Any) -> None:
        owner = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
        try:
            demo.load(owner, self.print_step)
        except (AnsweringFailed, UploadRefused, OSError) as error:
            raise CommandError(f"The demonstration could not be loaded: {error}") from error

    def print_step(self, step: str) -> None:
        self.stdout.write(step)
        self.stdout.flush()  # whoever waits sees that it goes on
