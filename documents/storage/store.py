"""Bulk rows in and out of the database, by COPY: a reading becomes a parse, vectors go beside its passages."""

from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from django.db import connection, models
from django.db.models import Max, QuerySet
from pgvector.psycopg import register_vector
from psycopg.types.json import Jsonb

from documents.models import Document, Embedding, Line, Page, Parse, Passage, TocEntry
from reading.language import regconfig_of
from reading.matching import match_form
from reading.rows import LineRow, PageRow, PassageRow, Reading, TocRow

# Raise it by hand if the same file would be read differently; the library has its own version.
PARSER_VERSION = f"4, PyMuPDF {version('PyMuPDF')}"


def store_reading(
    document: Document, reading: Reading, passages: Sequence[PassageRow], settings: dict[str, Any]
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
        unreadable_pages=[page.number for page in reading.pages if page.text_layer == "none"],
        toc_origin=reading.report.get("toc_origin", "none"),
        toc_strength=reading.report.get("toc_strength", "none"),
        warnings=list(reading.warnings),
        report=reading.report,
        timings_ms=reading.timings_ms,
    )
    copy_rows(Page, parse, PageRow._fields, reading.pages)
    copy_rows(TocEntry, parse, TocRow._fields, reading.toc)
    copy_rows(Line, parse, LineRow._fields, reading.lines)
    store_passages(parse, passages)
    return parse


def erase_parses(parses: "QuerySet[Parse]") -> None:
    """Delete parses with all their rows, in SQL and children first, so that nothing is fetched."""
    parse_ids = list(parses.values_list("pk", flat=True))
    with connection.cursor() as cursor:
        for model in (Embedding, Line, Page, Passage, TocEntry):
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
                copy.write_row((*passage, match_form(f"{passage.context}\n{passage.text}")))
        cursor.execute(
            f"INSERT INTO {table} (parse_id, {columns}, search)"
            f" SELECT %s, {columns}, to_tsvector(%s::regconfig, folded) FROM fresh ORDER BY index",
            [parse.pk, parse.search_config],
        )
        cursor.execute("DROP TABLE fresh")


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
                copy.write_row((index, match_form(text)))
        cursor.execute(
            "UPDATE documents_passage SET search = to_tsvector(%s::regconfig, folded.text) FROM folded"
            " WHERE parse_id = %s AND documents_passage.index = folded.index",
            [parse.search_config, parse.pk],
        )
        cursor.execute("DROP TABLE folded")


def copy_vectors(
    parse: Parse, model_key: str, owners: Sequence[Passage] | Sequence[TocEntry], vectors: np.ndarray
) -> None:
    """COPY one vector per passage or TOC entry. `vectors` is [owners, dimensions], float32."""
    owner_column = "toc_entry_id" if owners and isinstance(owners[0], TocEntry) else "passage_id"
    document = parse.document
    statement = (
        f"COPY {Embedding._meta.db_table} (base_id, document_id, parse_id, {owner_column}, model_key, dimensions, "
        "vector)"
        " FROM STDIN (FORMAT BINARY)"
    )
    connection.ensure_connection()
    register_vector(connection.connection)  # before the cursor is made, which copies the connection's types
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(["uuid", "uuid", "uuid", "bigint", "varchar", "integer", "vector"])
        for owner, vector in zip(owners, vectors, strict=True):
            copy.write_row((document.base_id, document.pk, parse.pk, owner.pk, model_key, len(vector), vector))
