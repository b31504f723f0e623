"""Contextual retrieval and the arbiter from files of replies: what is asked, what is counted, what it costs."""

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from benchmarks.contextual import (
    RERANKED,
    STRATEGIES,
    Outcome,
    ReplyFileError,
    document_row,
    run,
    sentences_of,
    summarise,
)
from benchmarks.library import Library
from benchmarks.printing import print_contextual
from benchmarks.questions import GoldQuestion
from benchmarks.strategies import CONTEXTUAL
from llm.fence import fence_text
from llm.prices import Price

TEXT = "# Lease\n\n" + "\n\n".join(f"## Part {n}\n\nThe gate {n} is shut at night." for n in range(50))
TEXT += "\n\n## Sums\n\nIt is due on the first day of each month.\n"
PAGE, QUOTE = 5, "It is due on the first day"
QUESTION = GoldQuestion("q1", "When is the rent due?", "lease.md", "lookup", "", False, (PAGE,), (), (), (QUOTE,))
ABSENT = GoldQuestion("q2", "Which helicopter insurer was chosen?", "lease.md", "absent", "", True, (), (), (), ())
SENTENCE = "The rent that the tenant must pay."


@pytest.fixture(autouse=True)
def prices(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.vectors.CACHE", tmp_path / "vectors")
    settings.LLM_MODEL, settings.RERANK_MODEL = "judge", "orders"
    settings.LLM_PRICES = {
        "judge": Price.model_validate({"in": Decimal(2), "cached": Decimal(1), "out": Decimal(10)}),
        "orders": Price.model_validate({"in": Decimal(1), "out": Decimal(0)}),
    }


@pytest.fixture
def library(tmp_path: Path) -> Library:
    (tmp_path / "lease.md").write_text(TEXT, encoding="utf-8")
    return Library(tmp_path, tmp_path / "cache")


def describe(library: Library, replies: Path) -> None:
    """A sentence on every passage; only that of the rent has words of the question."""
    lines = []
    for passage in library.content("lease.md").passages:
        sentence = SENTENCE if "first day" in passage.text else f"A part of the lease, number {passage.index}."
        lines.append(json.dumps({"id": passage.index, "sentence": sentence}))
    (replies / "annotation").mkdir(parents=True)
    (replies / "annotation" / "lease.jsonl").write_text("\n".join(lines), encoding="utf-8")


def reply_to_all(requests: Path, replies: Path) -> None:
    """Orders with the described passage first, and the verdict of an arbiter that calls all answerable."""
    for path in (requests / "rerank").glob("*.json"):
        texts = json.loads(path.read_text())["request"]["documents"]
        first = next((index for index, text in enumerate(texts) if SENTENCE in text), 0)
        results = [{"index": index, "relevance_score": float(index == first)} for index in range(len(texts))]
        write(replies / "rerank" / path.name, {"results": results})
    for path in (requests / "arbiter").glob("*.json"):
        verdict = {"rankings": [], "contradictions": [], "answerable": True, "answerable_reason": ""}
        text = json.dumps(verdict | {"wanted_sections": [], "wanted_words": []})
        write(replies / "arbiter" / path.name, {"model": "judge", "text": text})


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def rows_by_name(figures: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["strategy"]: row for row in figures["strategies"] if row["set"] == "all"}


def test_what_has_no_reply_is_written_and_has_no_figures(
    library: Library, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = run({"leases": [QUESTION, ABSENT]}, library, requests=tmp_path / "requests")
    rows = rows_by_name(figures)
    assert list(rows) == [strategy.name for strategy in STRATEGIES]
    assert all(
        ("not_run" in rows[strategy.name])
        is (strategy.context == "sentence" or strategy.arbiter == "model" or strategy.settings == CONTEXTUAL["model"])
        for strategy in STRATEGIES
    )
    text = (tmp_path / "requests" / "annotation" / "lease.txt").read_text(encoding="utf-8")
    for passage in library.content("lease.md").passages:
        assert f'<passage id="{passage.index}">\n{fence_text(passage.context)}\n{passage.text}\n</passage>' in text
    assert len(list((tmp_path / "requests" / "arbiter").glob("*.json"))) == 2
    [order] = (tmp_path / "requests" / "rerank").glob("*.json")
    sent = json.loads(order.read_text())["request"]["documents"]
    assert len(sent) == RERANKED and not any(SENTENCE in text for text in sent)
    assert re.fullmatch(
        r"1 requests have no reply yet; sent \d+ tokens for 0\.\d+ a question, \d+ ms",
        rows["… under section paths, ordered by a model"]["not_run"],
    )
    print_contextual(figures)
    assert "passages" in capsys.readouterr().out


def test_with_all_replies_every_strategy_has_figures_and_a_cost(library: Library, tmp_path: Path) -> None:
    replies, requests, sets = tmp_path / "replies", tmp_path / "requests", {"leases": [QUESTION, ABSENT]}
    describe(library, replies)
    before = rows_by_name(run(sets, library, replies=replies, requests=requests))
    assert "not_run" in before["… or by a model"] and "not_run" not in before["… under a model's sentences"]
    sent = [json.loads(path.read_text())["request"] for path in (requests / "rerank").glob("*.json")]
    assert sent and all(len(body["documents"]) == RERANKED and body["instruction"] for body in sent)
    reply_to_all(requests, replies)
    figures = run(sets, library, replies=replies)
    rows = rows_by_name(figures)
    assert not any("not_run" in row for row in rows.values())
    ordered, judged, bare = rows["… or by a model"], rows["detectors, a model judges"], rows["embeddings"]
    assert ordered["page_first_1"] == ordered["quote_first_1"] == 1.0
    assert ordered["tokens_in"] * 1e-6 == pytest.approx(ordered["cost"], abs=1e-6) and ordered["tokens_in"] > 100
    assert judged["tokens_out"] > 0
    assert judged["cost"] == pytest.approx((2 * judged["tokens_in"] + 10 * judged["tokens_out"]) / 1e6, abs=1e-6)
    assert bare["cost"] == bare["absent_refused"] == 0 and bare["absent"] == 1
    assert figures["documents"][0]["sentences"] == figures["documents"][0]["passages"]


def test_the_cost_of_a_document_counts_it_once_with_every_passage(library: Library) -> None:
    content = library.content("lease.md")
    row = document_row("lease.md", content, {0: "x" * 400})
    assert row["tokens_in"] > row["passages"] * row["tokens"] and row["tokens_out"] == 100
    assert 0.8 < row["of_them_cached"] / row["tokens_in"] < 1
    paid = 2 * (row["tokens_in"] - row["of_them_cached"]) + row["of_them_cached"] + 10 * row["tokens_out"]
    assert row["cost"] == pytest.approx(paid / 1e6, abs=1e-5)


def test_a_model_without_a_price_costs_nothing_known(library: Library, settings: Settings) -> None:
    settings.LLM_PRICES = {}
    assert document_row("lease.md", library.content("lease.md"), {})["cost"] is None


@pytest.mark.parametrize(
    "line",
    ["{", '{"id": 0}', '{"id": 0, "sentence": 1}', '{"id": 999, "sentence": "x"}', '{"id": "0", "sentence": "x"}'],
)
def test_a_file_of_sentences_that_cannot_be_used_says_its_line(library: Library, tmp_path: Path, line: str) -> None:
    (tmp_path / "annotation").mkdir()
    path = tmp_path / "annotation" / "lease.jsonl"
    path.write_text(f'{{"id": 1, "sentence": "Of the gates."}}\n\n{line}\n', encoding="utf-8")
    with pytest.raises(ReplyFileError, match="line 3"):
        sentences_of("lease.md", library.content("lease.md"), tmp_path)


def test_shares_are_of_the_questions_they_are_about() -> None:
    def outcome(question: GoldQuestion, pages: list[int], texts: list[str], refused: bool) -> Outcome:
        return Outcome(question, pages, texts, refused, 100, 1000, 10, 0.5, 20)

    row = summarise(
        [
            outcome(QUESTION, [PAGE, 1], ["… it is due on the first-\nday …"], False),
            outcome(QUESTION, [1, 2, PAGE], ["other", "It is due on the first day of May"], True),
            outcome(ABSENT, [1], [], True),
        ]
    )
    assert (row["questions"], row["absent"]) == (2, 1)
    assert (row["page_first_1"], row["page_first_3"], row["page_first_5"]) == (0.5, 1.0, 1.0)
    assert (row["quote_first_1"], row["quote_first_5"]) == (0.5, 1.0)
    assert (row["answerable_refused"], row["absent_refused"]) == (0.5, 1.0)
    assert (row["tokens_in"], row["tokens_out"], row["cost"], row["ms_p50"]) == (1000, 10, 0.5, 20)
