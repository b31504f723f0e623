"""Drop a file of a request as soon as it exceeds the size limit, so that no more than the limit is ever stored."""

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, SkipFile


class SizeQuota(FileUploadHandler):
    """Drops a file of a request as soon as it exceeds the limit.

    Views find the names in `request.oversized_files`; other files of the request are kept.
    """

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.received = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.received += len(raw_data)
        if self.received > settings.UPLOAD_MAX_BYTES:
            oversized_files(self.request).append(self.file_name or "")
            raise SkipFile
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def oversized_files(request: Any) -> list[str]:
    """The names of files of a request that were dropped for their size."""
    names: list[str] = request.__dict__.setdefault("oversized_files", [])
    return names
