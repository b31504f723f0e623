"""A page is named as it is printed; its place in the file counts where no page prints it."""

from dataclasses import replace

import pytest

from documents.storage.content import DocumentContent
from retrieval.pipeline import retrieve
from retrieval.question.pages import describe_pages, find_named_pages, pages_named, pages_taken, without_pages
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.types import Hints, PageTaken


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("What does page 3 say?", (3,)),
        ("Summarise pages 5 to 7", (5, 6, 7)),
        ("Compare page 2 and page 7", (2, 7)),
        ("See pp. 4-5, please", (4, 5)),
        ("Que dit la page 12 ?", (12,)),
        ("How many pages are there?", ()),
        ("pages 1 to 9999", tuple(range(1, 51))),
        ("What does page 47698 say?", (47698,)),
        ("What does page ii say about the deposit?", ("ii",)),
        ("Was steht auf Seite iv?", ("iv",)),
        ("Que dit la page XII ?", ("XII",)),
        ("See pages ii, iii and v", ("ii", "iii", "v")),
        ("See pages viii to xi", ("viii", "ix", "x", "xi")),
        ("See pages ii to 5", ("ii", 5)),
        ("What does page A-3 say?", ("A-3",)),
        ("What do pages F-1 to F-3 say?", ("F-1", "F-2", "F-3")),
        ("What does page S12 say?", ("S12",)),
        ("On which page I find the rent?", ()),
        ("Que dit la page ci-dessous ?", ()),
        ("What do page 3 and Q4 say?", (3,)),
    ],
)
def test_it_reads_the_pages_a_question_names(text: str, pages: tuple[int | str, ...]) -> None:
    assert pages_named(text) == pages
    assert not pages or not any(str(page) in without_pages(text).split() for page in pages)


def test_a_span_that_is_a_label_is_one_page() -> None:
    assert pages_named("What does page 3-5 say?") == (3, 4, 5)
    assert pages_named("What does page 3-5 say?", {"3-5"}) == ("3-5",)


@pytest.mark.parametrize("text", ["page 12 of the file", "Was steht auf Seite 12 der Datei?", "la page 12 du PDF"])
def test_a_page_may_be_expressly_the_files(text: str) -> None:
    assert (pages_named(text), pages_named(text, of_file=True)) == ((), (12,))


def labelled(*labels: str) -> DocumentContent:
    content = content_of_lines([line for _ in labels for line in ("x", "---")][:-1])
    pages = zip(content.pages, labels, strict=True)
    return replace(content, pages=tuple(page._replace(label=label) for page, label in pages))


PRINTED = labelled("", "i", "ii", "1", "2", "", "3", "A-1")


@pytest.mark.parametrize(
    ("hints", "found"),
    [
        (Hints((2,)), {5}),
        (Hints((3,)), {7}),
        (Hints(("ii",)), {3}),
        (Hints(("II",)), {3}),
        (Hints(("A1",)), {8}),
        (Hints((6,)), {6}),
        (Hints((9,)), set()),
        (Hints(("iv",)), set()),
        (Hints((1, 2)), {4, 5}),
        (Hints(file_pages=(2,)), {2}),
        (Hints((0, -1, 10**30)), set()),
    ],
)
def test_a_page_is_taken_as_printed_and_else_by_its_place(hints: Hints, found: set[int]) -> None:
    assert find_named_pages(hints, PRINTED) == found


@pytest.mark.parametrize(
    ("hints", "said"),
    [
        (Hints((2,)), "Page 2 was taken as printed: page 5 of the file."),
        (Hints(("ii",)), "Page ii was taken as printed: page 3 of the file."),
        (Hints((6,)), "No page prints 6: page 6 of the file was taken."),
        (Hints(("iv",)), "No page is named iv, neither in print nor in the file."),
        (Hints(file_pages=(2,)), ""),
        (Hints(), ""),
    ],
)
def test_it_says_which_page_was_taken(hints: Hints, said: str) -> None:
    taken = pages_taken(hints, [PRINTED])
    assert describe_pages(taken, "en") == said


def test_it_says_nothing_where_print_and_file_agree() -> None:
    assert pages_taken(Hints((2,)), [labelled("1", "2", "3")]) == ()


def test_of_several_documents_it_says_which() -> None:
    taken = pages_taken(Hints((2,)), [PRINTED, replace(labelled("1", "2"), document_id="other", title="Other")])
    assert taken == (PageTaken("2", "printed", (5,), PRINTED.title),)


def test_a_page_that_is_nowhere_is_no_absence() -> None:
    found = retrieve("What does page vii say of the fee?", [PRINTED], settings=SETTINGS, arbiter="rules")
    assert (found.status, found.not_found_reason) == ("cannot_tell", "nothing was searched: there is no page vii")
