"""The head of the chain in a file, to be kept where the database's administrator cannot reach it."""

import json
import os
from pathlib import Path

from django.utils import timezone

from ledger.chain import FORMAT, Head, time_text


class BadHeadFile(Exception):
    """The file is not an exported head."""


def write_head(path: Path, head: Head) -> None:
    """Write the head so that the file is whole or not there."""
    fields = {"format": FORMAT, "sequence": head.sequence, "hash": head.hash, "exported_at": time_text(timezone.now())}
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        fresh.write_text(json.dumps(fields, indent=2) + "\n")
        fresh.replace(path)
    except OSError as error:
        raise BadHeadFile(f"The head cannot be written to {path}: {error.strerror}.") from error


def read_head(path: Path) -> Head:
    """The head in a file that `write_head` wrote."""
    try:
        fields = json.loads(path.read_text())
        if fields["format"] != FORMAT:
            raise BadHeadFile(f"{path} holds a head of format {fields['format']!r}; this is {FORMAT}.")
        return Head(int(fields["sequence"]), str(fields["hash"]))
    except OSError as error:
        raise BadHeadFile(f"The head cannot be read from {path}: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadHeadFile(f"{path} is not an exported head; write one with verify_ledger --write-head.") from error
