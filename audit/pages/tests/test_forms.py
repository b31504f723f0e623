"""The forms of the audit: what may be left empty, whose bases are offered, what needs a reason, and hostile values."""

from html import unescape
from typing import Any

import pytest

from accounts.models import User
from audit.conftest import House
from audit.keeping.erasure import Questioner
from audit.pages.forms import (
    OF_ANSWER,
    PAGE_MAX,
    REASON_MAX,
    REASON_MIN,
    SAMPLE_MAX,
    TEXT_MAX,
    BasePeriodForm,
    ChangeFilters,
    EraseForm,
    HoldForm,
    ReplayForm,
    RetentionForm,
    ReviewForm,
    RunFilters,
    SampleForm,
)
from audit.review.replay import REPEATS_ON_PAGE_MAX, Judge
from audit.review.reviewing import Opinion
from documents.models import KnowledgeBase
from ledger.holds import REASON_MIN as HOLD_REASON_MIN
from retrieval.models import RunCandidate
from retrieval.told.outcomes import MEANINGS, OUTCOMES

REASON = "x" * REASON_MIN


def test_the_list_of_outcomes_says_what_each_means(house: House) -> None:
    """“No clear answer” is told from “Not found” by the same words as beside an answer."""
    html = unescape(str(RunFilters({}, user=house.viewer)["status"]))
    for code in ("weak", "not_found", "cannot_tell"):
        assert f'value="{code}" title="{MEANINGS[code]}"' in html
    assert "everything was looked through" in str(MEANINGS["weak"])
    assert ">No clear answer</option>" in html and str(OUTCOMES["weak"].words) in str(MEANINGS["not_found"])


# ---- reviews


def reviewed(candidate: RunCandidate | None, **values: Any) -> ReviewForm:
    return ReviewForm(values, candidate=candidate)


PRIMARY = RunCandidate(role="primary")


@pytest.mark.parametrize(
    ("candidate", "values", "wrong"),
    [
        (None, {"outcome": "agree"}, []),
        *((None, {"outcome": outcome, "reason": REASON}, []) for outcome in OF_ANSWER),
        (None, {"outcome": "overrule", "reason": REASON}, ["outcome"]),
        (None, {"outcome": "wrong"}, ["reason"]),
        (None, {"outcome": "wrong", "reason": "x" * (REASON_MIN - 1)}, ["reason"]),
        (None, {"outcome": "wrong", "reason": " x " * (REASON_MIN - 1)}, ["reason"]),  # spaces are no reason
        (None, {"outcome": "wrong", "reason": "保証金は二万五千ユーロです。"}, []),
        (None, {"outcome": "wrong", "reason": "x" * (REASON_MAX + 1)}, ["reason"]),
        (None, {"outcome": "wrong", "reason": f"{REASON}\x00"}, ["reason"]),
        (None, {}, ["outcome"]),
        (None, {"outcome": "AGREE"}, ["outcome"]),
        (PRIMARY, {"outcome": "agree"}, []),
        (PRIMARY, {"outcome": "wrong", "reason": REASON}, ["outcome"]),
        (PRIMARY, {"outcome": "overrule", "reason": REASON, "corrected_role": "discarded"}, []),
        (PRIMARY, {"outcome": "overrule", "reason": REASON}, ["corrected_role"]),
        (PRIMARY, {"outcome": "overrule"}, ["corrected_role", "reason"]),
        (PRIMARY, {"outcome": "overrule", "reason": REASON, "corrected_role": "primary"}, ["corrected_role"]),
        (PRIMARY, {"outcome": "overrule", "reason": REASON, "corrected_role": "unjudged"}, ["corrected_role"]),
        (PRIMARY, {"outcome": "agree", "previous": "7"}, ["previous"]),
    ],
)
def test_a_review_needs_what_its_outcome_asks_for(
    candidate: RunCandidate | None, values: dict[str, Any], wrong: list[str]
) -> None:
    assert sorted(reviewed(candidate, **values).errors) == wrong


def test_an_opinion_is_what_was_typed() -> None:
    form = reviewed(PRIMARY, outcome="overrule", corrected_role="supporting", reason=f" {REASON} ", blind="on")
    assert form.is_valid()
    assert form.opinion() == Opinion("overrule", "supporting", REASON, None, True)


# ---- filters


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ({}, []),
        ({"text": "x" * TEXT_MAX, "since": "2026-01-01", "until": "2025-01-01", "page": PAGE_MAX}, []),
        ({"text": "x" * (TEXT_MAX + 1)}, ["text"]),
        ({"text": "a\x00"}, ["text"]),
        ({"status": "exploded"}, ["status"]),
        ({"arbiter": "dice"}, ["arbiter"]),
        ({"since": "yesterday", "until": "31.02.2026"}, ["since", "until"]),
        ({"page": "0"}, ["page"]),
        ({"page": PAGE_MAX + 1}, ["page"]),
        ({"base": "no id"}, ["base"]),
        (
            {"role": "unjudged", "method": "oracle", "repair": "mended", "review": "maybe"},
            ["method", "repair", "review", "role"],
        ),
    ],
)  # fmt: skip
def test_filters_may_be_empty_but_not_nonsense(house: House, values: dict[str, Any], wrong: list[str]) -> None:
    assert sorted(RunFilters(values, user=house.auditor).errors) == wrong


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("form", "allowed"),
    [
        (RunFilters, {"owner", "auditor", "asker", "viewer"}),
        (SampleForm, {"owner", "auditor"}),
        (BasePeriodForm, {"owner", "auditor"}),
        (ChangeFilters, {"owner", "auditor"}),
    ],
)
def test_only_bases_open_to_a_person_can_be_chosen(house: House, form: Any, allowed: set[str]) -> None:
    values = {"base": house.base.pk, "size": 5, "since": "2026-01-01", "until": "2026-01-02"}
    people = ("owner", "auditor", "asker", "viewer", "stranger")
    assert {name for name in people if form(values, user=getattr(house, name)).is_valid()} == allowed
    offered = form(user=house.stranger).fields["base"].queryset
    assert house.base not in offered


