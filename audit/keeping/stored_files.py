"""The files that rows name: originals, copies without a password, and what was brought along from elsewhere."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db.models import Model

from audit.carrying.keeping import import_of, path_of
from audit.models import CarriedArchive
from documents.models import Document

FILES, CARRIED = "files/", "carried/"


@dataclass(frozen=True)
class StoredFile:
    """One file: its name below DOCINTEL_HOME, where it is, the digest on record, and the row it belongs to."""

    name: str
    path: Path
    sha256: str  # "" where none is on record
    owner: type[Model]
    owner_id: object

    @property
    def subject(self) -> str:
        kind = "document" if self.owner is Document else "archive"
        return f"{kind} {self.owner_id}"

    def has_row(self) -> bool:
        """Whether what it belongs to is still there; files of what is deleted go with it."""
        rows = self.owner._default_manager.filter(pk=self.owner_id)
        return (rows.filter(removed_at=None) if self.owner is CarriedArchive else rows).exists()


def stored_files() -> Iterator[StoredFile]:
    columns = ("pk", "file", "sha256", "unlocked", "unlocked_sha256")
    for pk, *named in Document.objects.order_by("pk").values_list(*columns).iterator():
        for name, sha256 in zip(named[::2], named[1::2], strict=True):
            if name:
                yield StoredFile(f"{FILES}{name}", Path(settings.MEDIA_ROOT) / name, sha256, Document, pk)
    for archive in CarriedArchive.objects.filter(removed_at=None).order_by("pk"):
        path = path_of(archive)
        yield StoredFile(f"{CARRIED}{path.name}", path, import_of(archive).get("kept", ""), CarriedArchive, archive.pk)


def sha256_of_file(path: Path) -> str:
    """The SHA-256 of a file. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
