"""Recorded changes in words: whose they are, what was and what is, lists, unknown kinds, and pages without a gap."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import BadRequest
from django.utils import translation

from audit.conftest import House
from audit.keeping import changes
from audit.keeping.changes import (
    CHANGES_A_PAGE,
    VALUE_MAX,
    WORDS,
    base_id_of,
    describe_details,
    describe_events,
    filter_changes,
    read_change_page,
    visible_to,
    write_value,
)
from ledger.events import record
from ledger.models import Entry, Event

BASE_ID = "5d8f0a7e-0000-4000-8000-000000000000"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("a", "a"),
        ("", "–"),
        (None, "–"),
        ([], "–"),
        (0, "0"),
        (False, "False"),
        (["a", "b"], "a → b"),
        (["", "b"], "– → b"),
        ([None, None], "– → –"),
        (["a"], "a"),
        (["a", "b", "c"], "a, b, c"),
        ([["a", "b", "c"], ["d"]], "a, b, c → d"),
        ({"a": 1}, "{'a': 1}"),
        ("x" * 1_000, "x" * VALUE_MAX),
        ("<b>", "<b>"),
    ],
)
def test_a_value_in_words(value: Any, words: str) -> None:
    assert write_value(value) == words


@pytest.mark.parametrize(
    ("details", "told"),
    [
        ({}, []),
        ({"before": "viewer", "after": "editor"}, [("changed", "viewer → editor")]),
        ({"before": "", "after": "editor", "name": "Ada"}, [("name", "Ada"), ("changed", "– → editor")]),
        ({"before": "", "after": "owner", "member": 3}, [("member", "3"), ("changed", "– → Owner")]),
        ({"before": "viewer"}, [("before", "viewer")]),
        ({"base": BASE_ID, "left": "digest", "title": "Lease"}, [("title", "Lease")]),
        ({"days": [365, 730]}, [("days", "365 → 730")]),
        ({"scopes": ["read", "write"]}, [("may", "read, write")]),  # two rights, and neither became the other
        ({"scopes": ["read"]}, [("may", "read")]),
        ({"scopes": []}, [("may", "–")]),
        ({"from": ["small", "large"], "to": "other"}, [("from", "small, large"), ("to", "other")]),
        ({"from": "small", "to": "large"}, [("from", "small"), ("to", "large")]),
        ({"passages_max": [8, 4]}, [("passages max", "8 → 4")]),
    ],
)
def test_details_in_words(details: dict[str, Any], told: list[tuple[str, str]]) -> None:
    assert describe_details(details) == told


@pytest.mark.parametrize(
    ("subject", "details", "found"),
    [
        (f"base:{BASE_ID}", {}, True),
        (f"base:{BASE_ID}:user:7", {}, True),
        ("document:7", {"base": BASE_ID}, True),
        ("document:7", {"base": "elsewhere"}, False),
        ("document:7", {"base": None}, False),
        ("document:7", {}, False),
        ("base:", {}, False),
        ("base", {}, False),
        ("", {}, False),
        ("base:7", {"base": BASE_ID}, False),
    ],
)
def test_the_base_of_a_change(subject: str, details: dict[str, Any], found: bool) -> None:
    assert base_id_of(Event(subject=subject, details=details)) == (uuid.UUID(BASE_ID) if found else None)


@pytest.mark.django_db
def test_a_change_has_its_words_its_base_and_its_entry(house: House) -> None:
    known = record("retention_set", "Olga", f"base:{house.base.pk}", {"days": [1, 2]})
    foreign = record("moon_landing", "Egon", f"base:{uuid.uuid4()}", {})
    first, second = describe_events([known, foreign])
    assert (first.words, first.base, first.about) == ("Retention changed", house.base.name, ""), "the base is named"
    assert second.about == foreign.subject
    assert first.sequence == Entry.objects.get(kind="event", subject_id=str(known.pk)).sequence
    assert (second.words, second.base, second.details) == ("Moon landing", "", ())
    with translation.override("fr"):
        assert describe_events([known])[0].words not in ("", "Retention changed")
    assert describe_events([]) == []


@pytest.mark.django_db
def test_a_person_sees_the_changes_of_the_bases_he_audits_and_no_other(house: House) -> None:
    base = house.base.pk
    seen = [
        record("settings_changed", "Olga", f"base:{base}", {}),
        record("hold_placed", "Olga", f"base:{base}:user:7", {}),
        record("purged", "Olga", "document:7", {"base": str(base)}),
    ]
    record("purged", "Olga", "document:8", {"base": f"{base}0"})
    record("settings_changed", "Olga", f"base:{base}0", {})
    record("token_made", "Olga", "token:7", {"name": str(base)})
    for person in (house.owner, house.auditor):
        assert [event.pk for event in visible_to(person)] == [event.pk for event in reversed(seen)]
    for outsider in (house.viewer, house.asker, AnonymousUser()):
        assert not visible_to(outsider).exists()
    house.viewer.is_superuser = True
    assert visible_to(house.viewer).count() == Event.objects.count() >= 6


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ({}, 3),
        ({"kind": "purged"}, 1),
        ({"kind": "erased"}, 0),
        ({"actor": "OLG"}, 2),
        ({"actor": "%"}, 0),
        ({"actor": "Olga", "kind": "purged"}, 1),
        ({"actor": "", "kind": "", "base": None}, 3),
    ],
)
def test_changes_are_narrowed(house: House, wanted: dict[str, Any], count: int) -> None:
    for kind, actor in (("purged", "Olga"), ("trashed", "Olga"), ("trashed", "Egon")):
        record(kind, actor, "document:7", {"base": str(house.base.pk)})
    assert filter_changes(visible_to(house.auditor), wanted).count() == count


@pytest.mark.django_db
def test_pages_leave_no_gap_and_repeat_nothing_among_changes_of_one_moment(house: House) -> None:
    moment = record("trashed", "Olga", "document:0", {"base": str(house.base.pk)}).created_at
    Event.objects.bulk_create(
        Event(kind="trashed", actor="Olga", subject=f"document:{number}", details={}, created_at=moment)
        for number in range(1, 2 * CHANGES_A_PAGE)
    )
    events = Event.objects.order_by("-created_at", "-id")
    first = read_change_page(events)
    second = read_change_page(events, str(first.older))
    shown = [row.about for row in (*first.rows, *second.rows)]
    assert len(shown) == len(set(shown)) == 2 * CHANGES_A_PAGE and second.older is None


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["x", "_", "2026-01-01_7", f"2026-01-01T00:00:00_{BASE_ID}", f"_{BASE_ID}", "\x00"])
def test_a_key_that_is_none_is_refused(key: str) -> None:
    with pytest.raises(BadRequest):
        read_change_page(Event.objects.order_by("-created_at"), key)


def test_every_kind_of_change_has_words_in_french() -> None:
    with translation.override("fr"):
        assert [kind for kind, words in WORDS.items() if not str(words)] == []
        assert str(changes.DETAIL_NAMES["role"]) == "rôle"
