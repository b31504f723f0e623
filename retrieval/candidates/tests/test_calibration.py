"""A quote is verified or cut, never invented: cases of the specification, and thousands of mutations."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.storage.content import DocumentContent
from reading.matching import match_form
from retrieval.candidates.calibration import MINIMUM, calibrate, letters_of
from retrieval.tests.builders import Written, content_of_lines
from retrieval.types import Calibrated, LineRange

TEXT: list[Written] = [
    "To this end, we add positional encodings to the input embed-",
    "dings at the bottoms of the encoder. The positional encodings",
    ("Provided by the publisher   3", "furniture"),
    "---",
    ("Running header", "furniture"),
    "have the same dimension d = 512 as the embeddings.",
    "There are many choices of positional encodings, learned and",
    "fixed [9]. The office “fifth” costs € 12 and the cap is 0.1.",
    "There are many choices of wine.",
    "Total   current liabilities........ 2,213,556   2,494,435",
    "The capacity of Café Zürich is limited.",
]
CONTENT = content_of_lines(TEXT)
ALL = LineRange(1, len(CONTENT.lines))
END_SIGNS = "()$%\u20ac"


def fit(raw: str, near: LineRange = ALL, within: LineRange = ALL) -> Calibrated:
    return calibrate(raw, CONTENT, near, within)


def joined(pieces: Calibrated) -> str:
    return joined_in(CONTENT, pieces)


def joined_in(content: DocumentContent, pieces: Calibrated) -> str:
    return "\n".join(content.lines[piece.line_number - 1].text[piece.start : piece.end] for piece in pieces.pieces)


@pytest.mark.parametrize(
    ("raw", "text", "status"),
    [
        pytest.param("The capacity of", "The capacity of", "exact", id="exact"),
        pytest.param("The capacity of Café Geneva", "The capacity of Café", "truncated", id="invented tail"),
        pytest.param("The capacity of Café Zürichberg", "The capacity of Café", "truncated", id="ends at a word's end"),
        pytest.param("It has the same capacity", "", "rejected", id="paraphrase"),
        pytest.param("", "", "none", id="empty"),
        pytest.param("  \n ", "", "rejected", id="blank"),
        pytest.param("The capa", "", "rejected", id="ends inside a word"),
        pytest.param("The office closes", "The office", "truncated", id="as long as the minimum"),
        pytest.param("The cap table", "", "rejected", id="prefix under the minimum"),
        pytest.param("0.1", "0.1", "exact", id="a value"),
        pytest.param("12", "", "rejected", id="two characters"),
        pytest.param("cap", "cap", "exact", id="a word, not a part of one"),
        pytest.param("total current liabilities", "Total   current liabilities", "exact", id="white space and case"),
        pytest.param(
            "the input embeddings at the bottoms", "the input embed-\ndings at the bottoms", "exact", id="over a hyphen"
        ),
        pytest.param(
            "The positional encodings have the same dimension",
            "The positional encodings\nhave the same dimension",
            "exact",
            id="over a page break with furniture",
        ),
        pytest.param(
            "learned and fixed. The office", "learned and\nfixed [9]. The office", "exact", id="reference number"
        ),
        pytest.param('The office "fifth"', "The office “fifth”", "exact", id="typographic quotes"),
        pytest.param("Cafe Zurich", "Café Zürich", "exact", id="accents"),
        pytest.param("The oﬃce", "The office", "exact", id="ligature"),
    ],
)
def test_it_returns_the_source_or_nothing(raw: str, text: str, status: str) -> None:
    calibrated = fit(raw)
    assert (calibrated.text, calibrated.repair.status) == (text, status)
    assert joined(calibrated) == text


SIGNED = content_of_lines(
    [
        "2081 Share capital 25.000,00-",
        "-1,234 is the result of the year, 2023: (5,678) \u221299",
        "Drawn 80.00 CR, paid 12,50 H",
        "the years 2019-2020 and ISO-27001 (see clause 5)",
        "for $ 40 or 1.234,50 \u20ac, of (3) parts",
        "Net result \ufffd4 684 7 884\ufffd",
    ]
)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("2081 Share capital 25.000,00", "2081 Share capital 25.000,00-"),
        ("Share capital 25.000,00-", "Share capital 25.000,00-"),
        ("1,234 is the result", "-1,234 is the result"),
        ("-1,234 is the result", "-1,234 is the result"),
        ("the year, 2023: (5,678", "the year, 2023: (5,678)"),
        ("5,678", "(5,678)"),
        ("99", ""),  # two characters prove nothing
        ("Drawn 80.00", "Drawn 80.00 CR"),
        ("paid 12,50", "paid 12,50 H"),
        ("2020 and ISO", "2020 and ISO"),
        ("27001 (see clause 5", "27001 (see clause 5)"),
        ("see clause 5", "see clause 5"),
        ("the years 2019", "the years 2019"),
        ("40 or 1.234,50", "$ 40 or 1.234,50 \u20ac"),
        ("1.234,50", "1.234,50 \u20ac"),
        ("684 7 884", "684 7 884\ufffd"),
    ],
)
def test_a_sign_that_touches_a_number_at_an_end_belongs_to_the_quote(raw: str, text: str) -> None:
    within = LineRange(1, len(SIGNED.lines))
    assert calibrate(raw, SIGNED, within, within).text == text


COMMANDS = content_of_lines(
    [
        "A: xz -dc foo.tar.xz | tar xf -",
        "-k --keep",
        "Keep (do not delete) the files; --quiet says nothing, and [-v] says all.",
        "- Goodwill is not amortised",
        "\u2022 Brands are",
        "Rated BBB- by one of them, on a well-known scale",
        "Impairment of brands \u2014",
        "-----",
        "The price rose - and fell, for the re-",
        "tailer and his Ein- und Verkauf",
    ]
)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("A: xz -dc foo.tar.xz | tar xf -", "A: xz -dc foo.tar.xz | tar xf -"),
        ("foo.tar.xz | tar xf", "foo.tar.xz | tar xf"),  # it was not quoted
        ("-k --keep", "-k --keep"),
        ("k --keep", "-k --keep"),
        ("--quiet says nothing", "--quiet says nothing"),
        ("v] says all", "-v] says all"),
        ("Rated BBB-", "Rated BBB-"),
        ("Rated BBB- by two", "Rated BBB- by"),
        ("Impairment of brands \u2014", "Impairment of brands \u2014"),
        ("his Ein-", "his Ein-"),
        ("- Goodwill is not", "Goodwill is not"),
        ("\u2022 Brands are", "Brands are"),
        ("known scale", "known scale"),
        ("Impairment of brands", "Impairment of brands"),
        ("The price rose -", "The price rose -"),
        ("The price rose - by half", "The price rose"),
        ("for the re-", "for the re"),
    ],
)
def test_a_hyphen_that_belongs_to_a_word_or_was_quoted_alone_is_kept_and_a_bullet_is_not(raw: str, text: str) -> None:
    within = LineRange(1, len(COMMANDS.lines))
    found = calibrate(raw, COMMANDS, within, within)
    assert (found.text, joined_in(COMMANDS, found)) == (text, text)
    assert found.repair.status == ("truncated" if raw.endswith(("two", "half")) else "exact")


@pytest.mark.parametrize("sign", [*"-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d"])
def test_whatever_is_printed_as_a_minus_belongs_to_the_quote(sign: str) -> None:
    content = content_of_lines(
        [f"The result was {sign}4,684", f"Capital 25.000,00{sign} EUR", f"ISO{sign}9001 applies"]
    )
    for raw, text in (("4,684", f"{sign}4,684"), ("Capital 25.000,00", f"Capital 25.000,00{sign}"), ("9001", "9001")):
        assert calibrate(raw, content, LineRange(1, 3), LineRange(1, 3)).text == text


def test_the_seed_example_keeps_the_longest_prefix() -> None:
    """(R66, R69)"""
    content = content_of_lines(["hello world"])
    calibrated = calibrate("hello world foobar", content, LineRange(1, 1), LineRange(1, 1))
    assert (calibrated.repair.status, calibrated.repair.original_length, calibrated.repair.final_length) == (
        "truncated",
        18,
        11,
    )


def test_a_quote_that_stands_twice_is_taken_near_the_cited_lines() -> None:
    first = fit("There are many choices of", near=LineRange(6, 6))
    second = fit("There are many choices of", near=LineRange(8, 8))
    assert (first.pieces[0].line_number, second.pieces[0].line_number) == (6, 8)
    assert first.repair.reason == second.repair.reason == ""


def test_a_quote_that_stands_twice_elsewhere_is_marked() -> None:
    assert "more than once" in fit("There are many choices of", near=LineRange(1, 1)).repair.reason


RULED = content_of_lines(
    [
        "8.1     Term  of  Agreement.  This  Agreement  shall  be effective upon the",
        "-------------------",
        "Effective Date and shall remain in force for one year.   ",
        ("Page 4", "furniture"),
        "  – – –  ",
        "\u00ad",
        "[3]",
        "It ends without notice.",
    ]
)


@pytest.mark.parametrize(
    ("raw", "first", "last"),
    [
        pytest.param("This Agreement shall be effective upon the Effective Date", 1, 3, id="a rule below a heading"),
        pytest.param("remain in force for one year. It ends", 3, 8, id="several, furniture between them"),
    ],
)
def test_a_quote_over_lines_without_letters_is_the_text_of_the_page(raw: str, first: int, last: int) -> None:
    everywhere = LineRange(1, len(RULED.lines))
    calibrated = calibrate(raw, RULED, everywhere, everywhere)
    page = RULED.text_between(first, last, searched_only=True)
    assert calibrated.repair.status == "exact"
    assert calibrated.text in page and calibrated.text.count("\n") == page.count("\n")
    assert [RULED.lines[piece.line_number - 1].kind for piece in calibrated.pieces] == ["body"] * (page.count("\n") + 1)


SIGNS = st.text(st.sampled_from(" -_*.•☐®[9]"), min_size=1, max_size=12).filter(str.strip)
WORDS = st.text(st.sampled_from("ab -.  "), min_size=1, max_size=12).filter(str.strip)


@settings(max_examples=1_000)
@given(texts=st.lists(st.one_of(SIGNS, WORDS), min_size=1, max_size=8), data=st.data())
def test_every_quote_is_a_part_of_the_text_between_its_lines(texts: list[str], data: st.DataObject) -> None:
    """Whatever signs the lines between hold: a reader who compares quote and page finds no difference."""
    content = content_of_lines([(text, data.draw(st.sampled_from(["body", "furniture"]))) for text in texts])
    lines = LineRange(1, len(content.lines))
    source = content.text_between(*lines, searched_only=True)
    start = data.draw(st.integers(0, len(source)))
    raw = source[start : start + data.draw(st.integers(0, 80))]
    calibrated = calibrate(raw, content, lines, lines, minimum=1)
    if calibrated.text:
        numbers = [piece.line_number for piece in calibrated.pieces]
        assert calibrated.text in content.text_between(numbers[0], numbers[-1], searched_only=True)


def test_a_quote_from_outside_the_shown_lines_is_refused() -> None:
    calibrated = fit("The capacity of Café Zürich", near=LineRange(1, 2), within=LineRange(1, 3))
    assert calibrated.repair.status == "rejected"


def test_a_quote_across_a_page_break_has_a_piece_on_each_page() -> None:
    pieces = fit("The positional encodings have the same dimension").pieces
    assert {CONTENT.lines[piece.line_number - 1].page_number for piece in pieces} == {1, 2}


MUTATIONS = st.sampled_from(["tail", "drop", "swap", "insert", "spaces", "case", "double", "unicode", "cut", "junk"])
SOURCE = CONTENT.text_between(*ALL)


def mutate(text: str, kind: str, position: int, extra: str) -> str:
    place = position % (len(text) + 1)
    return {
        "tail": text + extra,
        "drop": text[:place] + text[place + 1 :],
        "swap": text[:place] + text[place:][1:2] + text[place:][:1] + text[place + 2 :],
        "insert": text[:place] + extra + text[place:],
        "spaces": text.replace(" ", "  \t").replace("\n", " "),
        "case": text.swapcase(),
        "double": text + text,
        "unicode": text.replace("e", "é").replace("-", "–").replace("fi", "ﬁ"),
        "cut": text[:place],
        "junk": extra + text,
    }[kind]


@settings(max_examples=3_000)
@given(
    start=st.integers(0, len(SOURCE)),
    length=st.integers(0, 150),
    changes=st.lists(st.tuples(MUTATIONS, st.integers(0, 200), st.text(max_size=8)), max_size=3),
    near=st.integers(1, len(CONTENT.lines)),
)
def test_no_mutation_makes_it_invent(start: int, length: int, changes: list[tuple[str, int, str]], near: int) -> None:
    raw = SOURCE[start : start + length]
    for kind, position, extra in changes:
        raw = mutate(raw, kind, position, extra)
    calibrated = fit(raw, near=LineRange(near, near))
    assert joined(calibrated) == calibrated.text
    assert all(piece.start < piece.end for piece in calibrated.pieces)
    said = letters_of(calibrated.text.split("\n")).text.strip(END_SIGNS)  # those at its ends are the page's
    assert letters_of([raw]).text.lstrip(END_SIGNS).startswith(said)
    assert calibrated.repair.final_length <= max(calibrated.repair.original_length, len(calibrated.text))
    if calibrated.repair.status == "truncated":
        assert calibrated.repair.final_length >= MINIMUM
    assert bool(calibrated.text) == (calibrated.repair.status in ("exact", "truncated"))
    assert calibrated == fit(raw, near=LineRange(near, near))


@given(number=st.integers(1, len(CONTENT.lines)))
def test_a_whole_line_is_always_exact(number: int) -> None:
    line = CONTENT.lines[number - 1]
    calibrated = fit(line.text, near=LineRange(number, number))
    if line.kind == "furniture":
        assert calibrated.text == ""
    else:
        assert match_form(calibrated.text).rstrip("-") == line.match.rstrip("-")


def test_an_empty_document_refuses_everything() -> None:
    empty: DocumentContent = replace(CONTENT, lines=())
    assert calibrate("anything at all", empty, LineRange(1, 1), LineRange(1, 1)).repair.status == "rejected"
