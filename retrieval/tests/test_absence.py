"""The gates: what proves absence, what does not, and when nobody can tell."""

from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
from django.utils.translation import override

from documents.storage.content import DocumentContent
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from retrieval.absence import zero_hits
from retrieval.accounting import account_of
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, content_of_lines, content_of_reading, with_vectors
from retrieval.told.clauses import recorded_facts
from retrieval.told.reasons import say_clause
from retrieval.types import ABSENT, ConceptTerm, ConceptTerms, Keyword, RetrievalResult


def ask(text: str, *contents: DocumentContent) -> RetrievalResult:
    return retrieve(text, contents, settings=SETTINGS, arbiter="rules")


def fired(result: RetrievalResult) -> list[str]:
    return [gate.code for gate in result.gates if gate.fired]


def test_a_topic_without_a_hit_is_not_found(policy: DocumentContent) -> None:
    """R55, G1."""
    result = ask("Does this cover earthquakes in 2024?", policy)
    assert result.not_found_reason.endswith("“earthquakes” occurs nowhere"), "“cover” occurs, and is not what is asked"
    result = ask("What about earthquakes in 2024?", policy)
    assert (result.status, fired(result), result.confidence) == ("not_found", ["G1"], 0.0)
    assert "earthquakes" in result.not_found_reason
    assert {each.verdict.rule for each in result.candidates} == {"no signal"}, "two pages are looked at all the same"


def test_names_of_other_languages_are_not_told_as_missing(policy: DocumentContent) -> None:
    question = ask("What about earthquakes?", policy).question
    added = [
        Keyword(text, (text,), source="dictionary", language=language)
        for text, language in (("erdbeben", "de"), ("seisms", "en"), ("temblor", ""))
    ]
    question = replace(question, keywords=(*question.keywords, *added))
    told = zero_hits(question, (), {"en"})
    assert all(f"“{word}”" in told for word in ("earthquakes", "seisms", "temblor")) and "erdbeben" not in told
    assert "erdbeben" in zero_hits(question, (), {"en", "und"}), "of what language nobody knows"
    assert told.startswith("“earthquakes” stands nowhere"), "only what somebody typed is said to be asked for"
    assert told.endswith("; looked for too, and found nowhere: “seisms”, “temblor”")
    with override("fr"):
        assert "seisms" in say_clause(recorded_facts(told)).rpartition(";")[2]


@pytest.mark.parametrize(
    ("asked", "status", "nowhere"),
    [
        ("Wird der Support verlängert?", "weak", "verlängert"),
        ("Le support peut-il être suspendu ?", "weak", "suspendu"),
        ("Wann rostet der Support?", "weak", "rostet"),
        ("Le support a-t-il un droit de préemption ?", "weak", "droit préemption"),  # one idea, named as a whole
        ("Gibt es eine Supportwarnung?", "weak", "Supportwarnung"),  # of which a part stands
        ("Haftet Borealis für den Support?", "weak", "Haftet"),
        ("Wie lauten die Obligations?", "found", ""),
        ("Quelles sont les obligations ?", "found", ""),
        ("Quels sont les compte-rendus ?", "cannot_tell", "compte"),
    ],
)
def test_in_another_language_a_word_that_nothing_carries_across_leaves_a_doubt(
    asked: str, status: str, nowhere: str
) -> None:
    lines = ("# 1. Support", "Support is available from 9:00 to 17:00. Each obligation of Borealis ends in March.")
    content = content_of_lines(lines, language="en")
    result = ask(asked, content)
    assert result.status == status
    assert (f"no page that was read mentions “{nowhere}”" in result.not_found_reason) is bool(nowhere)
    assert "in any form" not in result.not_found_reason


def test_a_year_or_a_framing_word_proves_nothing(policy: DocumentContent) -> None:
    result = ask("What was the company's annual revenue in 2024?", policy)
    counts = {word.text: word.count for word in result.searched}
    assert counts == {"revenue": 0, "company": 1, "annual": 1, "2024": 1}
    assert result.status == "not_found"


def test_meaning_never_turns_a_zero_into_a_find(policy: DocumentContent) -> None:
    """R56, G2."""
    result = ask("How do I resign?", with_vectors(policy))
    assert "vectors" in {hit.method for hit in result.hits}
    assert (result.status, fired(result)) == ("not_found", ["G2"])


