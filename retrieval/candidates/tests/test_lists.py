"""Lists are read whole: over lines, columns and pages, in a sentence, and never more than the list itself (R76)."""

from dataclasses import replace

import pytest

from documents.storage.content import DocumentContent
from retrieval.candidates.lists import ITEM_LINES_MAX, ITEMS_MAX, Item, lists_around, read_lists, series_at
from retrieval.tests.builders import Written, content_of_lines
from retrieval.types import LineRange


def item(text: str) -> Written:
    return text, "list_item"


def texts(content: DocumentContent) -> list[list[str]]:
    return [[each.text for each in found.items] for found in read_lists(content.lines)]


def moved(content: DocumentContent, places: dict[int, tuple[int, float]]) -> DocumentContent:
    """The document with some lines in another column, at another left edge."""
    lines = [
        line._replace(column=places[line.number][0], x0=places[line.number][1]) if line.number in places else line
        for line in content.lines
    ]
    return replace(content, lines=tuple(lines))


def test_a_list_has_whole_items_and_ends_where_it_ends() -> None:
    content = content_of_lines(
        ["Excluded are:", item("- floods and"), "high tides;", item("- earthquakes."), "Nothing else is excluded."]
    )
    [found] = read_lists(content.lines)
    assert [(each.text, each.lines) for each in found.items] == [
        ("floods and high tides;", (2, 3)),
        ("earthquakes.", (4, 4)),
    ]
    assert found.introduction == "Excluded are:"


def test_one_item_is_no_list() -> None:
    assert texts(content_of_lines(["Excluded are:", item("- floods.")])) == []


def test_a_list_goes_on_over_the_page() -> None:
    content = content_of_lines(
        [
            *("There are four:", item("(a) the first;"), item("(b) the second that"), ("3", "furniture"), "---"),
            *(("Agreement", "furniture"), "goes on here;", item("(c) the third;"), item("(d) the fourth."), "Then."),
        ]
    )
    [items] = texts(content)
    assert items == ["the first;", "the second that goes on here;", "the third;", "the fourth."]


def test_a_list_goes_on_in_the_next_column() -> None:
    content = content_of_lines(["Three apply:", item("• one;"), item("• two;"), item("• three."), "After it."])
    beside = moved(content, {4: (1, 320.0), 5: (1, 320.0)})
    assert texts(beside) == [["one;", "two;", "three."]]


def test_lines_set_in_belong_to_their_item() -> None:
    content = content_of_lines(
        ["As follows:", item("1. Scope."), "Say what is meant.", item("2. Gather."), "Done now."]
    )
    [found] = read_lists(moved(content, {3: (0, 90.0)}).lines)
    assert [each.text for each in found.items] == ["Scope. Say what is meant.", "Gather."]


def test_a_list_in_an_item_is_part_of_it() -> None:
    content = content_of_lines([item("1. Floods:"), item("(a) rain;"), item("(b) rivers."), item("2. Fire."), "End."])
    assert texts(moved(content, {2: (0, 90.0), 3: (0, 90.0)})) == [["Floods: (a) rain; (b) rivers.", "Fire."]]


def test_an_item_read_as_a_heading_is_an_item() -> None:
    content = content_of_lines(
        [item("1. Scope it."), ("2. Gather", "heading"), item("3. Create."), ("Next", "heading")]
    )
    assert texts(content) == [["Scope it.", "Gather", "Create."]]


def test_another_list_begins_again() -> None:
    content = content_of_lines([item("1. one."), item("2. two."), item("1. uno."), item("2. due.")])
    assert texts(content) == [["one.", "two."], ["uno.", "due."]]


def test_the_list_around_a_line_in_its_midst_is_whole() -> None:
    content = content_of_lines(["Three:", item("(a) one;"), item("(b) two;"), "---", item("(c) three."), "End."])
    assert len(lists_around(LineRange(4, 4), content)[0].items) == 3


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("There are three duties: to pay, to repair, and to insure.", ["to pay", "to repair", "to insure"]),
        ("The duties — pay, repair and insure — bind the tenant.", ["pay", "repair", "insure"]),
        (
            "The duties are rent (monthly, in advance), repair, and care.",
            ["rent (monthly, in advance)", "repair", "care"],
        ),
        ("Les duties sont payer, réparer et assurer.", ["payer", "réparer", "assurer"]),
        ("The duties of the tenant end with the lease.", None),
        ("The duties are many, as the law says.", None),
    ],
)
def test_a_list_in_a_sentence_is_read(text: str, items: list[str] | None) -> None:
    found = series_at(1, content_of_lines([text]), {"duties"})
    assert (None if found is None else [each.text for each in found.items]) == items


