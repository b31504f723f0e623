"""The vectors nearest to one: every vector compared, or an index in a base where that would take long.

An index is of one base and one model, so that what else an installation holds neither slows it nor hides anything.

A base with more than 20,000 vectors of one model has one (HNSW of half floats, made by an hourly task of the queue
`search`). It proposes twice as many as are wanted, which exact distances put in order.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db import ProgrammingError, connection, transaction
from django.db.models import Count
from numpy.typing import NDArray
from psycopg import sql
from psycopg.errors import InsufficientPrivilege

from documents.models import Embedding

logger = logging.getLogger(__name__)

INDEXED_FROM = 20_000  # vectors: comparing fewer takes some hundredths of a second, and finds every one
LINES_MIN = 120_000  # of the documents in scope: of fewer every vector is compared
BEAM = 800  # how many the index keeps in view, of which 150 are wanted: recall above 0.99
SPARE = 2  # times as many are fetched, then put in order by their exact distance
BUILD_MEMORY = "512MB"
DIMENSIONS_MAX = 4_000  # of an index of half floats
LOCK = int.from_bytes(b"nearness")
PREFIX = "documents_near_"

Near = tuple[UUID, float]  # a document and the cosine distance of one of its passages

EXACT = """
SELECT document_id, vector <=> %(vector)s::vector AS distance FROM documents_embedding
WHERE parse_id = ANY(%(parses)s) AND model_key = %(model)s AND passage_id IS NOT NULL
ORDER BY distance, id LIMIT %(limit)s
"""
INDEXED = """
SELECT document_id, vector <=> %(vector)s::vector AS distance FROM (
    SELECT id, document_id, vector FROM documents_embedding
    WHERE {condition} AND parse_id = ANY(%(parses)s)
    ORDER BY {narrow} <=> %(vector)s::halfvec({dimensions}) LIMIT %(limit)s * {spare}
) AS near ORDER BY distance, id LIMIT %(limit)s
"""
CREATE = """
CREATE INDEX CONCURRENTLY {name} ON documents_embedding USING hnsw ({narrow} halfvec_cosine_ops) WHERE {condition}
"""
CONDITION = "base_id = {base} AND model_key = {model} AND passage_id IS NOT NULL"
NARROW = "(vector::halfvec({dimensions}))"


def find_nearest(
    vector: NDArray[Any], model_key: str, base_ids: Collection[UUID], parse_ids: Sequence[UUID], lines: int, limit: int
) -> list[Near]:
    """The documents of the nearest passages, nearest first; `lines` is how many the parses have together.

    By the index where the scope is most of one large base; by every vector elsewhere, and where the index finds too
    few.
    """
    values = {"vector": str(vector.tolist()), "parses": list(parse_ids), "model": model_key, "limit": limit}
    if lines >= LINES_MIN and len(base_ids) == 1 and has_index(base := next(iter(base_ids)), model_key):
        near = send_search(statement(INDEXED, base, model_key, len(vector)), values)
        if len(near) == limit:
            return near
    return send_search(sql.SQL(EXACT), values)


def send_search(query: sql.Composable, values: Mapping[str, Any]) -> list[Near]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL hnsw.ef_search = {BEAM}; SET LOCAL hnsw.iterative_scan = strict_order")
        cursor.execute(query, values)
        return [(document, float(distance)) for document, distance in cursor.fetchall()]


def statement(template: str, base: UUID, model_key: str, dimensions: int) -> sql.Composed:
    """With base and model as literals, as the index has them: else PostgreSQL does not see that it fits."""
    condition = sql.SQL(CONDITION).format(base=sql.Literal(str(base)), model=sql.Literal(model_key))
    narrow = sql.SQL(NARROW).format(dimensions=sql.Literal(dimensions))
    return sql.SQL(template).format(
        condition=condition,
        narrow=narrow,
        dimensions=sql.Literal(dimensions),
        spare=sql.Literal(SPARE),
        name=sql.Identifier(index_name_of(base, model_key)),
    )


def index_name_of(base: UUID, model_key: str) -> str:
    return PREFIX + sha256(f"{base} {model_key}".encode()).hexdigest()[:24]


def has_index(base: UUID, model_key: str) -> bool:
    return known_indexes().get(index_name_of(base, model_key), False)


def known_indexes() -> dict[str, bool]:
    """The indexes there are, and whether each is whole: one whose making was broken off is not."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid"
            " WHERE indrelid = 'documents_embedding'::regclass AND starts_with(relname, %s)",
            [PREFIX],
        )
        return dict(cursor.fetchall())


def index_large_bases() -> int:
    """Make the indexes that large bases lack and drop those nobody needs; how many were made.

    Not inside a transaction, so that writing goes on meanwhile. The application's own role may not make indexes (see
    `ledger.roles`); then the owner of the tables does, by `manage.py index_vectors`.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
        if not cursor.fetchone()[0]:
            return 0  # somebody else is at it
        try:
            # It takes minutes, and waits for whoever had begun before.
            cursor.execute("SET statement_timeout = 0; SET lock_timeout = 0")
            return change_indexes(cursor)
        except ProgrammingError as error:
            if not isinstance(error.__cause__, InsufficientPrivilege):
                raise
            logger.info("Large bases lack an index of vectors, which their owner makes: manage.py index_vectors")
            return 0
        finally:
            cursor.execute("RESET statement_timeout; RESET lock_timeout")
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def change_indexes(cursor: Any) -> int:
    rows = Embedding.objects.exclude(passage=None).values_list("base_id", "model_key", "dimensions").order_by()
    large = rows.annotate(count=Count("pk")).filter(count__gte=INDEXED_FROM, dimensions__lte=DIMENSIONS_MAX)
    wanted = {index_name_of(base, model): (base, model, dimensions) for base, model, dimensions, _ in large}
    known = known_indexes()
    for name, is_whole in known.items():
        if name not in wanted or not is_whole:
            cursor.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name)))
    missing = [each for name, each in wanted.items() if not known.get(name)]
    for base, model, dimensions in missing:
        cursor.execute("SELECT set_config('maintenance_work_mem', %s, false)", [BUILD_MEMORY])
        cursor.execute(statement(CREATE, base, model, dimensions))
        cursor.execute("RESET maintenance_work_mem")
    return len(missing)
