"""The title a reading gives a document."""

from pathlib import Path

from documents.models import Document
from documents.storage.uploads import TITLE_MAX, title_of


def better_title(document: Document, title: str) -> str:
    """The title that was read, unless a person gave one; the file's name if none was read."""
    title = " ".join(title.split())[:TITLE_MAX]
    if document.is_title_given:
        return document.title
    is_stored_name = title == Path(document.file.path).stem
    return title if title and not is_stored_name else title_of(document.file_name)
