"""Bulk rows in and out of the database, by COPY (R1): a reading becomes a parse, vectors go beside its passages."""

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from django.db import connection, models
from django.db.models import Max, QuerySet
from pgvector.psycopg import register_vector
from psycopg.types.json import Jsonb

from documents.models import (
    CrossReference,
    Document,
    Embedding,
    Image,
    Line,
    NamedObject,
    Page,
    Parse,
    Passage,
    TocEntry,
    Word,
)
from documents.storage.derived import pack_reading
from documents.storage.packed import ReadingRows, read_packed, stored_rows
from documents.storage.words import index_words
from reading.language import regconfig_of
from reading.matching import full_text_form
from reading.pages.profile import profile_of
from reading.registry.objects import read_registry
from reading.rows import (
    ImageRow,
    LineRow,
    ObjectRow,
    PageRow,
    PassageRow,
    Reading,
    ReferenceRow,
    TocRow,
    unreadable_pages,
)

# Raise it by hand if the same file would be read differently; the library has its own version.
PARSER_VERSION = f"23, PyMuPDF {version('PyMuPDF')}"


def store_reading(
    document: Document, reading: Reading, passages: Sequence[PassageRow], settings: Mapping[str, object]
) -> Parse:
    """Store a reading as the document's next parse. The caller's transaction makes it appear whole or not at all."""
    parse = Parse.objects.create(
        document=document,
        number=next_number(document),
        parser_version=PARSER_VERSION,
        settings=settings,
        title=reading.title[:500],
        language=reading.language,
        search_config=regconfig_of(reading.language),
        page_count=len(reading.pages),
        line_count=len(reading.lines),
        unreadable_pages=unreadable_pages(reading.pages),
        toc_origin=reading.report.get("toc_origin", "none"),
        toc_strength=reading.report.get("toc_strength", "none"),
        warnings=list(reading.warnings),
        profile=profile_of(reading),
        report=reading.report,
        timings_ms=reading.timings_ms,
    )
    copy_rows(Page, parse, PageRow._fields, reading.pages)
    copy_rows(TocEntry, parse, TocRow._fields, reading.toc)
    copy_rows(Line, parse, LineRow._fields, map(without_defaults, reading.lines))
    copy_rows(Image, parse, ImageRow._fields, reading.images)
    registry = read_registry(reading.lines, reading.toc, reading.images)
    copy_rows(NamedObject, parse, ObjectRow._fields, registry.objects)
    copy_rows(CrossReference, parse, ReferenceRow._fields, registry.references)
    rows = ReadingRows(reading.pages, reading.lines, reading.toc, reading.images, registry.objects, registry.references)
    pack_reading(parse, rows)
    store_passages(parse, passages)
    return parse


def without_defaults(line: LineRow) -> tuple[Any, ...]:
    """The values of a line as they are stored: nearly no piece is struck through, which need not be said of each."""
    return (*line[:-1], [span if span.struck else span[:-1] for span in line.spans])


def stored_reading(parse: Parse) -> Reading:
    rows = stored_rows(parse, read_packed(parse))
    return Reading(
        title=parse.title,
        language=parse.language,
        pages=rows.pages,
        lines=rows.lines,
        toc=rows.toc,
        warnings=tuple(parse.warnings),
        report=parse.report.copy(),
        timings_ms=dict(parse.timings_ms),
        images=rows.images,
    )


