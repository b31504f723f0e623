"""The forms of a base: one field for each setting, what each refuses, and whom an address may name."""

from typing import Any

import pytest
from django.utils import translation
from pytest_django import Settings

from accounts.models import User
from documents.base_settings import BaseSettings
from documents.forms import (
    CHOICE_WORDS,
    EXPLAINED,
    BaseForm,
    FilterForm,
    MemberForm,
    SettingsForm,
    default_words,
)
from documents.models import KnowledgeBase

# Models and their tiers have pages of their own.
DEFAULTS = {name: value for name, value in BaseSettings().to_json().items() if name not in ("tiers", "model")}


@pytest.fixture(autouse=True)
def nothing_configured(settings: Settings) -> None:
    settings.VOYAGE_API_KEY = settings.RERANK_BASE_URL = ""
    settings.EMBEDDING_CONFIGURED = False


def settings_form(initial: dict[str, Any] | None = None, **changes: Any) -> SettingsForm:
    return SettingsForm(DEFAULTS | (initial or {}) | changes, initial=DEFAULTS | (initial or {}))


def test_every_setting_and_every_choice_is_explained() -> None:
    assert set(EXPLAINED) == set(DEFAULTS) == set(SettingsForm().fields)
    assert set(CHOICE_WORDS) >= {value for values in BaseSettings.CHOICES.values() for value in values}
    english = [default_words(name) for name in DEFAULTS]
    with translation.override("fr"):
        assert not set(english) & {default_words(name) for name in DEFAULTS}
    assert default_words("pool_max").startswith("Default: 40, from 5 to 60;")


def test_the_defaults_are_allowed_and_come_back_as_they_were() -> None:
    form = settings_form()
    assert form.is_valid() and form.cleaned_data == DEFAULTS and BaseSettings(**form.cleaned_data) == BaseSettings()


@pytest.mark.parametrize(
    "name, value",
    [
        *((name, high + 1) for name, (_, high) in BaseSettings.RANGES.items()),
        *((name, low - 1) for name, (low, _) in BaseSettings.RANGES.items()),
        *((name, value) for name in BaseSettings.RANGES for value in ("", "x", "1.5", "1e1", "\x00")),
        *((name, value) for name in BaseSettings.CHOICES for value in ("", "nonsense", "\x00")),
    ],
)
def test_a_value_that_is_not_allowed_is_named(name: str, value: Any) -> None:
    form = settings_form(**{name: value})
    assert not form.is_valid() and name in form.errors


@pytest.mark.parametrize(("size", "overlap", "is_valid"), [(200, 199, True), (200, 200, False), (500, 900, False)])
def test_settings_have_to_fit_together(size: int, overlap: int, is_valid: bool) -> None:
    form = settings_form(chunk_size=size, chunk_overlap=overlap)
    assert form.is_valid() is is_valid and (is_valid or list(form.errors) == ["chunk_overlap"])


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("embeddings", "voyage", "VOYAGE_API_KEY."),
        ("embeddings", "openai", "EMBEDDING_BASE_URL."),
        ("ranking", "rerank", "RERANK_MODEL."),
    ],
)
def test_a_provider_nobody_configured_is_refused_when_chosen_and_may_stay(name: str, value: str, told: str) -> None:
    chosen = settings_form(None, **{name: value})
    assert not chosen.is_valid() and told in str(chosen.errors[name])
    assert settings_form({name: value}, pool_max=7).is_valid()


@pytest.mark.parametrize("reranking", ["heuristic", "none"])
def test_an_order_by_words_needs_no_provider(reranking: str) -> None:
    """(R95) Going over to a model later needs one."""
    assert settings_form(None, ranking="rerank", reranking=reranking).is_valid()
    later = settings_form({"ranking": "rerank", "reranking": reranking}, ranking="rerank", reranking="model")
    assert not later.is_valid() and "RERANK_MODEL." in str(later.errors["ranking"])


def test_a_provider_that_is_configured_may_be_chosen(settings: Settings) -> None:
    settings.VOYAGE_API_KEY = "pa-voyage"
    assert settings_form(embeddings="voyage", ranking="rerank").is_valid()


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        (" Contracts ", "Contracts"),
        ("契約", "契約"),
        ("a" * 120, "a" * 120),
        ("a" * 121, None),
        ("", None),
        (" \u200b", None),
        ("a\x00b", None),
    ],
)
def test_a_base_has_a_name_one_can_see(typed: str, name: str | None) -> None:
    form = BaseForm({"name": typed})
    assert form.is_valid() is (name is not None) and form.cleaned_data.get("name") == name


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("is_active", "may_invite", "found"),
    [(True, False, "person"), (True, True, "person"), (False, False, ""), (False, True, "address")],
)
def test_an_address_is_a_person_or_whom_one_may_invite(
    base: KnowledgeBase, is_active: bool, may_invite: bool, found: str
) -> None:
    ada = User.objects.create_user("ada@example.org", is_active=is_active)
    form = MemberForm(base, {"email": " ADA@Example.org ", "role": "viewer"}, may_invite=may_invite)
    assert form.is_valid() is bool(found)
    assert form.cleaned_data.get("email") == {"person": ada, "address": "ada@example.org", "": None}[found]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change", [{"role": "root"}, {"role": ""}, {"email": "ada"}, {"email": "a\x00@b.org"}, {"email": ""}]
)
def test_a_member_needs_an_address_and_a_role(base: KnowledgeBase, change: dict[str, str]) -> None:
    form = MemberForm(base, {"email": "ada@example.org", "role": "viewer"} | change, may_invite=True)
    assert not form.is_valid() and list(form.errors) == list(change)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ({}, {"q": "", "state": "", "toc": "", "tag": ""}),
        (
            {"q": " rent ", "state": "busy", "toc": "weak", "tag": "legal"},
            {"q": "rent", "state": "busy", "toc": "weak", "tag": "legal"},
        ),
        ({"state": "nonsense", "q": "rent"}, {"q": "rent", "toc": "", "tag": ""}),
        ({"q": "x" * 201, "toc": "\x00"}, {"state": "", "tag": ""}),
    ],
)
def test_what_narrows_nothing_is_left_out(typed: dict[str, str], kept: dict[str, str]) -> None:
    form = FilterForm(typed)
    form.is_valid()
    assert form.cleaned_data == kept | {"type": "", "field": "", "value": ""}
