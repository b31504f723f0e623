"""Passages stay inside sections and within the encoder's window, tables and lists whole."""

from dataclasses import replace
from itertools import pairwise

import pytest

from reading.limits import Limits
from reading.parents import PARENT_TOKENS
from reading.passages import LONG, SHORT, PassageSize, SectionCutting, cut_passages, estimated_tokens
from reading.plain_text import read_markdown
from reading.reasons import ReadingError
from reading.rows import Reading
from reading.tests.pdfs import with_struck

WORDS = "the company shall notify each affected customer without undue delay and keep a record of it "


def document(*sections: str) -> Reading:
    return read_markdown("\n\n".join(f"# Section {number}\n\n{text}" for number, text in enumerate(sections, start=1)))


def test_it_cuts_inside_sections_without_gap_or_overlap() -> None:
    """R94."""
    reading = document(WORDS * 30, "Short.", "\n\n".join([WORDS * 4] * 6))
    passages = cut_passages(reading)
    lines = [line for passage in passages for line in range(passage.first_line, passage.last_line + 1)]
    assert lines == [line.number for line in reading.lines]
    for passage in passages:
        sections = {reading.lines[number - 1].toc_index for number in range(passage.first_line, passage.last_line + 1)}
        assert sections == {passage.toc_index}
    assert [passage.index for passage in passages] == list(range(len(passages)))


@pytest.mark.parametrize("size", [SHORT, LONG])
def test_it_stays_within_the_token_budget(size: PassageSize) -> None:
    """(R90) 256 to 512 tokens where the model reads them."""
    passages = cut_passages(document(WORDS * 60, "\n\n".join([WORDS * 3] * 40)), size=size)
    assert all(estimated_tokens(passage.text) <= size.most + 25 for passage in passages)
    assert sum(estimated_tokens(passage.text) >= size.enough for passage in passages) > len(passages) / 2


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


def test_it_leaves_out_what_is_struck() -> None:
    reading = document("The notice is forty days or fifty days.", "The rent is due at once.")
    struck = {2: "forty days or", 4: "The rent is due at once."}
    lines = [with_struck(line, struck.get(line.number, "")) for line in reading.lines]
    texts = "\n".join(passage.text for passage in cut_passages(replace(reading, lines=tuple(lines))))
    assert "The notice is fifty days." in texts
    assert "forty" not in texts and "at once" not in texts


@pytest.mark.parametrize("overlap", [0, 150])
def test_it_cuts_by_size_with_overlap(overlap: int) -> None:
    """R96."""
    passages = cut_passages(document(WORDS * 40), SectionCutting("fixed", 600, overlap))
    assert len(passages) > 3 and all(len(passage.text) <= 640 for passage in passages)
    assert all((b.first_line <= a.last_line) == bool(overlap) for a, b in pairwise(passages))


def test_it_cuts_by_page() -> None:
    """R96."""
    reading = document("\n\n".join(WORDS for _ in range(80)))
    passages = cut_passages(reading, SectionCutting("page"))
    assert [passage.first_page for passage in passages] == [page.number for page in reading.pages]


def test_it_makes_words_whole_that_a_line_end_cut() -> None:
    reading = read_markdown("about informa-\ntion and in-house\nsource-\ntarget pairs, target and source, information")
    text = cut_passages(reading)[0].text
    assert "information and in-house" in text and "source-target pairs" in text


def rows_of_table(count: int) -> str:
    return "| Item | 2024 |\n|---|---|\n" + "\n".join(f"| Receivables of year {n} | {n},000 |" for n in range(count))


def test_a_table_within_the_size_of_a_parent_is_one_passage_however_long() -> None:
    """(R90)"""
    passages = cut_passages(read_markdown(f"# Balance sheet\n\n{WORDS * 9}\n\n{rows_of_table(120)}"))
    (table,) = [passage for passage in passages if passage.kind == "table"]
    assert estimated_tokens(table.text) > 3 * SHORT.most
    assert "year 0 " in table.text and "year 119 " in table.text and "Item" in table.text


