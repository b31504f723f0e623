"""What the page of a document shows: the chosen line, its section, what is lit, and each line of the parse's report."""

from typing import Any

import pytest
from django.utils import translation

from documents.models import Document, KnowledgeBase, Parse
from documents.pages.address import PageTarget, find_page_target
from documents.pages.page_view import (
    CUTS,
    TAG_LETTERS_MAX,
    characters_finding,
    contents_finding,
    cost_words,
    first_section,
    inspect_page,
    language_finding,
    line_findings,
    passages_of,
    read_page_lines,
    report_lines,
    section_at,
    text_finding,
    toc_of,
    vector_finding,
)
from documents.tests.readings import make_document, store_text
from reading.rows import LineRow, TocRow

TEXT = "\n\n".join(f"# {number} Part\n\nParagraph {number} says that rent {number} is due." for number in range(1, 21))


def parse_of(**fields: Any) -> Parse:
    values: dict[str, Any] = {
        "page_count": 4,
        "line_count": 9,
        "toc_strength": "strong",
        "toc_origin": "outline",
        "report": {},
    }
    return Parse(**values | fields)


def make_line(number: int, kind: str, toc_index: int) -> LineRow:
    return LineRow(number, 1, 1, toc_index, "t", "t", 0, 0, 1, 1, 0, kind, "text", ())  # type: ignore[arg-type]


def entry(index: int, confidence: float = 1.0, origin: str = "outline") -> TocRow:
    return TocRow(index, 1, None, "", f"Title {index}", "", 1, 2, 1, 1, origin, confidence)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kinds", "section"),
    [
        ([], None),
        (["furniture"], 0),
        (["furniture", "contents"], 0),
        (["furniture", "body"], 1),
        (["body", "furniture", "heading"], 2),
        (["furniture", "caption", "body"], 1),
        (["contents", "table_row"], 1),
    ],
)
def test_a_page_is_about_its_first_heading_or_its_first_searched_line(kinds: list[str], section: int | None) -> None:
    lines = [make_line(number, kind, number) for number, kind in enumerate(kinds)]
    assert first_section(lines) == section


def test_a_section_is_found_by_its_index_alone() -> None:
    toc = [entry(3), entry(7)]
    assert section_at(toc, 7) == toc[1] and section_at(toc, 0) is section_at(toc, None) is section_at([], 7) is None


@pytest.mark.parametrize(
    ("fields", "kind", "words"),
    [({}, "ok", "4 of 4 pages"), ({"unreadable_pages": [1, 2, 4]}, "warn", "1 of 4 pages; without text: 1-2, 4")],
)
def test_pages_without_text_are_named(fields: dict[str, Any], kind: str, words: str) -> None:
    found = text_finding(parse_of(**fields))
    assert (found.kind, found.words) == (kind, words)


@pytest.mark.parametrize(
    ("fields", "toc", "kind", "words"),
    [
        ({}, [], "warn", "none found; passages are cut by page"),
        ({}, [entry(0, origin="front")], "warn", "none found; passages are cut by page"),
        ({}, [entry(1), entry(2, 0.7), entry(3, 0.69)], "ok", "outline, strong; 2 of 3 titles found on their page"),
        ({"toc_strength": "medium"}, [entry(1)], "ok", "outline, medium; 1 of 1 titles found on their page"),
        (
            {"toc_strength": "weak", "toc_origin": "magic"},
            [entry(1)],
            "warn",
            "magic, weak; 1 of 1 titles found on their page",
        ),
    ],
)
def test_contents_are_trusted_as_far_as_titles_were_found(
    fields: dict[str, Any], toc: list[TocRow], kind: str, words: str
) -> None:
    found = contents_finding(parse_of(**fields), toc)
    assert (found.kind, found.words) == (kind, words)


@pytest.mark.parametrize(
    ("report", "kind", "words"),
    [
        ({}, "ok", "0, all visible"),
        ({"chars": 900}, "ok", "900, all visible"),
        ({"chars": 900, "removed_chars": 3}, "warn", "900, of them 3 removed"),
        (
            {"chars": 9, "hidden_chars": 1, "concealed_chars": 2},
            "warn",
            "9, of them 1 invisible, 2 white, transparent or tiny",
        ),
    ],
)
def test_characters_nobody_sees_are_counted(report: dict[str, int], kind: str, words: str) -> None:
    """L4: on the page of the document."""
    found = characters_finding(parse_of(report=report))
    assert (found.kind, found.words) == (kind, words)


@pytest.mark.parametrize(
    ("kinds", "lines", "aside"),
    [
        ({}, "9", "0 lines"),
        ({"heading": 2, "body": 7}, "9, of them 2 headings", "0 lines"),
        (
            {"list_item": 1, "table_row": 3, "furniture": 4, "contents": 5},
            "9, of them 3 table rows, 1 list items",
            "9 lines",
        ),
    ],
)
def test_lines_are_counted_by_kind(kinds: dict[str, int], lines: str, aside: str) -> None:
    counted, set_aside = line_findings(parse_of(report={"line_kinds": kinds}))
    assert counted.words == lines and set_aside.words.startswith(aside)


@pytest.mark.parametrize(("language", "words"), [("de", "de"), ("", "unknown"), ("und", "unknown")])
def test_a_language_nobody_could_name_is_unknown(language: str, words: str) -> None:
    found = language_finding(parse_of(language=language, search_config="german"))
    assert found.words == f"{words}, searched as german"


