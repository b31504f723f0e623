"""Contents pages line by line: what an entry is, which page it names, and on which level it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.layout.lines import PageLine
from reading.matching import match_form
from reading.outline.contents_pages import (
    ENTRIES_MIN,
    TITLE_CHARS,
    ContentsEntry,
    LinkBox,
    aims_of_lines,
    assign_levels,
    entry_title,
    is_numbered,
    linked_targets,
    mark_announced_list,
    page_offset,
    printed_targets,
    with_dividers,
)

DOTS = " ........ "


def make_line(text: str, page: int, place: int, *, kind: str = "body", x0: float = 72.0) -> PageLine:
    y0 = 90.0 + 14 * place
    return PageLine(page, text, match_form(text), x0, y0, 500, y0 + 10, 10, False, 0, (), kind=kind)  # type: ignore[arg-type]


def contents(*texts: str, page: int = 1) -> list[PageLine]:
    """Lines of a contents page; each two spaces before a text indent it by 12 points."""
    lines = []
    for place, text in enumerate(texts):
        depth = (len(text) - len(text.lstrip(" "))) // 2
        lines.append(make_line(text.strip(), page, place, kind="contents", x0=72.0 + 12 * depth))
    return lines


def body(page: int, *texts: str) -> list[PageLine]:
    return [make_line(text, page, place) for place, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("text", "title", "has_page"),
    [
        ("Scope ........ 12", "Scope", True),
        ("Scope 12", "Scope", True),
        ("Scope . . . . . . 12", "Scope", True),
        ("Scope …… 12", "Scope", True),
        ("List of tables . . . . . vii", "List of tables", True),
        ("Chapter vi", "Chapter vi", False),
        ("Scope", "Scope", False),
        ("3.2 Scope of work ··· 12-14", "3.2 Scope of work", True),
        ("3.2 Scope of work", "3.2 Scope of work", False),
        ("Financial statements F-12", "Financial statements", True),
        ("Statements F12", "Statements", True),
        ("Scope ___ 12 – 14 ", "Scope", True),
        ("Version 2.1", "Version 2.1", False),
        ("Since 12345", "Since 12345", False),
        ("Übersicht – Teil B ........ 7", "Übersicht – Teil B", True),
        ("目次と範囲 ........ 7", "目次と範囲", True),
        ("  A    wide   title   9  ", "A wide title", True),
        ("12 ........ 13", "", True),
        ("AB ........ 13", "", True),
        ("........", "", False),
        ("", "", False),
    ],
)
def test_an_entry_is_a_title_and_perhaps_a_page(text: str, title: str, has_page: bool) -> None:
    assert entry_title(text) == (title, has_page)


@given(text=st.text(max_size=300))
def test_no_text_breaks_an_entry(text: str) -> None:
    title, _ = entry_title(text)
    assert len(title) <= TITLE_CHARS and title == " ".join(title.split())


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Part II", True),
        ("Teil 3 Anhang", True),
        ("Partie iv", True),
        ("Item 1A. Risk factors", True),
        ("Appendix B", True),
        ("3.2 Scope", True),
        ("A. Terms", True),
        ("Party of the first part", False),
        ("Items of interest", False),
        ("Scope", False),
        ("", False),
    ],
)
def test_what_begins_an_entry_of_its_own(title: str, expected: bool) -> None:
    assert is_numbered(title) is expected


# ---- levels


def levels(*rows: tuple[str, float]) -> list[int]:
    return [target.level for target in assign_levels([ContentsEntry(title, left, 1, 0, 0) for title, left in rows])]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], []),
        ([("Scope", 72)], [1]),
        ([("Scope", 72), ("Terms", 84), ("Duties", 72)], [1, 2, 1]),
        ([("Scope", 72), ("Terms", 79), ("Duties", 72)], [1, 1, 1]),
        ([("1 Scope", 72), ("1.1 Terms", 72), ("1.1.1 Words", 72), ("2 Duties", 72)], [1, 2, 3, 1]),
        ([("Part I", 72), ("Item 1. Business", 72), ("Item 2. Risks", 72), ("Part II", 72)], [1, 2, 2, 1]),
        ([("Part I", 72), ("Item 1. Business", 72), ("Overview", 90), ("Item 2. Risks", 72)], [1, 2, 3, 2]),
        ([("Item 1. Business", 72), ("Overview", 90), ("Item 2. Risks", 72)], [1, 2, 1]),
        ([("Part I", 72), ("Scope", 72), ("Terms", 90)], [1, 1, 2]),
        ([("Part I", 72), ("Item 1. Business", 72), ("Signatures", 72)], [1, 2, 1]),
    ],
)
def test_levels_come_from_words_then_numbers_then_indentation(
    rows: list[tuple[str, float]], expected: list[int]
) -> None:
    assert levels(*rows) == expected


@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["Part I", "Item 1. B", "1.2.3 C", "D words", "A. E"]), st.floats(0, 600)),
        max_size=12,
    )
)
def test_levels_begin_at_one(rows: list[tuple[str, float]]) -> None:
    assert all(level >= 1 for level in levels(*rows)) and len(levels(*rows)) == len(rows)


# ---- links


def link(place: int, target: int, *, page: int = 1, y: float = 100.0) -> LinkBox:
    y0 = 90.0 + 14 * place
    return (page, 72, y0, 500, y0 + 10, target, y)


TITLES = ["Purpose", "Scope", "Duties of the board", "Reporting", "Final terms"]


def test_lines_that_are_links_are_entries() -> None:
    lines = body(1, *(f"{title}{DOTS}{page}" for page, title in enumerate(TITLES, start=2)))
    found = linked_targets([link(place, place + 2, y=50.0 * place) for place in range(5)], lines)
    assert [(one.title, one.page_number, one.y) for one in found] == [
        (title, place + 2, 50.0 * place) for place, title in enumerate(TITLES)
    ]
    assert {line.kind for line in lines} == {"contents"}


@pytest.mark.parametrize("count", [1, ENTRIES_MIN - 1])
def test_a_few_links_on_a_page_are_references_in_a_text(count: int) -> None:
    lines = body(1, *TITLES)
    assert linked_targets([link(place, 9) for place in range(count)], lines) == []
    assert {line.kind for line in lines} == {"body"}


def test_a_link_to_its_own_page_or_beside_every_line_aims_at_nothing() -> None:
    lines = body(1, *TITLES)
    boxes: list[LinkBox] = [
        link(0, 1),
        (1, 510, 90, 590, 100, 5, 0),  # right of the text
        (1, 72, 95.5, 500, 97, 5, 0),  # the middle of no line
        (1, 72, 900, 500, 910, 5, 0),
        (7, 72, 90, 500, 100, 5, 0),  # a page without lines
    ]
    assert aims_of_lines(boxes, lines) == {}


def test_an_index_is_no_contents_list() -> None:
    lines = body(9, "alarm, 3, 5", "compass, 2", "stopwatch, 7", "watch, 1", "zero, 4")
    boxes: list[LinkBox] = [
        (9, 72, 90 + 14 * place, 500, 100 + 14 * place, page, 0) for place, page in enumerate([3, 2, 7, 1, 4])
    ]
    assert linked_targets(boxes, lines) == []
    assert {line.kind for line in lines} == {"body"}, "an index can be searched"


def test_links_in_running_text_are_no_contents_list() -> None:
    lines = body(1, *[f"Line {number} of a text that refers to others." for number in range(40)])
    assert linked_targets([link(place, 5 + place) for place in range(0, 40, 8)], lines) == []


def test_a_contents_list_may_lead_to_its_own_page_below_it() -> None:
    lines = body(1, *TITLES)
    found = linked_targets([link(place, 1, y=300 + 50 * place) for place in range(len(TITLES))], lines)
    assert [(one.title, one.page_number) for one in found] == [(title, 1) for title in TITLES]


def test_of_several_links_of_a_line_the_earliest_page_counts() -> None:
    lines = body(1, *TITLES)
    assert aims_of_lines([link(0, 9), link(0, 4, y=7), link(0, 6)], lines) == {0: (4, 7)}


def test_an_entry_in_two_lines_is_one_title_unless_the_second_is_numbered() -> None:
    texts = ["Report of the auditors on the", f"accounts{DOTS}5", "Scope of the", f"2 Duties{DOTS}6", f"Terms{DOTS}7"]
    lines = body(1, *texts)
    found = linked_targets([link(0, 5), link(1, 5), link(2, 6), link(3, 6), link(4, 7)], lines)
    assert [one.title for one in found] == [
        "Report of the auditors on the accounts",
        "Scope of the",
        "2 Duties",
        "Terms",
    ]


def test_a_title_over_many_linked_lines_has_an_end() -> None:
    lines = body(1, *["words without a page number"] * 60)
    [found] = linked_targets([link(place, 5) for place in range(60)], lines)
    assert len(found.title) == TITLE_CHARS


def test_lists_of_figures_and_running_heads_are_no_sections() -> None:
    texts = [*TITLES[:4], "Figure 3: Output by year", "Table 2. Staff", "Tabelle 4: Umsatz"]
    lines = body(1, *texts, "A running head")
    lines[-1].kind = "furniture"
    found = linked_targets([link(place, place + 5) for place in range(len(lines))], lines)
    assert [one.title for one in found] == TITLES[:4] and lines[-1].kind == "furniture"


def test_a_part_above_an_entry_divides_and_has_its_page() -> None:
    lines = body(1, "Part I", *TITLES, "Part II", "Signatures", "The party of the first part", "Annexes")
    entries = [ContentsEntry(lines[place].text, 72, place + 2, 0, place) for place in (1, 2, 3, 4, 5, 7, 9)]
    divided = with_dividers(entries, lines)
    assert [(one.title, one.page_number) for one in divided if one.title.startswith("Part")] == [
        ("Part I", 3),
        ("Part II", 9),
    ]
    assert [line.text for line in lines if line.kind == "contents"] == ["Part I", "Part II"]
    assert len(divided) == len(entries) + 2


def test_no_part_is_taken_from_another_page_or_when_it_is_a_sentence() -> None:
    lines = [
        *body(1, "Part I"),
        *body(2, "Scope", "Part II of this report is about everything that was not said in part I", "Terms"),
    ]
    entries = [ContentsEntry("Scope", 72, 5, 0, 1), ContentsEntry("Terms", 72, 6, 0, 3)]
    assert with_dividers(entries, lines) == entries


# ---- printed page numbers


def document(offset: int, titles: list[str] = TITLES) -> list[PageLine]:
    """A contents page, then a page for each title, `offset` pages after the number its entry prints."""
    entries = contents(*(f"{title}{DOTS}{page}" for page, title in enumerate(titles, start=1)))
    return [
        *entries,
        *(line for page, title in enumerate(titles, start=1) for line in body(page + offset, title, "Text.")),
    ]


@pytest.mark.parametrize("offset", [1, 2, 17, 300])
def test_printed_numbers_are_tied_to_the_pages_of_the_file(offset: int) -> None:
    found = printed_targets(document(offset), {})
    assert [(one.title, one.page_number) for one in found] == [
        (title, page + offset) for page, title in enumerate(TITLES, start=1)
    ]


def test_one_title_that_is_elsewhere_too_does_not_move_the_others() -> None:
    lines = [*document(2), *body(40, "Scope"), *body(41, "Scope")]
    assert [one.page_number for one in printed_targets(lines, {})] == [3, 4, 5, 6, 7]


@pytest.mark.parametrize(("votes", "offset"), [(0, None), (1, None), (2, None), (3, 4), (5, 4)])
def test_an_offset_needs_three_titles_that_agree(votes: int, offset: int | None) -> None:
    entries = [ContentsEntry(title, 72, page, 0, 0) for page, title in enumerate(TITLES, start=1)]
    lines = [line for page, title in list(enumerate(TITLES, start=1))[:votes] for line in body(page + 4, title)]
    assert page_offset(entries, lines) == offset


def test_a_short_list_needs_all_of_its_titles() -> None:
    entries = [ContentsEntry(title, 72, page, 0, 0) for page, title in enumerate(TITLES[:2], start=1)]
    assert page_offset(entries, [*body(5, TITLES[0]), *body(6, TITLES[1])]) == 4
    assert page_offset(entries, body(5, TITLES[0])) is None and page_offset([], body(5, "Text")) is None


@pytest.mark.parametrize("kind", ["furniture", "contents"])
def test_running_heads_and_contents_pages_have_no_vote(kind: str) -> None:
    entries = [ContentsEntry(title, 72, page, 0, 0) for page, title in enumerate(TITLES, start=1)]
    lines = [make_line(title, page + 4, 0, kind=kind) for page, title in enumerate(TITLES, start=1)]
    assert page_offset(entries, lines) is None


def test_names_of_pages_place_what_no_offset_can() -> None:
    lines = contents(f"Balance sheet{DOTS}F-2", f"Notes to it{DOTS}f-3", f"Lost statement{DOTS}F-99", f"Scope{DOTS}7")
    found = printed_targets(lines, {50: "F-2", 51: "F-3", 60: "7", 61: "7"})
    assert [(one.title, one.page_number) for one in found] == [
        ("Balance sheet", 50),
        ("Notes to it", 51),
        ("Scope", 60),
    ]


def test_without_an_offset_or_a_name_an_entry_has_no_place() -> None:
    assert printed_targets(contents(f"Scope{DOTS}7", f"Terms{DOTS}8"), {}) == []
    assert printed_targets([], {}) == [] and printed_targets(body(1, f"Scope{DOTS}7"), {7: "7"}) == []


def test_a_printed_entry_goes_on_in_the_next_line_of_its_page_only() -> None:
    pages = {number: str(number) for number in range(1, 20)}
    joined = contents("Report of the auditors", f"  on the accounts{DOTS}5", "Scope and", f"2 Duties{DOTS}6")
    assert [one.title for one in printed_targets(joined, pages)] == [
        "Report of the auditors on the accounts",
        "2 Duties",
    ]
    apart = [*contents("Report of the auditors"), *contents(f"Terms{DOTS}9", page=2)]
    assert [one.title for one in printed_targets(apart, pages)] == ["Terms"]
    outdented = contents("    A deeper line", f"Terms{DOTS}9")
    assert [one.title for one in printed_targets(outdented, pages)] == ["Terms"]


def test_a_joined_entry_is_indented_as_its_first_line() -> None:
    pages = {number: str(number) for number in range(1, 20)}
    lines = contents(f"Scope{DOTS}3", "Report of the auditors", f"  on the accounts{DOTS}5", f"  Below{DOTS}6")
    assert [one.level for one in printed_targets(lines, pages)] == [1, 1, 2]


HOUSE_LIST = ("Contents", "Scope of the rules 1", "Duties of the keeper 2", "Opening hours 3", "Fees of the house 4")
HOUSE_TITLES = [*(entry[:-2] for entry in HOUSE_LIST[1:]), "Closing rules", "Keys"]
HOUSE_TEXT = [line for page, title in enumerate(HOUSE_TITLES, 8) for line in body(page, title, "It says so.")]


def marked_after(*pages: tuple[str, ...]) -> list[str]:
    """The lines that become contents of a list with these pages behind it, without those of the list's first page."""
    lines = [
        *body(1, *HOUSE_LIST),
        *(line for at, texts in enumerate(pages, 2) for line in body(at, *texts)),
        *HOUSE_TEXT,
    ]
    mark_announced_list(lines)
    assert [line.text for line in lines if line.kind == "contents" and line.page_number == 1] == list(HOUSE_LIST)
    return [line.text for line in lines if line.kind == "contents" and line.page_number > 1]


@pytest.mark.parametrize(
    "pages",
    [
        [("Foreword", "This edition is stricter."), ("Changes since edition 6", "The fees were lower.")],
        [("Changes since edition 6", "The fees were lower.")],
        [("Foreword", "The house has rules.", "It had others before.", "Changes in 2019", "Closing rules")],
        [("Plan for 2 ", "Closing rules 1")],
    ],
)
def test_what_follows_on_the_next_pages_is_no_part_of_the_list(pages: list[tuple[str, ...]]) -> None:
    assert marked_after(*pages) == []


@pytest.mark.parametrize(
    "page",
    [
        ("Closing rules 5", "Keys 6"),
        ("Contents (continued)", "Page", "Closing rules 5", "Keys 6"),
        ("Annexes to the rules 5", "Closing of the house 6"),
        ("Closing rules", "Keys"),
        ("Annex of accounts F-1", "Keys F-2"),
    ],
)
def test_a_list_goes_on_on_the_next_page(page: tuple[str, ...]) -> None:
    assert marked_after(page) == list(page)
