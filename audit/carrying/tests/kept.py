"""Where what was brought along is kept on a disk."""

from pathlib import Path

from django.conf import settings

from audit.carrying.keeping import archive_name
from audit.models import CarriedArchive


def path_of(archive: CarriedArchive) -> Path:
    return Path(settings.CARRIED_ROOT) / archive_name(archive)
