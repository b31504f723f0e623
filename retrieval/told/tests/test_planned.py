"""Reasons of a plan: recorded in English, said in the language of whoever reads; older records as they are."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from django.utils.translation import override

from retrieval.models import RetrievalRun
from retrieval.told.clauses import recorded_facts
from retrieval.told.columns import StoredFlag
from retrieval.told.planned import SAID, give_reason, join_reasons, say_planned, thing_of
from retrieval.told.reasons import left_out_of, planned_of
from retrieval.told.recorded import say_recorded

TABLE = thing_of("table", "3", "(e)", 4)
ANY = thing_of("figure")
SEVERAL = {"count": 2, "entries": 7, "tables": 2, "pages": 3, "lines": 40, "before": 1, "after": 2, "points": "3"}
PLACES = {"page": "4", "place": "4", "titles": "A, B", "title": "Term", "without": "A", "size": "section", "names": "X"}
READ = {"intent": "listing", "type": "amount", "mode": "fast", "listed": "checks", "name": "cap", "models": "M"}
OF_MODELS = {"failure": "It failed.", "errors": "no reply", "tokens": 9, "places": 3, "chars": 80, "small": True}
NESTED = {"what": give_reason("always on"), "said": give_reason("one question"), "doubt": give_reason("certain case")}
LISTS: dict[str, Mapping[str, Any]] = {
    "joined": {"parts": [{"code": "always on"}, {"code": "one question"}], "joining": "; "},
    "thing": TABLE,
    "thing on page": TABLE,
    "things named": {"things": [thing_of("table", "3"), ANY]},
    "pointed": {"found": [TABLE], "lost": [thing_of("note", "2"), ANY]},
    "followed": {"followed": [TABLE], "lost": [thing_of("appendix", "a")]},
    "kept points to": {"things": [TABLE], "more": 2},
    "kept names": {"things": [thing_of("note", "2")], "more": 0},
    "listed": {"count": 5, "found": 3, "listed": "checks"},
    "wanted": {"sections": ["s1"], "words": ["cap", "fee"]},
    "requested": {"found": [["section", "Term", 1], ["unknown", "s9", 0], ["word", "cap", 2]]},
    "narrowed": {"section": "Term", "pages": "2–4", "places": 5, "nearness": "0.4"},
    "compared": {"names": ["A", "B", "C"]},
    "noise": {"what": "a list of exhibits"},
}


def example(code: str) -> Mapping[str, Any]:
    nested = {name: recorded_facts(reason) for name, reason in NESTED.items()}
    return LISTS.get(code) or SEVERAL | PLACES | READ | nested | {"pages": 3} | OF_MODELS


@pytest.mark.parametrize("language", ["de", "fr"])
def test_every_reason_is_recorded_in_english_and_said_in_the_readers_language(language: str) -> None:
    for code in SAID:
        with override(language):
            recorded = give_reason(code, **{name: value for name, value in example(code).items() if name != "code"})
        stored = json.loads(json.dumps(recorded_facts(recorded)))
        with override("en"):
            assert say_planned(stored) == recorded and recorded.strip() == recorded != ""
        with override(language):
            said = say_planned(stored)
        assert said != recorded and "%(" not in said and "None" not in said, code


def test_a_plan_says_what_it_said_before_reasons_had_facts() -> None:
    assert give_reason("titles", entries=7, tables=1) == "7 titles in 1 table of contents"
    assert give_reason("followed", followed=[], lost=[]) == "the best passages point nowhere else"
    assert give_reason("pointed", found=[], lost=[ANY]) == (
        "no figure holds a word of the question; searched as without it"
    )
    assert join_reasons(give_reason("one question"), "", give_reason("list")) == (
        "one question; a list is asked for: whole sections are handed on"
    )


def test_a_flag_of_a_run_from_before_facts_is_shown_as_it_was_stored() -> None:
    flag = StoredFlag(name="keywords", on=True, reason="always on")
    older, newer = (
        RetrievalRun(plan={"flags": [flag]}),
        RetrievalRun(plan={"flags": [flag], "told": {"plan": {"keywords": {"code": "always on"}}, "left_out": {}}}),
    )
    with override("de"):
        assert planned_of(older, flag) == "always on" and planned_of(newer, flag) == "immer an"
        assert left_out_of(older, "full") == left_out_of(newer, "full") == "full"


def test_recorded_sentences_keep_their_quotes() -> None:
    with override("de"):
        assert say_recorded("passage") == "Textstelle"
        assert say_recorded("title: Term") == "Titel: Term"
        assert say_recorded("Table 3 row (E), named on p. 4") == "Tabelle 3 row (E), genannt auf S. 4"
        assert say_recorded("Figure, named in the question") == "Abbildung, in der Frage genannt"
        left = "Table 3, where p. 4 says that the value stands"
        assert say_recorded(left) == "Tabelle 3, wo laut S. 4 der Wert steht"
        assert say_recorded("Read “cup” as “cap”.") == "„cup“ als „cap“ gelesen."
        assert say_recorded("missing: p3-l4-4") == "ausgelassen: p3-l4-4"
        assert say_recorded("Liability cap") == "Liability cap"
