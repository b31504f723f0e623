"""The table of contents of a trail: the arbiter's own lines, with the candidates of each section."""

from audit.trail.section_counts import read_contents
from retrieval.arbiter.brief import toc_block
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.tests.builders import content_of_lines

ONE, TWO = "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"


def shown(text: str, documents: list[str], *places: tuple[str, int]) -> list[tuple[str, int, int]]:
    run = RetrievalRun(toc_shown=text, scope=[{"document_id": document_id} for document_id in documents])
    candidates = [RunCandidate(document_id=document_id, toc_index=index) for document_id, index in places]
    return [(entry.text, entry.level, entry.candidates) for entry in read_contents(run, candidates).entries]


def test_it_counts_the_candidates_of_each_section() -> None:
    text = (
        "<toc>\n[1] Model (pp. 2-5)\n  [2] Attention (pp. 3-5)\n    [3] Scaled (p. 4)\n      [4] Deeper (p. 4)\n</toc>"
    )
    assert shown(text, [ONE], (ONE, 3), (ONE, 3), (ONE, 1)) == [
        ("Model (pp. 2-5)", 1, 1),
        ("Attention (pp. 3-5)", 2, 0),
        ("Scaled (p. 4)", 3, 2),
        ("Deeper (p. 4)", 3, 0),
    ]


def test_it_keeps_the_sections_of_several_documents_apart() -> None:
    text = "<toc>\ndocument: First\n[1] Scope (p. 1)\ndocument: Second\n[1] Scope (p. 1)\n</toc>"
    assert shown(text, [ONE, TWO], (TWO, 1)) == [
        ("First", 0, 0),
        ("Scope (p. 1)", 1, 0),
        ("Second", 0, 0),
        ("Scope (p. 1)", 1, 1),
    ]


def test_it_reads_contents_as_they_are_sent() -> None:
    contents = [content_of_lines([f"# {name}", "Some text.", "# Scope", "More of it."]) for name in ("One", "Two")]
    toc, places = toc_block(contents), [(ONE, 2), (TWO, 2), (TWO, 2)]
    assert [each[1:] for each in shown(toc, [ONE, TWO], *places)] == [(0, 0), (1, 0), (1, 1), (0, 0), (1, 0), (1, 2)]
    alone = shown(toc_block(contents[:1]), [ONE], *places)
    assert [each[1:] for each in alone if each[1]] == [(1, 0), (1, 1)]


def test_it_shows_lines_it_does_not_know_as_they_are() -> None:
    assert shown("(no table of contents)\n[x] odd", [ONE]) == [("(no table of contents)", 0, 0), ("[x] odd", 0, 0)]


def test_it_says_when_none_was_shown() -> None:
    contents = read_contents(RetrievalRun(toc_shown="", scope=[]), [])
    assert contents.entries == ()
    assert contents.why_none
