"""Every entry starts on the line that carries its title, and every line knows its deepest entry."""

import itertools
from pathlib import Path

import pymupdf
import pytest

from reading.limits import Limits
from reading.outline.numbering import is_next
from reading.outline.typography import UNIT_NOTE
from reading.pdf_reader import read_pdf
from reading.rows import CONTENTS_SOURCES, FRONT_INDEX, ContentsSource, Reading
from reading.tests.pdfs import SOURCES, write_pdf, write_sources

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="needs ../shared/data")

TEXT = ["This is running text that fills the section with words.", "It goes on for a second line here."]
PAGES = [
    ["A report", *TEXT],
    ["# 1 Scope", *TEXT, "# 2 Terms", *TEXT, "# 2.1 Words used", *TEXT],
    ["# 2.2 Other words", *TEXT, "# 3 Duties", *TEXT],
]
OUTLINE = [(1, "Scope", 2), (1, "Terms", 2), (2, "Words used", 2), (2, "Other words", 3), (1, "3 Duties", 3)]


def section_of(reading: Reading, text: str) -> str:
    titles = {entry.index: entry.title for entry in reading.toc}
    return titles[next(line.toc_index for line in reading.lines if line.text == text)]


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    return read_pdf(write_pdf(tmp_path / "report.pdf", PAGES, outline=OUTLINE), Limits())


def test_it_starts_each_entry_on_its_heading(reading: Reading) -> None:
    starts = [(entry.number, entry.title, reading.lines[entry.first_line - 1].text) for entry in reading.toc[1:]]
    assert starts == [
        ("1", "Scope", "1 Scope"),
        ("2", "Terms", "2 Terms"),
        ("2.1", "Words used", "2.1 Words used"),
        ("2.2", "Other words", "2.2 Other words"),
        ("3", "3 Duties", "3 Duties"),
    ]
    assert {entry.origin for entry in reading.toc[1:]} == {"outline"}
    assert reading.report["toc_verified_share"] == 1.0


def test_it_ends_a_section_before_the_next_of_the_same_or_a_higher_level(reading: Reading) -> None:
    """R6."""
    ranges = {entry.title: (entry.first_line, entry.last_line, entry.last_page) for entry in reading.toc}
    assert ranges["Front matter"] == (1, 3, 1)
    assert ranges["Scope"] == (4, 6, 2)
    assert ranges["Terms"] == (7, 15, 3)
    assert ranges["Words used"] == (10, 12, 2)
    assert ranges["3 Duties"] == (16, 18, 3)


def test_it_files_every_line_under_its_deepest_entry(reading: Reading) -> None:
    """R7."""
    entries = {entry.index: entry for entry in reading.toc}
    for line in reading.lines:
        around = [entry for entry in reading.toc if entry.first_line <= line.number <= entry.last_line]
        assert entries[line.toc_index] == max(around, key=lambda entry: entry.level)
    assert reading.lines[0].toc_index == FRONT_INDEX


def test_it_builds_paths(reading: Reading) -> None:
    """R5."""
    words = next(entry for entry in reading.toc if entry.title == "Words used")
    assert words.breadcrumb == "Terms > Words used"
    assert words.parent_index == next(entry.index for entry in reading.toc if entry.title == "Terms")


def test_it_says_how_sure_it_is_of_a_title_it_did_not_find(tmp_path: Path) -> None:
    outline = [*OUTLINE, (1, "Nowhere to be found", 3)]
    reading = read_pdf(write_pdf(tmp_path / "report.pdf", PAGES, outline=outline), Limits())
    lost = next(entry for entry in reading.toc if entry.title == "Nowhere to be found")
    assert lost.confidence < 0.5 and lost.first_page == 3
    assert reading.report["toc_verified_share"] < 1


def test_it_finds_letter_spaced_and_two_line_headings(tmp_path: Path) -> None:
    pages = [["# S C O P E", *TEXT, "# A heading that goes", "# on in a second line", *TEXT], ["# Terms", "# Duties"]]
    outline = [(1, "Scope", 1), (1, "A heading that goes on in a second line", 1), (1, "Terms", 2), (1, "Duties", 2)]
    reading = read_pdf(write_pdf(tmp_path / "spaced.pdf", pages, outline=outline), Limits())
    assert [entry.confidence for entry in reading.toc] == [1.0] * 4
    assert reading.toc[1].first_line == 4


