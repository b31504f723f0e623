"""Finding the line a title stands on: how sure each way of finding it is, and what a wrong hint leads to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.layout.lines import PageLine
from reading.matching import match_form
from reading.outline.headings import (
    BY_HEIGHT,
    BY_PAGE,
    CONTAINED,
    EXACT,
    FUZZY,
    MENTIONED,
    PREFIX,
    VERIFIED,
    SectionStart,
    TitleFinder,
    TitleTarget,
    page_ranges,
    starts_of,
)

TEXT = "This is running text that says nothing of any title."


def make_line(text: str, page: int = 1, y0: float = 100.0, *, kind: str = "body", is_bold: bool = False) -> PageLine:
    return PageLine(
        page,
        text,
        match_form(text),
        72,
        y0,
        500,
        y0 + 10,
        10,
        is_bold,
        0,
        (),
        kind=kind,  # type: ignore[arg-type]
    )


def pages_of(*pages: list[str]) -> list[PageLine]:
    """Lines 14 points below each other; what begins with "# " is bold, with "~ " a running head, with "> " contents."""
    lines = []
    for number, texts in enumerate(pages, start=1):
        for place, text in enumerate(texts):
            kind = {"~": "furniture", ">": "contents"}.get(text[:1], "body")
            shown = text[2:] if text[:2] in ("# ", "~ ", "> ") else text
            lines.append(make_line(shown, number, 90 + 14 * place, kind=kind, is_bold=text[:2] == "# "))
    return lines


def find(title: str, *texts: str, y: float = 0.0) -> tuple[str, float] | None:
    """The line a title is found on among the lines of its page, and how sure that is."""
    lines = pages_of(list(texts))
    found = TitleFinder(lines).find(TitleTarget(1, title, 1, y), 0)
    return (lines[found.place].text, found.sureness) if found else None


@pytest.mark.parametrize(
    ("title", "line", "sureness"),
    [
        ("Scope", "Scope", EXACT),
        ("Scope", "SCOPE", EXACT),
        ("Scope", "S C O P E", EXACT),
        ("Scope", "1 Scope", EXACT),
        ("1 Scope", "1. Scope", EXACT),
        ("3.2 Scope of this policy", "3.2 Scope of this policy", EXACT),
        ("Geltungsbereich für Häuser", "GELTUNGSBEREICH FÜR HÄUSER", EXACT),
        ("Résumé des règles", "Resume des regles", EXACT),
        ("目次と範囲について", "目次と範囲について", EXACT),
        ("Scope – and more", "Scope and more", EXACT),
        ("Scope of work", "Scope of work (continued)", PREFIX),
        ("Duties of the board", "The duties of the board", CONTAINED),
        ("Duties of the board", "As was said of the duties of the board in the last of the long reports", MENTIONED),
        ("Organisation of work", "Organization of work", FUZZY),
        ("Report of the independent auditors", "Report of independent auditors", FUZZY),
    ],
)
def test_a_title_is_found_and_said_how_surely(title: str, line: str, sureness: float) -> None:
    assert find(title, TEXT, line, TEXT) == (line, sureness)


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("Scope", "Telescope"),  # shorter titles are alike by chance
        ("Terms", "Teams"),
        ("Assets", "Access"),
        ("Organisation of work", "Origins of the world"),
        ("Notes to the accounts", "Vote for the amounts"),
    ],
)
def test_what_is_alike_by_chance_is_not_the_title(title: str, line: str) -> None:
    assert find(title, TEXT, line) == (TEXT, BY_PAGE)


def test_a_heading_may_run_over_three_lines_and_no_more() -> None:
    title = "Report of the auditors on the accounts of the bank for the year"
    three = ["Report of the auditors", "on the accounts of the bank", "for the year"]
    assert find(title, TEXT, *three) == (three[0], EXACT)
    assert find(title, TEXT, three[0], three[1], "for the year in question") == (three[0], PREFIX)
    four = ["Report of", "the auditors on", "the accounts", "of the bank for the year"]
    found = find(title, TEXT, *four)
    assert found is None or found[1] < EXACT
    broken = find(title, TEXT, three[0], TEXT, three[1], three[2])
    assert broken is None or broken[1] < EXACT


def test_a_heading_does_not_run_on_to_the_next_page() -> None:
    lines = pages_of([TEXT, "Report of the"], ["independent auditors", TEXT])
    found = TitleFinder(lines).find(TitleTarget(1, "Report of the independent auditors", 1, 0), 0)
    assert found is None or found.sureness < EXACT


@pytest.mark.parametrize(("named", "stands_on"), [(2, 2), (1, 2), (3, 2)])
def test_a_title_is_looked_for_on_the_pages_beside_the_named_one(named: int, stands_on: int) -> None:
    lines = pages_of([TEXT], [TEXT, "# Final terms"], [TEXT])
    found = TitleFinder(lines).find(TitleTarget(1, "Final terms", named, 0), 0)
    assert found is not None and (lines[found.place].page_number, found.sureness) == (stands_on, EXACT)


def test_a_title_two_pages_off_is_not_looked_for() -> None:
    lines = pages_of([TEXT], [TEXT], ["# Final terms"])
    found = TitleFinder(lines).find(TitleTarget(1, "Final terms", 1, 0), 0)
    assert found is not None and (found.place, found.sureness) == (0, BY_PAGE)


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        (["Final terms", "# Final terms"], 1),  # a heading is bold
        (["~ Final terms", TEXT, "Final terms"], 2),  # a running head names the chapter of its page
        (["> Final terms", TEXT, "Final terms"], 2),  # a contents page names all of them
        (["~ Final terms", TEXT], 0),  # better than nothing
    ],
)
def test_of_several_lines_the_likeliest_is_taken(lines: list[str], place: int) -> None:
    found = TitleFinder(pages_of(lines)).find(TitleTarget(1, "Final terms", 1, 0), 0)
    assert found is not None and (found.place, found.sureness) == (place, EXACT)


@pytest.mark.parametrize(("y", "place"), [(90.0, 0), (100.0, 0), (500.0, 29), (510.0, 29)])
def test_the_height_decides_between_equals(y: float, place: int) -> None:
    lines = pages_of(["Final terms", *[TEXT] * 28, "Final terms"])
    found = TitleFinder(lines).find(TitleTarget(1, "Final terms", 1, y), 0)
    assert found is not None and found.place == place


def test_what_stands_after_the_entry_before_goes_first() -> None:
    lines = pages_of(["# General", TEXT, "# Part two", "General", TEXT])
    assert TitleFinder(lines).find(TitleTarget(2, "General", 1, 0), 0).place == 0  # type: ignore[union-attr]
    assert TitleFinder(lines).find(TitleTarget(2, "General", 1, 0), 2).place == 3  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("page", "y", "expected"),
    [
        (1, 0.0, (1, BY_PAGE)),
        (1, 116.0, (2, BY_HEIGHT)),
        (1, 9_999.0, (1, BY_PAGE)),
        (2, 0.0, (3, BY_PAGE)),  # page 2 has no line: the next that has one
        (2, 120.0, (3, BY_PAGE)),  # a height on a page without lines says nothing
        (7, 0.0, None),
        (0, 0.0, (1, BY_PAGE)),
        (-9, 0.0, None),
    ],
)
def test_without_its_words_only_the_page_and_the_height_are_left(
    page: int, y: float, expected: tuple[int, float] | None
) -> None:
    """R7."""
    lines = [*pages_of(["~ Head", TEXT, TEXT]), make_line(TEXT, 3)]
    found = TitleFinder(lines).find(TitleTarget(1, "Nowhere to be found", page, y), 0)
    assert (None if found is None else (found.place, found.sureness)) == expected


@pytest.mark.parametrize("title", ["", " ", "...", "1", "§", "\x00", "•" * 5000])
def test_a_title_without_words_is_placed_by_its_page(title: str) -> None:
    found = TitleFinder(pages_of([TEXT, "§"])).find(TitleTarget(1, title, 1, 0), 0)
    assert found is not None and found.sureness < VERIFIED


def test_the_lines_of_each_page_are_a_range() -> None:
    assert page_ranges(pages_of(["a", "b"], [], ["c"])) == {1: (0, 2), 3: (2, 3)}


# ---- entries one after the other


def starts(lines: list[PageLine], *targets: tuple[str, int]) -> list[SectionStart]:
    return starts_of([TitleTarget(1, title, page, 0) for title, page in targets], lines, "outline")


def test_entries_are_found_in_order_with_the_number_the_page_prints() -> None:
    lines = pages_of([TEXT, "# 1 Scope", TEXT], ["# 2.1 Words", TEXT, "# Annex A"])
    found = starts(lines, ("Scope", 1), ("Words ", 2), ("  Annex   A", 2))
    assert [(one.number, one.title, one.line_index, one.page_number) for one in found] == [
        ("1", "Scope", 1, 1),
        ("2.1", "Words", 3, 2),
        ("", "Annex A", 5, 2),
    ]
    assert {one.origin for one in found} == {"outline"} and {one.confidence for one in found} == {EXACT}


@pytest.mark.parametrize(
    ("line", "title", "number"),
    [
        ("3.2 Scope", "Scope", "3.2"),
        ("3.2 Scope", "3.2 Scope", "3.2"),
        ("Item 1A. Risk factors", "Risk factors", "Item 1A"),
        ("Scope", "Scope", ""),
        ("IV. Results of the year", "Results of the year", "IV"),
    ],
)
def test_a_number_comes_from_the_title_or_from_the_page(line: str, title: str, number: str) -> None:
    [found] = starts(pages_of([TEXT, f"# {line}"]), (title, 1))
    assert found.number == number


def test_a_number_of_something_else_is_not_lent_to_a_title() -> None:
    finder = TitleFinder(pages_of(["3 Apples", "4"]))
    assert (finder.printed_number(0, "Pears"), finder.printed_number(1, "Pears")) == ("", "")


def test_an_entry_that_was_not_found_and_points_back_is_left_out() -> None:
    lines = pages_of([TEXT], [TEXT, "# Second", TEXT], [TEXT])
    found = starts(lines, ("Second", 2), ("Lost", 1), ("Lost too", 2), ("Lost three", 3))
    assert [(one.title, one.line_index) for one in found] == [("Second", 2), ("Lost too", 2), ("Lost three", 4)]
    assert [one.confidence >= VERIFIED for one in found] == [True, False, False]


def test_an_entry_that_was_not_found_moves_nothing_for_the_next() -> None:
    lines = pages_of(["# General", TEXT, "# Terms"], [TEXT])
    found = starts(lines, ("Nowhere to be found", 2), ("General", 1), ("Terms", 1))
    assert [(one.title, one.line_index) for one in found][1:] == [("General", 0), ("Terms", 2)]


WORDS = st.sampled_from(["Scope", "1 Terms", "2.1 Duties", "", "§", "Annex A", "目次", TEXT, "Final terms of it all"])


@given(
    pages=st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=4),
    targets=st.lists(st.tuples(WORDS, st.integers(-2, 6), st.floats(-10, 900)), max_size=8),
)
def test_every_start_is_a_line_and_says_its_page(pages: list[list[str]], targets: list[tuple[str, int, float]]) -> None:
    lines = pages_of(*pages)
    found = starts_of([TitleTarget(1, title, page, y) for title, page, y in targets], lines, "outline")
    assert len(found) <= len(targets)
    for start in found:
        assert lines[start.line_index].page_number == start.page_number and 0 < start.confidence <= EXACT