def test_all_words_are_counted_with_their_forms(policy: DocumentContent) -> None:
    """R55."""
    words = {word.text: word for word in ask("Which fee covers flood?", policy).searched}
    assert words["flood"].count == 1 and "floods" in words["flood"].forms
    assert words["fee"].count == 4  # a title and three rows


def test_words_in_titles_count() -> None:
    content = content_of_lines([("Penalties", "furniture"), "x"])
    entry = content.toc[0]._replace(index=1, title="Penalties", origin="outline")
    assert ask("penalties", replace(content, toc=(entry,))).searched[0].count == 1


def test_unreadable_pages_mean_cannot_tell() -> None:
    """G0."""
    result = ask("What is the revenue?", content_of_lines(["The premium is due."], blind_pages=1))
    assert (result.status, fired(result)) == ("cannot_tell", ["G0", "G1"])
    assert result.status in ABSENT and "p. 2" in result.not_found_reason
    assert (result.coverage.pages, result.coverage.pages_with_text) == (2, 1)


BY_LIST = "only the list of everyday words had something for {}: nobody checked that this is what was meant"
PROTECTION = ("# 1. Protection", "Cover is granted for twelve months by the policy of the Provider.")


@pytest.mark.parametrize(
    ("asked", "status", "reason"),
    [
        ("Quelle est la protection ?", "found", ""),  # spelt so in both
        ("Welcher Schutz gilt?", "weak", BY_LIST.format("“Schutz”")),
        ("Welcher Schutz steht auf Seite 1?", "weak", BY_LIST.format("“Schutz”")),  # a page is only where to look
        ("Quel est le bouclier ?", "found", ""),  # of the dictionary
    ],
)
def test_what_only_everyday_words_carried_is_weak(asked: str, status: str, reason: str) -> None:
    content = content_of_lines(PROTECTION, language="en")
    shield = ConceptTerms("shield", (ConceptTerm("bouclier", "fr"), ConceptTerm("protection", "en")))
    result = retrieve(asked, [content], settings=SETTINGS, arbiter="rules", dictionary=[shield])
    assert (result.status, result.not_found_reason) == (status, reason)


def test_rules_deny_nothing_while_a_document_is_in_another_language() -> None:
    german = content_of_lines(["# 1", "Die Miete wird am dritten Werktag gezahlt."], language="de")
    german = replace(german, document_id="00000000-0000-0000-0000-000000000009")
    for asked in ("Wie hoch ist der Zinssatz der Miete?", "Wie hoch ist die Kaution?"):
        result = ask(asked, german, content_of_lines(PROTECTION, language="en"))
        assert result.status in ("cannot_tell", "weak"), "the English one was not searched for it"


def test_a_foreign_question_without_hits_means_cannot_tell(policy: DocumentContent) -> None:
    result = ask("Quelle est la franchise de la police ?", policy)
    assert (result.status, result.not_found_reason) == (
        "weak",
        BY_LIST.format("“franchise” and “police”"),
    )
    result = ask("Quel est le chiffre d'affaires ?", policy)
    assert result.status == "cannot_tell"
    assert "French" in result.not_found_reason


def test_what_was_found_lets_every_gate_pass(policy: DocumentContent) -> None:
    result = ask("What is the notice period?", policy)
    assert fired(result) == []
    assert [gate.code for gate in result.gates] == ["G0", "G1", "G2", "G3"]
    assert all(gate.evidence for gate in result.gates)


def test_the_gate_names_the_words_it_lets_pass(policy: DocumentContent) -> None:
    """One word of the topic that stands somewhere opens G1; those that stand nowhere are named, and no framing word."""
    told = {}
    again = ", a line counted once for each of its words"
    for question in ("What is the notice period?", "How long does the notice period of zeppelins take in 2031?"):
        result = ask(question, policy)
        assert "G1" not in fired(result)
        evidence = result.gates[1].evidence
        assert f"on {sum(word.count for word in result.searched)} lines{again}" in evidence
        assert f"lines{again}" in say_clause(recorded_facts(evidence))
        told[question] = evidence.partition("; nowhere: ")[2]
        assert "“take”" not in result.not_found_reason and "“long”" not in result.not_found_reason
    assert list(told.values()) == ["", "“zeppelins” and “2031”"]


