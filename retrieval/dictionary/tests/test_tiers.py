"""The model tiers of a base (R25): owners name them, each change is recorded, and what is unknown is refused."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from documents.access import create_base, set_role
from documents.base_settings import BaseSettings, SettingsError
from documents.models import KnowledgeBase
from ledger.models import Event
from retrieval.dictionary.csv_format import WordRow
from retrieval.dictionary.editing import add_concept
from retrieval.dictionary.tiers import NamedTiers, read_tiers, tier_rows
from retrieval.dispatch import find_named_tier
from retrieval.question.by_model import TYPES
from retrieval.question.kinds import RuleRow
from retrieval.question.parse import parse_question
from retrieval.reading_rules.editing import change_rules, reading_rules_of
from retrieval.told.planned import TYPE_WORDS

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("tiers@example.org", "quiet-harbour-91", name="Tia")


@pytest.fixture
def leases(owner: User) -> KnowledgeBase:
    base = create_base(owner, "Leases")
    add_concept(base, WordRow("Rent money", "en", "rent", "primary", 1.0))
    return base


@pytest.fixture
def signed_in(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def put(client: Client, base: KnowledgeBase, body: Any) -> Any:
    return client.generic("PUT", f"/api/v1/bases/{base.pk}/tiers", json.dumps(body), "application/json")


def test_every_answer_type_has_words() -> None:
    assert set(TYPE_WORDS) == set(TYPES)


def test_an_owner_names_tiers_and_the_change_is_recorded(signed_in: Client, leases: KnowledgeBase) -> None:
    types, concepts = [{"type": "amount", "tier": "hard"}], [{"concept": "rent MONEY", "tier": "normal"}]
    named = {"default": "small", "types": types, "concepts": concepts}
    assert put(signed_in, leases, named).status_code == 200
    leases.refresh_from_db()
    assert read_tiers(leases) == NamedTiers("small", {"amount": "hard"}, {"Rent money": "normal"})
    assert [row.what for row in tier_rows(read_tiers(leases))] == ["concept", "amount", "default"]
    event = Event.objects.get(kind="settings_changed")
    stored = {"default": "small", "type:amount": "hard", "concept:Rent money": "normal"}
    assert (event.actor, event.details["tiers"]) == ("Tia", [{}, stored])
    assert put(signed_in, leases, {}).json() == {"default": "", "types": [], "concepts": []}


def test_a_type_of_the_base_has_a_model_of_its_own(signed_in: Client, leases: KnowledgeBase, owner: User) -> None:
    """(R25, R103) And it may be taken away when the type is gone."""
    named = {"types": [{"type": "policy_number", "tier": "hard"}]}
    assert put(signed_in, leases, named).status_code == 400
    rows = [
        RuleRow("asks", "policy_number", "en", "policy number"),
        RuleRow("value", "policy_number", "", "p-[0-9]{4}"),
    ]
    change_rules(leases, rows, "Ours", owner, seen=0)
    assert put(signed_in, leases, named).status_code == 200
    address = reverse("retrieval:tiers", args=[leases.pk])
    assert signed_in.get(address).content.decode().count("answered by: policy_number") == 2  # in a row, and to choose
    leases.refresh_from_db()
    question = parse_question("What is the policy number?", [], rules=reading_rules_of(leases))
    tiers = BaseSettings.from_json(leases.settings).tiers
    chosen = find_named_tier(question, tiers, ())
    assert chosen is not None and (chosen.tier, "policy_number" in chosen.why) == ("hard", True)
    change_rules(leases, [], "Not ours", owner, seen=1)
    assert put(signed_in, leases, {**named, "default": "small"}).status_code == 200  # what was named stays
    assert signed_in.post(address, {"what": "policy_number", "tier": ""}).status_code == 302
    leases.refresh_from_db()
    assert read_tiers(leases) == NamedTiers("small", {}, {})


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"default": "huge"}, "huge"),
        ({"types": [{"type": "amount", "tier": "huge"}]}, "huge"),
        ({"types": [{"type": "colour", "tier": "small"}]}, "colour"),
        ({"concepts": [{"concept": "Deposit money", "tier": "small"}]}, "Deposit money"),
        ({"models": {}}, "models"),
    ],
)
def test_unknown_names_are_refused_clearly(
    signed_in: Client, leases: KnowledgeBase, body: dict[str, Any], told: str
) -> None:
    refused = put(signed_in, leases, body)
    assert refused.status_code == 400 and told in refused.content.decode()
    leases.refresh_from_db()
    assert read_tiers(leases) == NamedTiers("", {}, {})


def test_settings_refuse_an_unknown_tier() -> None:
    with pytest.raises(SettingsError, match="small, normal, hard"):
        BaseSettings(tiers={"default": "huge"})


def test_other_members_read_and_do_not_change(leases: KnowledgeBase, client: Client) -> None:
    editor = User.objects.create_user("editor-t@example.org", "quiet-harbour-91")
    set_role(leases, editor, "editor")
    client.force_login(editor)
    assert client.get(f"/api/v1/bases/{leases.pk}/tiers").status_code == 200
    assert put(client, leases, {"default": "small"}).status_code == 404
    assert (
        client.post(reverse("retrieval:tiers", args=[leases.pk]), {"what": "default", "tier": "small"}).status_code
        == 404
    )


def test_the_page_names_tiers_and_takes_them_away(signed_in: Client, leases: KnowledgeBase) -> None:
    address = reverse("retrieval:tiers", args=[leases.pk])
    assert "the program chooses" in signed_in.get(address).content.decode()
    typed = {"what": "concept", "concept": "Rent money", "tier": "hard"}
    assert signed_in.post(address, typed).status_code == 302
    assert "Rent money" in signed_in.get(address).content.decode()
    assert signed_in.post(address, {**typed, "concept": "Colour"}).status_code == 400
    assert signed_in.post(address, {**typed, "tier": ""}).status_code == 302
    leases.refresh_from_db()
    assert read_tiers(leases) == NamedTiers("", {}, {})


def test_saving_the_other_settings_keeps_the_tiers(signed_in: Client, leases: KnowledgeBase) -> None:
    put(signed_in, leases, {"default": "small"})
    body = json.dumps({"settings": {"pool_max": 30}})
    assert signed_in.generic("PATCH", f"/api/v1/bases/{leases.pk}", body, "application/json").status_code == 200
    leases.refresh_from_db()
    kept = BaseSettings.from_json(leases.settings)
    assert (kept.pool_max, kept.tiers) == (30, {"default": "small"})
