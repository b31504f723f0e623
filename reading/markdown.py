"""Lay Markdown and plain text out on synthetic pages, with the same rows as a PDF and headings as TOC."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from reading.boxes import text_width
from reading.characters import clean_text
from reading.layout.lines import PageLine
from reading.matching import match_form
from reading.rows import STRUCK_MARK, LineKind, LineRow, LineSpan, name_in_force, without_struck

PAGE_WIDTH, PAGE_HEIGHT, MARGIN = 612.0, 792.0, 54.0
LEADING, FONT_SIZE = 14.0, 8.5
WRAP_CHARS = 125  # most files are wrapped by hand before this, and their lines stay whole
INDENT_PT = 5.0  # for each leading space of the source
INDENT_MAX_PT = 120.0
TITLE_CHARS = 500  # the width of its column; the whole heading is in the lines
TITLE_SOURCE_CHARS = 2 * TITLE_CHARS  # read for it: with the addresses of links
BREAKS = ("softbreak", "hardbreak")
# What is none is a value, "[Deposit]: 500", "[Rent]: 500/month", "[Contact]: info@example.com"; and a note has a "^".
ADDRESS = re.compile(r"[A-Za-z][\w+.-]*:|\.{0,2}/|#|[^/A-Za-z]*[A-Za-z][^/]*/")

FRONT_MATTER_FENCE = "---"
HEADING_MARKS = re.compile(r"^ {0,3}#{1,6}[ \t]*|(?<![ \t])[ \t]+#+[ \t]*$")
TITLE_FIELD = re.compile(r"title:\s*[\"']?(.+?)[\"']?\s*$", re.IGNORECASE)
FENCE = re.compile(r"^\s*(```+|~~~+)")
STRUCK = re.compile(  # code before it is passed over
    r"(?<!`)`{1,3}(?!`)[^`]{0,400}`{1,3}|(?<![~\\])(?P<struck>~~(?=[^\s~])(?:[^~]|~(?!~)){0,4000}?(?<=[^\s\\])~~)(?!~)"
)
ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")


class Heading(NamedTuple):
    """A heading by its source line (0-based), with its title as printed, without inline markup."""

    line_index: int
    level: int
    title: str


class Outline(NamedTuple):
    """The block structure: the kind of each source line that is not body, the headings, and which lines are code."""

    kinds: dict[int, LineKind]
    headings: list[Heading]
    title: str
    code: frozenset[int]


def source_lines(text: str) -> tuple[list[str], int]:
    """The lines of a text as stored, and how many characters were removed from them."""
    cleaned = [clean_text(line) for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return [line for line, _ in cleaned], sum(removed for _, removed in cleaned)


def block_parser() -> MarkdownIt:
    """A parser of blocks only: inline markup stays as written, so that quotes match the file.

    One per text: the parser builds its rules at first use, and another thread would find them half built.
    """
    parser = MarkdownIt("commonmark", {"inline_definitions": True}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def read_markdown_outline(sources: Sequence[str]) -> Outline:
    """The headings, lists, tables and fences of Markdown source lines."""
    body_start, title = read_front_matter(sources)
    kinds: dict[int, LineKind] = dict.fromkeys(range(body_start), "furniture")
    headings: list[Heading] = []
    blocks = "\n".join(["" if index < body_start else line for index, line in enumerate(sources)])
    known: dict[str, Any] = {}
    tokens = block_parser().parse(blocks, known)
    for token, inner in zip(tokens, [*tokens[1:], None], strict=False):  # no token at all is paired with nothing
        first, end = token.map or (0, 0)
        if token.type == "heading_open" and inner is not None:
            kinds.update(dict.fromkeys(range(first, end), "heading"))
            if token.markup in ("=", "-") and end - first > 1:
                kinds[end - 1] = "furniture"  # the line drawn under the heading
            heading_title = plain_title(inner.content, known)[:TITLE_CHARS]
            if heading_title and token.level == 0:
                headings.append(Heading(first, int(token.tag[1:]), heading_title))
        elif token.type == "list_item_open":
            kinds.update(dict.fromkeys(range(first, end), "list_item"))
        elif token.type == "table_open":
            kinds.update(dict.fromkeys(range(first, end), "table_row"))
            kinds[first + 1] = "furniture"
        elif token.type == "fence":
            kinds.update(dict.fromkeys(range(first, end), "body"))
            kinds.update({index: "furniture" for index in (first, end - 1) if FENCE.match(sources[index])})
        elif token.type == "hr":
            kinds[first] = "furniture"
        elif token.type == "definition" and token.meta["id"][0] != "^" and ADDRESS.match(token.meta["url"]):
            kinds.update(dict.fromkeys(range(first, end), "furniture"))  # where links lead, said nowhere on the page
        elif token.type == "html_block" and token.content.lstrip().startswith("<!--"):
            kinds.update(dict.fromkeys(range(first, end), "furniture"))
    names = (name_in_force(heading.title) for heading in headings)
    code = (range(*token.map) for token in tokens if token.type in ("fence", "code_block") and token.map)
    title = title[:TITLE_CHARS] or next(filter(None, names), "")
    return Outline(kinds, headings, title, frozenset(chain.from_iterable(code)))


def read_front_matter(sources: Sequence[str]) -> tuple[int, str]:
    """How many lines of metadata come first, and the title they name."""
    if not sources or sources[0].strip() != FRONT_MATTER_FENCE:
        return 0, ""
    for index, line in enumerate(sources[1:], start=1):
        if line.strip() in (FRONT_MATTER_FENCE, "..."):
            titles = [found[1] for source in sources[1:index] if (found := TITLE_FIELD.match(source))]
            return index + 1, titles[0] if titles else ""
    return 0, ""


def plain_title(content: str, known: dict[str, Any] | None = None) -> str:
    """A heading's text without emphasis and links, those to a known definition too; the marks of struck words stay."""
    parser, pieces = block_parser(), list[Token]()
    parser.inline.parse(content[:TITLE_SOURCE_CHARS], parser, known or {}, pieces)
    return " ".join("".join(" " if each.type in BREAKS else each.content for each in pieces).split())