def test_it_falls_back_to_headings(tmp_path: Path) -> None:
    pages = [["Cover"], *[[f"# {n} Chapter", *TEXT, f"# {n}.1 Part", *TEXT, *TEXT] for n in range(1, 5)]]
    reading = read_pdf(write_pdf(tmp_path / "plain.pdf", pages), Limits())
    assert reading.report["toc_origin"] == "headings"
    assert [(entry.level, entry.title) for entry in reading.toc[1:5]] == [
        (1, "1 Chapter"), (2, "1.1 Part"), (1, "2 Chapter"), (2, "2.1 Part"),
    ]  # fmt: skip


def test_it_reads_printed_contents_and_finds_the_page_offset(tmp_path: Path) -> None:
    titles = ["Purpose", "Scope", "Duties of the board", "Reporting", "Final terms"]
    contents = ["Contents", *(f"{title} {'.' * 30} {page}" for page, title in enumerate(titles, start=1))]
    pages = [["Cover"], contents, *[[title, *TEXT, f"The word {title} again."] for title in titles]]
    reading = read_pdf(write_pdf(tmp_path / "printed.pdf", pages), Limits())
    assert reading.report["toc_origin"] == "printed_contents"
    assert [(entry.title, entry.first_page) for entry in reading.toc[1:]] == list(zip(titles, range(3, 8), strict=True))


def test_it_gives_a_coarse_outline_the_headings_below_it(tmp_path: Path) -> None:
    filler = ["This is running text that fills the section."]
    pages = [[f"# {name}", *filler * 40] for name in ("First", "Second", "Third", "Fourth", "Fifth", "Sixth")] * 2
    outline = [(1, "First", 1), (1, "Second", 2), (1, "First", 7), (1, "Third", 9)]
    reading = read_pdf(write_pdf(tmp_path / "coarse.pdf", pages, outline=outline), Limits())
    below = [entry for entry in reading.toc if entry.origin == "headings"]
    assert [entry.title for entry in below] == ["Third", "Fourth", "Fifth", "Sixth"]  # all of a section or none
    assert {entry.level for entry in below} == {2} and below[0].breadcrumb == "Second > Third"


@pytest.mark.parametrize("source", CONTENTS_SOURCES)
def test_the_contents_are_taken_from_the_source_that_is_chosen(tmp_path: Path, source: ContentsSource) -> None:
    """(R13)"""
    reading = read_pdf(write_sources(tmp_path / "sources.pdf"), Limits(), contents_source=source)
    taken = "outline" if source == "automatic" else source
    assert [(entry.title, entry.origin) for entry in reading.toc[1:]] == [(title, taken) for title in SOURCES[taken]]
    assert reading.report["contents_sources"] == [[name, len(titles)] for name, titles in SOURCES.items()]
    assert reading.report["toc_origin"] == taken and reading.warnings == ()


def test_a_choice_that_is_not_usable_changes_nothing_and_is_said(tmp_path: Path) -> None:
    """(R13)"""
    path = write_pdf(tmp_path / "report.pdf", PAGES, outline=OUTLINE)
    usual, chosen = (read_pdf(path, Limits(), contents_source=each) for each in ("automatic", "printed_contents"))
    assert (chosen.toc, chosen.lines, chosen.report) == (usual.toc, usual.lines, usual.report)
    assert (usual.warnings, chosen.warnings) == ((), ("contents_source_unusable",))
    assert usual.report["contents_sources"] == [["outline", 5], ["headings", 5]]


def test_lines_stay_as_the_source_that_is_taken_found_them(tmp_path: Path) -> None:
    """The word above the contents page is part of it for the headings alone, which are looked at last."""
    path = write_sources(tmp_path / "sources.pdf")
    kinds = {source: read_pdf(path, Limits(), contents_source=source).lines[0].kind for source in CONTENTS_SOURCES}
    assert kinds == dict.fromkeys(CONTENTS_SOURCES, "body") | {"headings": "contents"}


def test_it_has_one_entry_when_there_is_no_structure(tmp_path: Path) -> None:
    reading = read_pdf(write_pdf(tmp_path / "flat.pdf", [TEXT], title="A flat text"), Limits())
    (entry,) = reading.toc
    assert (entry.index, entry.title, entry.first_line, entry.last_line) == (FRONT_INDEX, "A flat text", 1, 2)
    assert reading.report["toc_strength"] == "none"


