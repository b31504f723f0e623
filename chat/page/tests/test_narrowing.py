"""What narrows a question: pages as typed and as read, and each filter in words."""

import pytest

from chat.page.narrowing import PagesError, chips_of, read_pages, typed_of
from reading.reasons import number_ranges
from retrieval.filters import PAGES_MAX, Filters


@pytest.mark.parametrize(
    ("typed", "pages"),
    [
        ("", ()),
        ("12", (12,)),
        ("3-5, 12", (3, 4, 5, 12)),
        (" 12; 3 – 4 3", (3, 4, 12)),
        ("3—4", (3, 4)),
        (f"1-{PAGES_MAX}", tuple(range(1, PAGES_MAX + 1))),
    ],
)
def test_it_reads_pages_and_spans(typed: str, pages: tuple[int, ...]) -> None:
    assert read_pages(typed) == pages
    assert read_pages(number_ranges(pages)) == pages


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("page 3", "“page” is not a page"),
        ("0", "“0” is not a page"),
        ("7-3", "“7-3” is not a page or a span"),
        ("3-", "“3-” is not a page"),
        ("3-4-5", "“3-4-5” is not"),
        ("-3", "“-3” is not"),
        ("x" * 99, f"“{'x' * 40}” is not"),
        ("1-999999", "At most 500 pages"),
        (f"1-{PAGES_MAX}, 900", "At most 500 pages"),
        (", ".join(f"{first}-{first + 300}" for first in range(1, 9_000, 400)), "At most 500 pages"),
    ],
)
def test_it_says_what_to_write_instead(typed: str, told: str) -> None:
    with pytest.raises(PagesError, match=told):
        read_pages(typed)


def test_each_filter_is_told_in_words() -> None:
    filters = Filters((3, 4, 5, 12), "Rent", 5, 0.4)
    typed = typed_of(filters)
    assert typed == {"pages": "3-5, 12", "section": "Rent", "top_k": "5", "threshold": "0.4"}
    assert [chip.words for chip in chips_of(typed)] == [
        "Pages 3-5, 12",
        "Section “Rent”",
        "At most 5 places judged",
        "Nearness from 0.4",
    ]
    assert [chip.words for chip in chips_of({"pages": "3"})] == ["Page 3"]
    assert typed_of(Filters()) == {} and chips_of({}) == []
