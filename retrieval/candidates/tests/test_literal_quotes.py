"""Calibration never invents: whatever a model quotes, what is shown is cut out of the source (R65-R70, L2)."""

import random
import re
import unicodedata
from pathlib import Path

import pymupdf
import pytest

from documents.storage.content import DocumentContent
from reading.boxes import boxes_of
from reading.limits import Limits
from reading.matching import loose_map
from reading.pdf_reader import read_pdf
from reading.rows import UNSEARCHED_KINDS
from retrieval.candidates.calibration import MINIMUM, WHOLE_MINIMUM, calibrate, read_length
from retrieval.tests.builders import content_of_lines, content_of_reading, shared_content
from retrieval.types import Calibrated, LineRange

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
REPORT = SAMPLES / "annual-report.pdf"
SIGNS_AT_ENDS = re.compile(r"^\W+|\W+$")
MUTATIONS, SEED = 10_000, 20_261
SIGNS = "abcxyz ABC 0123456789 .,;:-–—'’\"“”()[]{}<>‹›%$€ß\u00adﬁéüñ\u200b\u202e\x00\n\t中\U000e0041"


@pytest.fixture(scope="module")
def report() -> DocumentContent:
    return content_of_reading(read_pdf(REPORT, Limits()), REPORT)


def whole(content: DocumentContent) -> LineRange:
    return LineRange(1, len(content.lines))


def text_of(found: Calibrated, content: DocumentContent) -> str:
    parts = [content.lines[piece.line_number - 1].text[piece.start : piece.end] for piece in found.pieces]
    return "\n".join(parts)


def mutated(quote: str, chance: random.Random) -> str:
    """The quote with one to four changes of the kinds models make, and of kinds only chance makes."""
    for _ in range(chance.randint(1, 4)):
        place, length = chance.randint(0, len(quote)), chance.randint(0, 12)
        sign = chance.choice(SIGNS)
        quote = chance.choice(
            [
                quote[:place] + sign + quote[place:],
                quote[:place] + quote[place + length :],
                quote[:place] + sign * length + quote[place + length :],
                quote[:place] + " as restated by management",
                quote[place:],
                quote.upper(),
                unicodedata.normalize(chance.choice(["NFKC", "NFD", "NFKD", "NFC"]), quote),
                quote.replace("\n", chance.choice([" ", "", "-\n", "  \n "])),
                quote.replace(" ", chance.choice(["\u00a0", "  ", "", "-"])),
                f"{quote[:place]} [{chance.randint(1, 99)}]{quote[place:]}",
                quote[:place][::-1] + quote[place:],
                quote + quote[:length],
            ]
        )
    return quote


def test_ten_thousand_mutations_give_only_literal_text(report: DocumentContent) -> None:
    """(R65-R67, L2)"""
    chance = random.Random(SEED)
    statuses = {"exact": 0, "truncated": 0, "rejected": 0, "none": 0}
    for _ in range(MUTATIONS):
        first = chance.randint(1, len(report.lines) - 4)
        near = LineRange(first, first + chance.randint(0, 3))
        within = LineRange(near.first - 5, near.last + 5)
        text = report.text_between(*near, searched_only=True)
        start = chance.randint(0, max(len(text) - 1, 0))
        raw = mutated(text[start : start + chance.randint(0, 300)], chance)
        found = calibrate(raw, report, near, within)
        statuses[found.repair.status] += 1
        assert found == calibrate(raw, report, near, within)
        assert found.text == text_of(found, report)
        if found.text:
            check_shown(found, raw, within, report)
    assert min(statuses.values()) > 0 and statuses["exact"] > MUTATIONS / 20, statuses


def check_shown(found: Calibrated, raw: str, within: LineRange, content: DocumentContent) -> None:
    """Inside the lines that were read, never longer than what was quoted, and long enough to prove something."""
    assert found.repair.status in ("exact", "truncated")
    numbers = [piece.line_number for piece in found.pieces]
    assert numbers == sorted(set(numbers)) and within.first <= numbers[0] and numbers[-1] <= within.last
    assert all(content.lines[number - 1].kind not in UNSEARCHED_KINDS for number in numbers)
    assert read_length(found.text) >= (WHOLE_MINIMUM if found.repair.status == "exact" else MINIMUM)
    # But for the signs of the numbers at its ends, which belong to them: "1,170)" is quoted as "(1,170)".
    quoted = SIGNS_AT_ENDS.sub("", found.text)
    assert len(letters_without_references(quoted)) <= len(letters_without_references(raw))


def letters_without_references(text: str) -> str:
    return re.sub(r"\[\d{1,3}\]", "", loose_map(text)[0])


