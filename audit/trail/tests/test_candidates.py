"""The candidate table: filters, decisions against RRF, neighbours, and what was cut off a quote."""

from typing import get_args

import pytest

from audit.runs.outcomes import METHOD_WORDS
from audit.trail.candidates import MARKS, CandidateTable, Choice, build_table, cut_words, marks_of
from retrieval import api
from retrieval.models import RunCandidate
from retrieval.told.reasons import WORDLESS_NOUNS
from retrieval.types import METHODS, WORDLESS, Method


def candidate(position: int, role: str, rrf_rank: int, **changes: object) -> RunCandidate:
    fields = {
        "pk": position,
        "position": position,
        "candidate_id": f"c{position}",
        "role": role,
        "rrf_rank": rrf_rank,
        "methods": ["keywords"],
        "matched_keywords": [],
        "anchor_first_page": 4,
        "anchor_last_page": 4,
        "anchor_repair": {"status": "none"},
    }
    return RunCandidate(**(fields | changes))


POOL = [
    candidate(1, "primary", 3),
    candidate(2, "supporting", 1),
    candidate(3, "tangential", 2, anchor_last_page=5),
    candidate(4, "discarded", 4),
]


def table(**choice: object) -> CandidateTable:
    built = build_table(POOL, Choice(**choice))  # type: ignore[arg-type]
    assert built is not None
    return built


def ids(shown: CandidateTable) -> list[str]:
    return [row.candidate.candidate_id for row in shown.rows]


def test_it_shows_every_candidate_in_the_arbiters_order() -> None:
    shown = table()
    assert ids(shown) == ["c1", "c2", "c3", "c4"]
    assert [(row.order, row.climb, row.fall) for row in shown.rows] == [
        ("1", 2, 0),
        ("2", 0, 1),
        ("refused", 0, 0),
        ("refused", 0, 0),
    ]
    assert [row.pages for row in shown.rows] == ["4", "4", "4–5", "4"]


def test_it_has_a_name_for_whatever_proposes() -> None:
    assert set(METHOD_WORDS) == set(get_args(Method)) == set(api.METHOD_NAMES)
    assert [name for name, words in METHOD_WORDS.items() if words.looks_for] == [*METHODS] == [*MARKS]
    assert set(WORDLESS_NOUNS) == set(WORDLESS)


def test_it_counts_roles_and_filters_by_them() -> None:
    assert [(each.role, each.count) for each in table().filters] == [
        ("", 4),
        ("primary", 1),
        ("supporting", 1),
        ("tangential", 1),
        ("discarded", 1),
    ]
    assert ids(table(role="discarded")) == ["c4"]


def test_it_finds_the_decisions_rrf_would_have_taken_otherwise() -> None:
    shown = table(against_rrf=True)
    assert ids(shown) == ["c1", "c3"], "two were kept; RRF would have kept its first two"
    assert shown.against[0].count == 2


@pytest.mark.parametrize(
    ("wanted", "previous", "following"), [("", None, "c2"), ("c2", "c1", "c3"), ("c4", "c3", None)]
)
def test_it_knows_the_neighbours_of_the_open_one(wanted: str, previous: str | None, following: str | None) -> None:
    shown = table(candidate_id=wanted)
    assert shown.selected is not None
    assert shown.selected.candidate.candidate_id == wanted or not wanted
    assert [row and row.candidate.candidate_id for row in (shown.previous, shown.following)] == [previous, following]


def test_it_knows_no_candidate_of_another_run() -> None:
    assert build_table(POOL, Choice(candidate_id="p9-l1-2")) is None


def test_it_keeps_the_filters_in_the_address() -> None:
    shown = table(role="primary", against_rrf=True)
    assert shown.rows[0].address == "?role=primary&against_rrf=1&candidate=c1#cand"


def test_it_can_be_empty() -> None:
    empty = build_table([], Choice())
    assert empty is not None
    assert (empty.rows, empty.selected, empty.number, empty.previous, empty.following) == ((), None, 0, None, None)
    filtered = table(role="unjudged")
    assert (filtered.rows, filtered.selected, filtered.total) == ((), None, 4)


@pytest.mark.parametrize(
    ("raw", "kept", "cut"),
    [
        ("We compute the dot products. This gives (1)", "We compute the dot products.", "This gives (1)"),
        ("positional encodings, learned and fixed", "positional en-\ncodings, learned\nand fixed", ""),
        ("the weights √dk invented", "the weights √ dk", "invented"),
        ("an office “fixed” (nothing)", 'an oﬃce "fixed"', "(nothing)"),
        ("• Net result for 2025", "Net result for 2025", ""),
        ("• Net result [3] for 2025 invented", "Net result [3]\nfor 2025", "invented"),
        ("4,684 of 7,884 invented", "(4,684 of 7,884)", "invented"),
        ("wholly invented words", "", "wholly invented words"),
        ("", "", ""),
    ],
)
def test_it_shows_which_words_were_cut(raw: str, kept: str, cut: str) -> None:
    assert cut_words(candidate(1, "primary", 1, raw_content_anchor=raw, content_anchor=kept)) == cut


@pytest.mark.parametrize(
    ("methods", "marks"),
    [
        (["titles", "keywords", "patterns", "vectors"], "TKPV"),
        (["keywords", "vectors"], "·K·V"),
        (["pinned", "keywords"], "·K··+"),
        (["whole"], "····+"),
        ([], "····"),
    ],
)
def test_each_detector_has_a_mark_or_a_dot(methods: list[str], marks: str) -> None:
    assert "".join(marks_of(methods)) == marks


def test_the_rows_are_in_groups_by_role_and_each_mark_has_a_name() -> None:
    shown = table()
    assert [row for _, rows in shown.role_groups for row in rows] == list(shown.rows)
    assert all(row.candidate.role == role for role, rows in shown.role_groups for row in rows)
    assert dict(shown.legend) == {"T": "titles", "K": "keywords", "P": "patterns", "V": "vectors"}
    assert not shown.is_narrowed and table(method="keywords").is_narrowed and not table(role="primary").is_narrowed
