from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from benchmarks import parsing
from reading.pdf import OutlineItem
from reading.plain_text import read_plain_text
from reading.rows import LineRow
from reading.tests.pdfs import write_pdf

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(scope="module")
def figures(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, Any]]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield parsing.run(SAMPLES, say=lambda line: None)
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_it_measures_every_pdf_of_a_folder(figures: dict[str, Any]) -> None:
    assert [one["document"] for one in figures["per_document"]] == ["annual-report.pdf", "outsourcing-agreement.pdf"]
    assert figures["documents"] == 2
    assert set(parsing.PRINTED) <= set(figures)


@pytest.mark.django_db
def test_it_recovers_the_agreements_contents_with_the_outline_hidden(figures: dict[str, Any]) -> None:
    report, agreement = figures["per_document"]
    assert agreement["native_entries"] > 100
    assert agreement["hidden_origin"] not in ("outline", "")
    assert 0 < agreement["recall"] <= 1 and 0 < agreement["precision"] <= 1
    assert figures["toc_f1"] == pytest.approx(agreement["f1"], abs=1e-4)
    assert report["f1"] is None, "without an outline there is nothing to compare with"


@pytest.mark.django_db
def test_it_measures_the_contents_by_kind_of_document(figures: dict[str, Any]) -> None:
    agreement = figures["per_document"][1]
    assert figures["toc_printed"] == {
        kind: {
            "documents": 1,
            "precision": pytest.approx(agreement["precision_printed"], abs=1e-3),
            "recall": pytest.approx(agreement["recall_printed"], abs=1e-3),
            "f1": pytest.approx(agreement["f1_printed"], abs=1e-3),
        }
        for kind in (".", "all")
    }
    assert agreement["f1_printed"] > 0.9


@pytest.mark.parametrize(
    "title", ["A Proofs of the rules", "Appendix A. Proofs of the rules", "2.1 Proofs of the rules"]
)
def test_titles_are_compared_without_their_numbers(title: str) -> None:
    assert parsing.title_key(title) == "proofsoftherules"


@pytest.mark.django_db  # alone, too, it needs the tables
def test_it_times_reading_against_bare_extraction(figures: dict[str, Any]) -> None:
    assert figures["parse_ratio"] > 1, "reading includes the extraction it is compared with"
    # By the clock, and reading in a child beside it: which of the two is larger the machine's mood may decide.
    assert figures["ready_ratio"] > 0
    assert all(one[name].wall > 0 for one in figures["per_document"] for name in ("bare", "parse", "ready"))
    assert 20 < figures["child_peak_mb"] < 1_000


@pytest.mark.django_db
def test_it_finds_the_gold_quotes_in_the_stored_lines(figures: dict[str, Any]) -> None:
    assert figures["quotes"] > 10
    assert figures["quotes_literal"] + len(figures["quotes_missing"]) / figures["quotes"] == pytest.approx(1, abs=1e-3)
    assert figures["quotes_literal"] >= 0.99


def line(text: str, number: int = 1) -> LineRow:
    return read_plain_text(text).lines[0]._replace(number=number)


@pytest.mark.parametrize(
    ("title", "texts", "expected"),
    [
        ("2. Scope", ["2. Scope", "This policy"], True),
        ("Scope", ["2. Scope", "This policy"], True),
        ("Item 5. Market for Common Equity", ["Item 5. Market for", "Common Equity", "The stock"], True),
        ("Scope", ["Introduction", "2. Scope"], False),
        ("Cover Page", ["UNITED STATES", "FORM 10-K"], False),
    ],
)
def test_it_asks_the_first_line_for_the_title(title: str, texts: list[str], expected: bool) -> None:
    lines = [line(text, number) for number, text in enumerate(texts, start=1)]
    assert parsing.carries_title(title, lines, 0) is expected
    assert parsing.is_printed(OutlineItem(1, title, 1, 0.0), lines) is (title != "Cover Page")
    assert not parsing.is_printed(OutlineItem(1, title, 2, 0.0), lines)


def test_it_counts_numbers_without_a_label_on_statement_pages_only() -> None:
    rows = [f"Item {number} 1,{number:03} 2,{number:03}" for number in range(25)]
    text = "\n".join(["Consolidated Balance Sheets", *rows, "1,234", "$ (567)"])
    lines = [line(one, number) for number, one in enumerate(text.splitlines(), start=1)]
    reading = read_plain_text(text)
    assert parsing.is_statement(lines)
    assert not parsing.is_statement([line("Business", 1), *lines[1:]])
    assert sum(parsing.NUMBER_ONLY.fullmatch(one.text) is not None for one in lines) == 2
    assert parsing.statement_counts(reading)[0] == len(reading.lines)


@pytest.mark.django_db
def test_it_names_what_cannot_be_read_and_goes_on(tmp_path: Path) -> None:
    write_pdf(tmp_path / "blank.pdf", [[], []])
    write_pdf(tmp_path / "text.pdf", [["One line of text."]])
    figures = parsing.run(tmp_path, say=lambda line: None)
    assert figures["refused"] == {"blank.pdf": "blank_pages"}
    assert figures["documents"] == 1


@pytest.mark.django_db
def test_a_folder_without_pdfs_has_no_figures(tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"no pdf")
    figures = parsing.run(tmp_path, say=lambda line: None)
    assert figures["documents"] == 0
    assert figures["toc_f1"] is None and figures["parse_ratio"] is None and figures["quotes_literal"] is None


@pytest.mark.parametrize(
    ("drop_hyphens", "joined"),
    [(True, "the infor mation sourcetarget pair"), (False, "the infor mation source-target pair")],
)
def test_it_joins_lines_with_and_without_the_line_end_hyphen(drop_hyphens: bool, joined: str) -> None:
    assert parsing.join_lines(["the infor", "mation source-", "target pair"], drop_hyphens=drop_hyphens) == joined


def test_it_keeps_a_hyphen_that_splits_no_word() -> None:
    texts = ["from 2014-", "2015 and A -", "b"]
    assert parsing.join_lines(texts, drop_hyphens=True) == "from 2014- 2015 and A - b"