def erase_parses(parses: "QuerySet[Parse]") -> None:
    """Delete parses with all their rows, in SQL and children first, so that nothing is fetched.

    In the caller's transaction: they are locked, so that nobody packs one meanwhile.
    """
    parse_ids = list(parses.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
    with connection.cursor() as cursor:
        for model in (Embedding, CrossReference, NamedObject, Image, Line, Page, Word, Passage, TocEntry):
            cursor.execute(f"DELETE FROM {model._meta.db_table} WHERE parse_id = ANY(%s)", [parse_ids])
    Parse.objects.filter(pk__in=parse_ids).delete()


def next_number(document: Document) -> int:
    return (document.parses.aggregate(Max("number"))["number__max"] or 0) + 1


def copy_rows(model: type[models.Model], parse: Parse, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """COPY rows of one parse into a model's table; the columns have the names of the row's fields."""
    fields = [model._meta.get_field(name) for name in names]
    json_places = [place for place, field in enumerate(fields) if isinstance(field, models.JSONField)]
    columns = ["parse_id", *names]
    types = ["uuid", *(column_type(field) for field in fields)]
    quoted = ", ".join(connection.ops.quote_name(column) for column in columns)
    statement = f"COPY {model._meta.db_table} ({quoted}) FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(types)
        for row in rows:
            values = [parse.pk, *row]
            for place in json_places:
                values[place + 1] = Jsonb(values[place + 1])
            copy.write_row(values)


def store_passages(parse: Parse, passages: Sequence[PassageRow]) -> None:
    """Write passages with their search text at once: a row filled in later is written twice."""
    table, columns = Passage._meta.db_table, ", ".join(PassageRow._fields)
    types = [column_type(Passage._meta.get_field(name)) for name in PassageRow._fields]
    declared = ", ".join(f"{name} {kind}" for name, kind in zip(PassageRow._fields, types, strict=True))
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TEMPORARY TABLE fresh ({declared}, folded text) ON COMMIT DROP")
        with cursor.copy(f"COPY fresh ({columns}, folded) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types([*types, "text"])
            for passage in passages:
                copy.write_row((*passage, full_text_form(f"{passage.context}\n{passage.text}")))
        cursor.execute(
            f"INSERT INTO {table} (parse_id, {columns}, search)"
            f" SELECT %s, {columns}, to_tsvector(%s::regconfig, folded) FROM fresh ORDER BY index",
            [parse.pk, parse.search_config],
        )
        cursor.execute("DROP TABLE fresh")
    index_words(parse.pk)


def column_type(field: Any) -> str:
    """PostgreSQL's name of a column's type, without its length."""
    return str(field.db_type(connection)).split("(")[0]


def index_passages(parse: Parse, texts: Iterable[tuple[int, str]]) -> None:
    """Rebuild the full-text column from the folded form (R8): a question without accents finds a text with them.

    `texts` is the searched text of a passage, with its annotation and context, by passage index.
    """
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE folded (index integer, text text) ON COMMIT DROP")
        with cursor.copy("COPY folded (index, text) FROM STDIN") as copy:
            for index, text in texts:
                copy.write_row((index, full_text_form(text)))
        cursor.execute(
            "UPDATE documents_passage SET search = to_tsvector(%s::regconfig, folded.text) FROM folded"
            " WHERE parse_id = %s AND documents_passage.index = folded.index",
            [parse.search_config, parse.pk],
        )
        cursor.execute("DROP TABLE folded")
    index_words(parse.pk)


def copy_vectors(
    parse: Parse,
    model_key: str,
    owners: Sequence[Passage] | Sequence[TocEntry],
    vectors: np.ndarray | Sequence[np.ndarray],
    digests: Sequence[str] = (),
    *,
    are_copied: bool = False,
) -> None:
    """COPY one vector per passage or TOC entry. `vectors` is [owners, dimensions], float32.

    With `digests` an equal text finds them (`find_vectors`); `are_copied` if that is where these come from.
    """
    owner_column = "toc_entry_id" if owners and isinstance(owners[0], TocEntry) else "passage_id"
    document = parse.document
    statement = (
        f"COPY {Embedding._meta.db_table} (base_id, document_id, parse_id, {owner_column}, model_key, dimensions, "
        "vector, digest, is_copied)"
        " FROM STDIN (FORMAT BINARY)"
    )
    connection.ensure_connection()
    register_vector(connection.connection)  # before the cursor is made, which copies the connection's types
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(["uuid", "uuid", "uuid", "bigint", "varchar", "integer", "vector", "varchar", "bool"])
        whose = (document.base_id, document.pk, parse.pk)
        for owner, vector, digest in zip(owners, vectors, digests or [""] * len(owners), strict=True):
            copy.write_row((*whose, owner.pk, model_key, len(vector), vector, digest, are_copied))


def find_vectors(digests: Iterable[str]) -> dict[str, np.ndarray]:
    """The stored vectors of these digests, in whichever base they are; digests without one are left out."""
    equal = Embedding.objects.filter(digest__in=set(digests)).exclude(digest="").order_by("digest").distinct("digest")
    return {digest: np.asarray(vector, dtype=np.float32) for digest, vector in equal.values_list("digest", "vector")}
