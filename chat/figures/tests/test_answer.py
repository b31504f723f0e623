"""A question for a figure, from the chat: computed by code, every input cited where it stands."""

import uuid
from pathlib import Path

import pytest
from pytest_django import Settings

from accounts.models import User
from chat.asking import keep_question
from chat.figures.answer import NOTE
from chat.models import Turn
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase
from documents.storage.content import load_content

REPORT = Path(__file__).resolve().parents[3] / "samples" / "annual-report.pdf"
QUESTION = "What are total current assets divided by total current liabilities, the current ratio, in 2024?"


@pytest.fixture
def report(base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> Document:
    settings.MEDIA_ROOT = tmp_path / "files"
    return ingest_path(REPORT, base, tenant)


def answered(tenant: User, document: Document, question: str) -> Turn:
    turn = keep_question(tenant, QuestionScope(document.base, (document,)), question, "balanced", form_id=uuid.uuid4())
    answer_turn(turn.pk)
    return Turn.objects.select_related("answer", "run").get(pk=turn.pk)


def test_a_ratio_is_computed_and_its_inputs_are_cited_literally(tenant: User, report: Document) -> None:
    answer = answered(tenant, report, QUESTION).answer
    assert answer.kind == "extractive" and NOTE in answer.note
    assert answer.text.startswith("Current ratio, 2024: 1.71, computed as")
    typed = answer.checks[-1]["computed"]
    assert (typed["type"], typed["shown"]) == ("number", "1.71")
    assert report.current_parse is not None
    lines = load_content(report.current_parse).lines
    for given in typed["inputs"]:
        citation = answer.citations.get(marker=given["marker"])
        assert f"[{given['marker']}]" in answer.text
        assert citation.first_line == citation.last_line == given["line"]
        assert citation.quote == lines[given["line"] - 1].text and given["printed"] in citation.quote
        assert citation.page == lines[given["line"] - 1].page_number == citation.boxes[0]["page"]


def test_a_figure_that_cannot_be_computed_leaves_the_quotes_alone(tenant: User, report: Document) -> None:
    answer = answered(tenant, report, "What is the inventory turnover of 2024?").answer
    assert NOTE not in answer.note and not any("computed" in check for check in answer.checks)
