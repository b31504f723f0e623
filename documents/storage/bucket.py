"""Files in a bucket of S3, of Amazon or of any server that speaks its protocol. Needs requirements-s3.txt."""

import errno
import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import IO, Any

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files import File
from storages.backends.s3 import S3Storage

from documents.storage.remote import FilesAway, RemoteFiles
from documents.storage.temporary import spooled_file

logger = logging.getLogger(__name__)

IN_MEMORY_MAX = 2_621_440  # bytes of a file that is read; a longer one is on the disk meanwhile
CONNECT_S, SILENCE_S, ATTEMPTS = 5, 60, 2
QUIET_S = 5.0  # after no answer nobody of this process asks again for so long
NO_ROOM = frozenset({"QuotaExceeded", "XMinioStorageFull", "InsufficientStorage"})
# One request for each file, which is kept whole or not at all; parts of one that was stopped would stay unseen.
WHOLE = TransferConfig(multipart_threshold=5_000_000_000, use_threads=False)
CLIENT = Config(
    s3={"addressing_style": "path"},
    signature_version="s3v4",
    connect_timeout=CONNECT_S,
    read_timeout=SILENCE_S,
    retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
    # Servers that are not Amazon's know no checksums of their own; the digest of every file is on record.
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)


class BucketFiles(RemoteFiles, S3Storage):  # type: ignore[misc]  # it has no types
    """django-storages, but every file is whole and read before it is handed out, and errors are those of files."""

    def __init__(self, **options: Any) -> None:
        super().__init__(client_config=CLIENT, transfer_config=WHOLE, file_overwrite=False, **options)
        self._quiet_until = 0.0

    def _open(self, name: str, mode: str = "rb") -> "File[Any]":
        with self._told_as_of_files(name):
            stored = self.connection.meta.client.get_object(Bucket=self.bucket_name, Key=self.key_of(name))
            with ExitStack() as unread, stored["Body"] as body:
                file: IO[bytes] = unread.enter_context(spooled_file(IN_MEMORY_MAX))
                shutil.copyfileobj(body, file)
                unread.pop_all()
        file.seek(0)
        return File(file, name)

    def _save(self, name: str, content: "File[Any]") -> str:
        with self._told_as_of_files(name):
            return str(super()._save(name, content))

    def put(self, name: str, content: "File[Any]") -> None:
        self._save(name, content)

    def exists(self, name: str) -> bool:
        with self._told_as_of_files(name):
            return bool(super().exists(name))

    def delete(self, name: str) -> None:
        with self._told_as_of_files(name):
            super().delete(name)

    def listed(self, prefix: str = "") -> Iterator[tuple[str, datetime]]:
        begin = self.key_of("")
        with self._told_as_of_files(prefix):
            pages = self.connection.meta.client.get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=self.bucket_name, Prefix=begin + prefix):
                for found in page.get("Contents", ()):
                    yield found["Key"].removeprefix(begin), found["LastModified"]

    def key_of(self, name: str) -> str:
        return f"{self.location}/{name}"

    @contextmanager
    def _told_as_of_files(self, name: str) -> Iterator[None]:
        """Errors of the protocol as those of a disk: FileNotFoundError, one of a full disk, else FilesAway."""
        if time.monotonic() < self._quiet_until:
            raise FilesAway(errno.EIO, "the bucket did not answer just now", name)
        try:
            yield
        except ClientError as error:
            raise error_of_files(error, name) from error
        except BotoCoreError as error:
            self._quiet_until = time.monotonic() + QUIET_S
            logger.error("The bucket does not answer for %s: %s", name, error)
            raise FilesAway(errno.EIO, f"the bucket does not answer ({type(error).__name__})", name) from error


def error_of_files(error: ClientError, name: str) -> OSError:
    """What an answer of the bucket says of a file."""
    code = str(error.response.get("Error", {}).get("Code", ""))
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    if code in NO_ROOM or status == 507:
        return OSError(errno.ENOSPC, f"the bucket has no room ({code})", name)
    if status == 404 and code != "NoSuchBucket":
        return FileNotFoundError(errno.ENOENT, "not in the bucket", name)
    logger.error("The bucket refused %s: %s", name, error)
    return FilesAway(errno.EIO, f"the bucket refused it ({code})", name)