# ---- samples, periods, replays


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("size", "is_valid"),
    [
        ("1", True),
        (SAMPLE_MAX, True),
        (SAMPLE_MAX + 1, False),
        ("0", False),
        ("-1", False),
        ("1.5", False),
        ("", False),
    ],
)
def test_a_sample_has_a_size(house: House, size: Any, is_valid: bool) -> None:
    assert SampleForm({"base": house.base.pk, "size": size}, user=house.auditor).is_valid() is is_valid


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("since", "until", "wrong"),
    [
        ("2026-01-01", "2026-01-01", []),
        ("2026-01-02", "2026-01-01", ["until"]),
        ("", "2026-01-01", ["since"]),
        ("2026-01-01", "", ["until"]),
        ("2026-13-01", "2026-01-01", ["since"]),
    ],
)
def test_a_period_ends_after_it_begins(house: House, since: str, until: str, wrong: list[str]) -> None:
    form = BasePeriodForm({"base": house.base.pk, "since": since, "until": until}, user=house.auditor)
    assert sorted(form.errors) == wrong


@pytest.mark.parametrize(
    ("values", "judge", "times"),
    [
        ({"arbiter": "rules"}, Judge("rules", "", "current"), 1),
        (
            {"arbiter": "model", "model": " large ", "prompt": "stored", "repeats": "3"},
            Judge("model", "large", "stored"),
            3,
        ),
        ({"arbiter": "model", "repeats": REPEATS_ON_PAGE_MAX}, Judge("model", "", "current"), REPEATS_ON_PAGE_MAX),
        ({"arbiter": "dice"}, None, 0),
        ({"arbiter": "rules", "repeats": REPEATS_ON_PAGE_MAX + 1}, None, 0),
        ({"arbiter": "rules", "repeats": 0}, None, 0),
        ({"arbiter": "rules", "prompt": "mine"}, None, 0),
        ({}, None, 0),
    ],
)
def test_who_judges_again_and_how_often(values: dict[str, Any], judge: Judge | None, times: int) -> None:
    form = ReplayForm(values)
    assert form.is_valid() is (judge is not None)
    if judge:
        assert (form.judge(), form.times()) == (judge, times)


# ---- keeping


@pytest.mark.parametrize(
    ("days", "is_valid"), [("365", True), ("-1", True), ("", False), ("1.5", False), ("ten", False)]
)
def test_days_are_a_number_and_the_floor_is_the_rules(days: str, is_valid: bool) -> None:
    assert RetentionForm({"days": days}).is_valid() is is_valid


@pytest.mark.parametrize(
    ("subject", "reason", "wrong"),
    [
        ("base:1", "court", []),
        ("base:2", "court", ["subject"]),
        ("", "court", ["subject"]),
        ("base:1", " ", ["reason"]),
        ("base:1", "x" * (REASON_MAX + 1), ["reason"]),
    ],
)
def test_only_what_is_offered_is_held(subject: str, reason: str, wrong: list[str]) -> None:
    form = HoldForm({"subject": subject, "reason": reason}, subjects={"base:1": "everything"})
    assert sorted(form.errors) == wrong


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({}, []),
        ({"person": "8"}, ["person"]),
        ({"person": "seven"}, ["person"]),
        ({"reason": " x" * (HOLD_REASON_MIN - 1)}, ["reason"]),
        ({"reason": "", "person": ""}, ["person", "reason"]),
    ],
)
def test_erasing_needs_a_person_and_a_reason(changes: dict[str, Any], wrong: list[str]) -> None:
    people = [Questioner(User(pk=7, name="Ada"), runs=1)]
    form = EraseForm({"person": "7", "reason": f" {'x' * HOLD_REASON_MIN} "} | changes, people=people)
    assert sorted(form.errors) == wrong
    if wrong:
        assert form.why_not().startswith("Nothing was erased.") and form.why_not().count(".") > len(wrong)
    else:
        assert (form.cleaned_data["person"], form.cleaned_data["reason"]) == (7, "x" * HOLD_REASON_MIN)


def test_nobody_who_asked_nothing_can_be_erased() -> None:
    assert not EraseForm({"person": "7", "reason": REASON}, people=[]).is_valid()


@pytest.mark.django_db
def test_a_base_that_is_not_there_is_not_offered(house: House) -> None:
    gone = KnowledgeBase.objects.create(name="Gone")
    pk = gone.pk
    gone.delete()
    assert list(RunFilters({"base": pk}, user=house.owner).errors) == ["base"]