def test_too_little_evidence_is_weak_and_keeps_its_near_misses(policy: DocumentContent) -> None:
    words = "seismology volcano glacier tsunami avalanche hurricane tornado blizzard drought landslide thirty"
    result = ask(f"What about {words}?", policy)
    assert (result.status, fired(result)) == ("weak", ["G3"])
    assert "no page that was read mentions “seismology”, “volcano”, “glacier” or “tsunami”" in result.not_found_reason
    roles = {each.verdict.rule: each.verdict.role for each in result.candidates}
    assert roles == {"words apart": "tangential", "no signal": "discarded"}


def test_confidence_is_the_probability_of_the_evidence(policy: DocumentContent) -> None:
    """R63."""
    whole, half = ask("What is the notice period?", policy), ask("Which notice period do tenants have?", policy)
    assert whole.confidence > half.confidence > 0
    assert whole.ranking.probability == whole.confidence
    fee = content_of_lines(["A fee.", "---", "x"], blind_pages=1)
    assert ask("Which fee is a reminder one?", fee).confidence < whole.confidence


def test_words_of_documents_that_were_not_read_count(policy: DocumentContent) -> None:
    result = retrieve(
        "What about earthquakes?",
        [policy],
        settings=SETTINGS,
        arbiter="rules",
        account_for=lambda question: replace(account_of([policy]), counts={"earthquakes": 3}),
    )
    assert {word.text: word.count for word in result.searched} == {"earthquakes": 3}
    assert "G1" not in fired(result)


def test_attached_files_that_were_not_read_are_a_gap(policy: DocumentContent) -> None:
    """R57: where they are documents of the scope too, they were looked at."""
    carrier = replace(policy, attached=(("terms.pdf", "a" * 64), ("prices.csv", "b" * 64)))
    question = "What about earthquakes in 2024?"
    result = ask(question, carrier)
    assert result.status == "cannot_tell"
    assert result.not_found_reason.endswith("2 attached files were not read: terms.pdf, prices.csv")
    terms = replace(policy, document_id="00000000-0000-0000-0000-000000000009", sha256="a" * 64)
    result = ask(question, carrier, terms)
    assert "1 attached file was not read: prices.csv" in result.not_found_reason
    assert ask(question, policy).status == "not_found"


def test_a_row_of_one_figure_is_an_answer_though_a_cell_goes_on_below(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    row = ((60, "Commitment fee"), (200, "Unused part of each commitment,"), (430, "$12,500"))
    for y, cells in ((100, row), (112, ((200, "payable quarterly"),))):
        for x, text in cells:
            page.insert_text((x, y), text, fontsize=10)
    page.insert_text((60, 300), "The borrower pays what is due on the first day of each quarter.", fontsize=10)
    document.save(tmp_path / "fees.pdf")
    content = content_of_reading(read_pdf(tmp_path / "fees.pdf", Limits()), tmp_path / "fees.pdf")
    assert retrieve("What is the commitment fee?", [content], settings=SETTINGS, arbiter="rules").status == "found"


def test_a_row_whose_cells_cannot_be_told_apart_is_no_answer(tmp_path: Path) -> None:
    """Its third cell goes on below the row, and one row is no table."""
    document = pymupdf.open()
    page = document.new_page()
    head = ((60, "Action"), (200, "Labour"), (380, "Parts"), (470, "Cost of a product"))
    row = ((60, "Stabilizer wiring change"), (200, "79 hours of 85 dollars ="), (380, "$3,790"), (470, "$10,505"))
    for y, cells in ((100, head), (112, row), (124, ((208, "Up to $6,715."),))):
        for x, text in cells:
            page.insert_text((x, y), text, fontsize=10)
    page.insert_text((60, 300), "Operators revise the manual before further flight.", fontsize=10)
    document.save(tmp_path / "costs.pdf")
    content = content_of_reading(read_pdf(tmp_path / "costs.pdf", Limits()), tmp_path / "costs.pdf")
    question = "What does the stabilizer wiring change cost?"
    result = retrieve(question, [content], settings=SETTINGS, arbiter="rules")
    assert (result.status, result.not_found_reason) == (
        "weak",
        "the cells of the row that was found cannot be told apart",
    )
