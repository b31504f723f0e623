"""The table of strategies: each row is measured by the real pipeline, and what cannot run says why."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django import Settings

from benchmarks import techniques
from benchmarks.library import Library
from benchmarks.printing import print_strategies
from benchmarks.questions import GoldQuestion
from benchmarks.strategies import STRATEGIES, plain, run
from tests.rerank_server import RerankServer, serving

TEXT = "# Lease\n\n" + "\n\n".join(f"## Part {n}\n\nThe gate {n} is shut at night." for n in range(30))
TEXT += "\n\n## Rent\n\nThe rent is due on the first day of each month.\n"
QUESTION = GoldQuestion(
    "q1", "When is the rent due?", "lease.md", "lookup", "", False, (3,), (), (), ("The rent is due on the first day",)
)


@pytest.fixture
def reranker(settings: Settings) -> Iterator[RerankServer]:
    with serving() as server:
        settings.RERANK_BASE_URL, settings.RERANK_MODEL, settings.RERANK_INSTRUCTIONS = server.base_url, "own", "none"
        yield server


@pytest.fixture
def library(tmp_path: Path) -> Library:
    (tmp_path / "lease.md").write_text(TEXT, encoding="utf-8")
    return Library(tmp_path, tmp_path / "cache")


def test_every_strategy_has_a_row(library: Library, reranker: RerankServer, capsys: pytest.CaptureFixture[str]) -> None:
    figures = run({"leases": [QUESTION]}, library)
    rows = {row["strategy"]: row for row in figures["strategies"]}
    assert list(rows) == [strategy.name for strategy in STRATEGIES]
    assert "--replies" in rows["arbiter, model"]["not_run"]
    for name in ("arbiter, rules", "contextual, heuristic", "contextual, reranker"):
        assert rows[name]["quote_first_5"] == rows[name]["page_first_5"] == 1.0 and rows[name]["ms_p50"] > 0
        assert 0 < rows[name]["written_tokens_p50"] < 2_000
    sent = reranker.requests[0]
    assert rows["contextual, reranker"]["judged_tokens_p50"] >= len(sent["documents"]) > 20
    assert rows["arbiter, rules"]["judged_tokens_p50"] == rows["contextual, heuristic"]["judged_tokens_p50"] == 0
    print_strategies(figures)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 2 + len(STRATEGIES) and printed[0].startswith("| set | strategy | questions | page first |")


def test_every_technique_is_measured_and_misses_what_it_should(
    library: Library, reranker: RerankServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.vectors.CACHE", tmp_path)
    elsewhere = replace(QUESTION, id="q2", pages=(99,))
    rows = techniques.run({"leases": [QUESTION, elsewhere]}, library)["strategies"]
    assert [row["strategy"] for row in rows] == list(techniques.TECHNIQUES)
    assert all((row["questions"], row["missed_in_5"], row["missed_in_20"]) == (2, 0.5, 0.5) for row in rows)
    assert reranker.requests


def test_without_a_reranker_its_row_is_open(library: Library, settings: Settings) -> None:
    settings.RERANK_BASE_URL = settings.VOYAGE_API_KEY = ""
    rows = {row["strategy"]: row for row in run({"leases": [QUESTION]}, library)["strategies"]}
    assert "DOCINTEL_RERANK_BASE_URL" in rows["contextual, reranker"]["not_run"]
    last = techniques.run({"leases": [QUESTION]}, library)["strategies"][-1]
    assert "DOCINTEL_RERANK_BASE_URL" in last["not_run"]


def test_a_quote_is_compared_by_its_letters_and_digits() -> None:
    assert plain("The “Rent” is\n€ 1,200 informa-\ntion") == plain('the "rent" is € 1,200 information')
