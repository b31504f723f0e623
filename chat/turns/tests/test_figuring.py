"""Figures a model asks for, over HTTP: computed and cited, mended once, or left out with the reason."""

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from accounts.models import User
from chat import stream
from chat.answer_record import other_calls_of
from chat.asking import keep_question
from chat.conftest import Serve
from chat.figures.answer import NOTE as CODE_NOTE
from chat.figures.requested import JUDGEMENT, NOTE
from chat.models import Answer
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase
from documents.storage.content import load_content
from tests.scripted_llm import ScriptedLLM

REPORT = Path(__file__).resolve().parents[3] / "samples" / "annual-report.pdf"
QUESTION = "By the consolidated income statement, which share of revenue is operating income in 2024, is it profitable?"
ROWS = {"o": ("Operating income", "49,910", "45,130"), "r": ("Revenue", "415,890", "388,195")}


@pytest.fixture
def report(base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> Document:
    settings.MEDIA_ROOT = tmp_path / "files"
    return ingest_path(REPORT, base, tenant)


def block(*computations: dict[str, Any], excerpt: int = 1, wrong: str = "", **more: Any) -> str:
    """A COMPUTE block over two rows of the income statement; the input named by `wrong` says another year's value."""
    inputs = [
        {
            "name": name,
            "meaning": label.lower(),
            "period": "2024",
            "excerpt": excerpt,
            "quote": f"{label} {now} {before}",
            "value": before if name == wrong else now,
            "unit": "EUR thousand",
        }
        for name, (label, now, before) in ROWS.items()
    ]
    return f"COMPUTE\n{json.dumps({'inputs': inputs, 'computations': computations, **more})}\n\n"


def computation(name: str = "c1", formula: str = "o / r", label: str = "Operating margin 2024") -> dict[str, Any]:
    return {"name": name, "label": label, "formula": formula, "result": "percent", "decimals": 1}


MARGIN = computation()


def answer_of(tenant: User, document: Document, question: str = QUESTION) -> Answer:
    turn = keep_question(tenant, QuestionScope(document.base, (document,)), question, "balanced", form_id=uuid.uuid4())
    answer_turn(turn.pk)
    return Answer.objects.get(turn=turn.pk)


def prompts_of(server: ScriptedLLM) -> list[str]:
    """What the writer was sent, draft by draft."""
    return [str(each.body["input"]) for each in server.requests if each.body.get("stream")]


def excerpt_with_rows(server: ScriptedLLM) -> int:
    """The number of an excerpt that has the rows of the income statement."""
    found = prompts_of(server)[0].split('<excerpt number="')[1:]
    return next(
        int(each.partition('"')[0]) for each in found if "Operating income | 49,910" in each and "Revenue | 415" in each
    )


@pytest.fixture
def number(tenant: User, report: Document, serve: Serve) -> int:
    """The excerpt with the income statement, as the writer of this question is given it."""
    server = serve()
    answer_of(tenant, report)
    return excerpt_with_rows(server)


def test_it_is_computed_shown_and_cited(tenant: User, report: Document, serve: Serve, number: int) -> None:
    server = serve()
    server.written = [block(MARGIN, excerpt=number, judgement=True) + "The operating margin was {c1}."]
    answer = answer_of(tenant, report)
    assert answer.kind == "generated" and answer.text.startswith("The operating margin was 12.0% [")
    assert "Operating margin 2024: 12.0%, computed as operating income 2024 ÷ revenue 2024\n\n- " in answer.text
    assert "COMPUTE" not in answer.text and "{" not in answer.text
    assert NOTE in answer.note and JUDGEMENT in answer.note and CODE_NOTE not in answer.note
    assert report.current_parse is not None
    lines = load_content(report.current_parse).lines
    (typed,) = [check["computed"] for check in answer.checks if "computed" in check]
    assert (typed["type"], typed["shown"]) == ("percentage", "12.0%")
    for given in typed["inputs"]:
        citation = answer.citations.get(marker=given["marker"])
        assert citation.quote == lines[given["line"] - 1].text and given["printed"] in citation.quote
        assert citation.first_line == given["line"] and citation.boxes
    sentence = answer.checks[0]
    assert sentence["sentence"].startswith("The operating margin was 12.0%") and sentence["problems"] == []
    assert sentence["verdict"] == "supported", "its wording is checked against the rows and the computation"
    (check,) = [each for each in server.requests if "Computed by code" in json.dumps(each.body)]
    assert "<sentence" in json.dumps(check.body) and "Operating income 49,910 45,130" in json.dumps(check.body)
    assert "calculate" in json.dumps(server.requests[1].body["instructions"])


def test_the_block_is_never_streamed(tenant: User, report: Document, serve: Serve, number: int) -> None:
    serve().written = [block(MARGIN, excerpt=number) + "The operating margin was {c1}."]
    answer = answer_of(tenant, report)
    entries: Any = stream.shared_client().xrange(stream.stream_key(answer.turn.pk))
    told = [json.loads(fields["data"])["text"] for _, fields in entries if fields["type"] == "token"]
    assert "".join(told) == "The operating margin was \u2026."


def test_a_refused_input_is_mended_once(tenant: User, report: Document, serve: Serve, number: int) -> None:
    server = serve()
    server.written = [
        block(MARGIN, excerpt=number, wrong="o") + "It was {c1}.",
        block(MARGIN, excerpt=number) + "It was {c1}.",
    ]
    answer = answer_of(tenant, report)
    first, second = prompts_of(server)
    assert "Operating margin 2024: operating income 2024: 45,130 is printed under 2023, not 2024" in second
    assert "45,130 is printed" not in first and answer.text.startswith("It was 12.0% [")
    refused = [check for check in answer.checks if check.get("left_out")]
    assert [check["problems"] for check in refused] == [["not_computed"]], "the first draft's fault is in the record"
    assert "could not be computed" not in answer.note
    assert [call.purpose for call in other_calls_of(answer)] == ["answer", "claims"]


def test_what_fails_twice_is_not_shown_and_the_rest_is(
    tenant: User, report: Document, serve: Serve, number: int
) -> None:
    server = serve()
    text = f"Operating income was 49,910 [{number}]. The margin was {{c1}}."
    server.written = [block(MARGIN, excerpt=number, wrong="o") + text]
    answer = answer_of(tenant, report)
    assert len(prompts_of(server)) == 2, "one retry"
    assert answer.text == f"Operating income was 49,910 [{number}]." and NOTE not in answer.note
    assert "A figure could not be computed: Operating margin 2024: operating income 2024: 45,130" in answer.note
    assert not any("computed" in check for check in answer.checks) and "%" not in answer.text


def test_where_nothing_else_is_left_the_document_is_quoted(
    tenant: User, report: Document, serve: Serve, number: int
) -> None:
    serve().written = [block(MARGIN, excerpt=number, wrong="o") + "It was {c1}."]
    answer = answer_of(tenant, report)
    assert answer.kind == "extractive" and answer.note.startswith("A figure could not be computed: ")
    assert [check for check in answer.checks if check["problems"] == ["not_computed"]]


def test_a_broken_block_is_written_again(tenant: User, report: Document, serve: Serve, number: int) -> None:
    server = serve()
    whole = block(MARGIN, excerpt=number) + "It was {c1}."
    server.written = [whole[: whole.index("computations")], whole]
    answer = answer_of(tenant, report)
    assert "the block cannot be read" in prompts_of(server)[1] and answer.text.startswith("It was 12.0% [")


def test_what_is_missing_is_said(tenant: User, report: Document, serve: Serve, number: int) -> None:
    serve().written = [block(excerpt=number, missing=["revenue 2019"]) + f"Revenue was 415,890 [{number}]."]
    answer = answer_of(tenant, report)
    assert answer.text == f"Revenue was 415,890 [{number}]."
    assert "Not on the pages that were read, and needed for a figure: revenue 2019." in answer.note


def test_a_sentence_that_says_more_than_the_result_is_left_out(
    tenant: User, report: Document, serve: Serve, number: int
) -> None:
    server = serve()
    server.written = [block(MARGIN, excerpt=number) + "It fell to {c1}."]
    server.refused = {"It fell to": "the rows do not say that it fell"}
    answer = answer_of(tenant, report)
    assert "fell" not in answer.text and answer.text.startswith("Operating margin 2024: 12.0%, computed as")
    assert answer.kind == "generated"


def test_a_second_draft_keeps_the_figures(tenant: User, report: Document, serve: Serve, number: int) -> None:
    server = serve()
    server.written = [
        block(MARGIN, excerpt=number) + "It fell to {c1}.",
        f"Operating income was 49,910 [{number}].",
    ]
    server.refused = {"It fell to": "the rows do not say that it fell"}
    answer = answer_of(tenant, report)
    assert answer.text.startswith("Operating margin 2024: 12.0%, computed as"), "not given up for the second draft"


def test_a_base_without_the_claim_check_computes_too(
    tenant: User, report: Document, serve: Serve, number: int, base: KnowledgeBase
) -> None:
    KnowledgeBase.objects.filter(pk=base.pk).update(settings={"embeddings": "none", "claim_check": "off"})
    report.base.refresh_from_db()
    serve().written = [block(MARGIN, excerpt=number) + "It was {c1}."]
    answer = answer_of(tenant, report)
    assert answer.text.startswith("It was 12.0% [") and answer.checks[0]["problems"] == []
