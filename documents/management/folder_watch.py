"""Files that arrive in a folder, each once it has stopped changing; and the wish of somebody outside to end."""

import hashlib
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from documents.models import Document, KnowledgeBase
from documents.storage.uploads import has_readable_suffix

Signature = tuple[int, int]  # size and time of a file


class FolderWatch:
    """Looks again and again at paths; a file is told when two looks found it unchanged, and again once it changes."""

    def __init__(self, list_files: Callable[[], Iterable[Path]]) -> None:
        self.list_files = list_files
        self.seen: dict[Path, Signature] = {}
        self.told: dict[Path, Signature] = {}

    def look(self) -> list[Path]:
        """The files to take now, in the order they are listed."""
        before, self.seen = self.seen, {}
        arrived = []
        for path in self.list_files():
            try:
                status = path.stat()
            except OSError:  # gone or hidden meanwhile
                continue
            self.seen[path] = signature = status.st_size, status.st_mtime_ns
            if before.get(path) == signature != self.told.get(path):
                self.told[path] = signature
                arrived.append(path)
        return arrived


def files_below(folder: Path) -> list[Path]:
    """The readable-looking files in a folder and those below it, by name."""
    return sorted(inner for inner in folder.rglob("*") if inner.is_file() and has_readable_suffix(inner.name))


def find_known(base: KnowledgeBase, path: Path) -> Document | None:
    """The document a base has or had of a file's bytes, be it trashed or replaced by now. Raises OSError."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return base.documents.filter(sha256=digest).order_by("-created_at").first()


@contextmanager
def end_on_signal() -> Iterator[threading.Event]:
    """An event that SIGTERM or Ctrl-C sets, so that the file at hand is finished; the next one ends at once."""
    wish = threading.Event()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def end(number: int, frame: object) -> None:
        wish.set()
        for each, handler in handlers.items():
            signal.signal(each, handler)

    for number in handlers:
        signal.signal(number, end)
    try:
        yield wish
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
