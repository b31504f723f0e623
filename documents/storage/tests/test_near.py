"""The nearest vectors by an index are those that comparing every one finds, and only of the scope."""

import threading
from collections.abc import Callable
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection, transaction
from psycopg import sql

from documents.models import Embedding, KnowledgeBase, Parse
from documents.storage import near
from documents.storage.near import find_nearest, index_large_bases, index_name_of, known_indexes
from documents.storage.store import copy_vectors, store_passages
from documents.tests.readings import make_document, store_text
from reading.rows import PassageRow

pytestmark = pytest.mark.django_db(transaction=True)
MODEL, DIMENSIONS, EACH, LIMIT = "m/8", 8, 200, 20


@transaction.atomic
def filled(base: KnowledgeBase, seed: int) -> Parse:
    """A document with as many passages, and random vectors for them."""
    parse = store_text(make_document(base, f"{seed}.md"))
    first = parse.passages.count()
    store_passages(
        parse, [PassageRow(first + index, 1, 1, 1, 1, 0, "text", f"Passage {index}", "") for index in range(EACH)]
    )
    owners = list(parse.passages.order_by("index"))
    vectors = np.random.default_rng(seed).standard_normal((len(owners), DIMENSIONS)).astype(np.float32)
    copy_vectors(parse, MODEL, owners, vectors)
    return parse


@pytest.fixture
def parses(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(near, "INDEXED_FROM", EACH)
    yield [filled(base, seed) for seed in range(3)]
    Embedding.objects.all().delete()
    index_large_bases()  # an index outlives the rows of a test


def nearest(base: KnowledgeBase, parses: list[Parse], lines: int, seed: int = 9) -> list[tuple[UUID, float]]:
    vector = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
    return find_nearest(vector, MODEL, {base.pk}, [parse.pk for parse in parses], lines, LIMIT)


def run_with(base: KnowledgeBase, parses: list[Parse], lines: int) -> str:
    """The last statement that a search sent."""
    sent: list[str] = []

    def keep(send: Callable[..., Any], query: str, *rest: Any) -> Any:
        sent.append(str(query))
        return send(query, *rest)

    with connection.execute_wrapper(keep):
        nearest(base, parses, lines)
    return sent[-1]


def test_the_index_finds_what_comparing_every_vector_finds(base: KnowledgeBase, parses: list[Parse]) -> None:
    assert index_large_bases() == 1 and index_large_bases() == 0
    for seed in range(5):
        exact = nearest(base, parses, 0, seed)
        assert nearest(base, parses, near.LINES_MIN, seed) == exact and len(exact) == LIMIT
    assert "halfvec" in run_with(base, parses, near.LINES_MIN) and "halfvec" not in run_with(base, parses, 0)


def test_nothing_outside_the_scope_is_found(base: KnowledgeBase, parses: list[Parse]) -> None:
    """R101."""
    filled(KnowledgeBase.objects.create(name="Other"), 9)
    index_large_bases()
    some = nearest(base, parses[:1], near.LINES_MIN)
    assert {document for document, _ in some} == {parses[0].document_id}
    assert some == nearest(base, parses[:1], 0)


def test_a_broken_index_is_not_used_and_made_again(base: KnowledgeBase, parses: list[Parse]) -> None:
    index_large_bases()
    name = index_name_of(base.pk, MODEL)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", [name])
    assert known_indexes() == {name: False} and not near.has_index(base.pk, MODEL)
    assert index_large_bases() == 1 and known_indexes() == {name: True}


def test_an_index_nobody_needs_is_dropped(base: KnowledgeBase, parses: list[Parse]) -> None:
    call_command("index_vectors")
    assert len(known_indexes()) == 1
    Embedding.objects.all().delete()
    assert index_large_bases() == 0 and known_indexes() == {}
    assert nearest(base, parses, near.LINES_MIN) == []


def test_a_role_that_may_not_make_indexes_leaves_them(base: KnowledgeBase, parses: list[Parse]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE reader; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader; SET ROLE reader")
        try:
            assert index_large_bases() == 0
        finally:
            cursor.execute("RESET ROLE; DROP OWNED BY reader; DROP ROLE reader")
    assert known_indexes() == {} and len(nearest(base, parses, near.LINES_MIN)) == LIMIT


def test_two_do_not_make_the_same_index(base: KnowledgeBase, parses: list[Parse]) -> None:
    made: list[int] = []

    def make() -> None:
        made.append(index_large_bases())
        connection.close()

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [near.LOCK])
        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        cursor.execute("SELECT pg_advisory_unlock(%s)", [near.LOCK])
    assert made == [0] and index_large_bases() == 1


def test_names_are_literals_that_cannot_leave_their_quotes() -> None:
    made = near.statement(near.CREATE, UUID(int=1), "m'; DROP TABLE x; --", 3).as_string(None)
    assert "'m''; DROP TABLE x; --'" in made and isinstance(sql.SQL(near.EXACT), sql.Composable)