@pytest.mark.parametrize(
    ("quote", "text", "status"),
    [
        pytest.param(
            "cover floods, learned and fixed", "cover floods, learned and\nfixed", "exact", id="over a line end"
        ),
        pytest.param(
            "the agreement ends at midnight", "the agree-\nment ends at midnight", "exact", id="over a hyphen"
        ),
        pytest.param("ends at midnight Nothing else", "ends at midnight\nNothing else", "exact", id="over a page"),
        pytest.param("ten days and no more", "", "rejected", id="a beginning too short to prove anything"),
        pytest.param("xx", "", "rejected", id="two characters"),
        pytest.param("0.1", "0.1", "exact", id="a whole value"),
        pytest.param("midni", "", "rejected", id="not the half of a word"),
        pytest.param(
            "learned and fixed. Therefore the agreed",
            "learned and\nfixed. Therefore the",
            "truncated",
            id="cut before a split word",
        ),
        pytest.param("the fixed [9] rate is low", "the fixed rate is low", "exact", id="a reference number"),
        pytest.param("a ‹b› tag stays", "a <b> tag stays", "exact", id="brackets as the brief shows them"),
    ],
)
def test_a_quote_is_cut_out_of_the_source(quote: str, text: str, status: str) -> None:
    """(R66, R67, R70)"""
    content = content_of_lines(
        [
            "# Cover",
            "We cover floods, learned and",
            "fixed. Therefore the agree-",
            ("Page 1", "furniture"),
            "ment ends at midnight",
            "---",
            ("Example Company", "furniture"),
            "Nothing else is owed. The rate is 0.1 here and the fixed rate is low.",
            "In ten years a <b> tag stays a tag.",
        ]
    )
    found = calibrate(quote, content, whole(content), whole(content))
    assert (found.text, found.repair.status) == (text, status)
    assert found.text == text_of(found, content)


def test_a_quote_that_occurs_twice_is_taken_from_the_cited_lines() -> None:
    """(R68)"""
    lines = ["# A", "The fee is 12 dollars a month.", "x", "y", "The fee is 12 dollars a month.", "z"]
    content = content_of_lines(lines)
    for cited in (2, 5):
        found = calibrate("The fee is 12 dollars", content, LineRange(cited, cited), whole(content))
        assert [piece.line_number for piece in found.pieces] == [cited] and found.repair.reason == ""
    unsure = calibrate("The fee is 12 dollars", content, LineRange(1, 6), whole(content))
    assert "more than once" in unsure.repair.reason and unsure.pieces[0].line_number == 2


def test_a_quote_over_columns_is_found_in_reading_order() -> None:
    """The paper's reference list is the shared example of a text in reading order over pages."""
    content = shared_content("papers/1706.03762v7.pdf")
    for number in range(1, len(content.lines), 37):
        near = LineRange(number, min(number + 2, len(content.lines)))
        quote = " ".join(content.text_between(*near, searched_only=True).split())
        found = calibrate(quote, content, near, near)
        if read_length(quote) >= MINIMUM:
            assert found.repair.status == "exact", quote


def test_a_crop_of_the_page_at_the_boxes_reads_as_the_quote(report: DocumentContent) -> None:
    """Down to the character: the words in the boxes are the quote's words and no others."""
    chance = random.Random(SEED)
    lines = {line.number: line for line in report.lines}
    body = [line for line in report.lines if line.kind in ("body", "table_row") and len(line.text.split()) > 5]
    missed = []
    with pymupdf.open(REPORT) as pdf:
        for line in chance.sample(body, 150):
            words = line.text.split()
            start = chance.randint(0, len(words) - 3)
            quote = " ".join(words[start : start + chance.randint(2, 6)])
            near = LineRange(line.number, line.number)
            found = calibrate(quote, report, near, near)
            boxes = boxes_of([(piece.line_number, piece.start, piece.end) for piece in found.pieces], lines)
            read = " ".join(words_inside(pdf[box.page_number - 1], box) for box in boxes)
            if loose_map(read)[0] != loose_map(found.text)[0]:
                missed.append((found.text, read))
    assert len(missed) <= 1, missed


def words_inside(page: pymupdf.Page, box: tuple[int, float, float, float, float]) -> str:
    """The words whose middle lies in the box, as somebody reading the crop would read them."""
    _, x0, y0, x1, y1 = box
    inside = [
        word[4]
        for word in page.get_text("words", sort=False)
        if x0 <= (word[0] + word[2]) / 2 <= x1 and y0 <= (word[1] + word[3]) / 2 <= y1
    ]
    return " ".join(inside)
