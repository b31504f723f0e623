"""A reading as one value: its rows, column by column, since thousands take ten times as long, and what is derived.

The rows stay what is searched, shown and proven. A value of another version is not read: `storage.derived` makes it
anew, and until then the rows are read. Nor is one whose seal does not fit: who may only write to the database cannot
have an answer found in what no row says, or give `marshal` what ends a process.
"""

import hmac
import json
import logging
import marshal
import sys
import zlib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from itertools import islice, repeat
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import unidata_version
from uuid import UUID

from django.conf import settings
from django.db import connection

from documents.models import Packed, Parse
from reading.rows import ImageRow, LineRow, LineSpan, ObjectRow, PageRow, ReferenceRow, TocRow, page_row

logger = logging.getLogger(__name__)

# What derives values of rows, code and words, and nothing else does (`retrieval/tests/test_stored_with_reading.py`);
# and what changes rows. With it all readings are packed anew, which costs less than an answer out of older values.
DERIVING: tuple[str, ...] = ("documents/migrations", "documents/storage", "reading")
DERIVING += ("retrieval/amendments", "retrieval/words")
DERIVING += tuple(f"retrieval/{name}.py" for name in ("candidates/plain", "candidates/units", "deadline", "types"))
FORMAT = 1  # raised when values are written otherwise
MARSHAL_VERSION = 4  # of the standard library's format; five times as fast as JSON
SEAL_BYTES = 32
KEY = sha256(f"documents.storage.packed {settings.SECRET_KEY}".encode()).digest()
FAST = 1  # the level of compression that costs least time
ROWS = "rows"


class ReadingRows(NamedTuple):
    """The rows of a parse that never change; its passages are described and its vectors made later."""

    pages: tuple[PageRow, ...]
    lines: tuple[LineRow, ...]
    toc: tuple[TocRow, ...]
    images: tuple[ImageRow, ...]
    objects: tuple[ObjectRow, ...]
    references: tuple[ReferenceRow, ...]


KINDS: tuple[Any, ...] = (PageRow, LineRow, TocRow, ImageRow, ObjectRow, ReferenceRow)
LINES, TEXT, MATCH = KINDS.index(LineRow), LineRow._fields.index("text"), LineRow._fields.index("match")
FIELDS = [(kind.__name__, kind._fields) for kind in (*KINDS, LineSpan)]
LIBRARIES = sys.version_info[:2], unidata_version, version("snowballstemmer")
DECIDING = repr((FORMAT, FIELDS, LIBRARIES, sha256(KEY).hexdigest()))


def deriving_files() -> list[Path]:
    roots = [settings.BASE_DIR / name for name in DERIVING]
    found = [path for root in roots for path in (root.rglob("*.*") if root.is_dir() else [root])]
    return sorted(path for path in found if path.suffix in (".py", ".toml", ".txt") and "tests" not in path.parts)


def version_of(files: Sequence[Path]) -> str:
    digests = "".join(sha256(path.read_bytes()).hexdigest() for path in files)
    return sha256(f"{DECIDING}{digests}".encode()).hexdigest()[:16]


VERSION = version_of(deriving_files())


def pack(value: Any) -> bytes:
    """A value of plain types as bytes."""
    return zlib.compress(marshal.dumps(value, MARSHAL_VERSION), FAST)


def unpack(packed: bytes) -> Any:
    return marshal.loads(zlib.decompress(packed))  # our own: `read_packed` gives nothing else


def pack_rows(rows: ReadingRows) -> bytes:
    """The rows as the database gives them back, in a third of their space."""
    in_order = sorted(rows.references, key=lambda each: (each.line_number, each.start, each.row))
    rows = rows._replace(images=tuple(sorted(rows.images)), references=tuple(in_order))
    tables = [packed_columns(kind, table) for kind, table in zip(KINDS, rows, strict=True)]
    spans = packed_columns(LineSpan, [span for line in rows.lines for span in line.spans])
    lines = tables[LINES]
    lines[-1] = [len(line.spans) for line in rows.lines]
    lines[MATCH] = [None if line.match == line.text.lower() else line.match for line in rows.lines]
    return pack(([[*map(share_equal, table)] for table in tables], [*map(share_equal, spans)]))


