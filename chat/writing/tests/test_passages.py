"""Passages in parts that fit a call, and what is copied out of one (R81)."""

import pytest

from chat.conftest import Serve
from chat.writing.excerpts import Excerpt, ExcerptRow, excerpt_blocks
from chat.writing.passages import read_batch, split_into_batches
from llm.tiers import ChosenTier

HEAD = "columns | 2024 | 2023"


def an_excerpt(number: int, *texts: str, head: str = "") -> Excerpt:
    rows = tuple(ExcerptRow(text, text, at + 1, at + 1, 1, head, at) for at, text in enumerate(texts))
    return Excerpt(number, f"Report {number}", "Notes", "1", "\n".join(texts), texts[0], rows=rows)


def size_of(part: list[Excerpt]) -> int:
    return len("\n\n".join(excerpt_blocks(part)))


@pytest.mark.parametrize("room", [400, 900, 2_000, 50_000])
def test_every_row_is_in_a_part_and_no_part_is_too_long(room: int) -> None:
    excerpts = [
        an_excerpt(1, *(f"Sentence {number} of the first passage." for number in range(40))),
        an_excerpt(2, "Short."),
        an_excerpt(3, *(f"Row {number} | {number} | {number}" for number in range(40)), head=HEAD),
        an_excerpt(4, "word " * 900),
    ]
    parts = split_into_batches(excerpts, room)
    assert all(part for part in parts) and max(map(size_of, parts)) <= room
    for excerpt in excerpts:
        pieces = [row for part in parts for each in part if each.number == excerpt.number for row in each.rows]
        assert "".join(row.text for row in pieces) == "".join(row.text for row in excerpt.rows)
    tables = [each for part in parts for each in part if each.number == 3]
    assert all(HEAD in "".join(excerpt_blocks([each])) for each in tables), "each part of a table has its columns"
    assert len(parts) == 1 if room == 50_000 else len(parts) > 2


def test_only_what_is_printed_is_taken_of_the_copies(serve: Serve) -> None:
    part = [
        an_excerpt(1, "The rent is 500 euros.", "It is due on Monday."),
        an_excerpt(2, "Revenue | 5 | 4", "Costs | 3 | 2", head=HEAD),
    ]
    copies = [
        {"excerpt": 1, "quote": "1: The rent is 500 euros."},
        {"excerpt": 1, "quote": "Revenue | 5 | 4"},
        {"excerpt": 2, "quote": "Revenue | 5 | 4\nCosts | 3 | 2"},
        {"excerpt": 1, "quote": "The rent is 900 euros."},
        {"excerpt": 7, "quote": "Nobody said so."},
    ]
    server = serve()
    server.copied = [{"copies": copies, "answered": True}]
    read = read_batch("What is the rent?", part, "part 1 of 3", deadline_s=120, chosen=ChosenTier())
    assert {number: [row.text for row in rows] for number, rows in read.rows.items()} == {
        1: ["The rent is 500 euros."],
        2: ["Revenue | 5 | 4", "Costs | 3 | 2"],
    }
    assert (read.unknown, read.is_answer, read.failure) == (2, True, "")
    assert read.exchange is not None and read.exchange.purpose == "passages"
    asked = str(server.requests[0].body["input"])
    assert asked.index("<excerpt") < asked.index("part 1 of 3") < asked.index("<question>")


def test_an_answer_of_which_nothing_is_printed_is_none(serve: Serve) -> None:
    serve().copied = [{"copies": [{"excerpt": 1, "quote": "The rent is 900 euros."}], "answered": True}]
    read = read_batch(
        "?", [an_excerpt(1, "The rent is 500 euros.")], "part 1 of 2", deadline_s=120, chosen=ChosenTier()
    )
    assert (read.rows, read.unknown, read.is_answer) == ({}, 1, False)
