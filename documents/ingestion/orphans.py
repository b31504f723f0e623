"""Files that belong to no document: left behind when a process died between the rows and the files."""

import shutil
import time
from pathlib import Path

from django.conf import settings

from documents.models import Document

AGE_S = 3600  # younger files may belong to an upload or a drawing that is under way


def remove_orphans() -> list[Path]:
    """Delete stored files and page images without a document; what was deleted."""
    # Listed before the rows are read, so that no file can be younger than what is known of it.
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
    """What lies two levels below a folder, where uploads and page images are kept, and has lain there for a while."""
    limit = time.time() - AGE_S
    return [path for path in root.glob("*/*") if path.stat().st_mtime < limit]
