"""Remove files without a document or a process, left behind when one died between writing files and rows."""

from pathlib import Path

from django.conf import settings

from documents.models import Document
from documents.storage.temporary import old_paths, remove, remove_unused

AGE_S = 3600  # younger files may belong to an upload or a drawing in progress
UNFINISHED = ("*/*/.render-*", "*/*/*.part")  # among the page images of a document


def remove_orphans() -> list[Path]:
    """Delete stored files and page images without a document, and what is unfinished; return what was deleted."""
    # Listed before the rows are read, so that a new file cannot be missing its row.
    files = old_paths(Path(settings.MEDIA_ROOT), "*/*", AGE_S)
    images = old_paths(Path(settings.PAGE_IMAGE_ROOT), "*/*", AGE_S)
    names, digests = set[str](), set[str]()
    for file, unlocked, *both in Document.objects.values_list("file", "unlocked", "sha256", "unlocked_sha256"):
        names |= {file, unlocked}
        digests |= set(both)
    removed = [path for path in files if f"{path.parent.name}/{path.name}" not in names]
    removed += [path for path in images if path.name not in digests]
    for pattern in UNFINISHED:
        removed += old_paths(Path(settings.PAGE_IMAGE_ROOT), pattern, AGE_S)
    for path in removed:
        remove(path)
    return removed + remove_temporary()


def remove_temporary() -> list[Path]:
    """Delete temporary files and folders of processes that were killed; return what was deleted."""
    return remove_unused(AGE_S)
