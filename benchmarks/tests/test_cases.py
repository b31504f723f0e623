"""Cases are asked as a person asks, and the aids tell right from refused, poor and harmful."""

import json
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from benchmarks.cases import CaseError, CaseQuestion, Said, load_cases, run, verdict_on, write_said

FEES = "The entry fee of the Harbour Pool is 7 euros. Members pay 4 euros."
ASKED = CaseQuestion("fees/q1", ("fees.pdf",), "What is the entry fee?", "7 euros", "^\\W*9", 1, False, "")
REFUSABLE = ASKED._replace(expect="7 euros|not found")


def answered(quote: str, page: int = 1, headline: str = "") -> Said:
    return Said("extractive", 0.9, headline, "", ((page, "", quote),))


@pytest.mark.parametrize(
    ("asked", "said", "verdict"),
    [
        (ASKED, answered("It is 7 euros."), "right"),
        (ASKED, answered("It is 7 euros.", page=2), "poor"),
        (ASKED, answered("It is open."), "poor"),
        (ASKED, answered("It is 7 euros.", headline="9 euros"), "harmful"),
        (ASKED, Said("not_found", 0.0, "", "No page mentions it."), "refused"),
        (ASKED, Said("weak", 0.0, "", "", ((1, "", "It is 7 euros."),)), "refused"),
        (REFUSABLE, Said("weak", 0.0, "", "", ((1, "", "It is open."),)), "right"),
        (ASKED._replace(is_absent=True), answered("It is open."), "poor"),
        (ASKED._replace(is_absent=True), answered("It is open.", headline="It is open."), "harmful"),
        (ASKED._replace(is_absent=True), Said("weak", 0.0, "", ""), "right"),
        (ASKED._replace(expect="password"), Said("failed", 0.0, "", "It needs a password."), "right"),
    ],
)
def test_the_aids_judge(asked: CaseQuestion, said: Said, verdict: str) -> None:
    assert verdict_on(asked, said) == verdict


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    (folder / "questions.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    return folder


def fee_rows() -> list[dict[str, Any]]:
    shared = {"file": "fees.pdf", "page": 1, "absent": False, "must_not": None}
    return [
        {"id": "fees/q1", "question": "What is the entry fee of the Harbour Pool?", "expect": "7 euros", **shared},
        {"id": "fees/q2", "question": "And for members?", "expect": "4 euros", "follow_up_of": "fees/q1", **shared},
        {"id": "odd/q1", "question": "Who wrote it?", "expect": "cannot be read|damaged", **shared, "file": "odd.pdf"},
    ]


def test_only_some_are_read_with_those_they_follow(tmp_path: Path) -> None:
    folder = written(tmp_path, *fee_rows())
    for name in ("fees.pdf", "odd.pdf"):
        (folder / name).touch()
    assert [each.id for each in load_cases(folder, ["fees/q2"])] == ["fees/q1", "fees/q2"]
    assert len(load_cases(folder)) == 3
    with pytest.raises(CaseError, match="any such question"):
        load_cases(folder, ["none"])
    (folder / "odd.pdf").unlink()
    with pytest.raises(CaseError, match="odd.pdf"):
        load_cases(folder)
    with pytest.raises(CaseError, match="line 1"):
        load_cases(written(tmp_path, {"id": "x", "file": "x", "question": "?", "expect": "("}))


@pytest.mark.django_db(transaction=True)
def test_files_are_read_and_asked_in_one_conversation(tmp_path: Path) -> None:
    folder = written(tmp_path, *fee_rows())
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), FEES)
        document.save(folder / "fees.pdf")
    (folder / "odd.pdf").write_bytes(b"%PDF-1.7\nnothing else")
    figures = run({folder: load_cases(folder)})
    assert [row["outcome"] for row in figures["rows"]] == ["extractive", "extractive", "failed"]
    assert figures["rows"][0]["verdict"] == "right" and "7 euros" in str(figures["rows"][0]["quotes"])
    assert figures["questions"] == 3
    write_said(figures, tmp_path / "said" / "cases.md")
    said = (tmp_path / "said" / "cases.md").read_text()
    assert "## fees/q1: right" in said and "1. p. 1" in said
