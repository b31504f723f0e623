"""What can improve a document after reading: text recognition, descriptions of its passages, vectors."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from documents.base_settings import BaseSettings
from documents.ingestion import annotation, embedding, page_images
from documents.models import Document, IngestJob
from documents.storage.uploads import PDF
from reading import recognition

Stage: TypeAlias = IngestJob.Stage


def next_stage(document: Document, unreadable_pages: Sequence[int], chosen: BaseSettings) -> Stage:
    """The next improvement of a parse: recognition first, since it makes a new parse; annotations before vectors."""
    if may_recognise(document, unreadable_pages, chosen):
        return Stage.RECOGNISE
    return Stage.ANNOTATE if annotation.is_wanted(chosen) else stage_after_annotation(chosen)


def stage_after_annotation(chosen: BaseSettings) -> Stage:
    return Stage.DONE if embedding.find_embedding_obstacle(chosen) else Stage.EMBED


def may_recognise(document: Document, page_numbers: Iterable[int], chosen: BaseSettings) -> bool:
    """Whether pages are to be recognised without being asked to: once each, if recognition is installed and wanted."""
    is_wanted = chosen.recognition == "automatic" and document.media_type == PDF
    return is_wanted and bool(recognition.engine()) and has_unseen(document, page_numbers)


def has_unseen(document: Document, page_numbers: Iterable[int]) -> bool:
    """Whether one of the pages never went through text recognition."""
    folder = page_images.folder_of(document.sha256)
    return any(not recognition.page_text_path(folder, number).exists() for number in page_numbers)


def improvements(document: Document) -> list[Stage]:
    """The improvements a person can ask for: recognition of unreadable pages, missing descriptions."""
    parse = document.current_parse
    is_open = document.jobs.filter(state__in=(IngestJob.State.QUEUED, IngestJob.State.RUNNING)).exists()
    if document.trashed_at or is_open:
        return []
    stages = []
    is_unread = document.media_type == PDF and (parse is None or parse.unreadable_pages)
    if is_unread and recognition.engine() and has_unseen(document, parse.unreadable_pages if parse else [1]):
        stages.append(Stage.RECOGNISE)
    chosen = BaseSettings.from_json(document.base.settings)
    if parse and annotation.is_wanted(chosen) and parse.passages.filter(annotation="").exists():
        stages.append(Stage.ANNOTATE)
    return stages
