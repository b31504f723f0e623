"""Build the bundled encoder from its weights, once; bin/run calls it, so that no question waits for it."""

from typing import Any

from django.core.management.base import BaseCommand

from ledger.management.refusals import explain_error
from llm.embeddings.encoder import EncoderMissing, ensure_built


class Command(BaseCommand):
    help = "Verify the bundled encoder's weights and build the encoder from them."

    def handle(self, *args: Any, **options: Any) -> None:
        with explain_error(EncoderMissing):
            folder = ensure_built()
        self.stdout.write(f"The encoder is ready: {folder / 'model.onnx'}")
