"""Build the bundled encoder from its weights, once; bin/run calls it, so that no question waits for it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from llm.embeddings.encoder import EncoderMissing, ensure_built


class Command(BaseCommand):
    help = "Verify the bundled encoder's weights and build the encoder from them."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            folder = ensure_built()
        except EncoderMissing as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"The encoder is ready: {folder / 'model.onnx'}")
