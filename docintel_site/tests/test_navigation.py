"""The navigation marks the entry a page belongs to, and none on a page that no view made."""

import pytest
from django.test import RequestFactory
from django.urls import resolve

from docintel_site.navigation import entries_for

ANY_ID = "00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize(
    "path, entry",
    [
        ("/bases/", "Documents"),
        (f"/bases/{ANY_ID}/dictionary/", "Documents"),
        ("/ask/", "Ask"),
        ("/audit/", "Audit"),
        ("/audit/queue/", "Audit"),
        ("/audit/figures/", "Figures"),
        (f"/audit/coverage/{ANY_ID}/", "Figures"),
        ("/status/", "Status"),
        ("/requirements/", "Status"),
        ("/people/", None),
    ],
)
def test_one_entry_is_current(rf: RequestFactory, path: str, entry: str | None) -> None:
    request = rf.get(path)
    request.resolver_match = resolve(path)
    assert [found.words for found in entries_for(request) if found.is_current] == ([entry] if entry else [])


def test_an_address_without_a_view_belongs_to_no_entry(rf: RequestFactory) -> None:
    entries = entries_for(rf.get("/nowhere/"))
    assert len(entries) == 5 and not any(entry.is_current for entry in entries)