def test_it_adds_the_headings_an_outline_leaves_out_although_they_are_set_like_its_own(tmp_path: Path) -> None:
    titles = ["1 Scope", "2 Duties", "3 Reports", "4 Costs", "References"]
    pages = [[f"# {title}", *(f"Sentence {line} of {title} goes on." for line in range(9))] for title in titles]
    outline = [(1, title, number) for number, title in enumerate(titles[:4], start=1)]
    reading = read_pdf(write_pdf(tmp_path / "unlisted.pdf", pages, outline=outline), Limits())
    ends = [(entry.title, entry.origin) for entry in reading.toc[-2:]]
    assert ends == [("4 Costs", "outline"), ("References", "headings")]
    assert section_of(reading, "Sentence 3 of References goes on.") == "References"


# Read off the pages by eye: lines near the beginning and at the end of every section, and the section they belong to.
ATTENTION_LINES = [
    (1, "31st Conference on Neural Information Processing", "Front matter"),
    (2, "in particular, have been firmly established as s", "Introduction"),
    (2, "translation quality after being trained for as l", "Introduction"),
    (2, "[16], ByteNet [18] and ConvS2S [9], all of which", "Background"),
    (2, "self-attention and discuss its advantages over m", "Background"),
    (2, "Here, the encoder maps an input sequence of symb", "Model Architecture"),
    (3, "connected layers for both the encoder and decode", "Model Architecture"),
    (3, "sub-layers. The first is a multi-head self-atten", "Encoder and Decoder Stacks"),
    (3, "predictions for position i can depend only on th", "Encoder and Decoder Stacks"),
    (3, "where the query, keys, values, and output are al", "Attention"),
    (4, "of the values, where the weight assigned to each", "Attention"),
    (4, "queries and keys of dimension dk, and values of ", "Scaled Dot-Product Attention"),
    (4, "extremely small gradients 4. To counteract this ", "Scaled Dot-Product Attention"),
    (4, "we found it beneficial to linearly project the q", "Multi-Head Attention"),
    (5, "is similar to that of single-head attention with", "Multi-Head Attention"),
    (5, '• In "encoder-decoder attention" layers, the que', "Applications of Attention in our Model"),
    (5, "of the softmax which correspond to illegal conne", "Applications of Attention in our Model"),
    (5, "connected feed-forward network, which is applied", "Position-wise Feed-Forward Networks"),
    (5, "The dimensionality of input and output is dmodel", "Position-wise Feed-Forward Networks"),
    (5, "tokens and output tokens to vectors of dimension", "Embeddings and Softmax"),
    (6, "order of the sequence, we must inject some infor", "Positional Encoding"),
    (6, "because it may allow the model to extrapolate to", "Positional Encoding"),
    (6, "tional layers commonly used for mapping one vari", "Why Self-Attention"),
    (7, "and semantic structure of the sentences.", "Why Self-Attention"),
    (7, "This section describes the training regime for o", "Training"),
    (7, "sentence pairs. Sentences were encoded using byt", "Training Data and Batching"),
    (7, "batch contained a set of sentence pairs containi", "Training Data and Batching"),
    (7, "the hyperparameters described throughout the pap", "Hardware and Schedule"),
    (7, "bottom line of table 3), step time was 1.0 secon", "Hardware and Schedule"),
    (7, "rate over the course of training, according to t", "Optimizer"),
    (7, "and decreasing it thereafter proportionally to t", "Optimizer"),
    (8, "hurts perplexity, as the model learns to be more", "Regularization"),
    (8, "in Table 2) outperforms the best previously repo", "Machine Translation"),
    (8, "single-precision floating-point capacity of each", "Machine Translation"),
    (8, "in different ways, measuring the change in perfo", "Model Variations"),
    (9, "sinusoidal positional encoding with learned posi", "Model Variations"),
    (9, "constituency parsing. This task presents specifi", "English Constituency Parsing"),
    (10, "Parser [29] even when training only on the WSJ t", "English Constituency Parsing"),
    (10, "attention, replacing the recurrent layers most c", "Conclusion"),
    (10, "Acknowledgements We are grateful to Nal Kalchbre", "Conclusion"),
    (10, "[1] Jimmy Lei Ba, Jamie Ryan Kiros, and Geoffrey", "References"),
    (12, "[40] Muhua Zhu, Yue Zhang, Wenliang Chen, Min Zh", "References"),
    (15, "at layer 5 of 6. The heads clearly learned to pe", "Attention Visualizations"),
]


