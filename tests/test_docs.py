"""The documents say what the code has."""

from pathlib import Path

from retrieval.detectors import DETECTORS

DOCS = Path(__file__).resolve().parent.parent / "docs"


def test_every_detector_has_its_paragraph() -> None:
    paragraphs = (DOCS / "detectors.md").read_text(encoding="utf-8").split("\n## ")[1:]
    described = {title: text.strip() for title, _, text in (paragraph.partition("\n") for paragraph in paragraphs)}
    assert list(described) == list(DETECTORS)
    assert all(len(text) > 200 for text in described.values())
