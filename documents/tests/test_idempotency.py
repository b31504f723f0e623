"""Requests sent twice: what makes two of them the same, whose a key is, and how long it is kept."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.models import User
from documents.idempotency import (
    KEPT_DAYS,
    Keyed,
    KeyReused,
    forget_keys,
    forget_old_keys,
    made_before,
    make_keyed,
    one_at_a_time,
    remember,
)
from documents.models import IdempotencyKey, KnowledgeBase

KEY = UUID("7e9f0d0a-5f0e-4c53-9d3b-d9a0cbbd4f11")
SAID: dict[str, Any] = {"question": "Was ist die Miete?", "documents": ["a", "b"], "mode": "rules", "limit": None}

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("owner@example.org")


def keyed(owner: User, base: KnowledgeBase, key: UUID = KEY, **changes: Any) -> Keyed:
    made = make_keyed(owner, base, key, **SAID | changes)
    assert made is not None
    return made


def test_a_request_without_a_key_is_never_remembered(owner: User, base: KnowledgeBase) -> None:
    assert make_keyed(owner, base, None, **SAID) is None and made_before(None) is None
    remember(None, turn="1")
    with one_at_a_time(None):
        assert not IdempotencyKey.objects.exists()


def test_what_the_first_request_made_is_told_again(owner: User, base: KnowledgeBase) -> None:
    assert made_before(keyed(owner, base)) is None
    remember(keyed(owner, base), turn="t-1", names=["é"])
    assert made_before(keyed(owner, base)) == {"turn": "t-1", "names": ["é"]}
    reordered = make_keyed(owner, base, KEY, **dict(reversed(SAID.items())))
    assert made_before(reordered) == {"turn": "t-1", "names": ["é"]}


@pytest.mark.parametrize(
    "change",
    [{"question": "Was ist die Miete? "}, {"documents": ["b", "a"]}, {"mode": None}, {"limit": 0}, {"extra": None}],
)
def test_the_same_key_with_other_words_is_refused(owner: User, base: KnowledgeBase, change: dict[str, Any]) -> None:
    remember(keyed(owner, base), turn="t-1")
    with pytest.raises(KeyReused, match="Make a new key"):
        made_before(keyed(owner, base, **change))


def test_a_key_belongs_to_one_person_and_one_base(owner: User, base: KnowledgeBase) -> None:
    remember(keyed(owner, base), turn="t-1")
    other, place = User.objects.create_user("o@example.org"), KnowledgeBase.objects.create(name="Other")
    for request in (keyed(other, base), keyed(owner, place), keyed(owner, base, uuid4())):
        assert made_before(request) is None and request.lock != keyed(owner, base).lock
        remember(request, turn="t-2")
    assert made_before(keyed(owner, base)) == {"turn": "t-1"}


def test_the_second_of_two_at_once_is_refused_by_the_table(owner: User, base: KnowledgeBase) -> None:
    remember(keyed(owner, base), turn="t-1")
    with pytest.raises(IntegrityError), transaction.atomic():
        remember(keyed(owner, base), turn="t-2")
    assert made_before(keyed(owner, base)) == {"turn": "t-1"}


def test_the_words_cannot_be_read_or_guessed_from_what_is_kept(owner: User, base: KnowledgeBase, settings: Any) -> None:
    first = keyed(owner, base)
    assert "Miete" not in first.digest and len(first.digest) == 64
    settings.SECRET_KEY = "another installation"
    assert keyed(owner, base).digest != first.digest


def locks() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
        count: int = cursor.fetchone()[0]
        return count


def test_a_lock_is_held_inside_and_let_go_after_an_error_too(owner: User, base: KnowledgeBase) -> None:
    before = locks()
    with one_at_a_time(keyed(owner, base)), one_at_a_time(keyed(owner, base, uuid4())):
        assert locks() == before + 2
    with pytest.raises(KeyError), one_at_a_time(keyed(owner, base)):
        raise KeyError
    assert locks() == before


@pytest.mark.parametrize("key", [UUID(int=0), UUID(int=2**128 - 1), KEY])
def test_a_lock_is_two_numbers_the_database_takes(owner: User, base: KnowledgeBase, key: UUID) -> None:
    numbers = keyed(owner, base, key).lock
    assert all(-(2**31) <= number < 2**31 for number in numbers) and numbers == keyed(owner, base, key, a=1).lock


def test_keys_are_forgotten_with_what_they_made_and_with_age(owner: User, base: KnowledgeBase) -> None:
    turns = [uuid4() for _ in range(3)]
    for turn in turns:
        remember(keyed(owner, base, uuid4()), turn=str(turn))
    remember(keyed(owner, base), run=str(turns[0]))
    forget_keys("turn", turns[:2])
    forget_keys("turn", [])
    assert sorted(str(row.made) for row in IdempotencyKey.objects.all()) == sorted(
        [str({"turn": str(turns[2])}), str({"run": str(turns[0])})]
    )
    for days, left in ((KEPT_DAYS - 0.1, 2), (KEPT_DAYS + 0.1, 0)):
        IdempotencyKey.objects.update(created_at=timezone.now() - timedelta(days=days))
        forget_old_keys()
        assert IdempotencyKey.objects.count() == left