@needs_data
def test_it_files_lines_of_the_attention_paper_as_a_reader_does() -> None:
    """At least 99 % of the lines between the manually checked ones, too: a section runs from its start to the next."""
    reading = read_pdf(DATA / "papers" / "1706.03762v7.pdf", Limits())
    titles = {entry.index: entry.title for entry in reading.toc}
    found = {
        (page, start): next(
            (n for n, line in enumerate(reading.lines) if line.page_number == page and line.text.startswith(start)),
            None,
        )
        for page, start, _ in ATTENTION_LINES
    }
    assert [place for place, index in found.items() if index is None] == []
    places = [(found[page, start] or 0, title) for page, start, title in ATTENTION_LINES]
    right = judged = 0
    for (first, title), (last, other) in itertools.pairwise(places):
        if title == other:
            judged += last - first + 1
            right += sum(titles[line.toc_index] == title for line in reading.lines[first : last + 1])
    assert all(titles[reading.lines[index].toc_index] == title for index, title in places)
    assert judged > 150 and right / judged >= 0.99


@needs_data
def test_it_starts_all_22_sections_of_the_attention_paper_on_their_headings() -> None:
    reading = read_pdf(DATA / "papers" / "1706.03762v7.pdf", Limits())
    assert [entry.origin for entry in reading.toc].count("outline") == 22
    assert all(entry.title in reading.lines[entry.first_line - 1].text for entry in reading.toc[1:])
    encodings = [line for line in reading.lines if line.page_number == 6 and "positional encoding" in line.match]
    assert len(encodings) >= 5
    titles = {entry.index: entry.title for entry in reading.toc}
    assert {titles[line.toc_index] for line in encodings} == {"Positional Encoding"}
    (formula,) = [line for line in reading.lines if "softmax(" in line.match and line.page_number == 4]
    assert titles[formula.toc_index] == "Scaled Dot-Product Attention"


@needs_data
def test_it_reads_a_linked_contents_page() -> None:
    reading = read_pdf(DATA / "financebench" / "BLOCK_2016_10K.pdf", Limits())
    assert reading.report["toc_origin"] == "linked_contents"
    risk = next(entry for entry in reading.toc if "risk factors" in entry.title.lower())
    assert "risk factors" in reading.lines[risk.first_line - 1].match


@needs_data
def test_it_keeps_a_statement_row_on_one_line() -> None:
    reading = read_pdf(DATA / "financebench" / "ADOBE_2015_10K.pdf", Limits())
    rows = [line for line in reading.lines if line.match.startswith("total current liabilities")]
    assert any("2,213,556" in line.text and "2,494,435" in line.text for line in rows)


def test_it_goes_on_with_the_numbering_of_a_contents_page(tmp_path: Path) -> None:
    titles = ["1 Purpose", "2 Scope", "3 Duties", "4 Reporting"]
    contents = ["Contents", *(f"{title} {'.' * 30} {page}" for page, title in enumerate(titles, start=1)), ""]
    bodies = [
        [f"# {title}", *TEXT, f"# {title[0]}.1 Rule", *TEXT, f"# {title[0]}.2 Exception", "", *TEXT, "# 9.9 Elsewhere"]
        for title in titles
    ]
    reading = read_pdf(write_pdf(tmp_path / "numbered.pdf", [contents, *bodies]), Limits())
    scope = [entry for entry in reading.toc if entry.breadcrumb.startswith("2 Scope")]
    assert [(entry.level, entry.title) for entry in scope] == [(1, "2 Scope"), (2, "2.1 Rule"), (2, "2.2 Exception")]
    assert not any("Elsewhere" in entry.title for entry in reading.toc), "a number from somewhere else"


def test_it_files_entries_under_parts_that_show_no_page(tmp_path: Path) -> None:
    titles = ["Item 1. Business", "Item 2. Properties", "Item 3. Claims", "Item 4. Safety", "Item 5. Market"]
    entries = [f"{title} {'.' * 30} {page}" for page, title in enumerate(titles, start=1)]
    contents = ["PART I\tPage", *entries[:3], "PART II", *entries[3:]]
    bodies = [[f"# {title.upper()}", *TEXT] for title in titles]
    bodies[0].insert(0, "# PART I")
    bodies[3].insert(0, "# PART II")
    reading = read_pdf(write_pdf(tmp_path / "parts.pdf", [contents, *bodies]), Limits())
    assert [(entry.level, entry.title, entry.first_page) for entry in reading.toc[1:] if entry.level == 1] == [
        (1, "PART I", 2), (1, "PART II", 5),
    ]  # fmt: skip
    assert [entry.breadcrumb for entry in reading.toc if entry.title.startswith("Item 4")] == [
        "PART II > Item 4. Safety"
    ]