def test_no_line_stands_in_two_passages_and_none_is_cut() -> None:
    """(R90) Without overlap; what is too long for one passage is cut between its lines."""
    reading = document(WORDS * 60, "\n\n".join([WORDS * 3] * 40), rows_of_table(400))
    passages = cut_passages(reading)
    assert all(before.last_line < after.first_line for before, after in pairwise(passages))
    held = [n for each in passages for n in range(each.first_line, each.last_line + 1) if reading.lines[n - 1].text]
    assert held == [line.number for line in reading.lines if line.text]


def test_rows_of_a_table_longer_than_a_parent_carry_the_name_at_the_top_of_their_page() -> None:
    """(R90) The one bound of what is never split: it is cut between rows."""
    passages = cut_passages(read_markdown(f"# Balance sheet\n\nIn thousands\n\n{rows_of_table(400)}"))
    tables = [passage for passage in passages if passage.kind == "table"]
    assert len(tables) > 1 and all(estimated_tokens(table.text) <= PARENT_TOKENS for table in tables)
    (second, *_) = [table for table in tables[1:] if table.first_page == 1] or [tables[0]]
    assert all("In thousands" not in passage.text for passage in tables[1:])
    assert second is tables[0] or second.context == "Balance sheet\nIn thousands\n| Item | 2024 |"


def test_what_is_longer_than_a_passage_is_cut_where_a_sentence_ends_with_a_line() -> None:
    """(R90)"""
    sentences = [
        f"{n}: the company shall notify each affected customer of it,\nand the customer is to keep a record of the {n}."
        for n in range(40)
    ]
    passages = cut_passages(document("Number " + "\nNumber ".join(sentences)))
    assert len(passages) > 3 and all(passage.text.endswith(".") for passage in passages)
    unended = "\n".join(WORDS for _ in range(40))
    sizes = [len(passage.text.split()) for passage in cut_passages(document(unended))[:-1]]
    assert len(sizes) == 3 and max(sizes) - min(sizes) <= len(WORDS.split()), "else into parts of similar size"


def test_a_table_or_list_longer_than_a_parent_is_cut_between_its_rows_and_items() -> None:
    """(R90) The lines of one row or item stay together."""
    rows = [f"| Row {n} | {WORDS} {WORDS} |" for n in range(120)]
    items = [f"- duty {n} of the supplier, {WORDS}\n  and to show it" for n in range(120)]
    table = "| Item | Duty |\n|---|---|\n" + "\n".join(rows)
    passages = cut_passages(document(table, "The duties are:\n\n" + "\n".join(items)))
    tables, lists = ([each.text for each in passages if each.kind == kind] for kind in ("table", "list"))
    assert len(tables) > 1 and all(text.removeprefix("Section 1\n").startswith("| ") for text in tables)
    assert all(text.endswith("|") for text in tables)
    assert len(lists) > 1 and all(text.endswith("show it") for text in lists)


ITEMS = [f"- the {n}th duty of the supplier, which is to keep records and to show them" for n in range(40)]
LONG_ITEMS = [f"({chr(97 + n)}) Duty {n}. {WORDS * 9}" for n in range(8)]


def test_a_list_is_one_passage_and_items_that_are_paragraphs_are_not() -> None:
    """(R90)"""
    items = "The duties are:\n\n" + "\n".join(ITEMS)
    passages = cut_passages(document(WORDS * 12 + "\n\n" + items, "\n\n".join(LONG_ITEMS)))
    (one,) = [passage for passage in passages if "0th duty" in passage.text]
    assert estimated_tokens(one.text) > 2 * SHORT.most
    assert "39th duty" in one.text and "The duties are:" in one.text and one.kind == "list"
    clauses = [passage for passage in passages if "Duty " in passage.text]
    assert len(clauses) == len(LONG_ITEMS) and all(estimated_tokens(each.text) <= SHORT.most + 25 for each in clauses)


