"""The neighbours every figure is compared with are measured beside the product and are no part of it."""

from pathlib import Path

from benchmarks.baselines import page_bm25
from documents.base_settings import BaseSettings
from retrieval.detectors import DETECTORS
from retrieval.pipeline import retrieve
from retrieval.tests.builders import content_of_lines

ROOT = Path(__file__).resolve().parents[2]


def test_bm25_prefers_the_glossary_and_is_for_comparison_only() -> None:
    """R32."""
    glossary = ["# Words used", *["Deductible amount: what is the deductible amount?"] * 4, "---"]
    cover = ["# Cover", "Floods and storms are covered from the first day of the policy on.", *["It goes on so."] * 20]
    answer = "The deductible amount is 500 EUR for each claim that is made."
    content = content_of_lines([*glossary, *cover, answer, "---", "# Other", "Nothing of that.", "---", "# End", "No."])
    question = "What is the deductible amount?"
    assert page_bm25(content, question)[0] == 1
    found = retrieve(question, [content], settings=BaseSettings(embeddings="none"), arbiter="rules")
    assert found.candidates[0].anchor_pages[0] == 2 and "500 EUR" in found.candidates[0].anchor_text
    assert not any("bm25" in name for name in DETECTORS)
    assert "bm25" not in (ROOT / "requirements.txt").read_text(encoding="utf-8").lower()
