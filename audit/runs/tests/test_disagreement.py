"""Each detector's ranking is rebuilt from the stored hits, and verdicts against all of them are found."""

import pytest
from django.utils import translation

from audit.conftest import House, MakeRun
from audit.runs.disagreement import (
    against_rrf,
    describe_disagreement,
    detectors_sentence,
    grid_of,
    ordinal,
    rank_candidates,
)
from audit.trail.candidates import Choice, build_table


def hit(house: House, method: str, line: int, score: float) -> dict[str, object]:
    return {"method": method, "document_id": str(house.document.pk), "lines": [line, line], "score": score}


def test_it_finds_what_was_decided_against_every_detector(house: House, make_run: MakeRun) -> None:
    # Anchors are lines 1-2, 2-3, 3-4, 4-5. Both detectors think most of lines 1 and 5, little of line 3.
    strong = [hit(house, method, line, 9.0) for method in ("keywords", "vectors") for line in (1, 5)]
    weak = [hit(house, "keywords", 3, 1.0), hit(house, "vectors", 3, 0.1)]
    run = make_run("discarded primary discarded supporting", hits=strong + weak)
    candidates = list(run.candidates.all())
    ranks = rank_candidates(run, candidates)
    assert ranks.ran == ("keywords", "vectors")
    assert [dict(ranks.of[candidate.pk]) for candidate in candidates] == [
        {"keywords": 1, "vectors": 1},
        {"keywords": 3, "vectors": 3},
        {"keywords": 3, "vectors": 3},
        {"keywords": 1, "vectors": 1},
    ]
    table = build_table(candidates, Choice(against_detectors=True), ranks=ranks)
    assert table is not None
    assert [row.candidate.position for row in table.rows] == [1, 2]
    grid = grid_of(candidates, ranks)
    assert [(row.candidate.position, row.against_all) for row in grid][:2] == [(1, True), (2, True)]
    others = [(row.candidate.pk not in against_rrf(candidates), row.candidate.rrf_rank) for row in grid[2:]]
    assert others == sorted(others)


def test_it_ignores_hits_of_another_document_and_runs_without_hits(house: House, make_run: MakeRun) -> None:
    run = make_run(hits=[hit(house, "keywords", 1, 9.0) | {"document_id": "another"}])
    ranks = rank_candidates(run, list(run.candidates.all()))
    assert (ranks.ran, ranks.against) == ((), frozenset())


def test_it_says_who_would_have_put_it_where(house: House, make_run: MakeRun) -> None:
    candidate = make_run().candidates.get(position=2)
    assert (
        describe_disagreement(candidate)
        == "RRF would have put this 2nd; the arbiter made it supporting because: Reason 2."
    )
    assert detectors_sentence({"titles": 3}, ("titles", "vectors")) == "titles 3rd, not by vectors"


@pytest.mark.parametrize(
    ("number", "words"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (112, "112th"), (21, "21st")]
)
def test_it_counts_in_words(number: int, words: str) -> None:
    assert ordinal(number) == words


@pytest.mark.parametrize(
    ("language", "told"), [("fr", "titres 3e, pas par vecteurs"), ("de", "Titel 3., nicht von Vektoren")]
)
def test_it_counts_in_the_reader_s_language(language: str, told: str) -> None:
    with translation.override(language):
        assert detectors_sentence({"titles": 3}, ("titles", "vectors")) == told