@pytest.mark.parametrize(
    ("fields", "kind", "words"),
    [
        ({"embedding_model": "m/2", "report": {"embeddings": "old"}}, "ok", "ready, by m/2"),
        ({"report": {"embeddings": "Switched off."}}, "warn", "Switched off."),
        ({}, "warn", "not complete yet; keyword search works"),
    ],
)
def test_vectors_are_named_or_why_there_are_none(fields: dict[str, Any], kind: str, words: str) -> None:
    found = vector_finding(parse_of(**fields))
    assert (found.kind, found.words) == (kind, words)


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        ({}, "not priced"),
        ({"cost": None}, "not priced"),
        ({"cost": "0.12345", "currency": "EUR", "unpriced": 0}, "0.1235 EUR"),
        ({"cost": "2", "currency": "USD", "unpriced": 3}, "2.0000 USD, 3 calls not priced"),
    ],
)
def test_what_descriptions_cost_is_said_as_far_as_it_is_known(annotation: dict[str, Any], words: str) -> None:
    assert cost_words(annotation) == words


# ---- a stored parse


@pytest.fixture
def document(db: None) -> Document:
    document = make_document(KnowledgeBase.objects.create(name="Suppliers"))
    assert store_text(document, TEXT).page_count == 2
    return document


def parse_in(document: Document) -> Parse:
    assert document.current_parse is not None
    return document.current_parse


@pytest.mark.parametrize("page", [0, -1, 3, 999_999_999])
def test_a_page_that_is_not_there_is_none(document: Document, page: int) -> None:
    assert inspect_page(document, parse_in(document), PageTarget(page)) is None


def test_pages_lead_on_and_back_and_hold_their_own_lines(document: Document) -> None:
    parse = parse_in(document)
    first, last = (inspect_page(document, parse, PageTarget(page)) for page in (1, 2))
    assert first is not None and last is not None
    assert (first.previous, first.next, last.previous, last.next) == (None, 2, 1, None)
    assert {line.page_number for line in first.lines} == {1} and not set(first.lines) & set(last.lines)
    assert [*first.lines, *last.lines] == [line for page in (1, 2) for line in read_page_lines(parse, page)]
    assert first.page.flags == () and hash(first.page) and first.current == toc_of(parse)[0]
    indexes = {passage.index for shown in (first, last) for passage, _ in shown.passages}
    assert indexes == set(parse.passages.values_list("index", flat=True)) and passages_of(parse, 3) == ()


def test_a_line_lights_itself_and_its_section(document: Document) -> None:
    parse = parse_in(document)
    shown = inspect_page(document, parse, find_page_target(parse, {"line": "40"}))
    assert shown is not None and shown.line is not None and shown.line.number == 40
    assert shown.line_section == shown.current == toc_of(parse)[-1]
    assert {"line 40", "section 20"} <= {tag.text for tag in shown.sheet.tags}
    elsewhere = inspect_page(document, parse, PageTarget(1, 40))
    assert elsewhere is not None and elsewhere.line is None and elsewhere.line_section is None


@pytest.mark.parametrize(
    ("query", "section"), [({"find": "rent 19"}, "19 Part"), ({"quote": "says that rent 20"}, "20 Part")]
)
def test_what_was_looked_for_decides_the_section(document: Document, query: dict[str, str], section: str) -> None:
    parse = parse_in(document)
    shown = inspect_page(document, parse, find_page_target(parse, query))
    assert shown is not None and shown.current is not None and shown.current.title == section
    assert [box.css for box in shown.sheet.boxes].count("hl-anchor") == 1


def test_a_long_title_is_cut_in_its_tag(db: None) -> None:
    document = make_document(KnowledgeBase.objects.create(name="B"))
    parse = store_text(document, f"# {'Word ' * 40}\n\ntext")
    shown = inspect_page(document, parse, PageTarget(1))
    assert shown is not None and any(len(tag.text) == TAG_LETTERS_MAX for tag in shown.sheet.tags)


@pytest.mark.parametrize(
    ("annotation", "kind", "words"),
    [
        ({}, "ok", "by section"),
        ({"annotation": "No model is configured."}, "warn", ". No model is configured."),
        (
            {"annotation": {"done": 1, "of": 2, "tokens_in": 7, "tokens_out": None, "failure": "Odd.", "cost": None}},
            "warn",
            "1 of 2 described by a model (7 tokens in, 0 out, not priced). Odd.",
        ),
    ],
)
def test_the_report_says_how_passages_were_described(
    document: Document, annotation: dict[str, Any], kind: str, words: str
) -> None:
    parse = parse_in(document)
    parse.report = parse.report | annotation
    [found] = [line for line in report_lines(parse, toc_of(parse)) if line.name == "Passages"]
    assert found.kind == kind and words in found.words and str(CUTS["section"]) in found.words


def test_the_whole_report_is_in_the_language_of_the_reader(document: Document) -> None:
    parse = parse_in(document)
    parse.pages.filter(number=2).update(label="1", column_count=2, text_layer="ocr", flags=["recognised"])
    parse.pages.filter(number=1).update(label="A-1", text_layer="ocr", flags=["hidden_text"])
    parse.warnings = ["pages_without_text(1-2)"]
    english = {line.name: line.words for line in report_lines(parse, toc_of(parse))}
    assert english["Columns"] == "several on 1 of 2 pages" and english["Note"].endswith("not searched: 1-2.")
    assert english["Page numbers"] == "page 1 is page 2 of the file; 1 pages are so far apart"
    assert sum(line.name == "Recognised" for line in report_lines(parse, toc_of(parse))) == 2
    with translation.override("fr"):
        french = {line.words for line in report_lines(parse, toc_of(parse))}
    assert not {words for words in english.values() if len(words) > 12} & french
