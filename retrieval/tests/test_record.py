"""What a stored run holds, and that the ledger's bytes are the same whenever they are made again."""

import pytest

from ledger.models import Entry
from retrieval.models import RetrievalRun
from retrieval.pipeline import retrieve
from retrieval.record import store_run
from retrieval.tests.builders import SETTINGS


@pytest.mark.django_db
def test_it_stores_a_run_its_candidates_and_its_ledger_entry(asked) -> None:  # type: ignore[no-untyped-def]
    base, user, content = asked
    result = retrieve("What is the notice period?", [content], settings=SETTINGS, arbiter="rules")
    run = store_run(result, base=base, user=user, mode="balanced")
    stored = RetrievalRun.objects.get(pk=run.pk)
    assert stored.status == "found"
    assert [candidate.role for candidate in stored.candidates.all()][0] == "primary"
    assert Entry.objects.filter(kind="run", subject_id=str(run.pk)).count() == 1
