"""From the stored file to a stored parse (R90): check it, read it within limits, cut passages, store the rows."""

import hashlib
from functools import partial
from pathlib import Path
from typing import cast

from django.db.models.fields.files import FieldFile

from documents.base_settings import BaseSettings
from documents.cards.by_model import find_card_obstacle
from documents.cards.versions import keep_card_by_rules
from documents.ingestion import annotation, embedding, page_images
from documents.ingestion.reporting import IngestLease
from documents.models import Document, IngestJob, Parse
from documents.storage.replacement import take_over
from documents.storage.store import store_reading
from documents.storage.temporary import temporary_folder
from documents.storage.uploads import MARKDOWN, PDF
from llm.embeddings import providers
from reading.passages import LONG, SHORT, PassageSize, cut_passages
from reading.processes.sandbox import FileKind, read_in_child
from reading.reasons import refusal
from reading.rows import ContentsSource, PassageRow, Reading

KIND_OF_TYPE: dict[str, FileKind] = {PDF: "pdf", MARKDOWN: "markdown"}


def check_file(document: Document) -> Path:
    """The path of the file to read, verified to be byte for byte what was stored. Raises ReadingError."""
    path = check_bytes(document.file, document.sha256)
    return check_bytes(document.unlocked, document.unlocked_sha256) if document.unlocked else path


def check_bytes(stored: FieldFile, sha256: str) -> Path:
    path = Path(stored.path)
    if not path.exists():
        raise refusal("internal", f"the stored file {stored.name} is missing")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != sha256:
        raise refusal("damaged", f"the stored file has the digest {digest}, when it was stored it had {sha256}")
    return path


def read_file(document: Document, path: Path, lease: IngestLease) -> Reading:
    """The rows of a file, read in a limited child process. Raises ReadingError."""
    with temporary_folder("read") as within:
        return read_in_child(
            path,
            kind=KIND_OF_TYPE.get(document.media_type, "text"),
            limits=page_images.limits(),
            on_progress=partial(lease.report, IngestJob.Stage.PAGES),
            recognised=page_images.folder_of(document.read_sha256),
            within=within,
            contents_source=cast("ContentsSource", document.contents_source),
        )


def cut(reading: Reading, chosen: BaseSettings) -> list[PassageRow]:
    """The passages of a reading; what the base's settings omit is noted in its report. Raises ReadingError."""
    passages = cut_passages(reading, chosen, size=passage_size(chosen), limits=page_images.limits())
    if chosen.contextualisation == "none":
        passages = [passage._replace(context="") for passage in passages]
    reading.report["embeddings"] = embedding.find_embedding_obstacle(chosen)
    reading.report["annotation"] = annotation.find_annotation_obstacle(chosen)
    reading.report["card"] = find_card_obstacle(chosen)
    return passages


def passage_size(chosen: BaseSettings) -> PassageSize:
    """The long size where the model of the base reads it whole with its context; without a model, what all can read."""
    embedder = None if chosen.embeddings == "none" else providers.embedder_of(chosen.embeddings)
    return LONG if embedder and embedder.tokens_read >= 2 * LONG.most else SHORT


def swap_in(document: Document, reading: Reading, passages: list[PassageRow], chosen: BaseSettings) -> Parse:
    """Store the parse and make it the current one, within the caller's transaction."""
    document = Document.objects.select_for_update().get(pk=document.pk)
    parse = store_reading(document, reading, passages, chosen.to_json())
    document.current_parse = parse
    document.state = Document.State.READY
    document.save(update_fields=["current_parse", "state"])
    keep_card_by_rules(document, parse, reading)
    take_over(document)
    return parse