# ---- layout


def mark_struck_words(
    lines: Sequence[PageLine], sources: Sequence[str], outline: Outline, first_of: dict[int, int]
) -> None:
    """Mark what stands between double tildes as struck through, in place; it may go on over the lines of a paragraph.

    A heading, a row and an item of a list are read alone, and code is as it is written.
    """
    ends = dict(pairwise([*first_of.values(), len(lines)]))
    paragraph: list[PageLine] = []
    last = -2
    for index, source in enumerate(sources):
        if index not in first_of:
            continue
        is_code, kind = index in outline.code, outline.kinds.get(index, "body")
        is_next = index == last + 1 and kind in ("body", "list_item") and not ITEM.match(source)
        if is_code or not is_next or (paragraph and paragraph[-1].kind != kind):
            strike_between_marks(paragraph)
            paragraph = []
        if not is_code:
            paragraph += lines[first_of[index] : ends[first_of[index]]]
        last = index
    strike_between_marks(paragraph)


def strike_between_marks(lines: Sequence[PageLine]) -> None:
    text = "\n".join(line.text for line in lines)
    struck = [found.span("struck") for found in STRUCK.finditer(text) if found["struck"]] if STRUCK_MARK in text else []
    begin = 0
    for line in lines:
        length = len(line.text)
        own = [(max(start - begin, 0), min(end - begin, length)) for start, end in struck]
        own = [(start, end) for start, end in own if start < end]
        if own:
            cuts = sorted({0, length, *chain.from_iterable(own)})
            width = (line.x1 - line.x0) / length
            line.spans = tuple(
                LineSpan(start, end, line.x0 + width * start, line.x0 + width * end, (start, end) in own)
                for start, end in pairwise(cuts)
            )
            line.match = match_form(without_struck(line.text, line.spans))
        begin += length + 1


def laid_out(sources: Sequence[str], kinds: dict[int, LineKind]) -> tuple[list[PageLine], dict[int, int]]:
    """The source lines wrapped and placed on pages, and for each source line the index of its first visual line."""
    lines: list[PageLine] = []
    first_of: dict[int, int] = {}
    page_number, y = 1, MARGIN
    was_blank = True
    for index, source in enumerate(sources):
        kind = kinds.get(index, "body")
        pieces = list(wrap_line(source, kind))
        if not pieces:
            y += 0 if was_blank else LEADING
            was_blank = True
            continue
        was_blank = False
        first_of[index] = len(lines)
        for left, text in pieces:
            if y + LEADING > PAGE_HEIGHT - MARGIN:
                page_number, y = page_number + 1, MARGIN
            lines.append(set_line(page_number, left, y, text, kind))
            y += LEADING
    return lines, first_of


def wrap_line(source: str, kind: LineKind) -> Iterator[tuple[float, str]]:
    """The visual lines of a source line, each with its left edge. Table rows are wrapped too, never cut."""
    text = HEADING_MARKS.sub("", source) if kind == "heading" else source
    stripped = " ".join(text.split())
    indent = min(INDENT_MAX_PT, INDENT_PT * (len(text) - len(text.lstrip())))
    for part in (
        textwrap.wrap(stripped, WRAP_CHARS, break_on_hyphens=False) if len(stripped) > WRAP_CHARS else [stripped]
    ):
        if part:
            yield MARGIN + indent, part


def goes_on_in_row(above: LineRow, line: LineRow) -> bool:
    """Whether a line is what was wrapped of the row of a Markdown table above it: its first word had no room there."""
    first = line.text.split(maxsplit=1)[0]
    is_next = line.number == above.number + 1 and above.kind == line.kind == "table_row" and line.method == "markdown"
    begins = above.text.endswith("|") and first.startswith("|")
    return is_next and not begins and len(f"{above.text} {first}") > WRAP_CHARS


def set_line(page_number: int, left: float, top: float, text: str, kind: LineKind) -> PageLine:
    size = FONT_SIZE
    right = min(PAGE_WIDTH - MARGIN / 2, left + text_width(text) * size / 1000)
    return PageLine(
        page_number=page_number,
        text=text,
        match=match_form(text),
        x0=left,
        y0=top + (LEADING - size) / 2,
        x1=right,
        y1=top + (LEADING + size) / 2,
        size=size,
        is_bold=kind == "heading",
        column=0,
        spans=(LineSpan(0, len(text), left, right),),
        kind=kind,
        method="markdown",
    )
