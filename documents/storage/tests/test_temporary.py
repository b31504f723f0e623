"""What is written for a moment lies in the program's home, and is swept once nobody uses it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.http import HttpRequest

from documents.ingestion import orphans
from documents.models import IngestJob
from documents.storage import temporary

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def root(settings: Any, tmp_path: Path) -> Path:
    settings.TEMPORARY_ROOT = settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "temporary"
    settings.MEDIA_ROOT = tmp_path / "files"  # what other tests left grows old in a long run, and would be swept
    return tmp_path / "temporary"


@pytest.fixture
def upload() -> Iterator[TemporaryUploadedFile]:
    handler = temporary.HeldUpload(HttpRequest())
    handler.new_file("file", "long.pdf", "application/pdf", None)
    handler.receive_data_chunk(b"%PDF-1.7", 0)
    yield handler.file
    handler.file.close()


def age(path: Path) -> Path:
    os.utime(path, (0, 0))
    return path


def test_it_is_made_when_needed_and_for_its_user_alone(root: Path) -> None:
    assert orphans.remove_orphans() == [] and not root.exists()
    with temporary.temporary_folder("unlock") as folder:
        assert folder.parent == root
        assert (root.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o700, 0o700)
    assert [*root.iterdir()] == []


def test_a_killed_process_leaves_nothing_after_the_sweep(root: Path) -> None:
    script = (
        "import sys, time, tempfile, os, fcntl; folder = tempfile.mkdtemp(prefix='read-', dir=sys.argv[1]);"
        "held = os.open(folder, os.O_RDONLY); fcntl.flock(held, fcntl.LOCK_SH);"
        "open(folder + '/reading.json', 'w').write('a text'); os.utime(folder, (0, 0));"
        "print(folder, flush=True); time.sleep(600)"
    )
    root.mkdir()
    with subprocess.Popen([sys.executable, "-c", script, str(root)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        folder = Path(process.stdout.readline().strip())
        assert orphans.remove_temporary() == [] and folder.exists(), "it is in use, however old"
        process.kill()
    assert orphans.remove_temporary() == [folder]
    assert [*root.iterdir()] == []


def test_what_is_in_use_or_young_stays(root: Path, upload: TemporaryUploadedFile) -> None:
    with temporary.temporary_folder("read") as held:
        young, stray = root / "unlock-young", root / "left.upload.pdf"
        young.mkdir()
        stray.write_bytes(b"left behind")
        for path in (held, Path(upload.temporary_file_path()), stray):
            age(path)
        assert orphans.remove_orphans() == [stray]
        assert held.exists() and young.exists()
    assert Path(upload.temporary_file_path()).parent == root
    assert set(root.iterdir()) == {young, Path(upload.temporary_file_path())}


def test_a_link_out_of_the_folder_takes_nothing_with_it(root: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("kept")
    root.mkdir()
    (root / "link").symlink_to(kept)
    os.utime(root / "link", (0, 0), follow_symlinks=False)
    assert orphans.remove_temporary() == [root / "link"]
    assert [*root.iterdir()] == []
    assert (kept / "file").read_text() == "kept"


def test_unfinished_page_images_of_a_living_document_go(
    queued: Callable[..., IngestJob], settings: Any, tmp_path: Path
) -> None:
    settings.PAGE_IMAGE_ROOT = tmp_path / "images"
    document = queued().document
    folder = Path(settings.PAGE_IMAGE_ROOT) / document.sha256[:2] / document.sha256
    drawing = folder / ".render-abc"
    drawing.mkdir(parents=True)
    (drawing / "page.webp").write_bytes(b"half")
    part, young, image = (folder / name for name in ("2.ab.part", "3.cd.part", "1.webp"))
    for path in (part, young, image):
        path.write_bytes(b"half")
    for path in (drawing, part, image):
        age(path)
    assert set(orphans.remove_orphans()) == {drawing, part}
    assert sorted(folder.iterdir()) == [image, young]
