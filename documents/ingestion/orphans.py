"""Remove files without a document, left behind when a process died between writing files and rows."""

import shutil
import time
from pathlib import Path

from django.conf import settings

from documents.models import Document

AGE_S = 3600  # younger files may belong to an upload or a drawing in progress


def remove_orphans() -> list[Path]:
    """Delete stored files and page images without a document; return what was deleted."""
    # Listed before the rows are read, so that a new file cannot be missing its row.
    files, images = old_paths(settings.MEDIA_ROOT), old_paths(settings.PAGE_IMAGE_ROOT)
    names = set(Document.objects.values_list("file", flat=True))
    digests = set(Document.objects.values_list("sha256", flat=True))
    removed = [path for path in files if f"{path.parent.name}/{path.name}" not in names]
    removed += [path for path in images if path.name not in digests]
    for path in removed:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return removed


def old_paths(root: Path) -> list[Path]:
    """Paths two levels below a folder, where uploads and page images are stored, that are older than AGE_S."""
    limit = time.time() - AGE_S
    return [path for path in root.glob("*/*") if path.stat().st_mtime < limit]
