"""Every entry of the ledger is one valid event, in order: who did what to which thing, and no words of a record."""

import json
from io import StringIO
from pathlib import Path
from typing import Any, Literal

import pytest
from django.core.management import call_command
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field, model_validator

from audit.access_log import record_event
from audit.conftest import House, MakeAnswer, MakeRun
from audit.keeping.changes import WORDS
from audit.keeping.siem import ACTIVITY_OF
from audit.proof.witnessing import CONTRADICTED
from ledger.events import record
from ledger.models import Entry

SCHEMA = Path(__file__).with_name("ocsf-1.3.0-entity-management.json")
Text = Field(min_length=1)


class Needed(BaseModel):
    """What the class requires; other attributes of the dictionary may be there as well."""

    model_config = ConfigDict(extra="allow", strict=True)


class Product(Needed):
    name: str = Text
    vendor_name: str = Text
    version: str = Text


class Metadata(Needed):
    version: Literal["1.3.0"]
    product: Product
    sequence: int
    uid: str = Text


class Named(Needed):
    uid: str = ""
    name: str = ""

    @model_validator(mode="after")
    def has_one(self) -> "Named":
        assert self.uid or self.name
        return self


class Actor(Needed):
    user: Named


class EntityManagement(Needed):
    category_uid: Literal[3]
    class_uid: Literal[3004]
    activity_id: Literal[1, 2, 3, 4, 8, 9, 99]
    activity_name: str = Text
    type_uid: int
    severity_id: Literal[1, 4]
    status_id: Literal[1, 2]
    time: int = Field(gt=1_500_000_000_000, lt=10_000_000_000_000)  # milliseconds
    entity: Named
    metadata: Metadata
    actor: Actor | None = None

    @model_validator(mode="after")
    def fits(self) -> "EntityManagement":
        assert self.type_uid == 100 * self.class_uid + self.activity_id
        return self


def exported(*arguments: str) -> list[dict[str, Any]]:
    out = StringIO()
    call_command("export_ocsf", *arguments, stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.fixture
def events(house: House, make_run: MakeRun, make_answer: MakeAnswer) -> list[dict[str, Any]]:
    run = make_run()
    make_answer(run)
    record("token_made", "Ada", f"user:{house.auditor.pk}", {"name": "Nightly"})
    record("purged", "console", f"base:{house.base.pk}", {"title": "Old"})
    record("moon_landing", "console", "base:1", {})
    record(CONTRADICTED, "console", "witness:elsewhere", {"head": 2, "value": ""})
    record_event(house.auditor, "trail", run.pk)
    record_event(house.auditor, "review_refused", run.pk, why="own question")
    record_event(None, "list", None)
    return exported()


def test_every_entry_is_an_event_of_the_class(events: list[dict[str, Any]]) -> None:
    read = [EntityManagement.model_validate(event) for event in events]
    assert [each.metadata.sequence for each in read] == list(Entry.objects.values_list("sequence", flat=True))
    assert [each.metadata.uid for each in read] == list(Entry.objects.values_list("hash", flat=True))
    assert [event["unmapped"]["kind"] for event in events[:2]] == ["run", "answer"]


def test_every_kind_of_event_is_valid_by_the_schema_that_ocsf_publishes(events: list[dict[str, Any]]) -> None:
    for kind in WORDS:
        record(kind, "Ada", "base:1", {"name": "Nightly", "count": 2, "text": "words of a card"})
    schema = Draft202012Validator(json.loads(SCHEMA.read_text()))
    told = exported()
    assert [(each["message"], error.message) for each in told for error in schema.iter_errors(each)] == []
    assert {each["unmapped"]["kind"] for each in told} >= {"run", "answer", "event", "audit_event"}
    assert len(told) == len(events) + len(WORDS)
    wrong = [told[0] | {"who": "Ada"}, told[0] | {"activity_id": 55}, {**told[0], "time": "today"}]
    assert not any(schema.is_valid(each) for each in wrong)


def test_an_event_says_who_did_what_to_which_thing(house: House, events: list[dict[str, Any]]) -> None:
    run_id = events[0]["unmapped"]["subject"]
    said = [(each["activity_name"], each["entity"]["type"], each["status_id"]) for each in events[2:]]
    assert said == [
        ("Create", "user", 1),
        ("Delete", "base", 1),
        ("moon_landing", "base", 1),
        ("Update", "witness", 1),
        ("Read", "run", 1),
        ("Create", "run", 2),
        ("Read", "audit", 1),
    ]
    assert events[2]["actor"] == {"user": {"name": "Ada"}}
    assert events[6]["actor"]["user"]["uid"] == str(house.auditor.pk) and events[6]["entity"]["uid"] == run_id
    assert events[2]["unmapped"]["details"] == {"name": "Nightly"}


def test_a_contradicted_record_is_of_high_severity_and_nothing_else_is(events: list[dict[str, Any]]) -> None:
    grave = [each["message"] for each in events if each["severity_id"] != 1]
    assert grave == ["witness_contradicted witness:elsewhere"] and events[5]["severity_id"] == 4


def test_no_word_of_a_question_or_an_answer_is_in_an_event(make_run: MakeRun, make_answer: MakeAnswer) -> None:
    make_answer(make_run(question="What does the canary sing?"), text="The canary sings nothing.")
    assert "canary" not in json.dumps(exported())


def test_it_goes_on_after_the_last_one_that_was_taken(events: list[dict[str, Any]]) -> None:
    taken = events[3]["metadata"]["sequence"]
    assert exported("--after", str(taken)) == events[4:]


def test_what_is_said_of_a_change_is_a_recorded_kind() -> None:
    assert set(ACTIVITY_OF) <= set(WORDS)
