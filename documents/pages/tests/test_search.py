"""Finding words in a document: line ends, hyphens, case, accents; every hit, in order, with its place in the line."""

import pytest

from documents.pages.page_view import mark_of
from documents.pages.search import HITS_MAX, FoundLine, find_in, laid_out, show_hit
from reading.boxes import box_of
from reading.matching import match_form
from reading.plain_text import read_markdown
from reading.tests.pdfs import with_struck

TEXTS = {
    1: "Every supplier names a respon-",
    2: "sible person. The Risk",
    3: "management plan is “final”.",
    4: "Café risk-management, risk  management and RISK.",
    5: "Only the therapist may sign.",
}
LINES = tuple(FoundLine(number, 1 + number // 4, match_form(text)) for number, text in TEXTS.items())


def found(words: str) -> list[str]:
    """The literal words of every hit, their lines joined by "|"."""
    finding = find_in(laid_out(LINES), words)
    return [
        "|".join(TEXTS[number][start:end] for number, start, end in finding.pieces(hit, TEXTS)) for hit in finding.hits
    ]


@pytest.mark.parametrize(
    ("words", "hits"),
    [
        ("responsible", ["respon-|sible"]),
        ("risk management", ["Risk|management", "risk  management"]),
        ("Risk-Management", ["risk-management"]),
        ("cafe", ["Café"]),
        ('"final"', ["“final”"]),
        ("risk", ["Risk", "risk", "risk", "RISK"]),
        ("the rapist", []),
        ("earthquake", []),
        ("", []),
        (" ", []),
        ("(", []),
        (".*", []),
    ],
)
def test_it_finds_what_a_reader_would(words: str, hits: list[str]) -> None:
    assert found(words) == hits


def test_it_numbers_the_hits_and_names_their_pages() -> None:
    finding = find_in(laid_out(LINES), "risk")
    assert [(hit.number, hit.page_number) for hit in finding.hits] == [(1, 1), (2, 2), (3, 2), (4, 2)]
    assert (finding.page_count, finding.is_cut) == (2, False)
    first_of_page = finding.first_from(2)
    assert first_of_page and first_of_page.number == 2
    assert finding.last_before(2) == finding.hits[0]
    assert (finding.hit(0), finding.hit(5), finding.hit(4)) == (None, None, finding.hits[3])


def test_it_shows_a_hit_with_its_neighbours() -> None:
    finding = find_in(laid_out(LINES), "plan is")
    hit = show_hit(finding, finding.hits[0], TEXTS, TEXTS)
    assert (hit.before, hit.words) == ("sible person. The Risk management ", "plan is")
    assert hit.after.startswith(" “final”. Café risk-management")


def test_a_hit_on_a_line_with_struck_words_is_lit_where_it_stands() -> None:
    line = with_struck(read_markdown("The notice is forty days or fifty days.").lines[0], "forty days or")
    finding = find_in(laid_out((FoundLine(1, 1, line.match),)), "fifty")
    assert mark_of(finding, finding.hits[0], [line], is_current=True).boxes == [box_of(line, 28, 33).as_dict()]
    shown = show_hit(finding, finding.hits[0], {1: line.text}, {1: line.text_in_force})
    assert (shown.before, shown.words) == ("The notice is forty days or ", "fifty")


def test_it_lists_the_hits_around_one() -> None:
    finding = find_in(laid_out(tuple(FoundLine(number, 1, "a b") for number in range(1, 301))), "a")
    assert [hit.number for hit in finding.near(1)][:2] == [1, 2]
    assert finding.near(150)[0].number == 100
    assert finding.near(300)[-1].number == 300
    assert len(finding.near(300)) == 100


def test_it_stops_where_nobody_would_read_on() -> None:
    finding = find_in(laid_out(tuple(FoundLine(number, 1, "e " * 100) for number in range(1, 101))), "e")
    assert (len(finding.hits), finding.is_cut) == (HITS_MAX, True)
