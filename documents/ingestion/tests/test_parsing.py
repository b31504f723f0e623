"""From the stored file to a stored parse, step by step: the bytes are the upload's, and settings cut the passages."""

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from documents.base_settings import BaseSettings
from documents.ingestion.parsing import check_file, cut, read_file, swap_in
from documents.ingestion.reporting import IngestLease, claim_job
from documents.models import Document, IngestJob
from documents.storage.collecting import collection_paused
from documents.storage.uploads import MARKDOWN
from documents.tests.readings import HANDBOOK
from reading.plain_text import read_markdown
from reading.reasons import ReadingError

Queued = Callable[..., IngestJob]

pytestmark = pytest.mark.django_db


@pytest.fixture
def lease(queued: Queued) -> IngestLease:
    claimed = claim_job(queued(HANDBOOK.encode(), "handbook.md"), IngestJob.Stage.values)
    assert claimed is not None
    return claimed


def overwrite(document: Document, content: bytes) -> Path:
    path = Path(document.file.path)
    path.chmod(0o600)
    path.write_bytes(content)
    return path


def test_the_file_is_the_one_that_was_uploaded(lease: IngestLease) -> None:
    document = lease.job.document
    assert check_file(document).read_bytes() == HANDBOOK.encode()


@pytest.mark.parametrize(
    "change", [lambda text: text[:-1], lambda text: text + b" ", lambda text: b"", lambda text: text.upper()]
)
def test_a_file_that_changed_is_damaged(lease: IngestLease, change: Callable[[bytes], bytes]) -> None:
    overwrite(lease.job.document, change(HANDBOOK.encode()))
    with pytest.raises(ReadingError) as caught:
        check_file(lease.job.document)
    assert caught.value.code == "damaged" and lease.job.document.sha256 in caught.value.detail


def test_a_file_that_is_gone_is_a_fault_of_ours(lease: IngestLease) -> None:
    Path(lease.job.document.file.path).unlink()
    with pytest.raises(ReadingError) as caught:
        check_file(lease.job.document)
    assert caught.value.code == "internal" and str(lease.job.document.file) in caught.value.detail


@pytest.mark.parametrize("was_on", [True, False])
def test_the_collection_goes_on_as_it_was_before(was_on: bool) -> None:
    (gc.enable if was_on else gc.disable)()
    try:
        with pytest.raises(KeyError), collection_paused():
            assert not gc.isenabled()
            with collection_paused():
                pass
            assert not gc.isenabled(), "an inner pause ends no outer one"
            raise KeyError
        assert gc.isenabled() is was_on
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("content", "media_type", "texts"),
    [
        (b"# Title\n\ntext", MARKDOWN, ["Title", "text"]),
        (b"# Title\n\ntext", "text/plain", ["# Title", "text"]),
        (b"\xef\xbb\xbf# Title", MARKDOWN, ["Title"]),
        ("# Prüfung 漢字".encode(), MARKDOWN, ["Prüfung 漢字"]),
    ],
)
def test_text_is_read_by_its_kind(lease: IngestLease, content: bytes, media_type: str, texts: list[str]) -> None:
    document = lease.job.document
    document.media_type = media_type
    assert [line.text for line in read_file(document, overwrite(document, content), lease).lines] == texts


@pytest.mark.parametrize(("content", "code"), [(b" \n", "empty_file"), (b"\x00\x01", "empty_file")])
def test_text_of_nothing_has_its_reason(lease: IngestLease, content: bytes, code: str) -> None:
    document = lease.job.document
    with pytest.raises(ReadingError) as caught:
        read_file(document, overwrite(document, content), lease)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "settings", [{}, {"chunking": "page"}, {"chunking": "fixed", "chunk_size": 200, "chunk_overlap": 0}]
)
@pytest.mark.parametrize("contextualisation", ["breadcrumb", "none"])
def test_passages_are_cut_as_the_base_says(settings: dict[str, Any], contextualisation: str) -> None:
    """R96."""
    reading = read_markdown(HANDBOOK)
    passages = cut(reading, BaseSettings(**settings, contextualisation=contextualisation, embeddings="none"))
    words = " ".join(" ".join(passage.text for passage in passages).split())
    assert all(word in words for word in ("responsible", "rent", "seven years"))
    with_context = [passage for passage in passages if passage.context]
    if contextualisation == "none":
        assert with_context == []
    elif "chunking" not in settings:
        assert with_context, "the path of its section"
    assert "switched off" in reading.report["embeddings"] and reading.report["annotation"] == ""


def test_a_new_parse_takes_the_place_of_the_old_one(lease: IngestLease) -> None:
    document, chosen = lease.job.document, BaseSettings()
    reading = read_markdown(HANDBOOK)
    first = swap_in(document, reading, cut(reading, chosen), chosen)
    second = swap_in(document, reading, [], BaseSettings(chunking="page"))
    kept = Document.objects.get()
    assert kept.current_parse == second and (first.number, second.number) == (1, 2)
    assert (kept.state, kept.title) == ("ready", "Handbook")
    assert first.lines.count() == second.lines.count() and second.settings["chunking"] == "page"
