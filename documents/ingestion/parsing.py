"""From the stored file to a stored parse: check it, read it within limits, cut passages, store the rows."""

import gc
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from documents.base_settings import BaseSettings
from documents.ingestion import annotation, embedding, page_images
from documents.ingestion.reporting import IngestLease
from documents.ingestion.titling import better_title
from documents.models import Document, IngestJob, Parse
from documents.storage.replacement import take_over
from documents.storage.store import store_reading
from documents.storage.uploads import MARKDOWN, PDF
from reading.passages import cut_passages
from reading.plain_text import read_markdown, read_plain_text
from reading.processes.sandbox import read_in_child
from reading.reasons import refusal
from reading.rows import PassageRow, Reading


def check_file(document: Document) -> Path:
    """The path of the stored file, verified to be byte for byte the uploaded one. Raises ReadingError."""
    path = Path(document.file.path)
    if not path.exists():
        raise refusal("internal", f"the stored file {document.file.name} is missing")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != document.sha256:
        raise refusal("damaged", f"the stored file has the digest {digest}, at upload it had {document.sha256}")
    return path


@contextmanager
def collection_paused() -> Iterator[None]:
    """A reading makes a million small tuples without cycles; garbage collection took a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def read_file(document: Document, path: Path, lease: IngestLease) -> Reading:
    """The rows of a file; PDFs are read in a limited child process. Raises ReadingError."""
    if document.media_type == PDF:
        report, recognised = partial(lease.report, IngestJob.Stage.PAGES), page_images.folder_of(document.sha256)
        reading = read_in_child(path, limits=page_images.limits(), on_progress=report, recognised=recognised)
    else:
        # Text needs no child process: the reader is ours, and uploads are limited in size.
        read_text = read_markdown if document.media_type == MARKDOWN else read_plain_text
        reading = read_text(path.read_text(encoding="utf-8-sig"), page_images.limits())
    if not reading.lines:
        raise refusal("no_text")
    return reading


def cut(reading: Reading, chosen: BaseSettings) -> list[PassageRow]:
    """The passages of a reading; what the base's settings omit is noted in its report."""
    passages = cut_passages(reading, chosen)
    if chosen.contextualisation == "none":
        passages = [passage._replace(context="") for passage in passages]
    reading.report["embeddings"] = embedding.find_embedding_obstacle(chosen)
    reading.report["annotation"] = annotation.find_annotation_obstacle(chosen)
    return passages


def swap_in(document: Document, reading: Reading, passages: list[PassageRow], chosen: BaseSettings) -> Parse:
    """Store the parse and make it the current one, within the caller's transaction."""
    document = Document.objects.select_for_update().get(pk=document.pk)
    parse = store_reading(document, reading, passages, chosen.to_json())
    document.current_parse = parse
    document.state = Document.State.READY
    document.title = better_title(document, reading.title)
    document.save(update_fields=["current_parse", "state", "title"])
    take_over(document)
    return parse
