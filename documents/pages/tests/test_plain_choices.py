"""The plain choices of a base's settings (R102): what each sets, what fits none, and what the record keeps."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from audit.keeping.changes import describe_details
from documents.base_settings import BaseSettings
from documents.models import KnowledgeBase
from documents.pages.plain_choices import LABELS, OWN_MIXTURE, PLAIN, PlainForm, fit_options, option_words
from ledger.models import Event

EVERY = [(choice, option) for choice, options in PLAIN.items() for option in options]
TECHNICAL = {name: value for name, value in BaseSettings().to_json().items() if name != "tiers"}


def test_a_new_base_is_as_usual_in_everything() -> None:
    assert fit_options(BaseSettings()) == dict.fromkeys(PLAIN, "usual")


@pytest.mark.parametrize(("choice", "option"), EVERY)
def test_each_option_is_what_its_settings_say_and_explained(choice: str, option: str) -> None:
    chosen = BaseSettings(**PLAIN[choice][option].sets)  # type: ignore[arg-type]  # each by its own name
    assert fit_options(chosen) == dict.fromkeys(PLAIN, "usual") | {choice: option}
    assert set(LABELS) == set(PLAIN)
    english = option_words(choice, option)
    with translation.override("fr"):
        assert option_words(choice, option) != english


@pytest.mark.parametrize(
    ("choice", "changes"),
    [
        ("care", {"risk_max": 36}),
        ("care", {"claim_check": "off"}),
        ("sent", {"embeddings": "voyage"}),
        ("quotes", {"passages_max": 5}),
    ],
)
def test_a_mixture_is_called_so(choice: str, changes: dict[str, Any]) -> None:
    assert fit_options(BaseSettings(**changes)) == dict.fromkeys(PLAIN, "usual") | {choice: OWN_MIXTURE}


@pytest.mark.parametrize(
    ("sent", "wanted"),
    [
        ({}, {}),
        ({"plain-quotes": "usual"}, {}),
        ({"plain-quotes": "few"}, PLAIN["quotes"]["few"].sets),
        ({"plain-quotes": OWN_MIXTURE}, None),
        ({"plain-quotes": "\x00"}, None),
        ({"plain-care": "most"}, None),
    ],
)
def test_only_a_changed_choice_sets_anything(sent: dict[str, str], wanted: dict[str, Any] | None) -> None:
    form = PlainForm(BaseSettings(), sent)
    assert form.is_valid() is (wanted is not None) and form.wanted() == (wanted or {})


@pytest.fixture
def address(base: KnowledgeBase) -> str:
    base.settings = {}
    base.save()
    return reverse("documents:settings", args=[base.pk])


def saved(base: KnowledgeBase) -> BaseSettings:
    base.refresh_from_db()
    return BaseSettings.from_json(base.settings)


@pytest.mark.django_db
def test_an_option_sets_what_stands_behind_it_and_the_record_has_both_names(
    signed_in: Client, base: KnowledgeBase, address: str
) -> None:
    form = {**TECHNICAL, "name": base.name, "plain-care": "high", "plain-sent": "usual", "plain-quotes": "many"}
    assert signed_in.post(address, form).status_code == 302
    assert saved(base) == BaseSettings(risk_max=20, passages_max=12, per_document_max=8)
    details = Event.objects.get(kind="settings_changed").details
    assert details == {
        "care": ["usual", "high"],
        "quotes": ["usual", "many"],
        "risk_max": [35, 20],
        "passages_max": [8, 12],
        "per_document_max": [5, 8],
    }
    told = describe_details(details)
    assert ("How careful", "Careful → Very careful") in told and ("risk max", "35 → 20") in told
    with translation.override("fr"):
        assert ("Quelle prudence", "Prudent → Très prudent") in describe_details(details)


@pytest.mark.django_db
def test_what_is_changed_behind_more_holds_and_makes_an_own_mixture(
    signed_in: Client, base: KnowledgeBase, address: str
) -> None:
    assert "Own mixture" not in signed_in.get(address).content.decode()
    form = {**TECHNICAL, "name": base.name, "plain-care": "high", "plain-quotes": "usual", "risk_max": 50}
    assert signed_in.post(address, form).status_code == 302
    assert saved(base) == BaseSettings(risk_max=50)
    page = signed_in.get(address).content.decode()
    assert page.count("Own mixture") == 1
    own = {**TECHNICAL, "name": base.name, "plain-care": OWN_MIXTURE, "risk_max": 50, "pool_max": 30}
    assert signed_in.post(address, own).status_code == 302
    assert saved(base) == BaseSettings(risk_max=50, pool_max=30)


@pytest.mark.django_db
def test_an_unknown_option_is_refused_and_a_fault_behind_more_opens_it(
    signed_in: Client, base: KnowledgeBase, address: str
) -> None:
    refused = signed_in.post(address, {**TECHNICAL, "name": base.name, "plain-care": "luck"})
    assert refused.status_code == 400 and b"errorlist" in refused.content
    page = signed_in.get(address).content.decode()
    assert '<details class="wide" open>' not in page
    faulty = signed_in.post(address, {**TECHNICAL, "name": base.name, "plain-quotes": "few", "pool_max": 900})
    assert faulty.status_code == 400 and '<details class="wide" open>' in faulty.content.decode()
    assert saved(base) == BaseSettings()
