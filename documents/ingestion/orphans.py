"""Remove files without a document or a process, left behind when one died between writing files and rows."""

from pathlib import Path, PurePath

from documents.models import Document
from documents.storage.files import drawn_pages, originals
from documents.storage.temporary import remove_unused

AGE_S = 3600  # younger files may belong to an upload or a drawing in progress
UNFINISHED = ("*/*/.render-*", "*/*/*.part")  # among the page images of a document


def remove_orphans() -> list[Path]:
    """Delete stored files and page images without a document, and what is unfinished; return what was deleted."""
    # Listed before the rows are read, so that a new file cannot be missing its row.
    files, drawn = originals(), drawn_pages()
    stored, images = files.old_names(AGE_S), drawn.old_names(AGE_S, "*/*", *UNFINISHED)
    names, digests = set[str](), set[str]()
    for file, unlocked, *both in Document.objects.values_list("file", "unlocked", "sha256", "unlocked_sha256"):
        names |= {file, unlocked}
        digests |= set(both)
    left = [name for name in images if name.split("/")[1] not in digests or is_unfinished(name)]
    removed = [files.remove(name) for name in stored if name not in names] + [drawn.remove(name) for name in left]
    return removed + remove_temporary()


def is_unfinished(name: str) -> bool:
    return any(PurePath(name).match(pattern) for pattern in UNFINISHED)


def remove_temporary() -> list[Path]:
    """Delete temporary files and folders of processes that were killed; return what was deleted."""
    return remove_unused(AGE_S)
