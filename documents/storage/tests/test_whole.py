"""A file that cannot be written whole is not there at all, and whoever sent it is told to come back."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage, storages
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile, UploadedFile
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from documents.access import create_base
from documents.models import Document, KnowledgeBase
from documents.storage.temporary import temporary_root
from documents.storage.uploads import StorageFull, accept_upload
from documents.storage.whole import WholeFiles
from tests.small_disk import SIZE, files_on, small_disk

TOO_LARGE = b"# Long\n\n" + b"Words that need room.\n" * 100_000  # 2.2 MB
FITS = b"# Short\n\nWords.\n"
# Written where files may have 100 kB at most: what fails in the middle is what is looked at.
WRITE_LIMITED = """
import resource, sys
from django.conf import settings
settings.configure(MEDIA_ROOT=sys.argv[1])
from django.core.files.base import ContentFile
from documents.storage.whole import WholeFiles
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    WholeFiles().save("base/document", ContentFile(b"x" * 500_000))
except OSError as error:
    print("refused", error.errno)
"""


@pytest.fixture
def disk(tmp_path: Path, settings: Settings) -> Iterator[Path]:
    with small_disk(tmp_path / "small") as directory:
        settings.MEDIA_ROOT = directory
        yield directory


@pytest.fixture
def owner(db: None) -> User:
    return User.objects.create_user("ada@example.org", "quiet-harbour-91")


@pytest.fixture
def base(owner: User) -> KnowledgeBase:
    return create_base(owner, "Small")


@pytest.fixture
def client(owner: User) -> Client:
    client = Client()
    client.force_login(owner, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def at_once(content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("long.md", content)


def spooled(content: bytes) -> TemporaryUploadedFile:
    """As Django hands over a file of more than 2.5 MB: it lies on the disk already."""
    temporary_root()
    file = TemporaryUploadedFile("long.md", "text/markdown", len(content), None)
    file.write(content)
    file.seek(0)
    return file


@pytest.mark.parametrize("make", [at_once, spooled])
def test_a_full_disk_keeps_neither_a_file_nor_a_row(
    disk: Path, base: KnowledgeBase, owner: User, make: Callable[[bytes], "UploadedFile[bytes]"]
) -> None:
    with make(TOO_LARGE) as file, pytest.raises(StorageFull) as refusal:
        accept_upload(base, owner, file)
    assert refusal.value.code == "storage_full"
    assert files_on(disk) == [] and not Document.objects.exists()
    document = accept_upload(base, owner, SimpleUploadedFile("short.md", FITS))
    assert [path.read_bytes() for path in files_on(disk)] == [FITS]
    assert Path(document.file.path) == files_on(disk)[0]


def test_a_write_that_stops_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WRITE_LIMITED, str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.startswith("refused"), done.stderr
    assert files_on(tmp_path) == []


def test_what_is_there_stays_as_it_is(tmp_path: Path) -> None:
    storage = WholeFiles(location=tmp_path)
    assert storage.save("a/b", ContentFile(b"first")) == "a/b"
    second = storage.save("a/b", ContentFile(b"second"))
    assert second != "a/b" and (tmp_path / "a/b").read_bytes() == b"first"
    assert (tmp_path / second).read_bytes() == b"second"
    assert len(files_on(tmp_path)) == 2


def test_every_file_of_a_document_is_stored_so() -> None:
    assert isinstance(storages["default"], WholeFiles)
    fields = (Document._meta.get_field(name) for name in ("file", "unlocked"))
    assert all(field.storage is default_storage for field in fields)  # type: ignore[union-attr]


@pytest.mark.parametrize("script", [True, False])
def test_a_person_is_told_with_507(disk: Path, base: KnowledgeBase, client: Client, script: bool) -> None:
    accept = "application/json" if script else "text/html"
    sent = {"files": SimpleUploadedFile("long.md", TOO_LARGE)}
    answered = client.post(f"/bases/{base.pk}/upload/", sent, headers={"Accept": accept})
    assert (answered.status_code, answered.headers["Retry-After"]) == (507, "60")
    assert "disk space" in answered.content.decode()
    assert files_on(disk) == []


def test_a_program_is_told_with_507(disk: Path, base: KnowledgeBase, client: Client) -> None:
    sent = {"files": SimpleUploadedFile("long.md", TOO_LARGE)}
    answered = client.post(f"/api/v1/bases/{base.pk}/documents", sent)
    assert (answered.status_code, answered.headers["Retry-After"]) == (507, "60")
    assert answered.json()["code"] == "storage_full"
    assert files_on(disk) == []


def test_what_fits_is_taken_beside_what_does_not(disk: Path, base: KnowledgeBase, client: Client) -> None:
    files = [SimpleUploadedFile("long.md", TOO_LARGE), SimpleUploadedFile("short.md", FITS)]
    answered = client.post(f"/api/v1/bases/{base.pk}/documents", {"files": files})
    assert answered.status_code == 201
    assert [outcome["code"] for outcome in answered.json()["outcomes"]] == ["storage_full", "accepted"]
    assert len(files_on(disk)) == 1


def test_a_new_version_that_does_not_fit_leaves_the_old_one(disk: Path, base: KnowledgeBase, client: Client) -> None:
    old = accept_upload(base, None, SimpleUploadedFile("short.md", FITS))
    sent = {"files": SimpleUploadedFile("long.md", TOO_LARGE)}
    client.raise_request_exception = False
    answered = client.post(f"/documents/{old.pk}/replace/", sent)
    assert (answered.status_code, answered.headers["Retry-After"]) == (507, "60")
    assert [document.pk for document in Document.objects.living()] == [old.pk]
    assert len(files_on(disk)) == 1 and len(TOO_LARGE) > SIZE
