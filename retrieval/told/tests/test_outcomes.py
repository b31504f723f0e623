"""One outcome has one name, whatever is stored of it, with a meaning in both languages."""

import pytest
from django.template import Context, Template
from django.utils import translation

from retrieval import api
from retrieval.told.outcomes import MEANINGS, OUTCOMES, outcome_code, outcome_named


@pytest.mark.parametrize(
    ("stored", "code"),
    [
        ({"status": "found", "kind": "generated"}, "found"),
        ({"status": "found", "kind": "generated", "judge": "model"}, "found"),
        ({"status": "found", "kind": "extractive", "judge": "rules"}, "passages"),
        ({"status": "found", "judge": "rules"}, "passages"),
        ({"status": "found", "kind": "extractive", "judge": "nobody"}, "unjudged"),
        ({"status": "weak", "kind": "weak", "judge": "rules"}, "weak"),
        ({"status": "found", "kind": "extractive", "judge": "rules", "is_partial": True}, "partly"),
        ({"status": "found", "kind": "generated", "is_partial": True}, "partly"),
        ({"status": "found", "kind": "generated", "ended": "failed"}, "partly"),
        ({"status": "found", "kind": "generated", "ended": "stopped", "state": "stopped"}, "stopped"),
        ({"status": "found", "kind": "generated", "ended": "stopped"}, "stopped"),
        ({"status": "found", "state": "stopped"}, "stopped"),
        ({"state": "stopped"}, "stopped"),
        ({"status": "failed", "state": "stopped"}, "stopped"),
        ({"status": "not_found", "kind": "not_found", "state": "done"}, "not_found"),
        ({"status": "not_found", "kind": "not_found", "state": "done", "is_partial": True}, "not_found"),
        ({"status": "found", "kind": "cannot_tell", "state": "done"}, "cannot_tell"),
        ({"status": "weak", "kind": "weak", "state": "done"}, "weak"),
        ({"kind": "clarification", "state": "done"}, "clarify"),
        ({"status": "failed", "state": "failed"}, "failed"),
        ({"status": "failed", "kind": "generated"}, "failed"),
        ({"status": "found", "state": "running"}, "running"),
        ({"state": "queued"}, "queued"),
        ({}, "empty"),
    ],
)
def test_what_is_stored_has_one_outcome(stored: dict[str, object], code: str) -> None:
    assert outcome_code(**stored) == code  # type: ignore[arg-type]
    assert code in OUTCOMES


def test_every_status_has_a_name_of_its_own_in_both_languages() -> None:
    assert set(OUTCOMES) >= {*api.STATUSES, "failed", "stopped", "partly"}
    english = [str(each.words) for each in OUTCOMES.values()]
    with translation.override("fr"):
        french = [str(each.words) for each in OUTCOMES.values()]
    assert len(set(english)) == len(set(french)) == len(OUTCOMES) and french != english


def test_the_meaning_of_an_outcome_opens_from_its_name() -> None:
    page = Template("{% load ui %}{% outcome_term 'weak' %}{% outcome_term 'running' %}{% outcome_meanings %}")
    html = page.render(Context())
    assert html.count("<button") == 1 and 'popovertarget="outcome-weak"' in html
    assert [f'id="outcome-{code}"' in html for code in MEANINGS] == [True] * len(MEANINGS)


def test_an_outcome_nobody_foresaw_is_shown_as_it_is() -> None:
    assert outcome_named("exploded") == ("fail", "exploded")
