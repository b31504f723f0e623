"""Passages stay inside sections and within the encoder's window, tables and lists whole."""

from itertools import pairwise

import pytest

from reading.passages import TOKENS_MAX, SectionCutting, cut_passages, estimated_tokens
from reading.plain_text import read_markdown
from reading.rows import Reading

WORDS = "the company shall notify each affected customer without undue delay and keep a record of it "


def document(*sections: str) -> Reading:
    return read_markdown("\n\n".join(f"# Section {number}\n\n{text}" for number, text in enumerate(sections, start=1)))


def test_it_cuts_inside_sections_without_gap_or_overlap() -> None:
    reading = document(WORDS * 30, "Short.", "\n\n".join([WORDS * 4] * 6))
    passages = cut_passages(reading)
    lines = [line for passage in passages for line in range(passage.first_line, passage.last_line + 1)]
    assert lines == [line.number for line in reading.lines]
    for passage in passages:
        sections = {reading.lines[number - 1].toc_index for number in range(passage.first_line, passage.last_line + 1)}
        assert sections == {passage.toc_index}
    assert [passage.index for passage in passages] == list(range(len(passages)))


def test_it_stays_within_the_token_budget() -> None:
    passages = cut_passages(document(WORDS * 60, "\n\n".join([WORDS * 3] * 20)))
    assert all(estimated_tokens(passage.text) <= TOKENS_MAX + 25 for passage in passages)
    assert sum(estimated_tokens(passage.text) > TOKENS_MAX / 2 for passage in passages) > len(passages) / 2


def test_it_counts_tokens_as_it_is_told() -> None:
    reading = document(WORDS * 30)
    assert len(cut_passages(reading, count_tokens=lambda text: 50)) > len(cut_passages(reading, count_tokens=len_words))


def len_words(text: str) -> int:
    return len(text.split())


def test_it_keeps_a_table_and_a_list_whole() -> None:
    table = "| Name | Amount |\n|---|---|\n" + "\n".join(f"| Row {n} | {n},000 |" for n in range(12))
    items = "The duties are:\n\n" + "\n".join(f"- duty number {n} of the list" for n in range(10))
    passages = cut_passages(document(WORDS * 9 + "\n\n" + table, WORDS * 9 + "\n\n" + items))
    (in_table,) = [passage for passage in passages if "Row 0" in passage.text]
    assert "Row 11" in in_table.text and in_table.kind == "table"
    (in_list,) = [passage for passage in passages if "duty number 0" in passage.text]
    assert "duty number 9" in in_list.text and "The duties are:" in in_list.text and in_list.kind == "list"


def test_it_gives_each_passage_its_path_as_context() -> None:
    reading = read_markdown(f"# Policy\n\n## Scope\n\n{WORDS}")
    assert cut_passages(reading)[-1].context == "Policy > Scope"


def test_it_leaves_out_leaders_and_does_not_count_them() -> None:
    rows = "\n".join(f"Subscription revenue {'.' * 60} {n},000" for n in range(1, 9))
    (passage,) = cut_passages(read_markdown(rows))
    assert "..." not in passage.text and "Subscription revenue 8,000" in passage.text


def test_it_leaves_out_furniture() -> None:
    reading = read_markdown(f"---\ntitle: x\n---\n\n{WORDS}")
    assert "title" not in "".join(passage.text for passage in cut_passages(reading))


@pytest.mark.parametrize("overlap", [0, 150])
def test_it_cuts_by_size_with_overlap(overlap: int) -> None:
    passages = cut_passages(document(WORDS * 40), SectionCutting("fixed", 600, overlap))
    assert len(passages) > 3 and all(len(passage.text) <= 640 for passage in passages)
    assert all((b.first_line <= a.last_line) == bool(overlap) for a, b in pairwise(passages))


def test_it_cuts_by_page() -> None:
    reading = document("\n\n".join(WORDS for _ in range(80)))
    passages = cut_passages(reading, SectionCutting("page"))
    assert [passage.first_page for passage in passages] == [page.number for page in reading.pages]


def test_it_makes_words_whole_that_a_line_end_cut() -> None:
    reading = read_markdown("about informa-\ntion and in-house\nsource-\ntarget pairs, target and source, information")
    text = cut_passages(reading)[0].text
    assert "information and in-house" in text and "source-target pairs" in text


def test_rows_of_a_table_carry_the_name_at_the_top_of_their_page() -> None:
    table = "| Item | 2024 |\n|---|---|\n" + "\n".join(f"| Receivables of the year {n} | {n},000 |" for n in range(30))
    passages = cut_passages(read_markdown(f"# Balance sheet\n\nIn thousands\n\n{table}"))
    tables = [passage for passage in passages if passage.kind == "table"]
    assert len(tables) > 1
    assert tables[-1].first_page == 1 and tables[-1].context == "Balance sheet\nIn thousands\n| Item | 2024 |"
    assert all("In thousands" not in passage.text for passage in tables[1:])
