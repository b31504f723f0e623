"""Documents read without a child process: a Markdown text in the database, as the reading of a file leaves it."""

import hashlib
from typing import Any

from documents.base_settings import BaseSettings
from documents.models import Document, KnowledgeBase, Parse
from documents.storage.store import store_reading
from reading.passages import cut_passages
from reading.plain_text import read_markdown
from reading.rows import Reading

HANDBOOK = """# Handbook

Every supplier names a responsible person.

## 1 Scope

The rent is due on the first day of every month.

## 2 Retention

Records are kept for seven years after the contract has ended.
"""


def make_document(base: KnowledgeBase, name: str = "handbook.md", **fields: Any) -> Document:
    """The row of a document that was uploaded and not read; its file is nowhere."""
    values = {
        "title": name.partition(".")[0].capitalize(),
        "file_name": name,
        "file": f"nowhere/{name}",
        "sha256": hashlib.sha256(name.encode()).hexdigest(),
        "size_bytes": 1,
        "media_type": "text/markdown",
    }
    return Document.objects.create(base=base, **values | fields)


def store_text(document: Document, text: str = HANDBOOK, **settings: Any) -> Parse:
    """Make the reading of a text the current parse of a document."""
    return store_rows(document, read_markdown(text), **settings)


def store_rows(document: Document, reading: Reading, **settings: Any) -> Parse:
    """Make a reading the current parse of a document, cut by the settings of a base."""
    chosen = BaseSettings(**settings)
    parse = store_reading(document, reading, cut_passages(reading, chosen), chosen.to_json())
    document.current_parse, document.state = parse, Document.State.READY
    document.save(update_fields=["current_parse", "state"])
    return parse
