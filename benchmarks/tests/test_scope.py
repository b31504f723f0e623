"""Figures over a whole base: a page counts in its own document only."""

from benchmarks.scope import Judged, summarise


def judged(document: str, pages: list[tuple[str, int]], gold: tuple[int, ...], status: str = "found") -> Judged:
    found = list(dict.fromkeys(path for path, _ in pages))
    return Judged("q", document, "", not gold, status, 1, found, found, pages, gold, 20.0, 5.0, {})


def test_a_page_of_another_document_is_no_hit() -> None:
    figures = summarise([judged("a.pdf", [("b.pdf", 3), ("a.pdf", 3)], (3,)), judged("a.pdf", [("b.pdf", 3)], (3,))])
    assert figures["page_hit"] == {"1": 0.0, "3": 0.5, "5": 0.5, "10": 0.5, "pool": 0.5}
    assert (figures["document_hit"]["1"], figures["document_hit"]["3"], figures["document_read"]) == (0.0, 0.5, 0.5)


def test_refusals_are_counted_apart() -> None:
    figures = summarise([judged("a.pdf", [("a.pdf", 1)], (), "not_found"), judged("a.pdf", [], (1,), "not_found")])
    assert (figures["absent_refused"], figures["false_not_found"]) == (1.0, 1.0)
