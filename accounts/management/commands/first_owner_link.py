"""Print a one-time link for creating the first owner; print nothing if there is one."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.urls import reverse

from accounts.models import OwnerLink, User


class Command(BaseCommand):
    help = "Print a one-time link that makes the first owner; prints nothing when an owner exists."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--address", default="http://127.0.0.1:8000", help="where the web server answers")

    def handle(self, *args: Any, **options: Any) -> None:
        if User.objects.filter(is_superuser=True).exists():
            return
        path = reverse("first_owner", kwargs={"token": OwnerLink.issue()})
        self.stdout.write(options["address"].rstrip("/") + path)
