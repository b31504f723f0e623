"""Reasons are recorded as words with their facts, and pages say the facts in their reader's language (R48, R54)."""

import json
import pickle
from copy import deepcopy
from typing import Any

import pytest
from django.utils import translation

from accounts.models import User
from documents.models import KnowledgeBase
from documents.storage.content import DocumentContent
from retrieval.arbiter import order
from retrieval.arbiter.order import Rule
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.pipeline import retrieve
from retrieval.record.ledger_forms import RUN, columns_of_row
from retrieval.record.storing import copy_run, store_run
from retrieval.tests.builders import SETTINGS
from retrieval.told.clauses import Clause, join_clauses, recorded_facts
from retrieval.told.reasons import (
    CLAUSES,
    PASSAGES,
    WEIGHTS,
    absence_of,
    gate_of,
    passage_reason,
    say_clause,
    say_passage,
    say_share,
)

QUESTION = "What is the notice period?"
ABSENT = "Who painted the trademark?"


def stored(policy: DocumentContent, question: str) -> RetrievalRun:
    user = User.objects.create_user("asker@example.org", name="Asker")
    result = retrieve(question, [policy], settings=SETTINGS, arbiter="rules")
    base = KnowledgeBase.objects.create(name="Policies")
    return RetrievalRun.objects.get(pk=store_run(result, base=base, user=user, mode="balanced").pk)


@pytest.mark.django_db
def test_every_reason_of_a_run_is_said_without_figures_and_in_french(policy: DocumentContent) -> None:
    candidates = list(stored(policy, QUESTION).candidates.all())
    assert candidates and all(each.reason_facts["code"] == each.rule for each in candidates)
    for each in candidates:
        english = passage_reason(each)
        with translation.override("fr"):
            french = passage_reason(each)
        assert english and french and english != french
        assert "%" not in english + french and "Strength" not in english
        told = [each.reason_facts.get("form", {}).get(word, word) for word in each.reason_facts["words"]]
        assert all(f"«\u00a0{word}\u00a0»" in french for word in told if "words" in each.rule)


@pytest.mark.django_db
def test_a_run_without_facts_is_shown_and_verified_as_it_was_recorded(policy: DocumentContent) -> None:
    """The bytes of a run from before are those of the format it was recorded in."""
    run = stored(policy, QUESTION)
    new = json.loads(RUN.read([run.pk])[run.pk])
    assert new["format"] == "docintel-run-5" and new["candidates"][0]["reason_facts"]
    assert "reason_facts" in columns_of_row(run.candidates.all()[0])  # what an old row is given later is a change
    old = RunCandidate(reason="“notice” stands here.", reason_facts={})
    assert "reason_facts" not in columns_of_row(old)
    assert passage_reason(old) == old.reason and say_share(old.reason_facts) == ""
    assert absence_of(RetrievalRun(plan={}, not_found_reason="no candidate")) == "no candidate"


@pytest.mark.django_db
def test_no_answer_is_explained_in_the_readers_language(policy: DocumentContent) -> None:
    run = stored(policy, ABSENT)
    assert run.status == "not_found" and run.not_found_reason.endswith("in what was searched, in any form")
    with translation.override("fr"):
        said, gates = absence_of(run), [gate_of(run, gate) for gate in run.gates]
    assert "«\u00a0painted\u00a0»" in said and said != absence_of(run)
    assert all(gates) and gates != [gate["evidence"] for gate in run.gates]


@pytest.mark.django_db
def test_a_repeat_has_the_facts_of_the_first(policy: DocumentContent) -> None:
    first = stored(policy, QUESTION)
    user = User.objects.get()
    told = {"run": str(first.pk), "answer": "", "on": "2026-11-23"}
    again = copy_run(first, question=QUESTION, typed="", user=user, repeat=told, timings_ms={})
    facts = [[each.reason_facts for each in run.candidates.all()] for run in (first, again)]
    assert facts[0] == facts[1] and again.plan["told"] == first.plan["told"]


def test_every_rule_can_be_said() -> None:
    names = {each.name for each in vars(order).values() if isinstance(each, Rule)}
    assert set(PASSAGES) == names
    for name in names:
        for words in (["notice"], ["notice", "period"]):
            facts = {"code": name, "words": words, "statement": "balance sheet", "section": "Notice", "what": "Note 3"}
            said = say_passage(facts | {"in_question": False, "value": True, "running": "at the head of 9 pages"})
            assert said.endswith(".") and "%(" not in said


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"words": ["parental"]}, "It has only “parental”."),  # as it was recorded before
        ({"words": ["parental"], "form": {"parental": "parent"}}, "It has only “parent” for “parental”."),
        (
            {"words": ["group", "sales"], "asked": {"sales": "revenue"}},
            "It has “group” and “sales” for “revenue”, but apart.",
        ),
        (
            {"words": ["sales"], "form": {"sales": "sale"}, "asked": {"sales": "revenue"}},
            "It has only “sale” for “revenue”.",
        ),
    ],
)
def test_a_word_is_said_as_it_stands_with_what_was_asked(facts: dict[str, Any], said: str) -> None:
    assert say_passage({"code": "words apart", **facts}) == said
    with translation.override("de"):
        assert say_passage({"code": "words apart", **facts}) != said


