"""The documents of a data folder as one base, in a database kept between runs."""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import django
from django.core.management import call_command

from benchmarks.scratch import guarded
from embedded import postgres

if TYPE_CHECKING:
    from benchmarks.library import Library
    from documents.models import Document, KnowledgeBase

HOME = Path(__file__).parent / "cache" / "home"


@contextmanager
def database(home: Path = HOME) -> Iterator[None]:
    """A migrated database under `home`; enter it before Django is set up, in one process at a time."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock, guarded(home, "stop"):
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.environ["DOCINTEL_HOME"] = str(home)
        os.environ["REDIS_URL"] = "redis://not-used"
        os.environ["DATABASE_URL"] = postgres.ensure(home)
        try:
            django.setup()
            call_command("migrate", verbosity=0)
            yield
        finally:
            postgres.stop(home)


def shelve(paths: Iterable[str], library: "Library") -> "dict[str, Document]":
    """The documents of the paths, stored as ingestion would store them; those already stored are not read again."""
    from documents.models import KnowledgeBase

    base, _ = KnowledgeBase.objects.get_or_create(name=str(library.folder.resolve()))
    return {path: shelved(base, path, library) for path in dict.fromkeys(paths)}


def shelved(base: "KnowledgeBase", path: str, library: "Library") -> "Document":
    from benchmarks.library import code_digest
    from documents.models import Document

    known = Document.objects.filter(base=base, file=path).select_related("current_parse").first()
    if known and known.current_parse and known.current_parse.settings.get("reader") == code_digest():
        return known
    return store(base, path, library, known)


def store(base: "KnowledgeBase", path: str, library: "Library", known: "Document | None") -> "Document":
    """Write what the library read as the document's only parse."""
    from django.db import transaction

    from benchmarks.library import code_digest
    from documents.models import Document
    from documents.storage.store import copy_vectors, erase_parses, store_reading
    from reading.rows import Reading

    content = library.content(path)
    reading = Reading(
        title=content.title,
        language=content.language,
        pages=content.pages,
        lines=content.lines,
        toc=content.toc,
        report={"toc_origin": content.toc_origin, "toc_strength": content.toc_strength},
    )
    with transaction.atomic():
        document = known or Document.objects.create(
            base=base,
            title=content.title,
            file_name=content.file_name,
            file=path,
            sha256=content.sha256,
            size_bytes=(library.folder / path).stat().st_size,
            media_type=content.media_type,
            state=Document.State.READY,
        )
        old = document.parses.all()
        Document.objects.filter(pk=document.pk).update(current_parse=None)
        erase_parses(old)
        parse = store_reading(document, reading, content.passages, {"reader": code_digest()})
        if content.vectors:
            copy_vectors(
                parse, content.vectors.model_key, list(parse.passages.order_by("index")), content.vectors.passages
            )
            copy_vectors(
                parse, content.vectors.model_key, list(parse.toc_entries.order_by("index")), content.vectors.toc
            )
            parse.embedding_model = content.vectors.model_key
            parse.save(update_fields=["embedding_model"])
        document.current_parse = parse
        document.save(update_fields=["current_parse"])
    return document
