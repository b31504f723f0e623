"""Retention: a floor nobody gets below, a rule on record, and what is older loses its words while the chain holds."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from audit.conftest import House, MakeAnswer, MakeRun
from audit.keeping.erasure import erasure_of
from audit.keeping.retention import DEFAULT_DAYS, FLOOR_DAYS, RetentionRefused, days_kept, due, expire, set_days
from audit.proof.verification import verify
from ledger.holds import place, release
from ledger.models import Event
from retrieval.models import RetrievalRun

pytestmark = pytest.mark.django_db


def aged(make_run: MakeRun, days: float, **changes: object) -> RetrievalRun:
    return make_run(created_at=timezone.now() - timedelta(days=days), **changes)


def test_the_rule_has_a_default_a_floor_and_a_record(house: House) -> None:
    assert days_kept(house.base) == DEFAULT_DAYS
    set_days(house.base, 400, "Olga")
    assert days_kept(house.base) == 400
    for days in (FLOOR_DAYS - 1, 0, -1, 10**6):
        with pytest.raises(RetentionRefused, match="183 days at least"):
            set_days(house.base, days, "Olga")
    set_days(house.base, 400, "Olga")
    assert [event.details for event in Event.objects.filter(kind="retention_set")] == [{"days": [DEFAULT_DAYS, 400]}]


def test_a_forged_rule_below_the_floor_is_not_obeyed(house: House, make_run: MakeRun) -> None:
    from ledger.events import record

    record("retention_set", "Mallory", f"base:{house.base.pk}", {"days": [DEFAULT_DAYS, 1]})
    aged(make_run, FLOOR_DAYS - 1)
    assert (days_kept(house.base), expire()) == (FLOOR_DAYS, 0)


def test_only_what_is_older_loses_its_words(house: House, make_run: MakeRun, make_answer: MakeAnswer) -> None:
    set_days(house.base, 200, "Olga")
    old, young = make_run(created_at=timezone.now() - timedelta(days=201)), make_run()
    make_answer(old)
    make_answer(young)
    assert expire() == 1
    assert expire() == 0
    assert verify().ok, verify().sentence
    old.refresh_from_db()
    young.refresh_from_db()
    assert (old.question, young.question != "") == ("", True)
    event = erasure_of(old)
    assert event is not None and event.details["why"] == "Kept for 200 days by the rule of the base"


def test_a_hold_on_base_or_asker_stops_it(house: House, make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    set_days(house.base, 200, "Olga")
    aged(make_run, 300)
    for subject in (f"base:{house.base.pk}", f"user:{house.asker.pk}"):
        place(subject, "Olga", "Claim 2026-114 before the court")
        assert expire() == 0
        release(subject, "Olga", "The claim was settled")
    assert due(house.base).count() == 1
    call_command("apply_retention")
    assert capsys.readouterr().out.startswith("1 runs were older")


@pytest.mark.parametrize("subject", ["user:{0}", "base:{1}:user:{0}"])
def test_what_is_held_is_not_due_and_keeps_nothing_else_from_going(
    house: House, make_run: MakeRun, browse: Any, monkeypatch: pytest.MonkeyPatch, subject: str
) -> None:
    monkeypatch.setattr("audit.keeping.retention.RUNS_AT_ONCE", 1)
    set_days(house.base, 200, "Olga")
    held = aged(make_run, 300)
    others = [aged(make_run, 250, asked_by=asker) for asker in (house.auditor, None)]
    place(subject.format(house.asker.pk, house.base.pk), "Olga", "Claim 2026-114 before the court")
    page = browse(house.owner, f"/audit/keeping/{house.base.pk}/").content.decode()
    assert "2 questions are older and will be erased" in page and set(due(house.base)) == set(others)
    assert [expire() for _ in range(3)] == [1, 1, 0] and not erasure_of(held)