def test_it_joins_the_two_lines_of_a_printed_entry(tmp_path: Path) -> None:
    titles = ["Purpose of it all", "Scope", "Market for the common stock and purchases of equity", "Reporting", "Terms"]
    contents = ["Contents"]
    for page, title in enumerate(titles, start=1):
        first, _, rest = title.partition(" and ")
        contents += [f"{first} and", f"{rest} {'.' * 30} {page}"] if rest else [f"{title} {'.' * 30} {page}"]
    pages = [contents, *[[f"# {title}", *TEXT] for title in titles]]
    reading = read_pdf(write_pdf(tmp_path / "wrapped.pdf", pages), Limits())
    assert [entry.title for entry in reading.toc[1:]] == titles


@pytest.mark.parametrize(
    ("key", "last", "expected"),
    [
        (("3", "1"), ("3",), True),
        (("3", "2"), ("3", "1"), True),
        (("3", "2", "1"), ("3", "2"), True),
        (("3", "3"), ("3", "2", "4"), True),
        (("a", "2"), ("a", "1"), True),
        (("3", "7"), ("3", "2"), False),
        (("3", "1"), ("3", "2"), False),
        (("4", "1"), ("3", "2"), False),
    ],
)
def test_it_knows_which_number_may_follow(key: tuple[str, ...], last: tuple[str, ...], expected: bool) -> None:
    assert is_next(key, last) is expected


def test_it_always_gives_a_series_and_keeps_its_parts_below_it(tmp_path: Path) -> None:
    filler = ["This is running text that fills the section."] * 45
    notes = [[f"# Note {number} - Subject {number}", *filler] for number in range(1, 6)]
    notes[2][20] = "# Details"
    pages = [["# First", *filler], ["# Second", *filler], *notes, ["# Third", *filler], ["# Fourth", *filler]]
    outline = [(1, "First", 1), (1, "Second", 2), (1, "Third", 8), (1, "Fourth", 9)]
    reading = read_pdf(write_pdf(tmp_path / "series.pdf", pages, outline=outline), Limits())
    series = [entry for entry in reading.toc if entry.title.startswith("Note")]
    assert [entry.number for entry in series] == [f"Note {number}" for number in range(1, 6)]
    assert {entry.breadcrumb.split(" > ")[0] for entry in series} == {"Second"}
    assert not any(entry.title == "Details" for entry in reading.toc), "a page is too short to be divided"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Revenue (dollars in millions)", "Revenue"),
        ("Net earnings (loss)", "Net earnings (loss)"),
        ("Balance Sheet (Unaudited)", "Balance Sheet (Unaudited)"),
    ],
)
def test_it_leaves_the_unit_out_of_a_title(text: str, title: str) -> None:
    assert UNIT_NOTE.sub("", text) == title


def test_it_takes_bold_lines_when_no_heading_is_larger_than_the_text(tmp_path: Path) -> None:
    document = pymupdf.open()
    for name in ("Overall results", "Regional results", "Segment results", "About the company"):
        page = document.new_page()
        for index, text in enumerate(TEXT * 4):
            page.insert_text((72, 120 + 14 * index), text, fontsize=10)
        page.insert_text((72, 90), name, fontsize=10, fontname="hebo")
    document.save(tmp_path / "bold.pdf")
    reading = read_pdf(tmp_path / "bold.pdf", Limits())
    assert reading.report["toc_origin"] == "headings"
    assert [entry.title for entry in reading.toc] == [
        "Overall results", "Regional results", "Segment results", "About the company",
    ]  # fmt: skip


@pytest.mark.parametrize("title", ["* * *", "§", "—", "..........", "•"])
def test_an_outline_may_hold_entries_of_signs_alone(tmp_path: Path, title: str) -> None:
    """Programs draw lines between the chapters of an outline; the file is read all the same."""
    outline = [*OUTLINE[:2], (1, title, 3), *OUTLINE[3:]]
    reading = read_pdf(write_pdf(tmp_path / "report.pdf", PAGES, outline=outline), Limits())
    found = {entry.title: (entry.first_page, entry.confidence) for entry in reading.toc}
    assert found[title][0] == 3 and found[title][1] < 0.5 and found["3 Duties"] == (3, 1.0)
