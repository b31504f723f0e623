"""What a risk would have cost a base, from the verdicts on what the rules answered, and the table of an owner."""

import pytest
from django.test import Client
from django.urls import reverse

from audit.conftest import House, MakeRun
from audit.runs.tests.test_verdicts import Given, give
from audit.statistics.own_risk import JudgedQuestion, judged_questions
from audit.templatetags.risk import own_counts
from retrieval.models import RetrievalRun
from tests.pages import on_one_line

AGREED: Given = [("owner", "agree", False)]
DENIED: Given = [("owner", "absent", False)]


def ask(make_run: MakeRun, status: str, confidence: float, risk_max: int = 35) -> RetrievalRun:
    return make_run(status=status, arbiter="rules", confidence=confidence, settings={"risk_max": risk_max})


@pytest.mark.parametrize(
    ("status", "given", "expected"),
    [
        ("found", AGREED, [JudgedQuestion(True, True, 0.8, 35, False)]),
        ("found", DENIED, [JudgedQuestion(False, True, 0.8, 35, False)]),
        ("weak", AGREED, [JudgedQuestion(False, False, 0.8, 35, False)]),
        ("not_found", AGREED, [JudgedQuestion(False, False, 0.8, 35, False)]),
        ("cannot_tell", AGREED, []),
        ("weak", DENIED, []),
        ("found", [("owner", "wrong", False)], []),
        ("found", [], []),
    ],
)
def test_a_verdict_says_whether_there_is_an_answer(
    house: House, make_run: MakeRun, status: str, given: Given, expected: list[JudgedQuestion]
) -> None:
    give(house, ask(make_run, status, 0.8), given)
    assert list(judged_questions(house.base)) == expected


def test_what_a_model_judged_does_not_count_and_what_was_read_is_told(house: House, make_run: MakeRun) -> None:
    give(house, make_run(status="found", arbiter="model", settings={"risk_max": 35}), AGREED)
    assert list(judged_questions(house.base)) == []
    run = ask(make_run, "found", 0.8)
    read = run.candidates.order_by("-position")[0]
    read.pk, read.position, read.candidate_id, read.reason_facts = None, read.position + 1, "read", {"reads": 0.9}
    read.save(force_insert=True)
    give(house, run, AGREED)
    assert [each.is_read for each in judged_questions(house.base)] == [True]


@pytest.mark.parametrize("asked", ["outline", "compare"])
def test_an_outline_and_a_comparison_passed_no_limit(house: House, make_run: MakeRun, asked: str) -> None:
    run = ask(make_run, "found", 0.8)
    give(house, make_run(parsed=run.parsed | {"form": asked}, confidence=0.8, settings={"risk_max": 35}), AGREED)
    assert list(judged_questions(house.base)) == []


def test_what_a_contradiction_caps_is_not_held_against_a_limit(house: House, make_run: MakeRun) -> None:
    point = {"candidate_ids": ["D1:1-2", "D1:3-4"], "point": "the fee", "clause": ""}
    give(house, make_run(contradictions=[point], confidence=0.6, settings={"risk_max": 35}), AGREED)
    assert list(judged_questions(house.base)) == []


def test_a_question_counts_for_its_own_risk_and_for_smaller_ones() -> None:
    absent = [JudgedQuestion(False, True, 0.45, 35, True), JudgedQuestion(False, False, 0.0, 20, True)]
    right = [JudgedQuestion(True, True, 0.5, 35, True), JudgedQuestion(True, True, 0.99, 35, True)]
    told = {risk: own_counts([*absent, *right], risk, has_answer=False)[1:] for risk in (10, 20, 35, 60)}
    assert told == {10: (2, 0), 20: (2, 0), 35: (1, 1), 60: (0, 0)}
    assert [own_counts([*absent, *right], risk, has_answer=True)[1:] for risk in (20, 35)] == [(2, 1), (2, 0)]


def test_an_owner_sees_what_each_risk_promises(client: Client, house: House, make_run: MakeRun) -> None:
    give(house, ask(make_run, "found", 0.8), DENIED)
    client.force_login(house.owner)
    page = on_one_line(client.get(reverse("documents:settings", args=[house.base.pk])))
    assert "Careful, 35 % (chosen)" in page and "of 19, at most" in page
    assert "This base, as reviewers judged it" in page and "1 of 1, at most 100 %" in page
    assert "would be held back" not in page  # no right answer has a verdict
    assert "base’s own reviewed answers" in page, "which nobody measured beforehand"
    house.base.settings |= {"cross_encoder": "off"}
    house.base.save()
    page = on_one_line(client.get(reverse("documents:settings", args=[house.base.pk])))
    assert "of 19, at most" not in page and "policies together" in page and "16 of 49, at most 46 %" in page
