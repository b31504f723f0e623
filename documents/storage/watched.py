"""The folders that the service itself watches: what two looks found unchanged becomes a document of their base."""

import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from django.core.cache import cache
from django.core.files import File

from documents.access import BaseNotFound, find_base
from documents.management.folder_watch import FolderWatch, files_below, find_known
from documents.models import Document
from documents.storage.uploads import UploadRefused, accept_upload

KEPT_S = 7 * 24 * 3600  # of what was seen: without it a file waits for one more look, and known bytes are known

logger = logging.getLogger(__name__)


def take_arrived(folder: Path, base_name: str) -> Iterator[Document]:
    """Store what has arrived in a folder; the caller wakes a worker for each document."""
    try:
        base = find_base(base_name)
    except BaseNotFound as error:
        logger.error("The folder %s is watched for no base: %s", folder, error)
        return
    for path in look(folder, f"watched:{base.pk}:{folder}"):
        try:
            if find_known(base, path) is None:
                with path.open("rb") as file:
                    yield accept_upload(base, None, File(file, name=path.name))
        except UploadRefused as refusal:
            logger.warning("%s is not taken: %s", path, refusal.message)
        except OSError as error:
            logger.warning("%s cannot be opened: %s", path, error.strerror)


def files_seen(folder: Path, base_name: str) -> int | None:
    """How many files the last look into a folder found; None where its base is missing or nobody has looked."""
    with suppress(BaseNotFound):
        if kept := cache.get(f"watched:{find_base(base_name).pk}:{folder}"):
            return len(kept["seen"])
    return None


def look(folder: Path, key: str) -> list[Path]:
    """The files to take now; what was seen is kept for the next look, which another worker may take."""
    watch = FolderWatch(lambda: [path for path in files_below(folder) if not path.is_symlink()])
    kept = cache.get(key) or {}
    watch.seen, watch.told = ({Path(name): (*each,) for name, each in kept.get(part, [])} for part in ("seen", "told"))
    arrived = watch.look()
    told = {path: each for path, each in watch.told.items() if path in watch.seen}
    parts = {"seen": watch.seen, "told": told}
    cache.set(key, {part: [(str(path), each) for path, each in kept.items()] for part, kept in parts.items()}, KEPT_S)
    return arrived