def packed_columns(kind: Any, rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    """The values of each field, numbers as their columns have them, and those of a span as JSON has them."""
    columns = [*map(list, zip(*rows, strict=True))] or [[] for _ in kind._fields]
    fields = zip(kind.__annotations__.values(), columns, strict=True)
    if kind is LineSpan:
        return [[*map(as_json_has_it, column)] if type_ is float else column for type_, column in fields]
    return [[*map(type_, column)] if type_ in (float, int) else column for type_, column in fields]


def as_json_has_it(number: float) -> float:
    """Without a minus zero, and no number of numpy, of which `marshal` would write the bytes."""
    return number + 0 if type(number) is int else float(number) + 0


def share_equal(column: list[Any]) -> list[Any]:
    """Equal values as one object, which is written and held once; not those that are equal across types or signs."""
    if len(set(map(type, column))) != 1:
        return column
    known: dict[Any, Any] = {}
    return [known.setdefault(value, value) if value else value for value in column]


def unpack_rows(packed: bytes) -> ReadingRows:
    tables, columns = unpack(packed)
    lines, spans = tables[LINES], iter(tuples_of(LineSpan, columns))
    matches = zip(lines[TEXT], lines[MATCH], strict=True)
    lines[MATCH] = [text.lower() if match is None else match for text, match in matches]
    lines[-1] = [tuple(islice(spans, count)) for count in lines[-1]]
    return ReadingRows(*(tuples_of(kind, table) for kind, table in zip(KINDS, tables, strict=True)))


def tuples_of(kind: Any, columns: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """The rows of a kind; made without a call of Python for each of thousands."""
    return tuple(map(tuple.__new__, repeat(kind), zip(*columns, strict=True)))


# ---- in and out of the database


def store_packed(parse: Parse, values: Mapping[str, bytes]) -> None:
    """Store all that is packed of a parse; in the transaction that stores its rows, or that has it locked."""
    value = marshal.dumps(dict(values), MARSHAL_VERSION)
    row = Packed(parse=parse, version=VERSION, value=seal_of(parse.pk, value) + value)
    Packed.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["parse"], update_fields=["version", "value"]
    )


def seal_of(parse_id: UUID, value: bytes) -> bytes:
    """What only this installation can make: a value of another reading or version does not fit either."""
    return hmac.digest(KEY, f"{parse_id} {VERSION} ".encode() + value, "sha256")


def read_packed(parse: Parse) -> dict[str, bytes] | None:
    """What this program packed of a parse, by name, or None; nothing if it is not as it was stored, which is logged."""
    stored = Packed.objects.filter(parse=parse, version=VERSION).values_list("value", flat=True).first()
    if stored is None:
        return None
    seal, value = bytes(stored[:SEAL_BYTES]), bytes(stored[SEAL_BYTES:])
    if not hmac.compare_digest(seal, seal_of(parse.pk, value)):
        logger.error("What is packed of reading %s was changed; its rows are read instead", parse.pk)
        return {}
    found: dict[str, bytes] = marshal.loads(value)
    return found


def stored_rows(parse: Parse, packed: Mapping[str, bytes] | None) -> ReadingRows:
    """The rows of a parse, from what is packed of it where something is."""
    return unpack_rows(packed[ROWS]) if packed and ROWS in packed else read_tables_of(parse)


def read_tables_of(parse: Parse) -> ReadingRows:
    *line_columns, _ = LineRow._fields
    lines = parse.lines.order_by("number").values_list(*line_columns)
    return ReadingRows(
        pages=tuple(page_row(row) for row in parse.pages.order_by("number").values_list(*PageRow._fields)),
        lines=tuple(LineRow._make((*row, spans)) for row, spans in zip(lines, stored_spans(parse), strict=True)),
        toc=tuple(TocRow(*row) for row in parse.toc_entries.order_by("index").values_list(*TocRow._fields)),
        images=tuple(ImageRow(*row) for row in parse.images.values_list(*ImageRow._fields)),
        objects=tuple(ObjectRow(*row) for row in parse.named_objects.values_list(*ObjectRow._fields)),
        references=tuple(ReferenceRow(*row) for row in parse.cross_references.values_list(*ReferenceRow._fields)),
    )


def stored_spans(parse: Parse) -> list[tuple[LineSpan, ...]]:
    """The pieces of each line, in the order of the lines; one text, since thousands of small ones take long to read."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT json_agg(spans ORDER BY number)::text FROM documents_line WHERE parse_id = %s", [parse.pk]
        )
        spans = json.loads(cursor.fetchone()[0] or "[]")
    return [tuple(LineSpan(*span) for span in each) for each in spans]