@pytest.mark.parametrize(("more", "is_said"), [({}, True), ({"unvalued": True}, False), ({"reads": 0.5}, False)])
def test_what_lacks_the_value_asked_for_does_not_read_as_an_answer(more: dict[str, Any], *, is_said: bool) -> None:
    facts = {"code": "words apart", "words": ["notice"], "reads": 0.9, **more}
    said = passage_reason(RunCandidate(reason="", reason_facts=facts))
    assert ("It reads as an answer." in said) is is_said


@pytest.mark.parametrize("code", WEIGHTS)
def test_a_share_is_for_those_who_open_the_passage(code: str) -> None:
    weight = {"code": code, "percent": 45, "limit": 60}
    facts = {"code": "words apart", "words": ["notice"], "weight": weight}
    assert "45" not in passage_reason(RunCandidate(reason="", reason_facts=facts))
    assert "45% of the strongest" in say_share(weight)


FACTS: dict[str, dict[str, Any]] = {
    "several": {"parts": [{"code": "no candidate"}, {"text": "as written"}]},
    "zero hits": {"words": ["a", "b"], "also": ["c"]},
    "words occur": {"some": 1, "all": 2, "lines": 3, "missing": ["japanese"]},
    "words there": {},
    "nothing proposed": {},
    "proposed": {"proposed": ["titles", "vectors"], "is_primary": True},
    "no candidate": {},
    "not judged": {"count": 2},
    "primary": {"some": 1, "all": 2},
    "none carries": {"count": 2, "why": {"code": "too little"}},
    "too little": {},
    "attached": {"count": 2, "names": ["a.pdf", "b.xlsx"], "more": 0},
    "unread boxes": {"names": ["p. 2", "p. 5"], "more": 0},
    "only named": {},
    "doubt": {"nowhere": ["a"], "elsewhere": ["b", "c"], "struck": ["d"]},
    "no value": {"type": "date"},
    "no number": {"words": ["a", "b"]},
    "no row": {},
    "not said": {"words": ["a", "b"]},
    "other kind": {"asked": "a", "other": "b"},
    "other question": {"asked": "Can it read .Z files?"},
    "left open": {},
    "no cell": {},
    "nowhere": {"words": ["a"]},
    "not together": {"words": ["a", "b"]},
    "unread documents": {"names": ["Lease"], "more": 2, "lost": 3, "count": 4},
    "unsearched": {"names": ["Lease"], "more": 0, "count": 1},
    "pages": {"some": 1, "all": 2, "names": ["p. 2"], "more": 0},
    "counted": {"count": 2, "words": ["a"], "holding": 1},
    "scope": {"documents": 3, "read": 1, "counted": 1, "unreadable": 1, "unsearched": 0},
    "foreign": {"asked": "fr", "texts": ["en", "xx"], "is_partly": True},
    "everyday": {"words": ["a", "b"]},
    "differ": {"sides": [["30 days", "", "2"], ["45 days", "Lease", "4"]]},
    "struck": {},
    "untold": {"languages": ["km", "th"]},
    "as written": {"language": "pl"},
    "amended": {"title": "Lease", "names": ["Amendment No. 1", "Side letter"], "more": 0, "count": 2},
    "amends too": {"amending": "Amendment No. 1", "title": "Lease"},
    "only there": {"place": "page 3"},
    "no such place": {"place": "page 3"},
}


@pytest.mark.parametrize("code", CLAUSES)
def test_every_clause_can_be_said_in_both_languages(code: str) -> None:
    facts = {"code": code, **FACTS[code]}
    english = say_clause(facts)
    with translation.override("fr"):
        french = say_clause(facts)
    assert english and french and french != english and "%(" not in english + french


def test_a_clause_is_a_string_that_keeps_its_facts() -> None:
    clause = Clause("none stands", "zero hits", words=["a"])
    assert clause == "none stands" and json.dumps([clause]) == '["none stands"]'
    for copied in (deepcopy(clause), pickle.loads(pickle.dumps(clause))):
        assert recorded_facts(copied) == {"code": "zero hits", "words": ["a"]}
    joined = join_clauses([clause, "", "as a model wrote"], "; ")
    assert joined == "none stands; as a model wrote"
    assert recorded_facts(joined)["parts"] == [recorded_facts(clause), {"text": "as a model wrote"}]


def test_a_code_nobody_knows_is_not_said() -> None:
    assert (
        say_clause({})
        == say_clause({"code": "of a later program"})
        == say_passage({"code": "of a later program"})
        == ""
    )
