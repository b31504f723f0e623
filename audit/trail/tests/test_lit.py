"""Words that were searched are lit in any form, whole, and nothing of the text is lost."""

import pytest

from audit.trail.lit import forms_matched, light
from retrieval.models import RetrievalRun, RunCandidate


@pytest.mark.parametrize(
    ("text", "forms", "lit"),
    [
        ("When a person leaves, leave it.", ["leave", "leaves"], ["leaves", "leave"]),
        ("The Policy’s aim; policyholder", ["policy"], ["Policy"]),
        ("Congé parental payé", ["conge parental"], ["Congé parental"]),
        ("parental\nleave", ["leave", "parental leave"], ["parental\nleave"]),
        ("one two three", ["one two", "two three"], ["one two", " three"]),
        ("the ﬁnal oﬃce", ["final"], ["ﬁnal"]),
        ("nothing here", ["leave", "", "§"], []),
        ("", ["leave"], []),
    ],
)
def test_words_are_lit_in_every_form(text: str, forms: list[str], lit: list[str]) -> None:
    pieces = light(text, forms)
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.text for piece in pieces if piece.is_lit] == lit


def test_only_the_forms_of_what_a_candidate_has_are_lit() -> None:
    keywords = [{"text": "leave", "forms": ["leave", "leaves"]}, {"text": "policy", "forms": ["policies"]}]
    run = RetrievalRun(parsed={"keywords": keywords})
    assert forms_matched(run, RunCandidate(matched_keywords=["leave"])) == ["leave", "leave", "leaves"]
    assert forms_matched(run, RunCandidate(matched_keywords=[])) == []
    assert forms_matched(RetrievalRun(parsed={}), RunCandidate(matched_keywords=["leave"])) == []


def test_a_large_text_is_lit_at_once() -> None:
    assert sum(piece.is_lit for piece in light("leave " * 20_000, ["leave", "leave it"])) == 20_000