def test_a_list_in_a_sentence_knows_its_lines() -> None:
    found = series_at(
        1, content_of_lines(["There are three duties: to pay,", "to repair, and to", "insure."]), {"duties"}
    )
    assert found and [tuple(each.lines) for each in found.items] == [(1, 1), (2, 2), (2, 3)]


def test_a_list_that_is_longer_than_is_read_says_so() -> None:
    long = content_of_lines(
        ["# Steps", "The steps are:", *(item(f"{number}. Do step {number}") for number in range(1, 81))]
    )
    [found] = read_lists(long.lines)
    assert (len(found.items), found.is_cut) == (ITEMS_MAX, True)
    wide = [each for number in range(1, 41) for each in (item(f"{number}. Do step"), *["as it is told,"] * 6)]
    content = content_of_lines(["# Steps", "The steps are:", *wide, "Nothing else."])
    [around] = lists_around(LineRange(2, 2), content)
    assert len(around.items) < 40 and around.is_cut, "the list goes on below what is looked at"
    short = content_of_lines(["# Steps", "The steps are:", item("1. Do"), item("2. Undo"), "Nothing else."])
    assert [each.is_cut for each in lists_around(LineRange(2, 2), short)] == [False]


def test_an_item_is_no_longer_than_a_page() -> None:
    text = [f"it goes on and on {number}," for number in range(200)]
    content = content_of_lines(["Clauses:", item("1. First"), item("2. Heading"), *text, "The end."])
    [found] = read_lists(content.lines)
    assert found.is_cut and found.items[1].lines.last - found.items[1].lines.first < ITEM_LINES_MAX


def tree(items: tuple[Item, ...]) -> list[object]:
    return [[each.lead, tree(each.children)] if each.children else each.text for each in items]


def test_a_nested_list_has_levels_with_the_lines_of_each() -> None:
    """R77: numbering 1, (a), (i) by how far each is set in; a plain item has no children."""
    written = [
        item("1. Floods:"),
        item("(a) rain;"),
        item("(b) rivers:"),
        item("(i) wide;"),
        item("(ii) narrow."),
        item("2. Fire."),
    ]
    content = content_of_lines(written)
    [found] = read_lists(moved(content, {2: (0, 90.0), 3: (0, 90.0), 4: (0, 110.0), 5: (0, 110.0)}).lines)
    assert tree(found.items) == [["Floods:", ["rain;", ["rivers:", ["wide;", "narrow."]]]], "Fire."]
    floods = found.items[0]
    assert [(each.lines.first, each.lines.last) for each in (floods, *floods.children)] == [(1, 5), (2, 2), (3, 5)]


def test_a_nested_list_that_is_not_set_in_is_told_by_its_numbers() -> None:
    content = content_of_lines([item("1. Floods:"), item("(a) rain;"), item("(b) rivers."), item("2. Fire."), "End."])
    [found] = read_lists(content.lines)
    assert tree(found.items) == [["Floods:", ["rain;", "rivers."]], "Fire."]


def test_lists_one_after_the_other_stay_two() -> None:
    content = content_of_lines([item("1. Floods."), item("2. Fire."), item("(a) rain;"), item("(b) rivers.")])
    assert texts(content) == [["Floods.", "Fire."], ["rain;", "rivers."]]


def test_bullets_have_levels_too() -> None:
    content = content_of_lines([item("- Floods:"), item("- rain"), item("- rivers"), item("- Fire")])
    [found] = read_lists(moved(content, {2: (0, 90.0), 3: (0, 90.0)}).lines)
    assert tree(found.items) == [["Floods:", ["rain", "rivers"]], "Fire"]
