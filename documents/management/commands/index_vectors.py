"""`manage.py index_vectors`: make the indexes of vectors that large bases lack, as the owner of the tables."""

from typing import Any

from django.core.management.base import BaseCommand

from documents.storage.near import index_large_bases


class Command(BaseCommand):
    help = "Make the indexes of vectors that large bases lack. The hourly task does it where its role may."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"Indexes made: {index_large_bases()}.")
