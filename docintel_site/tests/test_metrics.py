"""What Prometheus is told: the rows as they are, and every metric the dashboard names."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from accounts.models import User
from audit.models import RecordCheck
from chat.models import Conversation, Turn
from docintel_site.metrics import JOBS, write_metrics
from docintel_site.tests.test_access import QUESTION, Site, site
from documents.models import KnowledgeBase
from ledger import chain, heads
from tests.product import ROOT

__all__ = ["site"]  # the fixture

DASHBOARD = ROOT / "docs" / "grafana" / "docintel.json"


def told() -> dict[tuple[str, ...], float]:
    """Every sample by its name and the values of its labels, which are in the order of their names."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(write_metrics().decode())
        for sample in family.samples
    }


@pytest.mark.django_db
def test_an_empty_installation_is_told_too(settings: Settings) -> None:
    settings.LEDGER_HEADS.unlink(missing_ok=True)
    found = told()
    assert {name[1] for name in found if name[0] == "docintel_queue_messages"} == set(settings.QUEUES)
    assert {name[1] for name in found if name[0] == "docintel_stuck_jobs"} == set(JOBS)
    assert found["docintel_disk_free_bytes",] > 0
    assert found["docintel_ledger_head_age_seconds",] == found["docintel_ledger_fault",] == 0


@pytest.mark.django_db
def test_it_tells_work_that_waits_and_work_that_is_stuck() -> None:
    user = User.objects.create_user("ada@example.org", "quiet-harbour-91")
    conversation = Conversation.objects.create(base=KnowledgeBase.objects.create(name="Filings"), user=user)
    long_ago = timezone.now() - timedelta(hours=2)
    for number, state in enumerate(("queued", "queued", "running", "done")):
        Turn.objects.create(
            conversation=conversation, number=number, question="Why?", scope_name="Filings", state=state
        )
    Turn.objects.filter(number__in=(0, 2)).update(created_at=long_ago, heartbeat_at=long_ago)
    found = told()
    assert [found["docintel_jobs", "question", state] for state in ("queued", "running", "done")] == [2, 1, 1]
    assert found["docintel_oldest_waiting_seconds", "question"] >= 7200
    assert found["docintel_oldest_waiting_seconds", "document"] == 0
    assert found["docintel_stuck_jobs", "question"] == 1


@pytest.mark.django_db
def test_it_tells_the_length_of_each_queue() -> None:
    with current_app.connection_for_read() as link:
        channel: Any = link.default_channel
        client = channel.client
        client.rpush("embed", "message", "message")
        try:
            assert told()["docintel_queue_messages", "embed"] == 2
        finally:
            client.delete("embed")


def test_it_tells_answers_models_and_the_ledger(site: Site, settings: Settings) -> None:
    heads.write_head(settings.LEDGER_HEADS, chain.head())
    RecordCheck.objects.create(state="done", fault="entry 7 differs", ended_at=timezone.now())
    text = write_metrics().decode()
    found = told()
    assert found["docintel_answers_total", site.turn.answer.ended, site.turn.answer.kind] == 1
    assert found["docintel_runs_total", site.run.status] == 1
    calls = {name[2]: value for name, value in found.items() if name[0] == "docintel_model_calls_total"}
    assert calls["ok"] >= 2 and found["docintel_model_tokens_total", "in", "scripted"] > 0
    assert found["docintel_ledger_entries_total",] == chain.head().sequence > 0
    assert found["docintel_ledger_fault",] == 1 and found["docintel_ledger_check_age_seconds",] < 60
    assert 0 <= found["docintel_ledger_head_age_seconds",] < 60
    assert any(name[0] == "docintel_run_stage_seconds" and value >= 0 for name, value in found.items())
    people = [QUESTION, site.base.name, site.document.title, *(user.email for user in site.people.values())]
    assert [word for word in people if word in text] == [], "nothing of what people have or ask"


def test_the_dashboard_names_what_there_is(site: Site) -> None:
    RecordCheck.objects.create(state="done", ended_at=timezone.now())
    dashboard = json.loads(DASHBOARD.read_text())
    asked = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"docintel_\w+", target["expr"])
    }
    text = write_metrics().decode()
    there = set(re.findall(r"^# TYPE (docintel_\w+)", text, re.MULTILINE))
    assert asked <= there <= asked, "each metric has its panel"
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