@pytest.mark.parametrize(
    "term",
    [
        "“Affiliate” means ",
        "1.1 “Affiliate” or “Affiliates” shall mean ",
        "(a) “Affiliate” (as used here) has the meaning ",
        "« Client » désigne ",
        "„Kunde“ bezeichnet ",
        "**Affiliate**: ",
        "**Affiliate** means ",
    ],
)
def test_a_definition_is_one_passage(term: str) -> None:
    """(R90) Its lines belong together even where they are longer than a passage."""
    text = f"{WORDS * 5}\n{term}{WORDS * 20}\n“Other” means {WORDS * 4}"
    passages = cut_passages(document(text))
    mark = term.strip("(a) 1.*“„«").split()[0].strip("”“»:*")
    (one,) = [passage for passage in passages if mark in passage.text]
    assert estimated_tokens(one.text) > SHORT.most and one.text.count("undue delay") == 20
    assert not any("“Other”" in passage.text for passage in passages if passage is one)


@pytest.mark.parametrize("text", ["“We shall see”, he said, and went away. ", "**Note** that this is no term. "])
def test_a_quotation_is_no_definition(text: str) -> None:
    passages = cut_passages(document(text + WORDS * 30))
    assert all(estimated_tokens(passage.text) <= SHORT.most + 25 for passage in passages)


def test_a_passage_knows_its_characters_in_the_text_of_the_document() -> None:
    """(R91)"""
    reading = document(WORDS * 30, rows_of_table(20), "Short.", WORDS * 12)
    text = "\n".join(line.text for line in reading.lines)
    for passage in cut_passages(reading):
        lines = reading.lines[passage.first_line - 1 : passage.last_line]
        assert text[passage.char_start : passage.char_end] == "\n".join(line.text for line in lines)


def parents(text: str) -> dict[str, tuple[int, int]]:
    """The parent of each passage by its first word, as pages of Markdown have them."""
    found = cut_passages(read_markdown(text))
    return {p.text.split("\n")[0]: (p.parent_first_line or 0, p.parent_last_line or 0) for p in found}


def test_a_parent_is_the_widest_section_that_is_no_longer_than_2048_tokens() -> None:
    """(R90) The only section of the first level is the document, and no parent."""
    short = f"# Policy\n\n## One\n\n### First\n\n{WORDS * 10}\n\n### Second\n\n{WORDS * 10}\n\n## Two\n\nEnd."
    found = parents(short)
    assert found["First"] == found["Second"] and found["First"] != found["Two"]
    long = f"# Policy\n\n## One\n\n### First\n\n{WORDS * 70}\n\n### Second\n\n{WORDS * 70}"
    found = parents(long)
    assert found["First"] != found["Second"]


def test_a_section_longer_than_a_parent_is_divided_into_parents_of_whole_passages() -> None:
    """(R90)"""
    reading = document("\n\n".join([WORDS * 8] * 40), "The end.")
    passages = [passage for passage in cut_passages(reading) if passage.toc_index == 1]
    ranges = sorted({(p.parent_first_line or 0, p.parent_last_line or 0) for p in passages})
    assert len(ranges) > 1 and all(a[1] + 1 == b[0] for a, b in pairwise(ranges))
    for first, last in ranges:
        tokens = sum(estimated_tokens(line.text) for line in reading.lines[first - 1 : last])
        assert tokens <= PARENT_TOKENS
    for passage in passages:
        assert (passage.parent_first_line or 0) <= passage.first_line
        assert passage.last_line <= (passage.parent_last_line or 0)


def test_a_passage_across_sections_is_its_own_parent() -> None:
    passages = cut_passages(document("One.", "Two."), SectionCutting("page"))
    assert [(p.parent_first_line, p.parent_last_line) for p in passages] == [(1, 4)]


@pytest.mark.parametrize("cutting", [SectionCutting(), SectionCutting("fixed", 200), SectionCutting("page")])
def test_as_many_passages_as_the_limit_are_cut_and_one_more_is_refused(cutting: SectionCutting) -> None:
    reading = document("\n\n".join([WORDS * 6] * 9), "Short.")
    count = len(cut_passages(reading, cutting))
    assert len(cut_passages(reading, cutting, limits=Limits(passages=count))) == count
    with pytest.raises(ReadingError, match="Split the file") as caught:
        cut_passages(reading, cutting, limits=Limits(passages=count - 1))
    assert caught.value.code == "too_many_passages" and f"into {count} passages; at most {count - 1} " in str(caught)
