"""The bytes an entry vouches for, built by the database itself: a run of 150 KB need not become Python rows first."""

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from ledger import chain
from ledger.models import Entry

SALT_BYTES = 16
PAIRS_MAX = 50  # PostgreSQL accepts a hundred arguments


class Vanished(RuntimeError):
    """The row to vouch for does not exist."""


@dataclass(frozen=True)
class Payload:
    """What entries of one kind vouch for. `text` is an SQL expression of JSON over one `row` of `table`.

    It names every column, so that adding one does not change the bytes of old rows. The bytes are PostgreSQL's: columns
    in the given order, jsonb in its own, times in UTC as ISO 8601.
    """

    kind: str
    table: str
    text: str

    @classmethod
    def of_columns(cls, kind: str, table: str, columns: str, **more: str) -> "Payload":
        """What vouches for columns by name, written with spaces between them, and further expressions."""
        return cls(kind, table, object_of("row", columns.split(), **more))

    def read(self, ids: Sequence[UUID]) -> dict[UUID, bytes]:
        """The current bytes of these rows; missing rows are left out."""
        statement = f"SELECT row.id, ({self.text})::text FROM {self.table} AS row WHERE row.id = ANY(%s)"
        with connection.cursor() as cursor:
            cursor.execute(statement, [list(ids)])
            return {row_id: text.encode() for row_id, text in cursor.fetchall()}

    def vouch(self, row_id: UUID) -> Entry:
        """Chain the stored content of one row with a new salt; the last step of the row's transaction."""
        written = self.read([row_id]).get(row_id)
        if written is None:
            raise Vanished(f"There is no {self.kind} {row_id} to vouch for.")
        return chain.append(self.kind, str(row_id), written, salt=secrets.token_hex(SALT_BYTES))


def canonical_json(content: Mapping[str, object]) -> bytes:
    """The bytes of entries from before the database built them: keys in order, no blanks, as text what JSON lacks."""
    return json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str).encode()


def object_of(alias: str, columns: Iterable[str], **more: str) -> str:
    """SQL of a JSON object of columns by name, and of further expressions."""
    pairs = {name: f"{alias}.{name}" for name in columns} | more
    if len(pairs) > PAIRS_MAX:
        raise ValueError(f"{len(pairs)} columns are more than {PAIRS_MAX} in one object.")
    arguments = [f"'{name}', {value}" for name, value in pairs.items()]
    return f"json_build_object({', '.join(arguments)})"
