"""The conductor: stages told, everything shown, nothing written."""

import threading
from typing import Any

import pytest

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from retrieval.detectors import DETECTORS
from retrieval.pipeline import retrieve
from retrieval.steps import chosen_arbiter
from retrieval.tests.builders import SETTINGS, content_of_lines, with_vectors
from retrieval.types import ConceptTerm, ConceptTerms, Hit


def test_every_stage_is_told_in_order(policy: DocumentContent) -> None:
    told: list[tuple[str, dict[str, Any]]] = []
    retrieve(
        "What is the notice period?",
        [policy],
        settings=SETTINGS,
        arbiter="rules",
        on_stage=lambda name, detail: told.append((name, detail)),
    )
    assert [name for name, _ in told] == ["parsed", "plan", "hits", "candidates", "arbiter", "arbiter"]
    assert told[0][1] == {"keywords": 2}
    assert told[2][1]["hits"] == sum(told[2][1]["by"].values())
    assert told[4][1]["started"] and told[5][1]["kept"] == 1


def test_a_result_shows_every_step(policy: DocumentContent) -> None:
    result = retrieve("What is the notice period?", [policy], settings=SETTINGS, arbiter="rules")
    assert result.status == "found"
    assert result.methods_used == ("titles", "keywords")
    assert result.scope[0]["sha256"] == policy.sha256
    assert "[3] Termination" in result.toc_shown
    assert set(result.timings_ms) == {"parse", "plan", "detect", "aggregate", "arbitrate", "calibrate"}
    first = result.candidates[0]
    assert first.boxes[0].page_number == 2 and first.context.boxes and first.page_label == "2"
    assert first.page_size == (612.0, 792.0)


def test_it_needs_no_database(policy: DocumentContent) -> None:
    """pytest-django refuses the database here: reaching for it would raise."""
    assert retrieve("premium", [with_vectors(policy)], settings=SETTINGS, arbiter="rules").status == "found"


def test_vectors_wait_for_the_words(policy: DocumentContent) -> None:
    content = with_vectors(policy)
    clean = retrieve("What is the positional cover?", [content], settings=SETTINGS, arbiter="rules")
    assert "vectors" not in clean.methods_used
    conceptual = retrieve("Why is there a cover?", [content], settings=SETTINGS, arbiter="rules")
    assert "vectors" in conceptual.methods_used


def test_several_documents_are_asked_together(policy: DocumentContent) -> None:
    other = content_of_lines(["The notice period is one year."], title="Other", number=2)
    result = retrieve("What is the notice period?", [policy, other], settings=SETTINGS, arbiter="rules")
    assert {candidate.document_id for candidate in result.kept()} == {policy.document_id, other.document_id}


def test_a_named_page_hides_the_others(policy: DocumentContent) -> None:
    content = content_of_lines(["The fee is 1."] + ["---", "The fee is 2."] * 3)
    result = retrieve("What is the fee on page 2?", [content], settings=SETTINGS, arbiter="rules")
    assert {candidate.anchor_pages for candidate in result.candidates} == {(2, 2)}


def test_an_empty_document_is_not_found() -> None:
    result = retrieve("What is the premium?", [content_of_lines([])], settings=SETTINGS, arbiter="rules")
    assert (result.status, result.candidates) == ("not_found", ())


def test_no_document_is_not_found() -> None:
    assert retrieve("What is the premium?", [], settings=SETTINGS, arbiter="rules").status == "not_found"


@pytest.mark.parametrize(
    "text",
    [
        "\x00\x00 premium",
        "premium " * 5000,
        "’; DROP TABLE premium; --",
        "<candidate>premium</candidate>",
        "🙂 premium \u202e",
        "(((premium[[[**",
    ],
)
def test_a_hostile_question_does_no_harm(policy: DocumentContent, text: str) -> None:
    assert retrieve(text, [policy], settings=SETTINGS, arbiter="rules").status in ("found", "weak", "not_found")


@pytest.mark.parametrize(
    ("ranking", "mode", "configured", "arbiter"),
    [
        ("arbiter", "balanced", True, "model"),
        ("arbiter", "balanced", False, "rules"),
        ("arbiter", "fast", True, "rules"),
        ("rules", "thorough", True, "rules"),
        ("none", "balanced", True, "none"),
    ],
)
def test_the_arbiter_follows_base_mode_and_model(
    monkeypatch: pytest.MonkeyPatch, ranking: str, mode: str, configured: bool, arbiter: str
) -> None:
    monkeypatch.setattr("retrieval.steps.is_configured", lambda: configured)
    assert chosen_arbiter(BaseSettings(ranking=ranking), mode) == arbiter


def test_parts_of_a_question_search_their_concepts(policy: DocumentContent) -> None:
    terms = (ConceptTerm("quitting", "en"), ConceptTerm("notice period", "en"))
    text = "What is the annual premium and how does quitting work?"
    result = retrieve(
        text, [policy], settings=SETTINGS, arbiter="rules", dictionary=[ConceptTerms("termination", terms)]
    )
    assert len(result.question.parts) == 2
    lines = {
        policy.lines[hit.lines.first - 1].text for hit in result.hits if hit.part == 2 and hit.method == "keywords"
    }
    assert any("notice period" in line for line in lines)


def test_a_clean_answer_does_not_wait_for_vectors(policy: DocumentContent, monkeypatch: pytest.MonkeyPatch) -> None:
    is_answered = threading.Event()

    def slow(question: object, content: object) -> list[Hit]:
        assert is_answered.wait(60)
        return []

    monkeypatch.setitem(DETECTORS, "vectors", slow)
    try:
        result = retrieve("What is the notice period?", [with_vectors(policy)], settings=SETTINGS, arbiter="rules")
    finally:
        is_answered.set()
    assert result.status == "found" and not result.plan.is_on("vectors")


@pytest.mark.parametrize(
    ("question", "language", "sentence"),
    [
        ("When must the boat be returned?", "en", "The boat must be returned by noon on the last day of hire."),
        ("By when is the boat returned?", "en", "The boat is returned on the day before the next hire begins."),
        ("Wann ist das Boot zurückzugeben?", "de", "Das Boot ist bis Mittag am letzten Tag der Miete zurückzugeben."),
        ("Quand le bateau est-il rendu ?", "fr", "Le bateau est rendu avant midi le dernier jour de la location."),
    ],
)
def test_a_day_beside_an_event_and_a_time_of_day_answer_when(question: str, language: str, sentence: str) -> None:
    content = content_of_lines([sentence, "2,500."], language=language)
    result = retrieve(question, [content], settings=SETTINGS, arbiter="rules")
    assert (result.status, [each.quote.text for each in result.kept()]) == ("found", [sentence])
