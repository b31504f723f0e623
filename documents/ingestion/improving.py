"""What can improve a document after reading (R10): text recognition, a card and descriptions by a model, vectors."""

from collections.abc import Iterable

from documents.base_settings import BaseSettings
from documents.cards import by_model
from documents.ingestion import annotation, embedding, page_images
from documents.ingestion.escalation import pages_to_read_again
from documents.models import Document, IngestJob, Parse, Stage
from documents.storage.uploads import PDF
from llm import client
from reading import recognition
from reading.outline.extension import COARSE_LINES
from reading.pages.without_text import RECOGNISABLE

SHALLOW_LEVELS = 2  # R13: where many outlines stop
CHECKED_LINES_MAX = 100_000  # three passes hold the headings of far less


def next_stage(document: Document, parse: Parse, chosen: BaseSettings) -> Stage:
    """The next improvement of a parse: heavier reading first, since it makes a new one; annotations before vectors."""
    if may_recognise(document, parse.unreadable_pages, chosen) or may_read_again(document, parse, chosen):
        return Stage.RECOGNISE
    return stage_after_reading(parse, chosen)


def stage_after_reading(parse: Parse, chosen: BaseSettings) -> Stage:
    return Stage.CONTENTS if may_check_contents(parse, chosen) else stage_after_contents(chosen)


def may_check_contents(parse: Parse, chosen: BaseSettings) -> bool:
    """Whether a model is to look over a parse's contents, by the base's mode (R13); once for each parse.

    `extend` looks for what lies below an outline of one or two levels, `composite` looks over any contents, `auto` does
    the first where the outline is coarse, and looks over what was told by print alone or is weak.
    """
    mode = chosen.contents_check
    if mode == "none" or "contents" in parse.report or not client.is_configured():
        return False
    if parse.line_count > CHECKED_LINES_MAX or not parse.line_count:
        return False
    if mode == "composite":
        return True
    entries = parse.toc_entries.exclude(origin="front")
    is_shallow = parse.toc_origin == "outline" and not entries.filter(level__gt=SHALLOW_LEVELS).exists()
    if mode == "extend":
        return is_shallow
    is_doubtful = parse.toc_origin == "headings" or parse.toc_strength in ("weak", "none")
    return is_doubtful or is_shallow and parse.line_count > COARSE_LINES * max(entries.count(), 1)


def stage_after_contents(chosen: BaseSettings) -> Stage:
    return Stage.CARD if by_model.is_card_wanted(chosen) else stage_after_card(chosen)


def stage_after_card(chosen: BaseSettings) -> Stage:
    return Stage.ANNOTATE if annotation.is_wanted(chosen) else stage_after_annotation(chosen)


def stage_after_annotation(chosen: BaseSettings) -> Stage:
    return Stage.DONE if embedding.find_embedding_obstacle(chosen) else Stage.EMBED


def may_recognise(document: Document, page_numbers: Iterable[int], chosen: BaseSettings) -> bool:
    """Whether pages are to be recognised without being asked to: once each, if recognition is installed and wanted."""
    is_wanted = chosen.recognition == "automatic" and document.media_type == PDF
    return is_wanted and bool(recognition.engine()) and has_unseen(document, page_numbers)


def may_read_again(document: Document, parse: Parse, chosen: BaseSettings) -> bool:
    """Whether flagged pages are to be read by a heavier method without being asked to (R12)."""
    return chosen.recognition == "automatic" and any(pages_to_read_again(document, parse))


def has_unseen(document: Document, page_numbers: Iterable[int]) -> bool:
    """Whether one of the pages never went through text recognition."""
    folder = page_images.folder_of(document.read_sha256)
    return any(not recognition.page_text_path(folder, number).exists() for number in page_numbers)


def may_have_letters(document: Document) -> bool:
    """Whether a document without a reading has something drawn that may be letters."""
    job = document.jobs.order_by("created_at").last()
    return job is not None and job.reason_code in RECOGNISABLE


def improvements(document: Document) -> list[Stage]:
    """The improvements a person can ask for: recognition of unreadable pages, what a model has not described."""
    parse = document.current_parse
    is_open = document.jobs.filter(state__in=IngestJob.OPEN).exists()
    if document.trashed_at or is_open:
        return []
    stages = []
    is_unread = document.media_type == PDF and (parse.unreadable_pages if parse else may_have_letters(document))
    is_unseen = is_unread and has_unseen(document, parse.unreadable_pages if parse else [1])
    if is_unseen and recognition.engine() or any(pages_to_read_again(document, parse)):
        stages.append(Stage.RECOGNISE)
    chosen = BaseSettings.from_json(document.base.settings)
    if parse and by_model.is_card_wanted(chosen) and not by_model.has_card_by_model(document):
        stages.append(Stage.CARD)
    if parse and annotation.is_wanted(chosen) and parse.passages.filter(annotation="").exists():
        stages.append(Stage.ANNOTATE)
    return stages
